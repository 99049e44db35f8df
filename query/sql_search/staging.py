"""SQL written by a model in stages: tables, joins, columns, SELECT (BioChatter's way).

Each stage is constrained by a schema of what there is and checked before the next one. An attempt
that fails or finds nothing is shown its error and written again, at most ``ROUNDS`` times.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from textwrap import indent
from typing import Final, Literal

from index.claims.phrases import listed
from index.models.protocol import ChatModel, Prompt
from query.answer import ResultTable
from query.compiler.run_tables import select_runs
from query.errors import QueryError
from query.metering import run_closing
from query.mode import Asking
from query.reading import NameInQuestion, read
from query.request import Carries, Has, Hit, RunSet
from query.sql_search.answer import SqlAnswer
from query.sql_search.catalogue import Catalogue, Join, Table
from query.sql_search.checking import check_select
from query.sql_search.errors import (
    NoWriterError,
    SqlFailedError,
    SqlLimitError,
    SqlUnwrittenError,
    UnsafeSqlError,
)
from query.sql_search.prompting import (
    Chosen,
    ChosenJoins,
    WrittenSql,
    asked_text,
    choice_schema,
    columns_prompt,
    failure_text,
    joins_prompt,
    offered,
    sql_prompt,
    tables_prompt,
)
from query.sql_search.running import Selected, SqlLimits, run_apart

ROUNDS: Final = 3
"""Times an attempt may be written again."""
_LIST_TOKENS: Final = 120
_SQL_TOKENS: Final = 400
_NO_ROW: Final = "it returns no row"
_FIELDS: Final = frozenset({"host", "tissue", "disease", "environment", "country", "place", "sex"})
"""Kinds of names that are fields of runs, too."""


@dataclass
class _Tries:
    """The outcome of each attempt, and the last one that ran but found nothing."""

    failures: list[str] = field(default_factory=list)
    empty: tuple[str, Selected] | None = None


@dataclass(frozen=True, slots=True)
class _Writing:
    """Who writes SQL, for what question, over which schema, and how it may run."""

    asking: Asking
    model: ChatModel
    catalogue: Catalogue
    limits: SqlLimits


def write_in_stages(asking: Asking, catalogue: Catalogue, *, limits: SqlLimits) -> SqlAnswer:
    """Return the SQL that the model of ``asking`` writes for its question, and its rows.

    Raises:
        NoWriterError: there is no model.
        SqlUnwrittenError: no attempt was SQL that runs.
        ModelError: the model gives no answer.
    """
    choice = asking.choice
    if choice is None or choice.model is None:
        raise NoWriterError(asking.question)
    metered = asking.metered()
    assert metered is not None
    writing = _Writing(asking, metered.model, catalogue, limits)
    written = run_closing(metered.model, _staged(writing))
    return replace(written, usage=metered.usage())


async def _staged(writing: _Writing) -> SqlAnswer:
    named = _named_runs(writing.asking)
    ready = {name: f"runs of {what}" for name, (what, _) in named.items()}
    queries = {name: select for name, (_, select) in named.items()}
    question = asked_text(writing.asking.question, ready)
    chosen = await _choose(writing.catalogue, writing.model, question)
    prompt = sql_prompt(chosen, ready, writing.asking.question)
    sql, selected, tries = await _write(writing, prompt, queries)
    return SqlAnswer(
        writing.asking.question,
        ResultTable(selected.columns, selected.rows),
        sql,
        explained=_explained(writing, sql, ready),
        complete=selected.complete,
        steps=(*_steps(chosen), *tries.failures),
    )


def _named_runs(asking: Asking) -> dict[str, tuple[str, str]]:
    """Return a table of runs for each name of the question: what it holds, and its SELECT."""
    found: dict[str, tuple[str, str]] = {}
    for name in read(asking.con, asking.question).names:
        runs = _runs_with(name)
        if runs is None:
            continue
        try:
            select = select_runs(asking.con, runs)
        except QueryError:
            continue
        table = f"{name.kind}_runs"
        number = sum(other.startswith(table) for other in found)
        found[f"{table}_{number + 1}" if number else table] = (name.name, select)
    return found


def _runs_with(name: NameInQuestion) -> RunSet | None:
    """Return the runs that carry or state what ``name`` names; None if it names neither."""
    if name.kind == "virus":
        return Carries(Hit(virus=(name.name,)))
    if name.kind in _FIELDS:
        return Has(name.kind, (name.name,))
    return None


def _explained(writing: _Writing, sql: str, ready: Mapping[str, str]) -> str:
    """Return who wrote ``sql``, and what it reads."""
    checked = check_select(writing.asking.con, sql, writing.catalogue)
    explained = f"Written by {writing.model.name}; it reads {listed(checked.tables)}."
    used = [f"{what} as {name}" for name, what in ready.items() if name in sql]
    return f"{explained} It takes {listed(used)}." if used else explained


async def _choose(catalogue: Catalogue, model: ChatModel, asked: str) -> Chosen:
    """Return the tables, joins and columns chosen, with any that are missing to connect them."""
    prompt = tables_prompt(catalogue, asked)
    picked = await _picked(model, prompt, "tables", offered(catalogue))
    tables = catalogue.connected(picked)
    joins = await _joined(catalogue, model, tables, asked)
    described = [catalogue.tables[name] for name in tables]
    columns = await _columns(model, described, asked)
    joining = [(join.left, join.left_column) for join in joins]
    joining += [(join.right, join.right_column) for join in joins]
    distinct = dict.fromkeys([*joining, *columns])
    return Chosen(tables, joins, tuple(distinct))


async def _columns(model: ChatModel, tables: Sequence[Table], asked: str) -> list[tuple[str, str]]:
    named = {
        f"{table.name}.{column}": (table.name, column)
        for table in tables
        for column in table.column_names
    }
    picked = await _picked(model, columns_prompt(tables, asked), "columns", list(named))
    return [named[name] for name in picked]


async def _joined(
    catalogue: Catalogue, model: ChatModel, tables: Sequence[str], asked: str
) -> tuple[Join, ...]:
    """Return joins that connect ``tables``: those the model chose, and any that are missing."""
    possible = catalogue.joins_between(tables)
    if len(possible) <= 1:
        return possible
    prompt = joins_prompt(possible, asked)
    answer = await model.complete(prompt, ChosenJoins, max_tokens=_LIST_TOKENS)
    by_number = dict(enumerate(possible, 1))
    numbers = dict.fromkeys(answer.parsed.joins)
    picked = [by_number[number] for number in numbers if number in by_number]
    reached = {tables[0]}
    for join in picked:
        reached |= {join.left, join.right}
    for join in possible:
        adds = (join.left in reached) != (join.right in reached)
        if join not in picked and adds:
            picked.append(join)
            reached |= {join.left, join.right}
    return tuple(picked)


async def _picked(
    model: ChatModel, prompt: Prompt, what: Literal["tables", "columns"], names: Sequence[str]
) -> tuple[str, ...]:
    answer = await model.complete(prompt, choice_schema(what, names), max_tokens=_LIST_TOKENS)
    return tuple(dict.fromkeys(getattr(answer.parsed, what)))


async def _write(
    writing: _Writing, prompt: Prompt, queries: Mapping[str, str]
) -> tuple[str, Selected, _Tries]:
    """Return the first attempt that finds rows, else the last that runs."""
    tries = _Tries()
    for _ in range(ROUNDS + 1):
        answer = await writing.model.complete(prompt, WrittenSql, max_tokens=_SQL_TOKENS)
        written = answer.parsed.sql
        sql = with_ready(written, queries)
        try:
            checked = check_select(writing.asking.con, sql, writing.catalogue)
            selected = run_apart(writing.asking.db, checked.sql, limits=writing.limits)
        except (UnsafeSqlError, SqlFailedError, SqlLimitError) as error:
            why = error.message
        else:
            if _finds(selected):
                return checked.sql, selected, tries
            why = _NO_ROW
            tries.empty = (checked.sql, selected)
        number = len(tries.failures) + 1
        tries.failures.append(f"attempt {number}: {why}")
        failure = failure_text(why, written)
        prompt = prompt.follow_up(answer.text, failure)
    if tries.empty is not None:
        return (*tries.empty, tries)
    raise SqlUnwrittenError(writing.asking.question, tries.failures)


def with_ready(sql: str, queries: Mapping[str, str]) -> str:
    """Return ``sql`` with those of the ready ``queries`` that it names put before it.

    >>> with_ready("SELECT run FROM virus_runs", {"virus_runs": "SELECT run FROM detection"})
    'WITH\\nvirus_runs AS (\\n    SELECT run FROM detection\\n)\\nSELECT run FROM virus_runs'
    """
    text = sql.strip().rstrip(";").strip()
    words = set(re.findall(r"\w+", text))
    named = [
        f"{name} AS (\n{indent(select.strip(), '    ')}\n)"
        for name, select in queries.items()
        if name in words
    ]
    if not named:
        return text
    ready = "WITH\n" + ",\n".join(named)
    own = re.match(r"(?i)with\b(?!\s+recursive)", text)
    return f"{ready}\n{text}" if own is None else f"{ready},\n{text[own.end() :].strip()}"


def _finds(selected: Selected) -> bool:
    """Return whether there is a row that is not all unknown."""
    return any(cell is not None for row in selected.rows for cell in row)


def _steps(chosen: Chosen) -> tuple[str, ...]:
    tables = ", ".join(chosen.tables)
    joins = "; ".join(join.text for join in chosen.joins)
    columns = ", ".join(f"{table}.{column}" for table, column in chosen.columns)
    return (f"tables: {tables}", f"joins: {joins or 'none needed'}", f"columns: {columns}")
