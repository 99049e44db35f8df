"""Rows written out: CSV, JSON, Parquet."""

from __future__ import annotations

import csv
import io
import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from index.store.whole_file import whole_file, write_whole
from query.answer import ResultTable
from query.words import printable

_FORMULA: Final = ("=", "+", "-", "@", "\t", "\r")
"""Beginnings of a cell that a spreadsheet runs."""
FORMATS: Final = ("csv", "json", "parquet")
"""What a result is written as, by the ending of a file."""


def table_csv(table: ResultTable) -> str:
    """Return ``table`` as CSV with a header; an unknown value is an empty cell."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow([safe_cell(name) for name in table.columns])
    for row in table.rows:
        cells = [safe_cell(cell) for cell in row]
        writer.writerow(cells)
    return text.getvalue()


def table_json(table: ResultTable) -> str:
    """Return ``table`` as JSON: one object for each row."""
    records = list(_records(table))
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
    """Return ``cell`` so that a spreadsheet does not take text for a formula, nor a terminal for
    orders.
    """
    if not isinstance(cell, str):
        return cell
    shown = printable(cell)
    return f"'{shown}" if cell.startswith(_FORMULA) else shown
