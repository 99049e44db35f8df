"""Results of requests as short JSON: nothing twice, nothing empty."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import date
from typing import Any, Final

from query.compiler import Omission, Result
from query.mcp.served import Record
from query.request import Compare, Count, Exists, Share, Summary, Values
from query.request.fields import field_named

Row = tuple[Any, ...]

TELLING: Final = ("number", "positive", "runs")
"""Columns that say the most; one that always repeats one of them is left out."""
LONGEST_CELL: Final = 300


@dataclass(frozen=True)
class ShortTable:
    """Columns and rows without what repeats; ``same`` maps each column left out to its equal."""

    columns: tuple[str, ...]
    rows: tuple[Row, ...]
    same: Mapping[str, str]


def header(result: Result) -> Record:
    """Return all of ``result`` but its rows."""
    is_counted = isinstance(result.request.measure, Count | Exists | Share)
    record: Record = {"asked": result.said, "answer": result.verdict}
    if result.number is not None:
        record |= {"number": plain(result.number), "unit": result.unit}
    elif is_counted and result.verdict is None and not result.columns:
        record |= {"number": "unknown: no run of which it is known"}
    if result.tally is not None:
        record["tally"] = {name: count for name, count in asdict(result.tally).items()
                           if name != "stated" or count != result.tally.runs}  # fmt: skip
    record["left_out"] = [_omitted(part) for part in result.left_out
                          if part.number and part.reason != "beyond the limit"]  # fmt: skip
    record["names"] = _names(result)
    return record


def short_table(columns: Sequence[str], rows: Sequence[Row]) -> ShortTable:
    """Return a table without identifiers of values that have names, and without equal columns.

    >>> short_table(["host", "host_id", "runs", "positive"], [("Homo sapiens", "X:1", 3, 3)])
    ShortTable(columns=('host', 'positive'), rows=(('Homo sapiens', 3),), same={'runs': 'positive'})
    """
    cells = {name: [row[place] for row in rows] for place, name in enumerate(columns)}
    same: dict[str, str] = {}
    for telling in TELLING:
        for name in columns:
            repeats = cells[name] == cells.get(telling)
            if repeats and name != telling and telling not in same and name not in same and rows:
                same[name] = telling
    shown = [place for place, name in enumerate(columns)
             if name not in same and not _identifies(name, columns)]  # fmt: skip
    return ShortTable(
        columns=tuple(columns[place] for place in shown),
        rows=tuple(tuple(plain(row[place]) for place in shown) for row in rows),
        same=same,
    )


def ranked_column(measure: Values) -> str:
    """Return the column by which values are ranked."""
    match measure.each:
        case Share():
            return "share"
        case Summary():
            return "mean"
        case Count(unit="run"):
            of_hits = any(field_named(name).of == "hit" for name in measure.by)
            return "positive" if of_hits or measure.hits is not None else "runs"
        case Count(unit="detection"):
            return "detections"
    return measure.each.unit


def plain(cell: Any) -> Any:
    """Return a cell as JSON has it: numbers to four digits, long texts cut.

    >>> plain(99.66666), plain(0.00087771), plain(12345.678)
    (99.67, 0.0008777, 12345.68)
    """
    if isinstance(cell, float):
        return round(cell, 2) if abs(cell) >= 100 else float(f"{cell:.4g}")
    if isinstance(cell, date):
        return cell.isoformat()
    if isinstance(cell, str) and len(cell) > LONGEST_CELL:
        return f"{cell[:LONGEST_CELL]} …"
    return cell


def is_compared(result: Result) -> bool:
    """Return whether rows are the sides of a comparison."""
    return isinstance(result.request.measure, Compare)


def _omitted(part: Omission) -> str:
    return f"{part.number:,} {part.what}"


def _names(result: Result) -> Record:
    """Return what names mean, of those that are not written as the index has them."""
    names = {}
    for name in result.names:
        if name.text != name.label:
            identified = f" ({name.curie})" if name.curie and name.curie != name.text else ""
            names[name.text] = f"{name.label}{identified}"
    return names


def _identifies(name: str, columns: Sequence[str]) -> bool:
    """Return whether a column identifies what another column names."""
    return name.endswith("_id") and name.removesuffix("_id") in columns
