"""A question answered by SQL: compiled from its reading, or written by a model in stages; checked,
run apart, changed by follow-ups, and shown.
"""

from __future__ import annotations

import re
import time
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Final

from index.reports.phrases import counted, listed
from query.answer import Answer, ResultTable, Usage
from query.errors import NoEvidenceError
from query.global_search.caveats import caveats
from query.global_search.headlines.headline import headline
from query.global_search.headlines.only_there import asked_only_there
from query.global_search.headlines.understanding import understanding
from query.global_search.matched_runs import MatchedRuns
from query.global_search.matching import match_runs
from query.reading.limits import OF_ROWS
from query.reading.question import Question, clean_question, read_question
from query.reading.refusal import check_answerable
from query.sql_search.catalogue import Catalogue, read_catalogue
from query.sql_search.checking import check_select
from query.sql_search.compiling import compile_question
from query.sql_search.editing import edit, split_follow_up
from query.sql_search.errors import UncoveredError
from query.sql_search.facets import VIRAL_FACETS, facets_to_list
from query.sql_search.holdings import compile_holdings
from query.sql_search.layer.asking import AskedTable, asked_table, unknown_word
from query.sql_search.layer.unread import joins_sources, not_counted
from query.sql_search.mode import OF_COLUMNS
from query.sql_search.running import DEFAULT_LIMITS, Selected, SqlLimits, run_apart
from query.sql_search.statement import of_one_source
from query.sql_search.years import asks_by_year, compile_years

if TYPE_CHECKING:
    import duckdb

    from query.mode import Asking

MODE_SQL: Final = "sql"
_ALPHABETICAL: Final = re.compile(
    r",?\s*(?:and |sorted |ordered )*(?:in )?alphabetical(?:ly| order)?\s*[.?]?$", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class SqlDraft:
    """SQL for a question, and in words what it does and how it came about."""

    sql: str
    explained: tuple[str, ...] = ()
    steps: tuple[str, ...] = ()
    note: str = ""
    cautions: tuple[str, ...] = ()
    usage: Usage = field(default_factory=Usage)


@dataclass(frozen=True, slots=True)
class SqlAnswer:
    """SQL that was run, its rows, and what it does in words."""

    question: str
    draft: SqlDraft
    selected: Selected

    @property
    def table(self) -> ResultTable:
        """The rows, as an answer holds them."""
        selected = self.selected
        return ResultTable(selected.columns, selected.rows)


def answer_in_sql(
    asking: Asking,
    *,
    then: Sequence[str] = (),
    by_model: bool = False,
    limits: SqlLimits = DEFAULT_LIMITS,
) -> SqlAnswer:
    """Return the rows that answer the question of ``asking``, after the follow-ups ``then``.

    The reading is compiled where it covers the question; else, or where ``by_model``, the model of
    ``asking`` writes the SQL in stages.

    Raises:
        UncoveredError: the reading does not cover it, and there is no model.
        NoEvidenceError, BeyondCountsError: nothing that SQL could count answers it.
        UnsafeSqlError, SqlFailedError, SqlLimitError: the SQL must not or cannot be run.
    """
    catalogue = read_catalogue(asking.con)
    cleaned = clean_question(asking.question)
    asked, order = _split_order(cleaned)
    text, changes = _with_follow_ups(asking.con, asked, (*order, *then))
    question = asking.read(text)
    started = time.perf_counter()
    table = None if by_model else _table_of(asking.con, question)
    if by_model or not _is_covered(asking, question, table):
        from query.sql_search.staging import write_in_stages

        draft, selected = write_in_stages(asking, question, catalogue, limits=limits)
    else:
        draft = _draft(asking.con, question, table)
        selected = _run(asking.con, asking.db, draft.sql, catalogue, limits)
        if not selected.rows:
            note = _why_none(asking.con, question)
            draft = replace(draft, note=note, cautions=())
    for change in changes:
        draft = _changed(draft, selected, change)
        selected = _run(asking.con, asking.db, draft.sql, catalogue, limits)
    seconds = time.perf_counter() - started
    usage = replace(draft.usage, seconds=round(seconds, 3))
    draft = replace(draft, usage=usage)
    return SqlAnswer(text, draft, selected)


def run_own_sql(asking: Asking, sql: str, *, limits: SqlLimits = DEFAULT_LIMITS) -> SqlAnswer:
    """Return the rows of ``sql`` as it was typed, by the same checks and limits.

    Raises ``UnsafeSqlError``, ``SqlFailedError``, ``SqlLimitError``.
    """
    catalogue = read_catalogue(asking.con)
    checked = check_select(asking.con, sql, catalogue)
    selected = run_apart(asking.db, checked.sql, limits=limits)
    tables = listed(checked.tables) or "no table"
    explained = f"reads {tables}"
    usage = Usage(seconds=selected.seconds)
    draft = SqlDraft(checked.sql, (explained,), usage=usage)
    return SqlAnswer(asking.question, draft, selected)


def draft_from_reading(con: duckdb.DuckDBPyConnection, question: Question) -> SqlDraft:
    """Return the SQL of a question that its reading covers; raises as ``answer_in_sql``."""
    return _draft(con, question, _table_of(con, question))


def _table_of(con: duckdb.DuckDBPyConnection, question: Question) -> AskedTable | None:
    """Return the table that ``question`` asks for, None where it asks for none, for values that its
    reading lists as well, or for what the index holds.
    """
    if compile_holdings(question) or joins_sources(question):
        return None
    table = asked_table(con, question)
    if table is not None and table.is_plain and is_read(con, question, None):
        return None
    return table


def _draft(
    con: duckdb.DuckDBPyConnection, question: Question, table: AskedTable | None
) -> SqlDraft:
    """Return the SQL of ``question``, which asks for ``table`` where it asks for one; of one source
    alone where the question keeps to it.
    """
    draft = _drafted(con, question, table)
    source = question.reading.source
    return replace(draft, sql=of_one_source(draft.sql, source)) if source else draft


def _drafted(
    con: duckdb.DuckDBPyConnection, question: Question, table: AskedTable | None
) -> SqlDraft:
    held = compile_holdings(question)
    if held is not None:
        return SqlDraft(held.sql, held.explained)
    if table is not None:
        matched = match_runs(con, table.named)
        return SqlDraft(
            table.compiled.sql,
            table.compiled.explained,
            note=understanding(table.named),
            cautions=_cautions(table.named, matched),
        )
    if asks_by_year(question):
        by_year = compile_years(con, question)
        return SqlDraft(by_year.sql, by_year.explained, note=understanding(question))
    check_answerable(con, question)
    matched = match_runs(con, question)
    only_there = asked_only_there(question, matched) is not None
    compiled = compile_question(question, only_there=only_there)
    return SqlDraft(
        compiled.sql,
        compiled.explained,
        note=understanding(question),
        cautions=_cautions(question, matched),
    )


def _cautions(question: Question, matched: MatchedRuns) -> tuple[str, ...]:
    """Return what is to be known of the viruses that a table lists or is about: those unexpected in
    their host, which reagents and laboratories bring in, and those of the cells themselves.
    """
    viral = [one for one in question.mentions if one.group == "virus"]
    facets = facets_to_list(question)
    lists_viruses = VIRAL_FACETS.intersection(facets)
    if not viral and not lists_viruses:
        return ()
    said = caveats(question, matched)
    if not said:
        return ()
    caution = f"Of the runs looked at: {said}"
    return (caution,)


def draft_without_model(asking: Asking, question: Question) -> SqlDraft:
    """Return the SQL of ``question`` where no model writes any; raises as ``answer_in_sql``."""
    table = _table_of(asking.con, question)
    _is_covered(replace(asking, choice=None), question, table)
    return _draft(asking.con, question, table)


def is_read(con: duckdb.DuckDBPyConnection, question: Question, table: AskedTable | None) -> bool:
    """Return whether the reading of ``question`` accounts for all of its words, which ask for
    ``table`` where they ask for one.
    """
    if table is not None or compile_holdings(question) is not None:
        return True
    if not_counted(question) is not None:
        return False
    if asks_by_year(question):
        return True
    reading = question.reading
    if reading.not_understood or reading.beyond is not None or reading.figure is not None:
        return False
    if OF_COLUMNS.search(question.text.lower()):
        return False
    try:
        check_answerable(con, question)
    except NoEvidenceError:
        return False
    return True


def answer_of(result: SqlAnswer) -> Answer:
    """Return ``result`` as an answer: what it found, the SQL, and what the SQL does."""
    draft, selected = result.draft, result.selected
    does = "; ".join(draft.explained)
    explained = f"This SQL {does}." if does else ""
    if not selected.complete:
        explained += f" Only the first {len(selected.rows):,} rows are shown."
    parts = [
        _found(selected),
        *draft.cautions,
        draft.note,
        f"```sql\n{draft.sql}\n```",
        explained.strip(),
    ]
    return Answer(
        question=result.question,
        mode=MODE_SQL,
        answer="\n\n".join(part for part in parts if part),
        points=(),
        usage=draft.usage,
        steps=draft.steps,
        table=_in_plain_values(result.table),
    )


def _in_plain_values(table: ResultTable) -> ResultTable:
    """Return ``table`` with dates as text, as answers are kept in JSON."""
    rows = [tuple(_plain(cell) for cell in row) for row in table.rows]
    return replace(table, rows=tuple(rows))


def _plain(cell: object) -> object:
    return cell.isoformat() if isinstance(cell, date) else cell


def _is_covered(asking: Asking, question: Question, table: AskedTable | None) -> bool:
    """Return whether the reading is to be compiled: it covers the question, or nothing else can.

    Raises ``UncoveredError`` where no model can write what the reading does not cover.
    """
    model = _may_write(asking)
    beyond = question.reading.beyond
    refused = beyond is not None and beyond.topic not in OF_ROWS and not asks_by_year(question)
    if is_read(asking.con, question, table) or refused:
        return True
    if model:
        return False
    uncounted = not_counted(question)
    if uncounted is not None:
        word = unknown_word(asking.con, question)
        why = f"“{word}” was not understood" if word else uncounted
        raise UncoveredError(question.text, why)
    if OF_COLUMNS.search(question.text.lower()):
        word = OF_COLUMNS.findall(question.text.lower())[0]
        raise UncoveredError(question.text, f"“{word}” is no count of runs")
    if question.reading.figure is not None:
        raise UncoveredError(question.text, f"“{question.reading.figure.text}” is no count of runs")
    try:
        check_answerable(asking.con, question)
    except NoEvidenceError as error:
        if not question.mentions and not question.absent:
            raise UncoveredError(question.text, error.reason) from error
        raise
    return True


def _may_write(asking: Asking) -> bool:
    """Return whether a model writes SQL unasked: one below 4B gave other rows for a quarter of the
    questions (docs/sql.md), so that it writes only where ``by_model`` asks for it.
    """
    choice = asking.choice
    if choice is None or choice.model is None:
        return False
    return choice.profile is None or choice.profile.tier not in ("tiny", "small")


def _why_none(con: duckdb.DuckDBPyConnection, question: Question) -> str:
    """Return why there is no row: the headline says which runs there are and what they lack."""
    matched = match_runs(con, question)
    counts = headline(question, matched)
    sentences = (counts, understanding(question))
    return " ".join(part for part in sentences if part)


def _split_order(text: str) -> tuple[str, tuple[str, ...]]:
    """Return a question without the order that it ends with, and that as a follow-up.

    >>> _split_order("List the hosts of rotaviruses, in alphabetical order")
    ('List the hosts of rotaviruses', ('alphabetical',))
    """
    found = _ALPHABETICAL.search(text)
    if found is None or not found.start():
        return text, ()
    return text[: found.start()], ("alphabetical",)


def _with_follow_ups(
    con: duckdb.DuckDBPyConnection, text: str, then: Sequence[str]
) -> tuple[str, list[str]]:
    """Return the question with the follow-ups that name things, and the other changes in order."""
    parts: list[str] = []
    for follow_up in then:
        parts += split_follow_up(follow_up)
    changes = []
    for part in parts:
        if _is_change(part):
            changes.append(part)
        elif read_question(con, clean_question(part)).mentions:
            text = f"{text.rstrip(' ?.')} {part}"
        else:
            raise UncoveredError(part, "it names nothing, and changes no rows")
    return text, changes


def _is_change(part: str) -> bool:
    columns = ("value", "runs")
    types = ("VARCHAR", "BIGINT")
    edited = edit("", columns, types, part)
    return edited is not None


def _changed(draft: SqlDraft, selected: Selected, change: str) -> SqlDraft:
    """Return ``draft`` with one follow-up made; one that its columns do not allow changes
    nothing.
    """
    edited = edit(draft.sql, selected.columns, selected.types, change)
    if edited is None:
        ignored = f"{change}: no column of it allows that"
        return replace(draft, explained=(*draft.explained, ignored))
    made = f"then {edited.explained}"
    return replace(draft, sql=edited.sql, explained=(*draft.explained, made))


def _run(
    con: duckdb.DuckDBPyConnection, db: Path, sql: str, catalogue: Catalogue, limits: SqlLimits
) -> Selected:
    checked = check_select(con, sql, catalogue)
    return run_apart(db, checked.sql, limits=limits)


def _found(selected: Selected) -> str:
    """Return what the rows say in a sentence: one row in full, of several the first."""
    if not selected.rows:
        return "No row."
    cells = []
    for name, cell in zip(selected.columns, selected.rows[0], strict=True):
        value = _value(cell)
        cells.append(f"{name} {value}")
    first = ", ".join(cells)
    rows = len(selected.rows)
    if rows == 1:
        return f"{first}."
    counted_rows = counted(rows, "row")
    return f"{counted_rows}; the first: {first}."


def _value(value: object) -> str:
    if value is None:
        return "unknown"
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value:,}" if isinstance(value, int) else str(value)
