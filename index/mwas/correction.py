"""Correct p-values for the number of tests: Benjamini-Hochberg, each test counted once."""

from __future__ import annotations

from typing import Final

import numpy as np
import polars as pl
from scipy.special import binom

from index.false_discovery import benjamini_hochberg
from index.mwas.flags import MIN_FOUND
from index.tables import AssociationTest
from ontology_etl.tables import conform

_TEST: Final = ["source", "bioproject", "family", "test_id"]
_BH: Final = pl.col("p_value").map_batches(
    lambda p_values: pl.Series(benjamini_hochberg(p_values.to_numpy())),
    return_dtype=pl.Float64,
    is_elementwise=False,
)


def adjust(association: pl.DataFrame) -> pl.DataFrame:
    """Return ``association`` with q-values over the index and within each project, per source.

    Method: Benjamini-Hochberg. Rows that are one test (same project, family and ``split``) count
    once and share the q-value; rows without a p-value have none. A Welch test enters with the
    larger of its own and its rank p-value: on two or three samples of skewed counts Welch's t
    rejects a true null in up to 40 % of tests at the 5 % level, and would fill the index with false
    discoveries (decisions/0020-association-tests.md). An imported row, whose samples are not at
    hand, enters with at least the smallest p-value that any rearrangement of its groups can give,
    2 / C(n, k). A family found in fewer than ``MIN_FOUND`` biosamples is neither called nor counted
    (independent filtering: Bourgon, Gentleman and Huber 2010): the number does not depend on
    labels.
    """
    attribute_and_value = pl.concat_str("attribute", pl.lit("\x1f"), "value")
    keyed = association.with_columns(test_id=pl.coalesce("split", attribute_and_value))
    corrected = _correct_tests(keyed.filter(_is_counted()))
    uncorrected = keyed.drop("q_value", "q_value_project")
    joined = uncorrected.join(corrected, on=_TEST, how="left")
    q_values = pl.when(_is_counted()).then(pl.col("q_value", "q_value_project"))
    return conform(joined.with_columns(q_values), AssociationTest)


def _correct_tests(counted: pl.DataFrame) -> pl.DataFrame:
    """Return the q-values of each test of ``counted``, which has one row per value."""
    guard = (
        pl.when(pl.col("test") == "welch")
        .then("p_rank")
        .when(pl.col("test") == "imported")
        .then("least_p")
        .otherwise(0)
    )
    guarded = pl.max_horizontal("p_value", guard).first().alias("p_value")
    with_least = counted.with_columns(least_p=_least_p(counted))
    tests = with_least.group_by(_TEST, maintain_order=True).agg(guarded)
    return tests.with_columns(
        _BH.over("source").alias("q_value"),
        _BH.over("source", "bioproject").alias("q_value_project"),
    ).drop("p_value")


def _is_counted() -> pl.Expr:
    """Return whether a row has a p-value and its family was found often enough."""
    found = pl.col("num_found").fill_null(MIN_FOUND)
    return pl.col("p_value").is_not_nan() & (found >= MIN_FOUND)


def _least_p(association: pl.DataFrame) -> pl.Series:
    """Return the smallest p-value of each row: two over the ways to split its samples, at most 1.

    The splits are those into groups of the sizes of the row.
    """
    k = association["num_true"]
    n = k + association["num_false"]
    return pl.Series(np.minimum(2 / binom(n.to_numpy(), k.to_numpy()), 1.0))
