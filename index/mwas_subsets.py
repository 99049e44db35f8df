"""The exact permutation null of a sum, where few samples have anything to sum.

A virus family is absent from most samples of a project. A random group of k of n samples then differs from others only
in which of the m samples with reads it holds, so its sum is one of 2^m subset sums, and a subset of j samples has
C(n - m, k - j) of the C(n, k) groups. Enumerating subsets takes no chance, costs less than drawing groups, and gives
p-values below any floor that resampling has (Pagano and Tritchler 1983 call it the exact conditional distribution).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln

from index.mwas_tests import Floats, Ints


def few_above_least(values: Floats, *, max_sums: int) -> NDArray[np.bool_]:
    """Return which columns of ``values`` (n, F) have so few samples above the least that 2^m is within ``max_sums``."""
    above = np.count_nonzero(values > values.min(axis=0, initial=np.inf), axis=0)
    return np.asarray(above < max_sums.bit_length())


def subset_tails(values: Floats, size: Ints, observed: Floats, *, margin: float) -> tuple[Floats, Floats]:
    """Return the chances that a group's sum is at least, and at most, ``observed`` (S,).

    ``values`` (n,) are those of one family, ``size`` (S,) the samples in each group; sums closer than ``margin`` tie.
    """
    least = values.min()
    above = values[values > least] - least
    excess = observed - size * least
    weight = _group_shares(len(values), len(above), size)
    at_least, at_most = np.zeros(len(size)), np.zeros(len(size))
    for share, sums in zip(weight, _sums_by_subset_size(above), strict=True):
        at_least += share * (len(sums) - np.searchsorted(sums, excess - margin, side="left"))
        at_most += share * np.searchsorted(sums, excess + margin, side="right")
    return at_least, at_most


def _sums_by_subset_size(values: Floats) -> list[Floats]:
    """Return the ascending sums of all subsets of ``values`` (m,) by the number of members, 0 to m."""
    sums, members = np.zeros(1), np.zeros(1, dtype=np.int8)
    for value in values:
        sums = np.concatenate([sums, sums + value])
        members = np.concatenate([members, members + np.int8(1)])
    order = np.lexsort((sums, members))
    return np.split(sums[order], np.cumsum(np.bincount(members, minlength=len(values) + 1))[:-1])


def _group_shares(n: int, m: int, size: Ints) -> Floats:
    """Return the share of all groups that hold one given subset of j of the m samples and no other, (m + 1, S)."""
    j, k = np.arange(m + 1)[:, None], size[None, :]
    possible = (k - j >= 0) & (k - j <= n - m)
    rest = np.where(possible, k - j, 0)
    ways = gammaln(n - m + 1) - gammaln(rest + 1) - gammaln(n - m - rest + 1)
    groups = gammaln(n + 1) - gammaln(k + 1) - gammaln(n - k + 1)
    return np.where(possible, np.exp(ways - groups), 0.0)
