"""Rows written out: CSV, JSON, Parquet."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Final

from index.store.whole_file import whole_file, write_whole
from query.answer import ResultTable
from query.words import printable

_FORMULA: Final = ("=", "+", "-", "@", "\t", "\r")
"""Beginnings of a cell that a spreadsheet runs."""
FORMATS: Final = ("csv", "json", "parquet")
"""What a result is written as, by the ending of a file."""


def table_csv(table: ResultTable, *, line_end: str = "\n") -> str:
    """Return ``table`` as CSV with a header; an unknown value is an empty cell."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator=line_end)
    for row in (table.columns, *table.rows):
        writer.writerow([safe_cell(cell) for cell in row])
    return text.getvalue()


def table_json(table: ResultTable) -> str:
    """Return ``table`` as JSON: one object for each row."""
    names = _distinct(table.columns)
    records = [dict(zip(names, row, strict=True)) for row in table.rows]
    return json.dumps(records, indent=2, ensure_ascii=False, default=str)


def save_table(table: ResultTable, path: Path) -> None:
    """Write ``table`` to ``path`` in the format that its ending names, whole or not at all.

    Raises ``OSError``.
    """
    ending = path.suffix.lower().lstrip(".")
    if ending == "parquet":
        with whole_file(path) as working:
            working.write_bytes(_parquet(table))
        return
    text = table_csv(table) if ending == "csv" else table_json(table) + "\n"
    write_whole(path, text)


def _parquet(table: ResultTable) -> bytes:
    import polars as pl

    frame = pl.DataFrame(
        list(table.rows), schema=_distinct(table.columns), orient="row", infer_schema_length=None
    )
    packed = io.BytesIO()
    frame.write_parquet(packed)
    return packed.getvalue()


def _distinct(columns: tuple[str, ...]) -> list[str]:
    """Return the names of columns, with a number added to repeated ones.

    >>> _distinct(("runs", "runs"))
    ['runs', 'runs_2']
    """
    times = [columns[: place + 1].count(name) for place, name in enumerate(columns)]
    return [name if n == 1 else f"{name}_{n}" for name, n in zip(columns, times, strict=True)]


def safe_cell(cell: object) -> object:
    """Return ``cell`` such that no spreadsheet sees a formula, and no terminal a command."""
    if not isinstance(cell, str):
        return cell
    shown = printable(cell)
    return f"'{shown}" if cell.startswith(_FORMULA) else shown
