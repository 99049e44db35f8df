"""Rows written out: CSV, JSON, Parquet."""

from __future__ import annotations

import csv
import io
import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from query.answer import ResultTable

_FORMULA: Final = ("=", "+", "-", "@", "\t", "\r")
"""Beginnings of a cell that a spreadsheet runs."""
FORMATS: Final = ("csv", "json", "parquet")
"""What a result is written as, by the ending of a file."""


def table_csv(table: ResultTable) -> str:
    """Return ``table`` as CSV with a header; an unknown value is an empty cell."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(table.columns)
    for row in table.rows:
        cells = [safe_cell(cell) for cell in row]
        writer.writerow(cells)
    return text.getvalue()


def table_json(table: ResultTable) -> str:
    """Return ``table`` as JSON: one object for each row."""
    records = list(_records(table))
    return json.dumps(records, indent=2, ensure_ascii=False, default=str)


def save_table(table: ResultTable, path: Path) -> None:
    """Write ``table`` to ``path`` in the format that its ending names; raises ``OSError``."""
    ending = path.suffix.lower().lstrip(".")
    if ending == "parquet":
        _parquet(table, path)
        return
    text = table_csv(table) if ending == "csv" else table_json(table) + "\n"
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
    names = []
    seen: Counter[str] = Counter()
    for name in columns:
        seen[name] += 1
        times = seen[name]
        names.append(name if times == 1 else f"{name}_{times}")
    return names


def safe_cell(cell: object) -> object:
    """Return ``cell`` so that a spreadsheet does not take text for a formula."""
    if isinstance(cell, str) and cell.startswith(_FORMULA):
        return f"'{cell}"
    return cell
