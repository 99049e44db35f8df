"""Tests of presence: whether a family is found in more samples of one group than of the other.

Where no run of a project states its spots, reads cannot be compared between samples. Whether the
family was found can: Fisher's exact test, two-sided as twice the smaller tail, like the permutation
tests of means.
"""

from __future__ import annotations

from typing import Final

import numpy as np
import polars as pl
import scipy
from numpy.typing import NDArray

FISHER: Final = "fisher"
_OF_READS: Final = (
    "mean_rpm_true", "mean_rpm_false", "sd_rpm_true", "sd_rpm_false", "p_rank", "ci_low",
    "ci_high",
)  # fmt: skip
"""Columns that compare reads: presence has none of them."""


def compare_presence(tested: pl.DataFrame) -> pl.DataFrame:
    """Return ``tested`` with Fisher's test of presence instead of the columns that compare reads.

    ``mean_rpm_true`` of ``tested`` is the share of the biosamples of the true group that have the
    family, 0-1; ``num_found`` counts those of both groups. ``found_true`` is filled in.
    """
    share = pl.col("mean_rpm_true").fill_null(0.0)
    counted = tested.with_columns(found_true=(share * pl.col("num_true")).round().cast(pl.Int64))
    columns = ("found_true", "num_true", "num_false", "num_found")
    p_value = fisher_p_values(*(counted[name].cast(pl.Int64).to_numpy() for name in columns))
    found_false = pl.col("num_found") - pl.col("found_true")
    difference = pl.col("found_true") / pl.col("num_true") - found_false / pl.col("num_false")
    return counted.with_columns(
        pl.lit(None, pl.Float64).alias(name) for name in _OF_READS
    ).with_columns(
        pl.Series("p_value", p_value),
        test=pl.lit(FISHER),
        test_statistic=difference,
        driver=pl.lit(False),
    )


def fisher_p_values(
    found_true: NDArray[np.int64],
    num_true: NDArray[np.int64],
    num_false: NDArray[np.int64],
    num_found: NDArray[np.int64],
) -> NDArray[np.float64]:
    """Return twice the smaller tail of the hypergeometric distribution, at most 1.

    >>> fisher_p_values(*(np.array([n]) for n in (4, 4, 4, 4))).round(4).tolist()
    [0.0286]
    """
    drawn = (num_true + num_false, num_found, num_true)
    at_most = scipy.stats.hypergeom.cdf(found_true, *drawn)
    at_least = scipy.stats.hypergeom.sf(found_true - 1, *drawn)
    smaller = np.minimum(at_most, at_least)
    p_value: NDArray[np.float64] = np.clip(2 * smaller, 0.0, 1.0)
    return p_value
