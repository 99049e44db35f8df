"""Values that were read for a facet but gave no annotation, with the number of their runs."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

import polars as pl

from index.tables import UngroundedText
from ontology_etl.tables import conform

_UNGROUNDED: Final[dict[str, pl.DataType | type[pl.DataType]]] = {
    "facet": pl.String, "outcome": pl.String, "text": pl.String, "attributes": pl.List(pl.String),
    "runs": pl.Int64,
}  # fmt: skip


def sum_ungrounded(parts: Iterable[pl.DataFrame]) -> pl.DataFrame:
    """Return contract ``Ungrounded`` of disjoint sets of runs, attributes comma-separated."""
    stacked = pl.concat([pl.DataFrame(schema=_UNGROUNDED), *parts])
    totals = stacked.group_by("facet", "outcome", "text").agg(
        pl.col("attributes").explode().unique().sort().str.join(", "), pl.col("runs").sum()
    )
    return conform(totals, UngroundedText)


def count_ungrounded(
    said: pl.DataFrame, grounding: pl.DataFrame, misplaced: pl.DataFrame
) -> pl.DataFrame:
    """Return [facet, outcome, text, attributes, runs] of values that gave no annotation;
    ``attributes`` is a list.

    ``said`` is [run, attribute, text]; ``misplaced`` are annotation rows that the organism of their
    run rules out. Null spellings and titles are not counted: nobody expects them to ground.
    """
    key = ["attribute", "text", "facet"]
    hits = grounding.filter(pl.col("outcome") == "grounded").select(key).unique()
    missed = grounding.filter((pl.col("outcome") != "null") & (pl.col("attribute") != "title"))
    silent = missed.join(hits, on=key, how="anti").unique(key, keep="first", maintain_order=True)
    of_runs = silent.select(*key, "outcome").join(said, on=["attribute", "text"])
    others = misplaced.filter(pl.col("attribute") != "title")
    ruled_out = others.select(*key, pl.lit("other").alias("outcome"), "run")
    return count_runs(pl.concat([of_runs, ruled_out]))


def count_runs(missed: pl.DataFrame) -> pl.DataFrame:
    """Return [facet, outcome, text, attributes, runs] of ``missed``, one row per run and value."""
    return missed.group_by("facet", "outcome", "text").agg(
        pl.col("attribute").unique().alias("attributes"),
        pl.col("run").n_unique().cast(pl.Int64).alias("runs"),
    )
