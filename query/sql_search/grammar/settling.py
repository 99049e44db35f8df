"""A table whose parts are read, put together: what all its numbers are of is what it is about."""

from __future__ import annotations

from dataclasses import replace

from query.sql_search.grammar.ordered import MADE, Cell, Given, OrderedTable
from query.sql_search.tables.nouns import HIT_COLUMNS


def settled(table: OrderedTable) -> OrderedTable:
    """Return ``table`` with what all of its cells are of as what it is about, and each number that
    it is sorted or kept by among its cells.
    """
    by, about, kept = table.by, table.about, list(table.kept)
    cells = _with_columns(table.cells)
    for one in cells:
        if one.given.kind == "of" and one.given.text not in about:
            about = _both(about, one.given.text)
    of_hits = any(one.of in HIT_COLUMNS for one in cells)
    if by is not None and by.given.kind == "named" and of_hits:
        about = _both(about, by.given.text)
        by = _ungiven(by, by.given)
    cells = _one_share_each([_ungiven(one, one.given) if one.given.kind == "of" else one
                             for one in cells])  # fmt: skip
    cells = [_ungiven(one, Given("named", about)) for one in cells]
    named = [one for one in cells if one.given.kind == "named"]
    first = cells[0] if cells else None
    widest = first in named and all(one.given in (Given(), first.given) or one.how == "percent"
                                    for one in cells) and Cell() not in cells  # fmt: skip
    if first is not None and widest:
        about = _both(about, first.given.text)
        cells = [_ungiven(one, first.given) for one in cells]
        by = _ungiven(by, first.given) if by else None
        kept = [replace(one, cell=_ungiven(one.cell, first.given)) for one in kept]
    if not named and len({one.cell.given for one in kept if one.cell.given.kind == "named"}) == 1:
        given = next(one.cell.given for one in kept if one.cell.given.kind == "named")
        about = _both(about, given.text)
        kept = [replace(one, cell=_ungiven(one.cell, given)) for one in kept]
    if by is not None and by.how == "percent":
        by = next((one for one in cells if one.how == "percent"), by)
    if by is not None and by not in cells:
        cells = [by, *cells]
    by = by or next((one for one in cells if one.how != "first"), None)
    missing = [_meant(one.cell, cells) for one in kept]
    kept = [replace(one, cell=cell) for one, cell in zip(kept, missing, strict=True)]
    every = dict.fromkeys(_one_share_each([*cells, *missing]))
    return replace(table, cells=tuple(every) or (Cell(),), about=about, kept=tuple(kept), by=by)


def _meant(cell: Cell, cells: list[Cell]) -> Cell:
    """Return the cell that a number is compared of: the share that is listed, where it is one."""
    if cell.how != "percent":
        return cell
    return next((one for one in cells if one.how == "percent"), cell)


def _one_share_each(cells: list[Cell]) -> list[Cell]:
    """Return ``cells`` with one percentage of each condition, the one that says more of its
    whole.
    """
    said = {one.given: one for one in cells if one.how == "percent" and one.whole == "searched"}
    kept = [said.get(one.given, one) if one.how == "percent" else one for one in cells]
    return list(dict.fromkeys(kept))


def _with_columns(cells: tuple[Cell, ...]) -> list[Cell]:
    """Return ``cells`` with the column of a comparison that names none: that of the cell before."""
    known = ""
    made = []
    for cell in cells:
        given = replace(cell.given, column=cell.given.column or known)
        made.append(replace(cell, given=given) if cell.given.kind == "column" else cell)
        if cell.how in MADE:
            known = cell.of
    return made


def _both(about: str, text: str) -> str:
    """Return the words for runs that are what ``about`` says and what ``text`` says."""
    return f"{about} and {text}" if about and text != about else text


def _ungiven(cell: Cell, given: Given) -> Cell:
    return replace(cell, given=Given()) if cell.given == given else cell
