"""A question answered by a table: the rows of its request, or of SQL that a model writes."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from index.claims.phrases import counted, listed
from query.answer import Answer, ResultTable, Usage
from query.answers import answer_reading
from query.compiler import Result, run_explained
from query.compiler.result import plain_cell
from query.errors import QueryError
from query.mode import Asking
from query.reading import Reading
from query.request import Values
from query.request.request import to_json
from query.sql_search.answer import SqlAnswer
from query.sql_search.catalogue import read_catalogue
from query.sql_search.checking import check_select
from query.sql_search.running import DEFAULT_LIMITS, SqlLimits, run_apart
from query.sql_search.staging import write_in_stages

MODE_SQL: Final = "sql"


def answer_in_sql(
    asking: Asking,
    *,
    then: Sequence[str] = (),
    by_model: bool = False,
    limits: SqlLimits = DEFAULT_LIMITS,
) -> SqlAnswer:
    """Return the rows that answer the question of ``asking``, after the follow-ups ``then``.

    A request answers if the question makes one. If it does not, or if ``by_model``, the model of
    ``asking`` writes SQL in stages.

    Raises:
        UnclearQuestionError, BeyondCountsError: no request is made, and there is no model.
        UnsafeSqlError, SqlFailedError, SqlLimitError: the SQL must not or cannot be run.
    """
    if by_model:
        return _written(asking, limits=limits)
    try:
        reading = asking.readable()
    except QueryError:
        if not _may_write(asking):
            raise
        return _written(asking, limits=limits)
    for follow_up in then:
        edited = replace(asking, question=follow_up, previous=reading.requests[0])
        reading = edited.readable()
    return _from_request(asking, reading)


def run_own_sql(asking: Asking, sql: str, *, limits: SqlLimits = DEFAULT_LIMITS) -> SqlAnswer:
    """Return the rows of ``sql`` as the user typed it, within the same limits.

    Raises ``UnsafeSqlError``, ``SqlFailedError``, ``SqlLimitError``.
    """
    checked = check_select(asking.con, sql, read_catalogue(asking.con))
    selected = run_apart(asking.db, checked.sql, limits=limits)
    return SqlAnswer(
        asking.question,
        ResultTable(selected.columns, selected.rows),
        checked.sql,
        explained=f"It reads {listed(checked.tables) or 'no table'}.",
        complete=selected.complete,
        usage=Usage(seconds=selected.seconds),
    )


def answer_of(found: SqlAnswer) -> Answer:
    """Return ``found`` as an answer: what the rows say, the SQL, and the rows."""
    explained = found.explained
    if not found.complete:
        explained += f" Only the first {len(found.table.rows):,} rows are shown."
    lead = found.lead or _row_count(found.table)
    parts = [lead, f"```sql\n{found.sql}\n```", explained.strip()]
    reading = found.reading
    return Answer(
        question=found.question,
        mode=MODE_SQL,
        answer="\n\n".join(part for part in parts if part),
        points=(),
        usage=found.usage,
        steps=found.steps,
        table=_in_plain_values(found.table),
        read_as=reading.read_as if reading else "",
        unused=reading.unused if reading else (),
        corrected=reading.corrected if reading else (),
        form=reading.form if reading else "sentence",
        requests=tuple(to_json(request) for request in reading.requests) if reading else (),
    )


def _from_request(asking: Asking, reading: Reading) -> SqlAnswer:
    """Return the rows of the first request of ``reading``, with the SQL of all of them."""
    started = time.perf_counter()
    statements: list[str] = []
    for request in reading.requests:
        _, ran = run_explained(asking.con, request)
        statements += ran
    worded = answer_reading(asking.con, reading, full=True)
    first = worded.results[0]
    seconds = round(time.perf_counter() - started, 3)
    return SqlAnswer(
        reading.text,
        worded.table or table_of(first),
        ";\n\n".join(statements),
        lead=" ".join(part for part in (worded.lead, worded.certainty) if part),
        complete=first.total <= len(first.rows) or _is_cut_by_request(first),
        reading=reading,
        usage=Usage(seconds=seconds),
    )


def _is_cut_by_request(result: Result) -> bool:
    """Return whether the question itself asks for so few rows: the first two."""
    measure = result.request.measure
    return isinstance(measure, Values) and measure.limit is not None


def table_of(result: Result) -> ResultTable:
    """Return the rows of a result; if a number is the answer, the number with its tally."""
    if result.columns:
        return ResultTable(tuple(column.name for column in result.columns), result.rows)
    frame = result.pl()
    return ResultTable(tuple(frame.columns), tuple(frame.rows()))


def _written(asking: Asking, *, limits: SqlLimits) -> SqlAnswer:
    """Return the rows of SQL that the model of ``asking`` writes; raises as ``write_in_stages``."""
    started = time.perf_counter()
    written = write_in_stages(asking, read_catalogue(asking.con), limits=limits)
    seconds = round(time.perf_counter() - started, 3)
    return replace(written, usage=replace(written.usage, seconds=seconds))


def _may_write(asking: Asking) -> bool:
    """Return whether a model writes SQL without ``--staged``.

    One below 4B gave other rows for a quarter of the questions (docs/sql.md).
    """
    choice = asking.choice
    if choice is None or choice.model is None:
        return False
    return choice.profile is None or choice.profile.is_large


def _row_count(table: ResultTable) -> str:
    rows = len(table.rows)
    return f"{counted(rows, 'row')}." if rows else "No row."


def _in_plain_values(table: ResultTable) -> ResultTable:
    """Return ``table`` with dates as text, as answers are stored in JSON."""
    return replace(table, rows=tuple(tuple(map(plain_cell, row)) for row in table.rows))
