"""SQL of a question for a table, where all of its words are understood as one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from query.reading.refusal import check_answerable
from query.sql_search.tables.asking import asked_table
from query.sql_search.tables.grouped import compile_groups
from query.sql_search.tables.recorded import compile_records
from query.sql_search.tables.request import Measure, TableRequest
from query.sql_search.tables.several import compile_several

if TYPE_CHECKING:
    import duckdb

    from query.reading.question import Question
    from query.sql_search.compiling import Compiled

_BY_YEAR: Final = (("year",), Measure())
"""Rows and measure of ``query.sql_search.years``, which lists runs without a date as well."""


@dataclass(frozen=True, slots=True)
class CompiledTable:
    """SQL of a table, and the question that names its runs."""

    compiled: Compiled
    named: Question


def compile_table(con: duckdb.DuckDBPyConnection, question: Question) -> CompiledTable | None:
    """Return the SQL of the table that ``question`` asks for, None where it is none that is
    understood in all its words.

    Raises ``NoEvidenceError`` where no run carries what it names.
    """
    asked = asked_table(con, question)
    if asked is None or _is_years(asked.request):
        return None
    named = asked.named
    if named.mentions or named.absent or named.reading.without:
        check_answerable(con, named)
    make = compile_records if asked.request.records else compile_groups
    if asked.request.also:
        make = compile_several
    compiled = make(asked.request, named)
    return None if compiled is None else CompiledTable(compiled, named)


def _is_years(request: TableRequest) -> bool:
    plain = not (request.also or request.having or request.limit or request.sorting != "most")
    return (request.rows, request.measure) == _BY_YEAR and plain
