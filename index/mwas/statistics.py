"""Statistics of two-group comparisons, for all splits and families of one set of samples at once.

Shapes: n samples, F families, S splits. ``rpm`` is (n, F); ``members`` a sparse (S, n) matrix of
0/1 whose row marks the true group of a split; every result is (S, F). Nothing here knows what a
bioproject is.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray
from scipy import sparse, special
from scipy.stats import rankdata

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

CELLS: Final = 1_000_000
"""Splits times samples times families looked at in one go."""
ROUNDING: Final = 1e-11
"""A mean below this share of the family's total is zero: what is left of subtracting equal sums."""


def group_moments(rpm: Floats, members: sparse.csr_array) -> tuple[Floats, Floats, Floats, Floats]:
    """Return mean and standard deviation (n-1) of the true and of the false group: mean_t, mean_f,
    sd_t, sd_f.

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
    dust = ROUNDING * n * centre
    mean_t, mean_f = mean_t + centre, mean_f + centre
    return np.where(mean_t > dust, mean_t, 0.0), np.where(mean_f > dust, mean_f, 0.0), sd_t, sd_f


def welch(
    mean_t: Floats, mean_f: Floats, sd_t: Floats, sd_f: Floats, size: Ints, n: int
) -> tuple[Floats, Floats, Floats, Floats]:
    """Return Welch's t, its two-sided p-value and the 95 % interval of the difference of means: t,
    p, low, high.

    ``size`` is that of the true groups, of any shape that goes with the means. All four are NaN
    where a group has one sample or both groups are constant: there is no spread to judge by.
    """
    k = size.astype(np.float64)
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
    tied = rankdata(rpm, "max", axis=0) - rankdata(rpm, "min", axis=0) + 1.0
    ties = (tied**2 - 1).sum(axis=0)
    spread = np.sqrt(size * (n - size) / 12 * ((n + 1) - ties / (n * (n - 1))))
    with np.errstate(divide="ignore", invalid="ignore"):
        z = (np.abs(u - middle) - 0.5) / spread
    return np.where(spread > 0, np.clip(2 * special.ndtr(-z), 0, 1), 1.0)


def top_samples(rpm: Floats, members: sparse.csr_array) -> tuple[Floats, Floats]:
    """Return the largest RPM of the true and of the false group.

    Both groups must have a sample.
    """
    inside = members.toarray().astype(bool)[:, :, None]
    tops = np.empty((2, members.shape[0], rpm.shape[1]))
    step = max(1, CELLS // max(inside.size, 1))
    for start in range(0, rpm.shape[1], step):
        values = rpm[None, :, start : start + step]
        for top, group in zip(tops, (inside, ~inside), strict=True):
            top[:, start : start + step] = np.where(group, values, -np.inf).max(axis=1)
    return tops[0], tops[1]


def _sizes(members: sparse.csr_array) -> Ints:
    return np.asarray(np.diff(members.indptr), np.int64)


def _mean_sd(first: Floats, second: Floats, size: Ints) -> tuple[Floats, Floats]:
    with np.errstate(divide="ignore", invalid="ignore"):
        mean = first / size
        squares = second - first * mean
        squares = np.where(squares <= 1e-12 * np.abs(second), 0.0, squares)
        return mean, np.where(size > 1, np.sqrt(squares / (size - 1)), np.nan)
