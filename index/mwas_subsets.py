"""The exact permutation null of a sum, where few samples have anything to sum.

A virus family is absent from most samples of a project. A random group of k of n samples then differs from others only
in which of the m samples with reads it holds, so its sum is one of 2^m subset sums, and a subset of j samples has
C(n - m, k - j) of the C(n, k) groups. Enumerating subsets takes no chance, costs less than drawing groups, and gives
p-values below any floor that resampling has (Pagano and Tritchler 1983 call it the exact conditional distribution).
"""

from __future__ import annotations

from functools import lru_cache
from typing import Final

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln

from index.mwas_tests import Floats, Ints

CELLS: Final = 1_000_000
"""Splits times subset sums that are worked out at once."""
SORT_FROM: Final = 64
"""From this many sums on, sorting them and searching beats comparing each split with each of them."""


def few_above_least(values: Floats, *, max_sums: int) -> NDArray[np.bool_]:
    """Return which columns of ``values`` (n, F) have so few samples above the least that 2^m is within ``max_sums``."""
    above = np.count_nonzero(values > values.min(axis=0, initial=np.inf), axis=0)
    return np.asarray(above < max_sums.bit_length())


def subset_p_values(
    values: Floats, size: Ints, observed: Floats, asked: NDArray[np.bool_], *, margin: Floats
) -> Floats:
    """Return the exact two-sided p-values (S, F) of the pairs ``asked`` for, 1 elsewhere.

    ``values`` (n, F) are those of families with few samples above their least, ``size`` (S,) the samples in each group,
    ``observed`` (S, F) their sums; sums closer than ``margin`` (F,) tie. Families with equally many samples above the
    least are worked out together: most have one to three, and a call costs more than their arithmetic.
    """
    result = np.ones(asked.shape)
    above = np.count_nonzero(values > values.min(axis=0, initial=np.inf), axis=0)
    for m in np.unique(above[asked.any(axis=0)]).tolist():
        columns = np.flatnonzero((above == m) & asked.any(axis=0))
        step = max(1, CELLS // (len(size) << m))
        for start in range(0, len(columns), step):
            some = columns[start : start + step]
            tails = subset_tails(values[:, some], size, observed[:, some], asked[:, some], margin=margin[some])
            result[:, some] = np.where(asked[:, some], np.minimum(2 * np.minimum(*tails), 1.0), 1.0)
    return result


def subset_tails(
    values: Floats, size: Ints, observed: Floats, asked: NDArray[np.bool_], *, margin: Floats
) -> tuple[Floats, Floats]:
    """Return the chances (S, F) that a group's sum is at least, and at most, ``observed``; 0 where not asked for.

    All families must have the same number of samples above their least.
    """
    least = values.min(axis=0)
    sums = _subset_sums(values - least)
    family, split = np.nonzero(asked.T)
    excess = (observed - size[:, None] * least)[split, family]
    low, high = excess - margin[family], excess + margin[family]
    weight = _group_shares(len(values), _width(sums), size)[:, split]
    at_least, at_most = np.zeros(len(split)), np.zeros(len(split))
    for share, places in zip(weight, _places_by_size(_width(sums)), strict=True):
        above, below = _counts(sums[:, places], family, low, high)
        at_least += share * above
        at_most += share * below
    tails = np.zeros(asked.shape), np.zeros(asked.shape)
    tails[0][split, family], tails[1][split, family] = at_least, at_most
    return tails


def _counts(sums: Floats, family: Ints, low: Floats, high: Floats) -> tuple[Ints, Ints]:
    """Return how many of the ``sums`` (F, C) of its family are at least ``low``, and at most ``high``, for each pair.

    ``family`` (P,) comes sorted, as do ``low`` and ``high`` with it.
    """
    if sums.shape[1] < SORT_FROM:
        own = sums[family]
        return np.count_nonzero(own >= low[:, None], axis=1), np.count_nonzero(own <= high[:, None], axis=1)
    above, below = np.empty(len(family), np.int64), np.empty(len(family), np.int64)
    sums.sort(axis=1)
    bounds = np.searchsorted(family, np.arange(len(sums) + 1))
    for row, start, stop in zip(sums, bounds[:-1], bounds[1:], strict=True):
        above[start:stop] = len(row) - np.searchsorted(row, low[start:stop], side="left")
        below[start:stop] = np.searchsorted(row, high[start:stop], side="right")
    return above, below


def _subset_sums(excess: Floats) -> Floats:
    """Return the sums (F, 2^m) of all subsets of the m values above 0 of each column of ``excess`` (n, F)."""
    family, sample = np.nonzero(excess.T > 0)
    above = excess[sample, family].reshape(excess.shape[1], -1)
    sums = np.zeros((len(above), 1))
    for value in above.T:
        sums = np.hstack([sums, sums + value[:, None]])
    return sums


def _width(sums: Floats) -> int:
    """Return m, where ``sums`` has 2^m columns."""
    return int(sums.shape[1]).bit_length() - 1


@lru_cache(maxsize=32)
def _places_by_size(m: int) -> list[NDArray[np.intp]]:
    """Return the columns of ``_subset_sums`` of the subsets of j members, for j = 0 to m."""
    members = np.bitwise_count(np.arange(1 << m, dtype=np.uint32))
    return [np.flatnonzero(members == j) for j in range(m + 1)]


def _group_shares(n: int, m: int, size: Ints) -> Floats:
    """Return the share of all groups that hold one given subset of j of the m samples and no other, (m + 1, S)."""
    j, k = np.arange(m + 1)[:, None], size[None, :]
    possible = (k - j >= 0) & (k - j <= n - m)
    rest = np.where(possible, k - j, 0)
    ways = gammaln(n - m + 1) - gammaln(rest + 1) - gammaln(n - m - rest + 1)
    groups = gammaln(n + 1) - gammaln(k + 1) - gammaln(n - k + 1)
    return np.where(possible, np.exp(ways - groups), 0.0)
