"""What of the associations of a community its report may use."""

from __future__ import annotations

import polars as pl

from index.reports.profile_tables import best_associations

COLUMNS = {
    "community": pl.String,
    "source": pl.String,
    "attribute": pl.String,
    "value": pl.String,
    "fold_change": pl.Float64,
    "q_value": pl.Float64,
    "flag": pl.String,
    "split": pl.String,
}
ROWS = """
    C0-1 computed tissue gut     2.0 0.001 -              tissue:1
    C0-1 computed tissue lung   -2.0 0.001 -              tissue:1
    C0-1 mwas.csv tissue gut     2.1 0.010 -              -
    C0-1 mwas.csv age    old     1.0 0.020 tiny           -
    C0-1 computed age    old     1.0 0.030 -              age:1
    C0-2 mwas.csv tissue gut     2.1 0.010 -              -
"""


def stated(rows: str) -> pl.DataFrame:
    cells = [line.split() for line in rows.strip().splitlines()]
    table = pl.DataFrame(cells, schema=list(COLUMNS), orient="row")
    known = table.with_columns(pl.all().replace("-", None)).cast(pl.Schema(COLUMNS))
    return known.with_columns(
        bioproject=pl.lit("SYNP1"),
        family=pl.lit("Astroviridae"),
        key=pl.lit("bioproject"),
        num_found=pl.lit(7),
        found_true=pl.lit(None, pl.Int64),
        num_true=pl.lit(9),
        num_false=pl.lit(9),
        unit=pl.lit("biosample"),
    )


def test_one_test_and_one_claim_come_once_sound_and_strongest_first() -> None:
    best = best_associations(stated(ROWS)).select("community", "attribute", "value", "q_value")
    assert best.rows() == [
        ("C0-1", "tissue", "gut", 0.001),
        ("C0-1", "age", "old", 0.03),
        ("C0-2", "tissue", "gut", 0.01),
    ]
