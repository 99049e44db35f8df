"""Results of requests as short JSON: nothing twice, nothing empty."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import date
from typing import Any, Final

from query.compiler import Result, RunTally
from query.compiler.listing import ranked_column
from query.mcp.served import Record
from query.request import Compare, Count, Exists, Share, Values

Row = tuple[Any, ...]

TELLING: Final = ("number", "positive", "runs")
"""Columns that say the most; one that always repeats one of them is left out."""
LONGEST_CELL: Final = 300


@dataclass(frozen=True)
class ShortTable:
    """Columns and rows without repetition; ``same`` maps a column left out to the equal one."""

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
        record["tally"] = tally_record(result.tally)
    record["left_out"] = [f"{part.number:,} {part.what}" for part in result.left_out
                          if part.number and part.reason != "beyond the limit"]  # fmt: skip
    record["names"] = _names(result)
    return record


def tally_record(tally: RunTally) -> dict[str, int]:
    """Return a tally, without BioSamples if no run names one: that is unknown, not zero."""
    counts = asdict(tally)
    if not tally.samples:
        del counts["samples"]
    if tally.stated == tally.runs:
        del counts["stated"]
    return counts


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
    unknown = {"samples"} if rows and not any(cells.get("samples", [])) else set()
    left_out = {*same, *unknown, *(name for name in columns if _identifies(name, columns))}
    shown = [place for place, name in enumerate(columns) if name not in left_out]
    return ShortTable(
        columns=tuple(columns[place] for place in shown),
        rows=tuple(tuple(plain(row[place]) for place in shown) for row in rows),
        same=same,
    )


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


def side_by_side(result: Result, rows: Sequence[Row]) -> tuple[list[str], list[Row]]:
    """Return columns and rows of compared values: a row for each value, a column for each side.

    Counts are those of the column by which values are ranked, the largest first.
    """
    measure = result.request.measure
    if not isinstance(measure, Compare) or not isinstance(measure.measure, Values):
        raise TypeError(f"no comparison of values: {measure!r}")
    names = [column.name for column in result.columns]
    fields = [names.index(name) for name in measure.measure.by]
    ranked = ranked_column(measure.measure)
    sides = list(dict.fromkeys(row[0] for row in rows))
    found: dict[Row, dict[str, Any]] = {}
    for row in rows:
        value = tuple(row[place] for place in fields)
        found.setdefault(value, {})[row[0]] = row[names.index(ranked)]
    absent = None if ranked in ("share", "mean") else 0
    listed = [(*value, *(numbers.get(side, absent) for side in sides))
              for value, numbers in found.items()]  # fmt: skip
    listed.sort(key=lambda row: (-max(number or 0 for number in row[len(fields) :]), str(row)))
    return [*measure.measure.by, *(f"{ranked}: {side}" for side in sides)], listed


def _names(result: Result) -> Record:
    """Return the meaning of names that are written differently in the index."""
    names = {}
    for name in result.names:
        if name.text != name.label:
            identified = f" ({name.curie})" if name.curie and name.curie != name.text else ""
            names[name.text] = f"{name.label}{identified}"
    return names


def _identifies(name: str, columns: Sequence[str]) -> bool:
    """Return whether a column identifies what another column names."""
    return name.endswith("_id") and name.removesuffix("_id") in columns
