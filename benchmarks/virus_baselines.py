"""Ways to score how well a virus fits a sample, beside the vectors that a build learns.

Each is fitted to sightings and then scores profiles (sets of terms) against viruses: the higher,
the better the fit.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import numpy as np
import polars as pl
from scipy import sparse

from index.vectors.factors import (
    Array,
    Score,
    by_cosine,
    counts,
    found_in,
    svd_vectors,
    walk_vectors,
    weights_of,
)
from index.vectors.sightings import Matrix, Sightings

_LOOKED: Final = 20.0
"""Groups that a search of everything counts for beside those that were searched for a virus."""
_PRIOR: Final = 2.0
"""Groups that the expectation counts for beside those a virus was found in."""


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


BASELINES: Final[dict[str, Callable[[Sightings], Score]]] = {
    "naive Bayes": naive_bayes,
    "naive Bayes with relatives": relatives_bayes,
    "taxonomy": taxonomy,
    "truncated SVD": factorised,
    "random walks": random_walks,
}
