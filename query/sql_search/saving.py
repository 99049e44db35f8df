"""Rows written out: CSV, JSON, Parquet."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from query.answer import ResultTable

FORMATS: Final = ("csv", "json", "parquet")
"""What a result is written as, by the ending of a file."""


def table_csv(table: ResultTable) -> str:
    """Return ``table`` as CSV with a header; an unknown value is an empty cell."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(table.columns)
    writer.writerows([_safe(cell) for cell in row] for row in table.rows)
    return text.getvalue()


def table_json(table: ResultTable) -> str:
    """Return ``table`` as JSON: one object for each row."""
    return json.dumps(list(_records(table)), indent=2, ensure_ascii=False, default=str)


def save_table(table: ResultTable, path: Path) -> None:
    """Write ``table`` to ``path`` in the format that its ending names; raises ``OSError``."""
    ending = path.suffix.lower().lstrip(".")
    if ending == "parquet":
        _parquet(table, path)
        return
    text = table_csv(table) if ending == "csv" else f"{table_json(table)}\n"
    path.write_text(text, encoding="utf-8")


def _parquet(table: ResultTable, path: Path) -> None:
    import polars as pl

    frame = pl.DataFrame(
        list(table.rows), schema=_distinct(table.columns), orient="row", infer_schema_length=None
    )
    frame.write_parquet(path)


def _records(table: ResultTable) -> Iterator[dict[str, object]]:
    names = _distinct(table.columns)
    for row in table.rows:
        yield dict(zip(names, row, strict=True))


def _distinct(columns: tuple[str, ...]) -> list[str]:
    """Return the names of columns with a number behind those that come again.

    >>> _distinct(("runs", "runs"))
    ['runs', 'runs_2']
    """
    names: list[str] = []
    for name in columns:
        again = sum(1 for earlier in columns[: len(names)] if earlier == name)
        names.append(f"{name}_{again + 1}" if again else name)
    return names


def _safe(cell: object) -> object:
    """Return ``cell`` so that a spreadsheet does not take text for a formula."""
    if isinstance(cell, str) and cell[:1] in ("=", "+", "-", "@", "\t", "\r"):
        return f"'{cell}"
    return cell
