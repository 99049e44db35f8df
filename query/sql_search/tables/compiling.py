"""SQL of a question for a table, where all of its words are understood as one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from query.reading.refusal import check_answerable
from query.sql_search.layer.asking import layer_table
from query.sql_search.tables.asking import (
    asked_table,
    composed_table,
    masked_text,
    with_setting,
)
from query.sql_search.tables.grouped import compile_groups
from query.sql_search.tables.recorded import compile_records

if TYPE_CHECKING:
    import duckdb

    from query.reading.question import Question
    from query.sql_search.compiling import Compiled


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
    made = (
        _layered(con, question)
        or composed_table(con, question, stored=True)
        or composed_table(con, question, stored=False)
        or _listed(con, question)
    )
    if made is None:
        return None
    compiled, named = made
    if named.mentions or named.absent or named.reading.without:
        check_answerable(con, named)
    return CompiledTable(compiled, named)


def _layered(
    con: duckdb.DuckDBPyConnection, question: Question
) -> tuple[Compiled, Question] | None:
    """Return the SQL of a table read phrase by phrase, and the question of what it names."""
    said = with_setting(con, question)
    masked, meant = masked_text(said)
    return layer_table(con, said, masked, meant)


def _listed(con: duckdb.DuckDBPyConnection, question: Question) -> tuple[Compiled, Question] | None:
    """Return the SQL of rows with one number each, or of stored rows, and the question of its
    runs.
    """
    asked = asked_table(con, question)
    if asked is None:
        return None
    make = compile_records if asked.request.records else compile_groups
    compiled = make(asked.request, asked.named)
    return None if compiled is None else (compiled, asked.named)
