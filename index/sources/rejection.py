"""Rows a reader does not use: named by number while few, counted by reason when many."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final, NamedTuple

import polars as pl

from index.records import Records
from index.row_counts import counted_rows, moved_to_rejected
from ontology_etl.tables import Rejected, gather_rejected, reject, reject_rows

MOST_BYTES: Final = 1_000_000
"""Bytes of a cell; the longest abstract of the archives has some tens of thousands."""
MAX_NAMED_ROWS: Final = 1_000
"""More rows than this rejected for one reason become one row that states their count."""

NOT_A_VIRUS: Final = "not a virus"
"""Why a sound row of a classifier is left out: what it names is a host or a bacterium."""


@dataclass(frozen=True)
class Rule:
    """Why a row is rejected: ``rejects`` is true for it; ``shows`` names the column whose value the
    reason quotes. With ``only_cell`` the row is kept: a cell that cannot be read is left empty.
    """

    reason: str
    rejects: pl.Expr
    shows: str | None = None
    only_cell: bool = False


STATED_ATTRIBUTE: Final = (
    Rule("attribute without a name", pl.col("attribute").is_null()),
    Rule("attribute without a value", pl.col("value").is_null(), shows="attribute"),
)
"""Rules of rows that state one attribute each: ``attribute`` and ``value``."""


class Split(NamedTuple):
    """Rows no rule rejects, the others as a ``Rejected`` table, and how many each are."""

    kept: pl.DataFrame
    rejected: pl.DataFrame
    rows: pl.DataFrame
    """The counts of this table (``index.row_counts``)."""


def split_rejected(
    frame: pl.DataFrame, source: str, rules: Sequence[Rule], *, layout: str
) -> Split:
    """Split the rows of a table into sound and rejected ones, and count both.

    ``frame`` has every row of the table ``layout``, numbered in ``row``; rows that a reader removes
    before are not counted. The first rule that holds gives the reason; a null condition does not
    hold. A row with a cell of more than ``MOST_BYTES`` is always rejected: everything after reading
    may rely on that bound.
    """
    texts = [name for name, kind in frame.schema.items() if kind == pl.String]
    bounded = [*_too_long(texts), *(rule for rule in rules if not rule.only_cell)]
    judged = frame.with_columns(_rule=_first_that_holds(bounded))
    is_refused = pl.col("_rule").is_not_null()
    refused = judged.filter(is_refused)
    parts = [
        _report(rows, source, bounded[number])
        for (number,), rows in refused.partition_by("_rule", as_dict=True).items()
    ]
    kept = judged.filter(~is_refused).drop("_rule")
    unread = [
        _report(kept.filter(rule.rejects.fill_null(False)), source, rule)
        for rule in rules
        if rule.only_cell
    ]
    rows = counted_rows(source, layout, read=len(frame), kept=len(kept), rejected=len(refused))
    return Split(kept, gather_rejected([*parts, *unread]), rows)


def _too_long(texts: Sequence[str]) -> list[Rule]:
    """Return the rule that bounds the cells of the columns ``texts``, none where there are none."""
    if not texts:
        return []
    long = pl.any_horizontal(pl.col(texts).str.len_bytes() > MOST_BYTES)
    return [Rule(f"a cell of more than {MOST_BYTES:,} bytes", long)]


def _first_that_holds(rules: Sequence[Rule]) -> pl.Expr:
    """Return the place of the first rule that holds for a row, null where none does."""
    holds = [
        pl.when(rule.rejects.fill_null(False)).then(pl.lit(number))
        for number, rule in enumerate(rules)
    ]
    return pl.coalesce(holds).cast(pl.Int32)


def counted(source: str, reason: str, rows: int) -> pl.DataFrame:
    """Return one ``Rejected`` row that counts ``rows`` rows, or none when there are none."""
    if not rows:
        return Rejected.create_empty()
    return reject(source, [None], f"{reason} ({rows:,} rows)")


def without_rows(
    part: Records, kept: Mapping[str, pl.DataFrame], *, source: str, reason: str, rows: int
) -> Records:
    """Return ``part`` with the tables ``kept``: so many ``rows`` of it are rejected after all."""
    rejected = gather_rejected([part.rejected, counted(source, reason, rows)])
    moved = moved_to_rejected(part.rows, rows)
    return replace(part, **kept, rejected=rejected, rows=moved)


def rows_rejected(rejected: pl.DataFrame) -> pl.DataFrame:
    """Return how many rows each source lost for each kind of reason: columns source, reason, rows;
    most first.

    Quoted values are left out of the reason, and a row that counts many counts as many.

    >>> reasons = ["low (1,269 rows)", "low: '3'"]
    >>> table = pl.DataFrame({"source": ["a", "a"], "row": [None, 7], "reason": reasons})
    >>> rows_rejected(table).rows()
    [('a', 'low', 1270)]
    """
    reason = pl.col("reason")
    count = reason.str.extract(r"\(([\d,]+) rows\)$")
    stated = count.str.replace_all(",", "").cast(pl.Int64)
    without_count = reason.str.replace(r" \([\d,]+ rows\)$", "")
    kind = without_count.str.replace(r"(?s): '.*'$", "")
    by_kind = rejected.group_by("source", reason=kind).agg(rows=stated.fill_null(1).sum())
    return by_kind.sort("rows", "source", "reason", descending=[True, False, False])


def _report(rows: pl.DataFrame, source: str, rule: Rule) -> pl.DataFrame:
    if len(rows) > MAX_NAMED_ROWS:
        return counted(source, rule.reason, len(rows))
    reason = pl.lit(rule.reason)
    if rule.shows is not None:
        text = pl.col(rule.shows).cast(pl.String)
        shown = text.fill_null("").str.slice(0, 60)
        reason = pl.format("{}: '{}'", reason, shown)
    return reject_rows(source, rows.select("row", reason=reason))
