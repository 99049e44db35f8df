"""The exact permutation null of a sum, where few samples have anything to sum.

A virus family is absent from most samples of a project. A random group of k of n samples then
differs from others only in which of the m samples with reads it holds, so its sum is one of 2^m
subset sums, and a subset of j samples has C(n - m, k - j) of the C(n, k) groups. Enumerating
subsets takes no chance, costs less than drawing groups, and gives p-values below any floor that
resampling has (Pagano and Tritchler 1983 call it the exact conditional distribution).
"""

from __future__ import annotations

from functools import lru_cache
from itertools import accumulate, pairwise
from math import comb
from typing import Final

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln

from index.mwas.statistics import Floats, Ints

CELLS: Final = 1_000_000
"""Splits times subset sums that are worked out at once."""
SORT_FROM: Final = 12
"""From this many splits a family on its sums are sorted and searched, below compared."""
ALONE_FROM: Final = 8
"""Below this many samples above their least, families are worked out together.

They are those with up to three, to five and to seven such samples; samples at the least make up the
number. Most families have few, and a call costs more than their arithmetic.
"""


def few_above_least(values: Floats, *, max_sums: int) -> NDArray[np.bool_]:
    """Return which columns of ``values`` (n, F) have at most ``max_sums`` subset sums.

    They are the 2^m sums of the m samples above the least of the column.
    """
    return np.asarray(_count_above_least(values) < max_sums.bit_length())


def _count_above_least(values: Floats) -> Ints:
    """Return how many samples of each column of ``values`` (n, F) are above its least."""
    least = values.min(axis=0, initial=np.inf)
    above = values > least
    return np.asarray(np.count_nonzero(above, axis=0))


def subset_p_values(
    values: Floats, size: Ints, observed: Floats, asked: NDArray[np.bool_], *, margin: Floats
) -> Floats:
    """Return the exact two-sided p-values (S, F) of the pairs ``asked``, 1 elsewhere.

    ``values`` (n, F) are those of families with few samples above their least, ``size`` (S,) the
    samples in each group, ``observed`` (S, F) their sums; sums closer than ``margin`` (F,) tie.
    """
    result = np.ones(asked.shape)
    wanted = asked.any(axis=0)
    width = _shared_width(values)
    for m in np.unique(width[wanted]).tolist():
        columns = np.flatnonzero((width == m) & wanted)
        sums_per_family = len(size) << m
        step = max(1, CELLS // sums_per_family)
        for start in range(0, len(columns), step):
            some = columns[start : start + step]
            asked_of_some = asked[:, some]
            at_least, at_most = subset_tails(
                values[:, some],
                size,
                observed[:, some],
                asked_of_some,
                m=m,
                margin=margin[some],
            )
            smaller_tail = np.minimum(at_least, at_most)
            p_value = np.minimum(2 * smaller_tail, 1.0)
            result[:, some] = np.where(asked_of_some, p_value, 1.0)
    return result


def _shared_width(values: Floats) -> Ints:
    """Return for each family the m it is worked out with, see ``ALONE_FROM``."""
    above = _count_above_least(values)
    shared = np.maximum(above | 1, 3)
    width = np.where(above < ALONE_FROM, shared, above)
    return np.minimum(width, len(values))


def subset_tails(
    values: Floats,
    size: Ints,
    observed: Floats,
    asked: NDArray[np.bool_],
    *,
    m: int,
    margin: Floats,
) -> tuple[Floats, Floats]:
    """Return the chances (S, F) that a group's sum is at least, and at most, ``observed``.

    They are 0 for pairs that are not ``asked``. At most ``m`` samples of each family are above its
    least.
    """
    family, split = np.nonzero(asked.T)
    least = values.min(axis=0)
    sums = _subset_sums(values - least, m)
    by_members = sums[:, _by_members(m)]

    expected_least = size[:, None] * least
    excess = (observed - expected_least)[split, family]
    tie = margin[family]
    above, below = _counts(by_members, m, family, excess - tie, excess + tie)

    weight = _group_shares(len(values), m, size)[split]
    at_least = np.zeros(asked.shape)
    at_most = np.zeros(asked.shape)
    at_least[split, family] = (weight * above).sum(axis=1)
    at_most[split, family] = (weight * below).sum(axis=1)
    return at_least, at_most


def _counts(sums: Floats, m: int, family: Ints, low: Floats, high: Floats) -> tuple[Ints, Ints]:
    """Return for each pair how many sums of j samples are at least ``low``, and at most ``high``.

    Both are (P, m + 1). ``sums`` (F, 2^m) are ordered by j; ``family`` (P,) comes sorted, as do
    ``low`` and ``high`` with it.
    """
    if len(family) < SORT_FROM * len(sums):
        return _counts_by_comparing(sums[family], m, low, high)
    return _counts_by_searching(sums, m, family, low, high)


def _counts_by_comparing(own: Floats, m: int, low: Floats, high: Floats) -> tuple[Ints, Ints]:
    """Return what ``_counts`` does; ``own`` (P, 2^m) are the sums of the family of each pair."""
    starts = _starts(m)
    return _add_up(own >= low[:, None], starts), _add_up(own <= high[:, None], starts)


def _counts_by_searching(
    sums: Floats, m: int, family: Ints, low: Floats, high: Floats
) -> tuple[Ints, Ints]:
    """Return what ``_counts`` does, from the sorted sums of each family."""
    inner_starts = _starts(m)[1:]
    above, below = np.empty((2, len(family), m + 1), np.int64)
    bounds = np.searchsorted(family, np.arange(len(sums) + 1))
    for row, (start, stop) in zip(sums, pairwise(bounds), strict=True):
        pairs = slice(start, stop)
        for j, of_size in enumerate(np.split(row, inner_starts)):
            of_size.sort()
            smaller = np.searchsorted(of_size, low[pairs], side="left")
            above[pairs, j] = len(of_size) - smaller
            below[pairs, j] = np.searchsorted(of_size, high[pairs], side="right")
    return above, below


def _add_up(found: NDArray[np.bool_], starts: Ints) -> Ints:
    """Return how many of ``found`` (P, C) are true from each of ``starts`` to the next."""
    return np.asarray(np.add.reduceat(found.view(np.uint8), starts, axis=1, dtype=np.int64))


def _subset_sums(excess: Floats, m: int) -> Floats:
    """Return the sums (F, 2^m) of all subsets of the ``m`` largest values of each column.

    ``excess`` is (n, F). Each value in turn doubles the sums: those before it, with it added.
    """
    n, families = excess.shape
    largest = excess
    if m < n:
        smallest_first = np.partition(excess, n - m, axis=0)
        largest = smallest_first[n - m :]
    sums = np.zeros((families, 1 << m))
    for at, value in enumerate(largest):
        done = 1 << at
        without = sums[:, :done]
        with_value = sums[:, done : 2 * done]
        np.add(without, value[:, None], out=with_value)
    return sums


@lru_cache(maxsize=32)
def _by_members(m: int) -> NDArray[np.intp]:
    """Return the columns of ``_subset_sums`` by the number of members of their subsets."""
    members = np.bitwise_count(np.arange(1 << m, dtype=np.uint32))
    return np.argsort(members, kind="stable")


@lru_cache(maxsize=32)
def _starts(m: int) -> Ints:
    """Return where in ``_by_members`` the subsets of j members start, for j = 0 to m."""
    return np.array(list(accumulate((comb(m, j) for j in range(m)), initial=0)))


def _group_shares(n: int, m: int, size: Ints) -> Floats:
    """Return the share of all groups that hold a given subset of j of the m samples and no other.

    The shape is (S, m + 1), a column for each j.
    """
    j = np.arange(m + 1)[None, :]
    k = size[:, None]
    others = n - m
    possible = (k - j >= 0) & (k - j <= others)
    rest = np.where(possible, k - j, 0)

    log = _log_factorials(n)
    ways = log[others] - log[rest] - log[others - rest]
    share = np.exp(ways - log[n] + log[k] + log[n - k])
    return np.where(possible, share, 0.0)


@lru_cache(maxsize=4)
def _log_factorials(n: int) -> Floats:
    """Return ln(i!) for i = 0 to n."""
    return np.asarray(gammaln(np.arange(1.0, n + 2)))
