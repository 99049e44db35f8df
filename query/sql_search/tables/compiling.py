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
    is_plain: bool = False


def compile_table(con: duckdb.DuckDBPyConnection, question: Question) -> CompiledTable | None:
    """Return the SQL of the table that ``question`` asks for, None where it is none that is
    understood in all its words.

    Raises ``NoEvidenceError`` where no run carries what it names.
    """
    said = with_setting(con, question)
    masked, meant = masked_text(said)
    made = layer_table(con, said, masked, meant)
    if made is None:
        return None
    compiled, named, is_plain = made
    if named.mentions or named.absent or named.reading.without:
        check_answerable(con, named)
    return CompiledTable(compiled, named, is_plain)
