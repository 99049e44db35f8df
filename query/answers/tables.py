"""Tables of answers for people: plain headings, rounded numbers, no column that says nothing."""

from __future__ import annotations

from typing import Final

from query.answer import ResultTable

MOST_ROWS: Final = 20
"""Number of rows that are printed unless all are asked for."""
_HEADINGS: Final = {
    "at_90": "confirmed (90%)",
    "num_true": "samples with",
    "num_false": "samples without",
    "log2_fold_change": "log2 fold change",
    "q_value": "q",
    "side": "group",
}
_NEVER: Final = ("samples", "stated", "among", "number")
"""Columns that say how a number was counted."""
_AS_RUNS: Final = ("positive", "searched", "at_90")
"""Columns that say nothing if they equal the runs."""
_DIGITS: Final = 3


def printed(table: ResultTable, *, full: bool = False) -> ResultTable:
    """Return ``table`` as it is printed: the first rows, unless it is asked for in ``full``.

    >>> rows = (("bat", 3, 3, 1), ("pig", 2, 2, 0))
    >>> printed(ResultTable(("host", "runs", "positive", "at_90"), rows)).columns
    ('host', 'runs', 'confirmed (90%)')
    """
    if full:
        return table
    places = [place for place, _ in enumerate(table.columns) if _says_something(table, place)]
    rows = tuple(tuple(_rounded(row[place]) for place in places) for row in table.rows[:MOST_ROWS])
    names = (table.columns[place] for place in places)
    return ResultTable(tuple(_HEADINGS.get(name, name.replace("_", " ")) for name in names), rows)


def _says_something(table: ResultTable, place: int) -> bool:
    name = table.columns[place]
    cells = [row[place] for row in table.rows]
    if place == 0 or name == "runs":
        return True
    if name in _NEVER and "runs" in table.columns:
        return False
    if name in _AS_RUNS and "runs" in table.columns:
        runs = table.columns.index("runs")
        return cells != [row[runs] for row in table.rows]
    is_of_runs = table.columns[0] == "run"  # a table whose columns were asked for one by one
    is_all_equal = len(cells) > 1 and len({str(cell) for cell in cells}) == 1 and not is_of_runs
    return any(cell not in (None, "") for cell in cells) and not is_all_equal


def _rounded(cell: object) -> object:
    if not isinstance(cell, float):
        return cell
    rounded = float(f"{cell:.{_DIGITS}g}")
    return int(rounded) if rounded.is_integer() else rounded
