"""Permutation tests of the difference of two means.

All splits and families of a set of samples are tested at once, as by
``scipy.stats.permutation_test``: two-sided is twice the smaller tail, ties count for both tails,
(hits + 1) / (resamples + 1) where it samples and hits / arrangements where it enumerates. With
fixed group sizes the difference of means is a linear function of the sum over the true group, so
sums are compared.

The null depends only on the size of the group, not on who is in it: one null per (family, size)
serves every split of that size, and one matrix of shuffled samples serves every size, the first k
of a shuffle being a random group of k. Sums of groups are sparse products, one family at a time: a
dense product reads a row of zeros for every sample not drawn, its sums depend on the number of BLAS
threads, and all families at once leave sums in an order that costs more to turn round than to
compute. Families with reads in few samples are not sampled at all (``index.mwas.exact_null``).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import chain, combinations, pairwise
from math import comb
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from index.mwas.exact_null import few_above_least, subset_p_values
from index.mwas.shuffles import Orders, draw_orders
from index.mwas.statistics import Floats, Ints, column_sums

TIE_TOLERANCE: Final = 1e-11
"""Sums closer than this share of the family's total tie, whatever their order."""
FEW_HITS: Final = 3
"""With fewer hits than this a p-value is not resolved and is drawn for longer."""
SORT_FROM: Final = 12
"""From this many splits on the null is sorted and searched, below it is counted."""


class Comparison(NamedTuple):
    """Values (n, F) of families, members (S, n) of splits, and which pairs (S, F) to test."""

    values: Floats
    members: sparse.csr_array
    asked: NDArray[np.bool_]


def permutation_p_values(
    tests: Sequence[Comparison], *, resamples: int, max_resamples: int, seed: int
) -> list[Floats]:
    """Return two-sided p-values (S, F) of each of ``tests``; ignore those of other pairs.

    All tests are over the same n samples and share their shuffles, which depend on n and ``seed``
    alone. Where a family has at most ``max_resamples`` subset sums, or a group size at most
    ``resamples`` arrangements, all are enumerated and the p-value is exact. Where fewer than
    ``FEW_HITS`` of the first ``resamples`` groups were as extreme, ``max_resamples`` are drawn in
    all: a correction over many tests could not be passed otherwise. Both stages keep the level: a
    p-value that is small at the end was small after the first.
    """
    few_sums = [few_above_least(test.values, max_sums=max_resamples) for test in tests]
    counts = [
        _count_families(test, ~exact, resamples)
        for exact, test in zip(few_sums, tests, strict=True)
    ]
    samples = len(tests[0].values)
    more = max(0, max_resamples - resamples)
    first, further = draw_orders(samples, resamples, more, seed)
    _draw(counts, first)
    if more:
        unresolved = [count.narrowed() for count in counts]
        _draw(unresolved, further)
        for count, narrow in zip(counts, unresolved, strict=True):
            count.take(narrow)
    return [
        _joined(test, exact, count)
        for test, exact, count in zip(tests, few_sums, counts, strict=True)
    ]


def _count_families(test: Comparison, families: NDArray[np.bool_], resamples: int) -> _Count:
    """Return an empty count over the ``families`` of ``test``."""
    values = test.values[:, families]
    wanted = test.asked[:, families]
    return _Count(values, test.members, wanted, resamples)


def _joined(test: Comparison, exact: NDArray[np.bool_], count: _Count) -> Floats:
    """Return the p-values of a test, those of the families of few subset sums worked out here."""
    result = np.ones(test.asked.shape)
    result[:, ~exact] = count.p_values()

    lengths = np.diff(test.members.indptr)
    observed = test.members @ test.values
    margin = TIE_TOLERANCE * column_sums(test.values)
    result[:, exact] = subset_p_values(
        test.values[:, exact],
        np.asarray(lengths, np.int64),
        observed[:, exact],
        test.asked[:, exact],
        margin=margin[exact],
    )
    return result


def _draw(counts: Sequence[_Count], orders: Iterable[Orders]) -> None:
    """Add the shuffles of ``orders`` to ``counts``; draw none where nothing is sampled."""
    unfinished = [tally for tally in counts if tally.sampled]
    if not unfinished:
        return
    for order in orders:
        for tally in unfinished:
            tally.add(order)


class _Count:
    """How often random groups reach the sums that were observed, per split and family (S, F)."""

    def __init__(
        self, values: Floats, members: sparse.csr_array, asked: NDArray[np.bool_], resamples: int
    ) -> None:
        n = len(values)
        size = np.diff(members.indptr)
        total = column_sums(values)
        inside = members @ values
        more_than_half = (size > n - size)[:, None]

        self.values = np.asfortranarray(values)
        self.members = members
        self.asked = asked
        self.resamples = resamples
        self.size: Ints = np.minimum(size, n - size)
        self.observed: Floats = np.where(more_than_half, total - inside, inside)
        self.margin: Floats = TIE_TOLERANCE * total

        asked_splits = asked.any(axis=1)
        sizes = np.unique(self.size[asked_splits]).tolist()
        self.exact = [k for k in sizes if comb(n, k) <= resamples]
        self.sampled = [k for k in sizes if comb(n, k) > resamples]

        shape = self.observed.shape
        self.drawn: Ints = np.zeros(shape, np.int64)
        self.above: Ints = np.zeros(shape, np.int64)
        self.below: Ints = np.zeros(shape, np.int64)

    def add(self, order: Orders) -> None:
        """Count the groups that the shuffles in ``order`` (R, n) make of each sampled size."""
        shape = len(self.sampled), len(order)
        pieces = _pieces(order, self.sampled, len(self.values))
        for f, rows_by_size in self._asked_rows(self.sampled):
            sums_of_pieces = pieces @ self.values[:, f]
            sums = sums_of_pieces.reshape(shape)
            for smaller, larger in pairwise(sums):
                np.add(larger, smaller, out=larger)
            for null, rows in zip(sums, rows_by_size, strict=True):
                above, below = _tails(null, self.observed[rows, f], self.margin[f])
                self.drawn[rows, f] += len(order)
                self.above[rows, f] += above
                self.below[rows, f] += below

    def narrowed(self) -> _Count:
        """Return an empty count of the splits and families that hold all cells with few hits."""
        few = self._few()
        rows, columns = few.any(axis=1), few.any(axis=0)
        inside = few[np.ix_(rows, columns)]
        return _Count(self.values[:, columns], self.members[rows], inside, self.resamples)

    def take(self, narrow: _Count) -> None:
        """Add the hits of ``narrow``, made by ``narrowed``, to the cells with few hits."""
        few = self._few()
        inside = few[np.ix_(few.any(axis=1), few.any(axis=0))]
        self.drawn[few] += narrow.drawn[inside]
        self.above[few] += narrow.above[inside]
        self.below[few] += narrow.below[inside]

    def p_values(self) -> Floats:
        """Return the p-values of all splits; those of small sizes are enumerated here."""
        result = _two_sided(self.above + 1, self.below + 1, self.drawn + 1)
        groups = [_arrangements(len(self.values), k) for k in self.exact]
        for f, rows_by_size in self._asked_rows(self.exact):
            for arrangements, rows in zip(groups, rows_by_size, strict=True):
                null = arrangements @ self.values[:, f]
                above, below = _tails(null, self.observed[rows, f], self.margin[f])
                result[rows, f] = _two_sided(above, below, np.int64(len(null)))
        return result

    def _asked_rows(self, sizes: list[int]) -> Iterator[tuple[int, list[Ints]]]:
        """Yield each family with the splits to test it on, an array for each size."""
        rows_by_size = [np.flatnonzero(self.size == k) for k in sizes]
        asked_families = np.flatnonzero(self.asked.any(axis=0))
        for f in asked_families.tolist():
            wanted = self.asked[:, f]
            yield f, [rows[wanted[rows]] for rows in rows_by_size]

    def _few(self) -> NDArray[np.bool_]:
        """Return which sampled pairs have too few hits to resolve their p-value."""
        unresolved = np.minimum(self.above, self.below) < FEW_HITS
        return np.asarray(self.asked & (self.drawn > 0) & unresolved)


def _pieces(order: Orders, sizes: list[int], n: int) -> sparse.csr_array:
    """Return what each of the ascending ``sizes`` adds to the previous size in each shuffle.

    Shape (sizes * R, n), of 0/1. A group holds the next smaller one: the sums of pieces, added up,
    are the sums over the first k of each shuffle.
    """
    bounds = [0, *sizes]
    pieces = [order[:, start:stop] for start, stop in pairwise(bounds)]
    chosen = np.concatenate(pieces, axis=None)

    widths = np.diff(np.array(bounds, np.int32))
    lengths = np.repeat(widths, len(order))
    ends = np.cumsum(lengths, dtype=np.int32)
    row_starts = np.concatenate([np.zeros(1, np.int32), ends])
    return sparse.csr_array((_ones(len(chosen)), chosen, row_starts), shape=(len(lengths), n))


@lru_cache(maxsize=4)
def _ones(cells: int) -> Floats:
    """Return so many ones, which the next chunks of shuffles share: each is up to 32 MB."""
    return np.ones(cells)


@lru_cache(maxsize=64)
def _arrangements(n: int, k: int) -> sparse.csr_array:
    """Return every group of ``k`` of ``n`` samples as a row of 0/1, shape (C(n, k), n)."""
    groups = combinations(range(n), k)
    chosen = np.fromiter(chain.from_iterable(groups), np.int32)
    row_starts = np.arange(0, len(chosen) + 1, k, dtype=np.int32)
    ones = np.ones(len(chosen))
    return sparse.csr_array((ones, chosen, row_starts), shape=(len(row_starts) - 1, n))


def _tails(null: Floats, observed: Floats, margin: float) -> tuple[Ints, Ints]:
    """Return how many values of ``null`` (R,) are at least, and at most, each ``observed`` (s,).

    ``null`` is that of one family; values closer than ``margin`` tie and count in both.
    """
    low = observed - margin
    high = observed + margin
    if len(observed) < SORT_FROM:
        above = [np.count_nonzero(null >= bound) for bound in low]
        below = [np.count_nonzero(null <= bound) for bound in high]
        return np.array(above, np.int64), np.array(below, np.int64)
    ascending = np.sort(null)
    smaller = np.searchsorted(ascending, low, side="left")
    not_larger = np.searchsorted(ascending, high, side="right")
    return len(null) - smaller, not_larger


def _two_sided(above: Ints, below: Ints, arrangements: Ints | np.int64) -> Floats:
    """Return twice the share of the smaller tail, at most 1."""
    smaller_tail = np.minimum(above, below)
    p_value = 2 * smaller_tail / arrangements
    return np.minimum(p_value, 1.0)
