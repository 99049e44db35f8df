"""Permutation tests of the difference of two means, for all splits and families of one set of samples at once.

As ``scipy.stats.permutation_test``: two-sided is twice the smaller tail, ties count for both tails, (hits + 1) /
(resamples + 1) where it samples and hits / arrangements where it enumerates. With fixed group sizes the difference of
means is a linear function of the sum over the true group, so sums are compared.

The null depends only on the size of the group, not on who is in it: one null per (family, size) serves every split of
that size, and one matrix of shuffled samples serves every size, the first k of a shuffle being a random group of k.
Sums of groups are sparse products, not BLAS: its threads cost more than they bring at this size, and its sums depend on
their number. Families with reads in few samples are not sampled at all (``index.mwas_subsets``).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import chain, combinations
from math import comb
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from index.mwas_subsets import few_above_least, subset_tails
from index.mwas_tests import Floats, Ints

TIE_TOLERANCE: Final = 1e-11
"""Sums closer than this share of the family's total are equal: the order of addition must not break ties."""
CHUNK_CELLS: Final = 4_000_000
"""Cells of the largest matrix held at once (32 MB), whatever the size of the project."""
FEW_HITS: Final = 3
"""With fewer hits than this a p-value is not resolved and is drawn for longer."""
SORT_FROM: Final = 6
"""From this many splits of one size on, sorting the null and searching in it beats counting split by split."""


class Comparison(NamedTuple):
    """Values (n, F) of families, members (S, n) of splits, and which pairs (S, F) of them are asked for."""

    values: Floats
    members: sparse.csr_array
    asked: NDArray[np.bool_]


def permutation_p_values(
    tests: Sequence[Comparison], *, resamples: int, max_resamples: int, rng: np.random.Generator
) -> list[Floats]:
    """Return two-sided p-values (S, F) of each of ``tests``, any number where a pair is not asked for.

    All tests are over the same n samples and share their shuffles. Where a family has at most ``max_resamples`` subset
    sums, or a group size at most ``resamples`` arrangements, all are enumerated and the p-value is exact. Where fewer
    than ``FEW_HITS`` of the first ``resamples`` groups were as extreme, ``max_resamples`` are drawn in all: a
    correction over many tests could not be passed otherwise. Both stages keep the level: a p-value that is small at the
    end was small after the first.
    """
    few = [few_above_least(test.values, max_sums=max_resamples) for test in tests]
    counts = [
        _Count(test.values[:, ~exact], test.members, test.asked[:, ~exact], resamples)
        for exact, test in zip(few, tests, strict=True)
    ]
    _draw(counts, resamples, rng)
    if max_resamples > resamples:
        closer = [count.narrowed() for count in counts]
        _draw(closer, max_resamples - resamples, rng)
        for count, narrow in zip(counts, closer, strict=True):
            count.take(narrow)
    return [_joined(test, exact, count) for test, exact, count in zip(tests, few, counts, strict=True)]


def _joined(test: Comparison, exact: NDArray[np.bool_], count: _Count) -> Floats:
    """Return the p-values of a test, those of the families of few subset sums worked out here."""
    result = np.ones(test.asked.shape)
    result[:, ~exact] = count.p_values()
    size = np.asarray(np.diff(test.members.indptr), np.int64)
    observed, margin = test.members @ test.values, TIE_TOLERANCE * test.values.sum(axis=0)
    for f in np.flatnonzero(exact & test.asked.any(axis=0)):
        rows = test.asked[:, f]
        tails = subset_tails(test.values[:, f], size[rows], observed[rows, f], margin=margin[f])
        result[rows, f] = np.minimum(2 * np.minimum(*tails), 1.0)
    return result


def _draw(counts: Sequence[_Count], resamples: int, rng: np.random.Generator) -> None:
    """Add ``resamples`` shuffles to each of ``counts``; none is drawn where nothing is left to sample."""
    waiting = [count for count in counts if count.sampled]
    if not waiting:
        return
    n = len(waiting[0].values)
    cells = max(n, *(len(count.sampled) * count.values.shape[1] for count in waiting), 1)
    for order in _shuffles(n, resamples, step=max(64, CHUNK_CELLS // cells), rng=rng):
        for count in waiting:
            count.add(order)


class _Count:
    """How often random groups reach the sums that were observed, per split and family (S, F)."""

    def __init__(self, values: Floats, members: sparse.csr_array, asked: NDArray[np.bool_], resamples: int) -> None:
        n, size = len(values), np.diff(members.indptr)
        inside = members @ values
        self.values = values
        self.members = members
        self.asked = asked
        self.resamples = resamples
        self.size: Ints = np.minimum(size, n - size)
        self.observed: Floats = np.where((size > n - size)[:, None], values.sum(axis=0) - inside, inside)
        self.margin: Floats = TIE_TOLERANCE * values.sum(axis=0)
        sizes = np.unique(self.size).tolist() if values.shape[1] else []
        self.exact = [k for k in sizes if comb(n, k) <= resamples]
        self.sampled = [k for k in sizes if comb(n, k) > resamples]
        self.drawn: Ints = np.zeros(self.observed.shape, np.int64)
        self.above: Ints = np.zeros(self.observed.shape, np.int64)
        self.below: Ints = np.zeros(self.observed.shape, np.int64)

    def add(self, order: NDArray[np.int32]) -> None:
        """Count the groups that the shuffles in ``order`` (R, n) make of each sampled size."""
        for k, null in _sums_of_first(order, self.sampled, self.values):
            rows = self.size == k
            above, below = _tails(null, self.observed[rows], self.margin)
            self.drawn[rows] += len(order)
            self.above[rows] += above
            self.below[rows] += below

    def narrowed(self) -> _Count:
        """Return an empty count of the splits and families that hold all cells with few hits."""
        few = self._few()
        rows, columns = few.any(axis=1), few.any(axis=0)
        return _Count(self.values[:, columns], self.members[rows], self.asked[np.ix_(rows, columns)], self.resamples)

    def take(self, narrow: _Count) -> None:
        """Add the hits that ``narrow``, the result of ``narrowed``, counted since, to the cells with few hits."""
        few = self._few()
        inside = few[np.ix_(few.any(axis=1), few.any(axis=0))]
        self.drawn[few] += narrow.drawn[inside]
        self.above[few] += narrow.above[inside]
        self.below[few] += narrow.below[inside]

    def p_values(self) -> Floats:
        """Return the p-values of all splits, the exact ones enumerated here."""
        result = _two_sided(self.above + 1, self.below + 1, self.drawn + 1)
        for k in self.exact:
            rows = self.size == k
            null = np.ascontiguousarray((_arrangements(len(self.values), k) @ self.values).T)
            result[rows] = _two_sided(*_tails(null, self.observed[rows], self.margin), np.int64(null.shape[1]))
        return result

    def _few(self) -> NDArray[np.bool_]:
        return np.asarray(self.asked & (self.drawn > 0) & (np.minimum(self.above, self.below) < FEW_HITS))


def _sums_of_first(order: NDArray[np.int32], sizes: list[int], values: Floats) -> Iterator[tuple[int, Floats]]:
    """Yield each of the ascending ``sizes`` k with the sums of ``values`` over the first k of each shuffle, (F, R).

    A group holds the next smaller one: each row of ``order`` is cut at the sizes, one sparse product sums all pieces,
    and the sums add up.
    """
    rounds, last = len(order), sizes[-1]
    cuts = np.arange(rounds, dtype=np.int32)[:, None] * last + np.array([0, *sizes[:-1]], np.int32)
    pointer = np.append(cuts.ravel(), np.int32(rounds * last))
    chosen = np.ascontiguousarray(order[:, :last]).ravel()
    pieces = (
        sparse.csr_array((np.ones(len(chosen)), chosen, pointer), shape=(rounds * len(sizes), len(values))) @ values
    )
    by_size = pieces.reshape(rounds, len(sizes), values.shape[1])
    sums = np.zeros((values.shape[1], rounds))
    for position, k in enumerate(sizes):
        sums += by_size[:, position].T
        yield k, sums


def _shuffles(n: int, resamples: int, *, step: int, rng: np.random.Generator) -> Iterator[NDArray[np.int32]]:
    """Yield matrices (at most ``step``, n), together ``resamples`` rows, each a random permutation of 0..n-1.

    A random 64-bit key carries its position in the low bits; sorting the keys shuffles the positions, several times
    faster than an argsort.
    """
    low_bits = np.uint64((n - 1).bit_length())
    mask = np.uint64((1 << int(low_bits)) - 1)
    positions = np.arange(n, dtype=np.uint64)
    for start in range(0, resamples, step):
        keys = rng.integers(0, 2**64, size=(min(step, resamples - start), n), dtype=np.uint64)
        keys >>= low_bits
        keys <<= low_bits
        keys |= positions
        keys.sort(axis=1)
        keys &= mask
        yield keys.astype(np.int32)


@lru_cache(maxsize=64)
def _arrangements(n: int, k: int) -> sparse.csr_array:
    """Return every group of ``k`` of ``n`` samples as a row of 0/1, shape (C(n, k), n)."""
    chosen = np.fromiter(chain.from_iterable(combinations(range(n), k)), np.int32)
    pointer = np.arange(0, len(chosen) + 1, k, dtype=np.int32)
    return sparse.csr_array((np.ones(len(chosen)), chosen, pointer), shape=(len(pointer) - 1, n))


def _tails(null: Floats, observed: Floats, margin: Floats) -> tuple[Ints, Ints]:
    """Return how many of each family's ``null`` (F, R) are at least, and at most, each of ``observed`` (s, F)."""
    low, high = observed - margin, observed + margin
    if len(observed) < SORT_FROM:
        above = np.array([np.count_nonzero(null >= bound[:, None], axis=1) for bound in low])
        below = np.array([np.count_nonzero(null <= bound[:, None], axis=1) for bound in high])
        return above, below
    ascending = np.sort(null, axis=1)
    below_low = [np.searchsorted(row, bound, side="left") for row, bound in zip(ascending, low.T, strict=True)]
    up_to_high = [np.searchsorted(row, bound, side="right") for row, bound in zip(ascending, high.T, strict=True)]
    return null.shape[1] - np.array(below_low).T, np.array(up_to_high).T


def _two_sided(above: Ints, below: Ints, arrangements: Ints | np.int64) -> Floats:
    return np.minimum(2 * np.minimum(above, below) / arrangements, 1.0)
