"""Ways to score how well a virus fits a sample, from counts alone; none needs more than numpy.

Each is fitted to sightings and then scores profiles (sets of terms) against viruses: the higher,
the better the fit. Scores do not say how common a virus is: that is left to the calibration.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import numpy as np
import polars as pl
from numpy.typing import NDArray
from scipy import sparse
from scipy.sparse.linalg import svds

from index.tables.vectors import DIMENSIONS
from index.vectors.sightings import Matrix, Sightings

Array = NDArray[np.float32]
Score = Callable[[Matrix], Array]
"""Profiles × terms -> profiles × viruses."""
Vectors = tuple[Array, Array]
"""Vectors of viruses and of terms."""
_LOOKED: Final = 20.0
"""Groups that a search of everything counts for beside those that were searched for a virus."""
SMALL: Final = 500
"""Rows or columns up to which all singular values are computed."""
_PRIOR: Final = 2.0
"""Groups that the expectation counts for beside those a virus was found in."""


def counts(sightings: Sightings) -> Array:
    """Return viruses × terms: the groups that have both."""
    together = sightings.found.T @ sightings.has
    return together.toarray().astype(np.float32)  # type: ignore[no-any-return]


def chance(sightings: Sightings) -> Array:
    """Return viruses × terms: the share of the groups that were searched for the virus that have
    the term, where a search of everything stands for what few groups were searched for.
    """
    everywhere = np.asarray(sightings.has.mean(axis=0), dtype=np.float32).ravel() + 1e-4
    looked, of_virus = sightings.searched_alike()
    have = looked.T @ sightings.has + _LOOKED * everywhere
    share = have / (looked.sum(axis=0)[:, None] + _LOOKED)
    return share[of_virus].astype(np.float32)  # type: ignore[no-any-return]


def naive_bayes(sightings: Sightings) -> Score:
    """Return the log odds of the terms of a profile where the virus is found, against where it was
    looked for.
    """
    expected = chance(sightings)
    return _by_log_odds(counts(sightings), found_in(sightings), expected, expected)


def relatives_bayes(sightings: Sightings) -> Score:
    """Return the same, expecting of a virus what its genus has, and of a genus what its family
    has.
    """
    expected = chance(sightings)
    prior = expected
    observed, groups = counts(sightings), found_in(sightings)
    for rank in ("family", "genus"):
        same = same_rank(sightings.virus[rank])
        others = same @ observed - observed
        number = (same @ groups - groups)[:, None]
        prior = (others + _PRIOR * prior) / (number + _PRIOR)
    return _by_log_odds(observed, groups, prior, expected)


def taxonomy(sightings: Sightings) -> Score:
    """Return the log odds of the relatives of a virus, whatever it is found with itself."""
    expected = chance(sightings)
    observed, groups = counts(sightings), found_in(sightings)
    family, genus = same_rank(sightings.virus["family"]), same_rank(sightings.virus["genus"])
    weight = family + 3 * genus
    weight.setdiag(0)
    return _by_log_odds(weight @ observed, weight @ groups, expected, expected)


def factorised(sightings: Sightings) -> Score:
    """Return the cosine of a virus and a profile in a truncated SVD of weighted counts."""
    return by_cosine(*svd_vectors(sightings), weights_of(sightings))


def random_walks(sightings: Sightings) -> Score:
    """Return the cosine of a virus and a profile in a factorisation of random walks."""
    return by_cosine(*walk_vectors(sightings), weights_of(sightings))


def svd_vectors(sightings: Sightings) -> Vectors:
    """Return vectors of viruses and of terms: the truncated SVD of viruses × terms, where a count
    weighs more the rarer the term is.
    """
    observed = np.log1p(counts(sightings)) * weights_of(sightings)
    rows = observed / np.maximum(np.linalg.norm(observed, axis=1, keepdims=True), 1e-9)
    return _factors(sparse.csr_array(rows))


def walk_vectors(sightings: Sightings) -> Vectors:
    """Return vectors of viruses and of terms from random walks of one and three steps between
    viruses and what they share: terms, genera, families.

    What node2vec samples is computed: Qiu et al. 2018 (NetMF), doi:10.1145/3159652.3159706.
    """
    linked = _linked(sightings)
    of_virus = np.maximum(linked.sum(axis=1, keepdims=True), 1e-9)
    of_shared = np.maximum(linked.sum(axis=0), 1e-9)
    first = linked / of_virus
    third = (first @ (linked / of_shared).T) @ first
    closeness = (first + third) / 2 * linked.sum() / of_shared
    viruses, shared = _factors(sparse.csr_array(np.log(np.maximum(closeness, 1.0))))
    return viruses, shared[: len(sightings.term)]


def by_cosine(virus: Array, term: Array, weights: Array) -> Score:
    """Return the score that is the cosine of viruses and the weighted sum of a profile's terms."""
    unit = virus / np.maximum(np.linalg.norm(virus, axis=1, keepdims=True), 1e-9)

    def score(profiles: Matrix) -> Array:
        summed = (profiles @ (term * weights[:, None])).astype(np.float32)
        length = np.maximum(np.linalg.norm(summed, axis=1, keepdims=True), 1e-9)
        return (summed / length) @ unit.T  # type: ignore[no-any-return]

    return score


def weights_of(sightings: Sightings) -> Array:
    """Return what each term weighs: the logarithm of how rare it is."""
    groups = np.asarray(sightings.has.sum(axis=0)).ravel()
    rarity = np.log((1 + sightings.has.shape[0]) / (1 + groups))
    return rarity.astype(np.float32)  # type: ignore[no-any-return]


def found_in(sightings: Sightings) -> Array:
    """Return the number of groups that each virus is found in."""
    return np.asarray(sightings.found.sum(axis=0), dtype=np.float32).ravel()


def same_rank(ranks: pl.Series) -> Matrix:
    """Return viruses × viruses: 1 where both are of one taxon; one of none is only like itself."""
    alone = pl.Series([f"#{place}" for place in range(len(ranks))])
    _, taxon = np.unique(ranks.zip_with(ranks.is_not_null(), alone).to_numpy(), return_inverse=True)
    ones = np.ones(len(ranks), dtype=np.float32)
    member = sparse.csr_array((ones, (np.arange(len(ranks)), taxon)))
    return sparse.csr_array(member @ member.T)


def _by_log_odds(observed: Array, groups: Array, prior: Array, expected: Array) -> Score:
    share = (observed + _PRIOR * prior) / (groups[:, None] + _PRIOR)
    odds = np.log(np.maximum(share, 1e-6) / np.maximum(expected, 1e-6)).astype(np.float32)

    def score(profiles: Matrix) -> Array:
        terms = np.maximum(np.asarray(profiles.sum(axis=1)).ravel(), 1.0)
        return (profiles @ odds.T) / np.sqrt(terms)[:, None]  # type: ignore[no-any-return]

    return score


def _linked(sightings: Sightings) -> Array:
    """Return viruses × terms, genera and families: how strongly they are linked."""
    shared = [np.log1p(counts(sightings)) * weights_of(sightings)]
    for rank in ("genus", "family"):
        known = sightings.virus[rank]
        names = known.drop_nulls().unique().sort().to_list()
        shared.append(
            (known.to_numpy()[:, None] == np.array(names, dtype=object)).astype(np.float32)
        )
    return np.hstack(shared).astype(np.float32)


def _factors(matrix: Matrix) -> Vectors:
    """Return the left and right vectors of a truncated SVD, each scaled by the root of the
    singular values; of a fixed sign.
    """
    smallest = min(matrix.shape)
    most = min(DIMENSIONS, smallest - 1)
    if smallest <= SMALL:  # where ARPACK would start anew at random
        left, values, right = np.linalg.svd(matrix.toarray().astype(np.float64), False)
        left, values, right = left[:, :most], values[:most], right[:most]
    else:
        start = np.ones(smallest) / np.sqrt(smallest)
        left, values, right = svds(matrix.astype(np.float64), k=most, v0=start, rng=0)
    order = np.argsort(-values, kind="stable")
    left, right, root = left[:, order], right[order].T, np.sqrt(values[order])
    sign = np.sign(left[np.abs(left).argmax(axis=0), np.arange(most)])
    return (left * root * sign).astype(np.float32), (right * root * sign).astype(np.float32)


BASELINES: Final[dict[str, Callable[[Sightings], Score]]] = {
    "naive Bayes": naive_bayes,
    "naive Bayes with relatives": relatives_bayes,
    "taxonomy": taxonomy,
    "truncated SVD": factorised,
    "random walks": random_walks,
}
