"""The exact permutation null of a sum, where few samples have anything to sum.

A virus family is absent from most samples of a project. A random group of k of n samples then
differs from others only in which of the m samples with reads it holds, so its sum is one of 2^m
subset sums, and a subset of j samples has C(n - m, k - j) of the C(n, k) groups. Enumerating
subsets takes no chance, costs less than drawing groups, and gives p-values below any floor that
resampling has (Pagano and Tritchler 1983 call it the exact conditional distribution).
"""

from __future__ import annotations

from functools import lru_cache
from math import comb
from typing import Final

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln

from index.mwas.statistics import Floats, Ints

CELLS: Final = 1_000_000
"""Splits times subset sums that are worked out at once."""
SORT_FROM: Final = 12
"""From this many splits a family on, sorting its sums and searching beats comparing each split with
each of them.
"""
ALONE_FROM: Final = 8
"""Below this many samples above their least, families are worked out together: up to three, to five
and to seven, with samples at the least to make up the number. Most have few, and a call costs more
than their arithmetic.
"""


def few_above_least(values: Floats, *, max_sums: int) -> NDArray[np.bool_]:
    """Return which columns of ``values`` (n, F) have so few samples above the least that 2^m is
    within ``max_sums``.
    """
    above = np.count_nonzero(values > values.min(axis=0, initial=np.inf), axis=0)
    return np.asarray(above < max_sums.bit_length())


def subset_p_values(
    values: Floats, size: Ints, observed: Floats, asked: NDArray[np.bool_], *, margin: Floats
) -> Floats:
    """Return the exact two-sided p-values (S, F) of the pairs ``asked`` for, 1 elsewhere.

    ``values`` (n, F) are those of families with few samples above their least, ``size`` (S,) the
    samples in each group, ``observed`` (S, F) their sums; sums closer than ``margin`` (F,) tie.
    """
    result = np.ones(asked.shape)
    above = np.count_nonzero(values > values.min(axis=0, initial=np.inf), axis=0)
    width = np.minimum(np.where(above < ALONE_FROM, np.maximum(above | 1, 3), above), len(values))
    for m in np.unique(width[asked.any(axis=0)]).tolist():
        columns = np.flatnonzero((width == m) & asked.any(axis=0))
        step = max(1, CELLS // (len(size) << m))
        for start in range(0, len(columns), step):
            some = columns[start : start + step]
            tails = subset_tails(
                values[:, some], size, observed[:, some], asked[:, some], m=m, margin=margin[some]
            )
            result[:, some] = np.where(asked[:, some], np.minimum(2 * np.minimum(*tails), 1.0), 1.0)
    return result


def subset_tails(
    values: Floats,
    size: Ints,
    observed: Floats,
    asked: NDArray[np.bool_],
    *,
    m: int,
    margin: Floats,
) -> tuple[Floats, Floats]:
    """Return the chances (S, F) that a group's sum is at least, and at most, ``observed``; 0 where
    not asked for.

    At most ``m`` samples of each family are above its least.
    """
    least = values.min(axis=0)
    sums = _subset_sums(values - least, m)[:, _by_members(m)]
    family, split = np.nonzero(asked.T)
    excess = (observed - size[:, None] * least)[split, family]
    above, below = _counts(sums, m, family, excess - margin[family], excess + margin[family])
    weight = _group_shares(len(values), m, size)[split]
    tails = np.zeros(asked.shape), np.zeros(asked.shape)
    tails[0][split, family], tails[1][split, family] = (
        (weight * above).sum(axis=1),
        (weight * below).sum(axis=1),
    )
    return tails


def _counts(sums: Floats, m: int, family: Ints, low: Floats, high: Floats) -> tuple[Ints, Ints]:
    """Return for each pair how many sums of j samples are at least ``low``, and at most ``high``,
    two of (P, m + 1).

    ``sums`` (F, 2^m) are ordered by j; ``family`` (P,) comes sorted, as do ``low`` and ``high``
    with it.
    """
    starts = _starts(m)
    if len(family) < SORT_FROM * len(sums):
        own = sums[family]
        return _add_up(own >= low[:, None], starts), _add_up(own <= high[:, None], starts)
    above, below = np.empty((2, len(family), m + 1), np.int64)
    bounds = np.searchsorted(family, np.arange(len(sums) + 1))
    for row, start, stop in zip(sums, bounds[:-1], bounds[1:], strict=True):
        for j, of_size in enumerate(np.split(row, starts[1:])):
            of_size.sort()
            above[start:stop, j] = len(of_size) - np.searchsorted(
                of_size, low[start:stop], side="left"
            )
            below[start:stop, j] = np.searchsorted(of_size, high[start:stop], side="right")
    return above, below


def _add_up(found: NDArray[np.bool_], starts: Ints) -> Ints:
    """Return how many of ``found`` (P, C) are true from each of ``starts`` to the next."""
    return np.asarray(np.add.reduceat(found.view(np.uint8), starts, axis=1, dtype=np.int64))


def _subset_sums(excess: Floats, m: int) -> Floats:
    """Return the sums (F, 2^m) of all subsets of the ``m`` largest values of each column of
    ``excess`` (n, F).
    """
    n, families = excess.shape
    largest = np.partition(excess, n - m, axis=0)[n - m :] if m < n else excess
    sums = np.zeros((families, 1 << m))
    for at, value in enumerate(largest):
        np.add(sums[:, : 1 << at], value[:, None], out=sums[:, 1 << at : 2 << at])
    return sums


@lru_cache(maxsize=32)
def _by_members(m: int) -> NDArray[np.intp]:
    """Return the columns of ``_subset_sums`` by the number of members of their subsets."""
    return np.argsort(np.bitwise_count(np.arange(1 << m, dtype=np.uint32)), kind="stable")


@lru_cache(maxsize=32)
def _starts(m: int) -> Ints:
    """Return where in ``_by_members`` the subsets of j members start, for j = 0 to m."""
    return np.array([sum(comb(m, smaller) for smaller in range(j)) for j in range(m + 1)])


def _group_shares(n: int, m: int, size: Ints) -> Floats:
    """Return the share of all groups that hold one given subset of j of the m samples and no other,
    (S, m + 1).
    """
    j, k = np.arange(m + 1)[None, :], size[:, None]
    possible = (k - j >= 0) & (k - j <= n - m)
    rest = np.where(possible, k - j, 0)
    log = _log_factorials(n)
    ways = log[n - m] - log[rest] - log[n - m - rest]
    return np.where(possible, np.exp(ways - log[n] + log[k] + log[n - k]), 0.0)


@lru_cache(maxsize=4)
def _log_factorials(n: int) -> Floats:
    """Return ln(i!) for i = 0 to n."""
    return np.asarray(gammaln(np.arange(1.0, n + 2)))
