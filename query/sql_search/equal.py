"""Whether two results say the same: the measure of execution accuracy."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from datetime import date
from itertools import product
from typing import Final

Rows = Sequence[Sequence[object]]
_MOST_CHOICES: Final = 500
"""Choices of columns that are tried at most."""


def same_result(gold: Rows, got: Rows) -> bool:
    """Return whether ``got`` has the rows of ``gold`` in some of its columns, in any order.

    Further columns are allowed: a count may come with its share. Names of columns do not matter.
    Numbers are equal when they agree in three decimals.

    >>> same_result([("bat", 3)], [(3, "bat", 12.5)]), same_result([(3,)], [(3,), (4,)])
    (True, False)
    """
    if len(gold) != len(got):
        return False
    if not gold:
        return True
    wanted = _columns(gold)
    held = _columns(got)
    candidates = [_places(column, held) for column in wanted]
    rows = Counter(zip(*wanted, strict=True))
    for number, choice in enumerate(product(*candidates)):
        if number >= _MOST_CHOICES:
            break
        picked = [held[place] for place in choice]
        picked_rows = Counter(zip(*picked, strict=True))
        if picked_rows == rows:
            return True
    return False


def _places(wanted: Sequence[str], held: Sequence[Sequence[str]]) -> list[int]:
    """Return which columns of ``held`` have the cells of ``wanted``, in any order."""
    cells = Counter(wanted)
    places = []
    for place, column in enumerate(held):
        if Counter(column) == cells:
            places.append(place)
    return places


def _columns(rows: Rows) -> list[list[str]]:
    columns = []
    for cells in zip(*rows, strict=True):
        column = [_plain(cell) for cell in cells]
        columns.append(column)
    return columns


def _plain(cell: object) -> str:
    if isinstance(cell, bool) or cell is None:
        return str(cell)
    if isinstance(cell, int | float):
        return f"{float(cell):.3f}"
    if isinstance(cell, date):
        return cell.isoformat()
    return str(cell)
