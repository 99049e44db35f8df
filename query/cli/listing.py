"""Tables for people: columns that fit a terminal, and text without control characters."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from query.words import printable

GAP: Final = 2
"""Spaces between two columns."""
NARROWEST: Final = 10
"""Cells that a column to be cut keeps, where it has as many."""

_SPACES: Final = re.compile(r"[\t\r\n\u2028\u2029]+")


@dataclass(frozen=True, slots=True)
class ListedColumn:
    """A column of a table; identifiers and numbers are never shortened.

    Columns with ``least`` are the first to be left out, 1 before 2.
    """

    name: str
    number: bool = False
    cut: bool = False
    least: int = 0
    """0: never left out."""


def columns_of(
    names: str, *, cut: str = "", numbers: str = "", least: str = ""
) -> tuple[ListedColumn, ...]:
    """Return the columns called ``names``, which are separated by commas like all arguments.

    Those of ``cut`` may be shortened, and those of ``least`` are left out first, in this order.
    """
    every, some, counts, order = (text.split(", ") for text in (names, cut, numbers, least))
    return tuple(
        ListedColumn(
            name, name in counts, name in some, order.index(name) + 1 if name in order else 0
        )
        for name in every
    )


def cell_text(value: object) -> str:
    """Return ``value`` on one line without control characters; nothing for None."""
    return "" if value is None else printable(_SPACES.sub(" ", str(value)))


def tab_separated(columns: Sequence[ListedColumn], rows: Sequence[Sequence[str]]) -> str:
    """Return a header and rows, cells separated by tabs."""
    header = [column.name for column in columns]
    return "\n".join("\t".join(row) for row in [header, *rows])


def fit_columns(
    columns: Sequence[ListedColumn], rows: Sequence[Sequence[str]], width: int
) -> dict[int, int]:
    """Return the places of the columns that fit into ``width``, each with its width.

    Columns without any text are left out. Columns that may be shortened share what the others
    leave; if that is too little, columns are left out, ``least`` first.
    """
    from rich.cells import cell_len

    natural = {
        place: max(map(cell_len, [column.name, *(row[place] for row in rows)]))
        for place, column in enumerate(columns)
        if not is_empty(rows, place)
    }
    droppable = sorted(
        (column.least, place) for place, column in enumerate(columns) if column.least
    )
    for _, place in droppable:
        if _smallest(columns, natural) <= width:
            break
        natural.pop(place, None)
    return _shared(columns, natural, width)


def is_empty(rows: Sequence[Sequence[str]], place: int) -> bool:
    """Return whether there are rows and none has text at ``place``."""
    return bool(rows) and not any(row[place] for row in rows)


def _smallest(columns: Sequence[ListedColumn], natural: Mapping[int, int]) -> int:
    """Return the width of the table with every column that may be shortened at its narrowest."""
    gaps = GAP * (len(natural) - 1)
    return gaps + sum(
        min(wide, NARROWEST) if columns[place].cut else wide for place, wide in natural.items()
    )


def _shared(
    columns: Sequence[ListedColumn], natural: Mapping[int, int], width: int
) -> dict[int, int]:
    """Return widths: narrow columns as they are, wide columns in equal shares of the rest."""
    flexible = sorted((wide, place) for place, wide in natural.items() if columns[place].cut)
    fixed = sum(natural.values()) - sum(wide for wide, _ in flexible)
    left = width - GAP * (len(natural) - 1) - fixed
    widths = dict(natural)
    for number, (wide, place) in enumerate(flexible):
        share = max(left // (len(flexible) - number), NARROWEST)
        widths[place] = min(wide, share)
        left -= widths[place]
    return widths
