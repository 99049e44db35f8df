"""Rows of each table of each file: read, kept and rejected, which must add up.

A reader cannot lose a row without a message. ``split_rejected`` counts the rows that it keeps and
rejects, the reader adds the rows that it rejected earlier (``counted_rows``), and
``check_row_counts`` compares the sums with the rows of the file. A kept row makes a record or
repeats one.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import polars as pl

from ontology_etl.errors import ContractError

COUNTS: Final = ("rows_read", "rows_kept", "rows_rejected")
ROWS_SCHEMA: Final = {
    "source": pl.String,
    "format": pl.String,
    **dict.fromkeys(COUNTS, pl.Int64),
}


def no_rows() -> pl.DataFrame:
    """Return counts of no file."""
    return pl.DataFrame(schema=ROWS_SCHEMA)


def counted_rows(source: str, layout: str, *, read: int, kept: int, rejected: int) -> pl.DataFrame:
    """Return the counts of the table ``layout`` of the file ``source``."""
    row = (source, layout, read, kept, rejected)
    return pl.DataFrame([row], schema=ROWS_SCHEMA, orient="row")


def summed_rows(counts: pl.DataFrame) -> pl.DataFrame:
    """Return one row per source and format, sorted: files of one name are counted together."""
    key = ("source", "format")
    return counts.group_by(key).agg(pl.col(COUNTS).sum()).sort(key)


def moved_to_rejected(counts: pl.DataFrame, rows: int) -> pl.DataFrame:
    """Return ``counts`` with ``rows`` kept rows of their first table rejected after all."""
    moved = pl.when(pl.int_range(pl.len()) == 0).then(rows).otherwise(0)
    return counts.with_columns(
        rows_kept=pl.col("rows_kept") - moved,
        rows_rejected=pl.col("rows_rejected") + moved,
    )


def check_row_counts(counts: pl.DataFrame, source: str) -> None:
    """Raise ``ContractError`` where ``source`` has rows neither kept nor rejected, or no counts."""
    if counts.is_empty():
        raise ContractError(f"rows of {source}", {"its reader counts no rows": 1})
    lost = pl.col("rows_read") - pl.col("rows_kept") - pl.col("rows_rejected")
    wrong = counts.with_columns(lost=lost).filter(pl.col("lost") != 0)
    if len(wrong):
        rows: Mapping[str, int] = {
            f"rows of {table} neither kept nor rejected": lost
            for table, lost in wrong.select("format", "lost").iter_rows()
        }
        raise ContractError(f"rows of {source}", dict(rows))
