"""Vectors of viruses and of terms, factorised from counts of their joint occurrence.

A profile (a set of terms) is scored against viruses by cosine: the higher, the better the fit. A
score does not say how common a virus is; that is left to the calibration.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import numpy as np
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
SMALL: Final = 500
"""Rows or columns up to which all singular values are computed."""


def counts(sightings: Sightings) -> Array:
    """Return viruses × terms: the groups that have both."""
    together = sightings.found.T @ sightings.has
    return together.toarray().astype(np.float32)  # type: ignore[no-any-return]


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
    """Return the weight of each term: the logarithm of its rarity."""
    groups = np.asarray(sightings.has.sum(axis=0)).ravel()
    rarity = np.log((1 + sightings.has.shape[0]) / (1 + groups))
    return rarity.astype(np.float32)  # type: ignore[no-any-return]


def found_in(sightings: Sightings) -> Array:
    """Return the number of groups that each virus is found in."""
    return np.asarray(sightings.found.sum(axis=0), dtype=np.float32).ravel()


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
    if smallest <= SMALL:  # otherwise ARPACK would start from a random vector
        left, values, right = np.linalg.svd(matrix.toarray().astype(np.float64), False)
        left, values, right = left[:, :most], values[:most], right[:most]
    else:
        start = np.ones(smallest) / np.sqrt(smallest)
        left, values, right = svds(matrix.astype(np.float64), k=most, v0=start, rng=0)
    order = np.argsort(-values, kind="stable")
    left, right, root = left[:, order], right[order].T, np.sqrt(values[order])
    sign = np.sign(left[np.abs(left).argmax(axis=0), np.arange(most)])
    return (left * root * sign).astype(np.float32), (right * root * sign).astype(np.float32)
