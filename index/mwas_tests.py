"""Statistics of two-group comparisons, for all splits and families of one set of samples at once.

Shapes: n samples, F families, S splits. ``rpm`` is (n, F); ``members`` a sparse (S, n) matrix of 0/1 whose row marks
the true group of a split; every result is (S, F). Nothing here knows what a bioproject is.

The permutation test follows ``scipy.stats.permutation_test`` (two-sided: twice the smaller tail, ties count for both
tails, (hits + 1) / (resamples + 1) where it samples and hits / arrangements where it enumerates). Its null depends only
on the size of the group, not on who is in it, so one null per (family, size) serves every split of that size, and one
matrix of shuffled ranks serves every size: the first k ranks are a random group of k.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from itertools import chain, combinations
from math import comb
from typing import Final

import numpy as np
from numpy.typing import NDArray
from scipy import sparse, special
from scipy.stats import rankdata

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

TIE_TOLERANCE: Final = 1e-11
"""Sums of RPM closer than this share of the family's total are equal: the order of addition must not break ties."""
CHUNK_CELLS: Final = 4_000_000
"""Cells of one (samples, resamples) matrix: 32 MB, whatever the size of the project."""
SORT_FROM: Final = 6
"""From this many splits of one size on, sorting the null and searching in it beats counting split by split."""


def group_moments(rpm: Floats, members: sparse.csr_array) -> tuple[Floats, Floats, Floats, Floats]:
    """Return mean and standard deviation (n-1) of the true and of the false group: mean_t, mean_f, sd_t, sd_f.

    The standard deviation of a group of one is NaN, of a constant group exactly 0.
    """
    n = rpm.shape[0]
    size = _sizes(members)[:, None]
    centre = rpm.mean(axis=0)
    moved = rpm - centre
    first, second = members @ moved, members @ moved**2
    total_first, total_second = moved.sum(axis=0), (moved**2).sum(axis=0)
    mean_t, sd_t = _mean_sd(first, second, size)
    mean_f, sd_f = _mean_sd(total_first - first, total_second - second, n - size)
    dust = TIE_TOLERANCE * n * centre
    mean_t, mean_f = mean_t + centre, mean_f + centre
    return np.where(mean_t > dust, mean_t, 0.0), np.where(mean_f > dust, mean_f, 0.0), sd_t, sd_f


def permutation_p_values(rpm: Floats, members: sparse.csr_array, *, resamples: int, rng: np.random.Generator) -> Floats:
    """Return two-sided p-values of the difference of means; exact where the arrangements are at most ``resamples``."""
    n, size, total = rpm.shape[0], _sizes(members), rpm.sum(axis=0)
    small = np.minimum(size, n - size)
    inside = members @ rpm
    observed: Floats = np.where((size > n - size)[:, None], total - inside, inside)
    margin = TIE_TOLERANCE * total
    exact = np.array([comb(n, k) <= resamples for k in small.tolist()], np.bool_)
    p_values: Floats = np.empty(observed.shape)
    for k in np.unique(small[exact]).tolist():
        rows = small == k
        null = _arrangements(n, k) @ rpm
        above, below = _tails(null, observed[rows], margin)
        p_values[rows] = _two_sided(above, below, len(null))
    above, below = np.ones(observed.shape, np.int64), np.ones(observed.shape, np.int64)
    for k, null in _sampled_nulls(rpm, np.unique(small[~exact]).tolist(), resamples, rng):
        rows = small == k
        more, less = _tails(null, observed[rows], margin)
        above[rows] += more
        below[rows] += less
    p_values[~exact] = _two_sided(above[~exact], below[~exact], resamples + 1)
    return p_values


def welch(mean_t: Floats, mean_f: Floats, sd_t: Floats, sd_f: Floats, size: Ints, n: int) -> tuple[Floats, ...]:
    """Return Welch's t, its two-sided p-value and the 95 % interval of the difference of means: t, p, low, high.

    All four are NaN where a group has one sample or both groups are constant: there is no spread to judge by.
    """
    k = size[:, None].astype(np.float64)
    part_t, part_f = sd_t**2 / k, sd_f**2 / (n - k)
    variance = part_t + part_f
    with np.errstate(divide="ignore", invalid="ignore"):
        error = np.where(variance > 0, np.sqrt(variance), np.nan)
        freedom = variance**2 / (part_t**2 / (k - 1) + part_f**2 / (n - k - 1))
        difference = mean_t - mean_f
        t = difference / error
        p_value = np.clip(2 * special.stdtr(freedom, -np.abs(t)), 0, 1)
        reach = special.stdtrit(freedom, 0.975) * error
    return t, p_value, difference - reach, difference + reach


def rank_p_values(rpm: Floats, members: sparse.csr_array) -> Floats:
    """Return two-sided Mann-Whitney p-values (normal approximation, ties and continuity corrected).

    As ``scipy.stats.mannwhitneyu(method="asymptotic")``; 1 where all samples tie.
    """
    n = rpm.shape[0]
    size = _sizes(members)[:, None].astype(np.float64)
    ranks = rankdata(rpm, axis=0)
    u = members @ ranks - size * (size + 1) / 2
    middle = size * (n - size) / 2
    ties = np.array([_tie_sum(column) for column in rpm.T])
    spread = np.sqrt(size * (n - size) / 12 * ((n + 1) - ties / (n * (n - 1))))
    with np.errstate(divide="ignore", invalid="ignore"):
        z = (np.abs(u - middle) - 0.5) / spread
    return np.where(spread > 0, np.clip(2 * special.ndtr(-z), 0, 1), 1.0)


def top_samples(rpm: Floats, members: sparse.csr_array) -> tuple[Floats, Floats]:
    """Return the largest RPM of the true and of the false group.

    Samples are ranked from the top; the false group's largest is the first rank its split does not hold.
    """
    n, starts = rpm.shape[0], members.indptr[:-1]
    row = np.repeat(np.arange(members.shape[0]), np.diff(members.indptr))
    place = np.arange(len(row)) - np.repeat(starts, np.diff(members.indptr))
    top_t, top_f = np.empty((members.shape[0], rpm.shape[1])), np.empty((members.shape[0], rpm.shape[1]))
    for column, values in enumerate(rpm.T):
        order = np.argsort(-values, kind="stable")
        rank = np.empty(n, np.int64)
        rank[order] = np.arange(n)
        sorted_rank = np.sort(row * n + rank[members.indices]) - row * n
        gap = np.minimum.reduceat(np.where(sorted_rank != place, place, n), starts)
        first_missing = np.minimum(gap, _sizes(members))
        top_t[:, column] = values[order[sorted_rank[starts]]]
        top_f[:, column] = values[order[first_missing]]
    return top_t, top_f


def benjamini_hochberg(p_values: Floats) -> Floats:
    """Return q-values of ``p_values`` (no NaN), in their order.

    >>> benjamini_hochberg(np.array([0.01, 0.04, 0.03])).round(3).tolist()
    [0.03, 0.04, 0.04]
    """
    m = len(p_values)
    order = np.argsort(p_values, kind="stable")
    scaled = p_values[order] * m / np.arange(1, m + 1)
    q_values = np.empty(m)
    q_values[order] = np.minimum(np.minimum.accumulate(scaled[::-1])[::-1], 1.0)
    return q_values


def _sizes(members: sparse.csr_array) -> Ints:
    return np.asarray(np.diff(members.indptr), np.int64)


def _mean_sd(first: Floats, second: Floats, size: Ints) -> tuple[Floats, Floats]:
    with np.errstate(divide="ignore", invalid="ignore"):
        mean = first / size
        squares = second - first * mean
        squares = np.where(squares <= 1e-12 * np.abs(second), 0.0, squares)
        return mean, np.where(size > 1, np.sqrt(squares / (size - 1)), np.nan)


def _sampled_nulls(
    rpm: Floats, sizes: list[int], resamples: int, rng: np.random.Generator
) -> Iterator[tuple[int, Floats]]:
    """Yield, for each of ``sizes`` (ascending) and chunk of resamples, the sums of random groups, shape (R, F).

    A group of one size holds the group of the next smaller one, so only its further members are added.
    """
    if not sizes:
        return
    for order in _shuffles(len(rpm), resamples, rng):
        sums, first = np.zeros((len(order), rpm.shape[1])), 0
        for k in sizes:
            sums = sums + _choice_matrix(order[:, first:k], len(rpm)) @ rpm
            first = k
            yield k, sums


def _shuffles(n: int, resamples: int, rng: np.random.Generator) -> Iterator[NDArray[np.int32]]:
    """Yield matrices (resamples of the chunk, n), each row a random permutation of 0..n-1.

    A random 64-bit key carries its position in the low bits; sorting the keys shuffles the positions, several times
    faster than an argsort.
    """
    step = max(64, CHUNK_CELLS // n)
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
    chosen = np.fromiter(chain.from_iterable(combinations(range(n), k)), np.int32).reshape(-1, k)
    return _choice_matrix(chosen, n)


def _choice_matrix(chosen: NDArray[np.int32], n: int) -> sparse.csr_array:
    """Return 1 where row r of ``chosen`` names a sample, shape (rows, n). A sparse product needs no BLAS, whose threads
    cost more than they bring at this size and whose sums depend on their number."""
    rows, k = chosen.shape
    pointer = np.arange(0, rows * k + 1, k, dtype=np.int32)
    return sparse.csr_array((np.ones(rows * k), np.ascontiguousarray(chosen).ravel(), pointer), shape=(rows, n))


def _tails(null: Floats, observed: Floats, margin: Floats) -> tuple[Ints, Ints]:
    """Return how many of each family's ``null`` (R, F) are at least, and at most, each of ``observed`` (s, F)."""
    low, high = observed - margin, observed + margin
    if len(observed) < SORT_FROM:
        per_family = np.ascontiguousarray(null.T)
        above = np.array([np.count_nonzero(per_family >= bound[:, None], axis=1) for bound in low])
        below = np.array([np.count_nonzero(per_family <= bound[:, None], axis=1) for bound in high])
        return above, below
    per_family = np.sort(null.T, axis=1)
    below_low = [np.searchsorted(row, bound, side="left") for row, bound in zip(per_family, low.T, strict=True)]
    up_to_high = [np.searchsorted(row, bound, side="right") for row, bound in zip(per_family, high.T, strict=True)]
    return len(null) - np.array(below_low).T, np.array(up_to_high).T


def _two_sided(above: Ints, below: Ints, arrangements: int) -> Floats:
    return np.minimum(2 * np.minimum(above, below) / arrangements, 1.0)


def _tie_sum(column: Floats) -> float:
    counts = np.unique(column, return_counts=True)[1].astype(np.float64)
    return float((counts**3 - counts).sum())
