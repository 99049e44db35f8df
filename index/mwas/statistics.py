"""Statistics of two-group comparisons, for all splits and families of a set of samples at once.

Shapes: n samples, F families, S splits. ``rpm`` is (n, F); ``members`` a sparse (S, n) matrix of
0/1 whose row marks the true group of a split; every result is (S, F). Nothing here knows what a
bioproject is.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse, special

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

CELLS: Final = 1_000_000
"""Splits times samples times families looked at in one go."""
ROUNDING: Final = 1e-11
"""A mean below this share of the family's total is zero: what is left of subtracting equal sums."""


def group_moments(rpm: Floats, members: sparse.csr_array) -> tuple[Floats, Floats, Floats, Floats]:
    """Return mean_t, mean_f, sd_t, sd_f: mean and standard deviation of the true and false groups.

    The standard deviation (n - 1) of a group of one is NaN, of a constant group exactly 0.
    """
    n = rpm.shape[0]
    size = _sizes(members)[:, None]
    centre = column_sums(rpm) / n
    moved = rpm - centre
    squared = moved**2

    first = members @ moved
    second = members @ squared
    first_f = column_sums(moved) - first
    second_f = column_sums(squared) - second
    mean_t, sd_t = _mean_sd(first, second, size)
    mean_f, sd_f = _mean_sd(first_f, second_f, n - size)

    dust = ROUNDING * n * centre
    mean_t, mean_f = mean_t + centre, mean_f + centre
    return np.where(mean_t > dust, mean_t, 0.0), np.where(mean_f > dust, mean_f, 0.0), sd_t, sd_f


def column_sums(values: Floats) -> Floats:
    """Return the sum of each column of ``values`` (n, F), added from the first row to the last.

    numpy adds a single column in another order: the last bits of a project's figures would depend
    on the projects that are tested with it.
    """
    if values.shape[1] != 1 or not len(values):
        return np.asarray(values.sum(axis=0))
    return np.asarray(np.cumsum(values, axis=0)[-1])


def welch(
    mean_t: Floats, mean_f: Floats, sd_t: Floats, sd_f: Floats, size: Ints, n: int
) -> tuple[Floats, Floats, Floats, Floats]:
    """Return Welch's t, its two-sided p-value and the bounds of the 95 % interval: t, p, low, high.

    The interval is that of the difference of means. ``size`` is that of the true groups, of any
    shape that goes with the means. All four are NaN where a group has one sample or both groups are
    constant: there is no spread to judge by.
    """
    k = size.astype(np.float64)
    difference = mean_t - mean_f
    part_t = sd_t**2 / k
    part_f = sd_f**2 / (n - k)
    variance = part_t + part_f
    with np.errstate(divide="ignore", invalid="ignore"):
        root = np.sqrt(variance)
        error = np.where(variance > 0, root, np.nan)
        weight_t = part_t**2 / (k - 1)
        weight_f = part_f**2 / (n - k - 1)
        freedom = variance**2 / (weight_t + weight_f)

        t = difference / error
        tail = special.stdtr(freedom, -np.abs(t))
        p_value = np.clip(2 * tail, 0, 1)
        reach = special.stdtrit(freedom, 0.975) * error
    low = difference - reach
    high = difference + reach
    return t, p_value, low, high


class Ranked(NamedTuple):
    """Ranks (n, F) of the values of each column from 1, ties at their mean, and for each place in
    the order of a column how many values tie there.
    """

    ranks: Floats
    tied: Floats


def rank_columns(values: Floats) -> Ranked:
    """Return the ranks of ``values`` (n, F), as ``scipy.stats.rankdata``, from one sort of each
    column. Importing ``scipy.stats`` takes longer than all tests of a small index.
    """
    order = values.argsort(axis=0)
    ascending = np.take_along_axis(values, order, axis=0)
    differs = ascending[1:] != ascending[:-1]
    border = np.ones((1, values.shape[1]), np.bool_)
    place = np.arange(len(values))[:, None]
    begins = np.where(np.concatenate([border, differs]), place, 0)
    ends = np.where(np.concatenate([differs, border]), place, len(values))
    first = np.maximum.accumulate(begins, axis=0)
    last = np.minimum.accumulate(ends[::-1], axis=0)[::-1]

    ranks = np.empty(values.shape)
    np.put_along_axis(ranks, order, (first + last) / 2 + 1, axis=0)
    return Ranked(ranks, last - first + 1.0)


def rank_p_values(ranked: Ranked, members: sparse.csr_array) -> Floats:
    """Return two-sided Mann-Whitney p-values (normal approximation, ties and continuity corrected).

    As ``scipy.stats.mannwhitneyu(method="asymptotic")``; 1 where all samples tie.
    """
    n = len(ranked.ranks)
    size = _sizes(members)[:, None].astype(np.float64)
    least_u = size * (size + 1) / 2
    u = members @ ranked.ranks - least_u
    middle = size * (n - size) / 2

    ties = (ranked.tied**2 - 1).sum(axis=0)
    tie_correction = ties / (n * (n - 1))
    spread = np.sqrt(size * (n - size) / 12 * ((n + 1) - tie_correction))
    with np.errstate(divide="ignore", invalid="ignore"):
        distance = np.abs(u - middle) - 0.5
        z = distance / spread
    p_value = np.clip(2 * special.ndtr(-z), 0, 1)
    return np.where(spread > 0, p_value, 1.0)


def top_samples(rpm: Floats, members: sparse.csr_array) -> tuple[Floats, Floats]:
    """Return the largest RPM of the true and of the false group; neither is empty."""
    inside = members.toarray().astype(bool)[:, :, None]
    families = rpm.shape[1]
    top_t = np.empty((members.shape[0], families))
    top_f = np.empty_like(top_t)
    step = max(1, CELLS // max(inside.size, 1))
    for start in range(0, families, step):
        some = slice(start, start + step)
        values = rpm[None, :, some]
        top_t[:, some] = _largest(values, inside)
        top_f[:, some] = _largest(values, ~inside)
    return top_t, top_f


def _largest(values: Floats, inside: NDArray[np.bool_]) -> Floats:
    """Return the largest of ``values`` (1, n, F) of the samples ``inside`` (S, n, 1) each group."""
    in_group = np.where(inside, values, -np.inf)
    return np.asarray(in_group.max(axis=1))


def _sizes(members: sparse.csr_array) -> Ints:
    return np.asarray(np.diff(members.indptr), np.int64)


def _mean_sd(first: Floats, second: Floats, size: Ints) -> tuple[Floats, Floats]:
    """Return mean and standard deviation from the sums of values and of their squares."""
    with np.errstate(divide="ignore", invalid="ignore"):
        mean = first / size
        squares = second - first * mean
        negligible = squares <= 1e-12 * np.abs(second)
        squares = np.where(negligible, 0.0, squares)
        deviation = np.sqrt(squares / (size - 1))
    return mean, np.where(size > 1, deviation, np.nan)
