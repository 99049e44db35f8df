"""Rows a reader does not use: named by row number while they are few, counted by reason when they
are many.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import polars as pl

from ontology_etl.tables import Rejected, conform

MAX_NAMED_ROWS: Final = 1_000
"""More rows than this rejected for one reason become one row of ``rejected`` whose reason states
the count.
"""


@dataclass(frozen=True)
class Rule:
    """Why a row is rejected: ``rejects`` is true for it; ``shows`` names the column whose value the
    reason quotes.
    """

    reason: str
    rejects: pl.Expr
    shows: str | None = None


def split_rejected(
    frame: pl.DataFrame, source: str, rules: Sequence[Rule]
) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Return the rows no rule rejects, and the others as a ``Rejected`` table.

    ``frame`` has the row number in ``row``. The first rule that holds gives the reason; a null
    condition does not hold.
    """
    numbered = pl.coalesce(
        [
            pl.when(rule.rejects.fill_null(False)).then(pl.lit(number))
            for number, rule in enumerate(rules)
        ]
    )
    judged = frame.with_columns(numbered.cast(pl.Int32).alias("_rule"))
    rejected = judged.filter(pl.col("_rule").is_not_null())
    parts = [
        _report(rows, source, rule)
        for number, rule in enumerate(rules)
        if len(rows := rejected.filter(pl.col("_rule") == number))
    ]
    table = pl.concat(parts) if parts else Rejected.create_empty()
    return judged.filter(pl.col("_rule").is_null()).drop("_rule"), conform(table, Rejected)


def counted(source: str, reason: str, rows: int) -> pl.DataFrame:
    """Return one ``Rejected`` row that stands for ``rows`` rows, or none when there are none."""
    if not rows:
        return Rejected.create_empty()
    return _rejected(source, pl.DataFrame({"row": [None], "reason": [f"{reason} ({rows:,} rows)"]}))


def rows_rejected(rejected: pl.DataFrame) -> pl.DataFrame:
    """Return how many rows each source lost for each kind of reason: columns source, reason, rows;
    most first.

    Quoted values are left out of the reason, and a row that stands for many counts as many.

    >>> table = pl.DataFrame({"source": ["a", "a"], "row": [None, 7], "reason": ["low (1,269 rows)", "low: '3'"]})
    >>> rows_rejected(table).rows()
    [('a', 'low', 1270)]
    """
    stated = (
        pl.col("reason").str.extract(r"\(([\d,]+) rows\)$").str.replace_all(",", "").cast(pl.Int64)
    )
    kind = pl.col("reason").str.replace(r" \([\d,]+ rows\)$", "").str.replace(r"(?s): '.*'$", "")
    return (
        rejected.group_by("source", kind.alias("reason"))
        .agg(stated.fill_null(1).sum().alias("rows"))
        .sort("rows", "source", "reason", descending=[True, False, False])
    )


def _report(rows: pl.DataFrame, source: str, rule: Rule) -> pl.DataFrame:
    if len(rows) > MAX_NAMED_ROWS:
        return counted(source, rule.reason, len(rows))
    reason = pl.lit(rule.reason)
    if rule.shows is not None:
        shown = pl.col(rule.shows).cast(pl.String).fill_null("").str.slice(0, 60)
        reason = pl.format("{}: '{}'", reason, shown)
    return _rejected(source, rows.select("row", reason.alias("reason")))


def _rejected(source: str, rows: pl.DataFrame) -> pl.DataFrame:
    return rows.select(
        pl.lit(source).alias("source"),
        pl.col("row").cast(pl.Int64),
        pl.col("reason").cast(pl.String),
    )
