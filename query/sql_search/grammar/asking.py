"""A table asked for by its groups and numbers: its names resolved, and its SQL."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from query.sql_search.grammar.compiling import compile_ordered
from query.sql_search.grammar.ordered import Cell, Group, OrderedTable
from query.sql_search.grammar.plan import Named
from query.sql_search.grammar.reading import read_ordered

if TYPE_CHECKING:
    from collections.abc import Callable

    from query.reading.question import Question
    from query.sql_search.compiling import Compiled

_BY_YEAR: Final = OrderedTable((Group("year"),), (Cell(),), by=Cell())
"""The table of ``query.sql_search.years``, which counts runs without a date as well."""


def ordered_table(
    masked: str, kind_of: dict[str, str], resolve: Callable[[str], Question | None]
) -> tuple[Compiled, Question] | None:
    """Return the SQL of the table that ``masked`` asks for and the question of its runs, None where
    any part of it is not understood.

    ``masked`` has its names as ``§0``, ``kind_of`` says what each is, and ``resolve`` returns the
    question of the runs that words name.
    """
    table = read_ordered(masked, kind_of)
    if table is None or table == replace(_BY_YEAR, about=table.about):
        return None
    named = _resolved(table, resolve)
    if named is None:
        return None
    compiled = compile_ordered(table, named)
    return None if compiled is None else (compiled, named.about)


def _resolved(table: OrderedTable, resolve: Callable[[str], Question | None]) -> Named | None:
    about = resolve(table.about)
    if about is None:
        return None
    parts = {}
    texts = [name for one in table.groups for name in one.names]
    texts += [one.given.text for one in table.cells if one.given.kind in ("named", "without")]
    for text in texts:
        of = resolve(text)
        if of is None or not of.groups:
            return None
        parts[text] = of
    if any(not parts[name].mentions for one in table.groups for name in one.names):
        return None
    return Named(about, parts)
