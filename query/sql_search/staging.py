"""SQL written by a model in stages: tables, joins, columns, SELECT (BioChatter's way).

Each stage is constrained by a schema of what there is and checked before the next one. An attempt
that fails or finds nothing is shown its error and written again, at most ``ROUNDS`` times.
"""

from __future__ import annotations

import asyncio
import itertools
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Final

from index.reports.phrases import listed
from query.global_search.matching import group_selects
from query.global_search.naming import name_of
from query.metering import metered_model
from query.sql_search.checking import check_select
from query.sql_search.errors import (
    SqlFailedError,
    SqlLimitError,
    SqlUnwrittenError,
    UncoveredError,
    UnsafeSqlError,
)
from query.sql_search.prompting import (
    Chosen,
    ChosenJoins,
    WrittenSql,
    asked_text,
    columns_prompt,
    columns_schema,
    failure_text,
    joins_prompt,
    offered,
    sql_prompt,
    tables_prompt,
    tables_schema,
)
from query.sql_search.running import Selected, SqlLimits, run_apart
from query.sql_search.search import SqlDraft
from query.sql_search.statement import query_name, with_queries

if TYPE_CHECKING:
    from index.models.protocol import ChatModel, Prompt
    from query.mode import Asking
    from query.reading.question import Question
    from query.sql_search.catalogue import Catalogue, Join, Table

ROUNDS: Final = 3
"""Times an attempt may be written again."""
_LIST_TOKENS: Final = 120
_SQL_TOKENS: Final = 400
_NO_ROW: Final = "it returns no row"


@dataclass
class _Tries:
    """What became of each attempt; the last one that ran and found nothing is kept."""

    failures: list[str] = field(default_factory=list)
    empty: tuple[str, Selected] | None = None


@dataclass(frozen=True, slots=True)
class _Writing:
    """Who writes SQL, for what question, over which schema, and how it may run."""

    asking: Asking
    model: ChatModel
    catalogue: Catalogue
    limits: SqlLimits
    question: str


def write_in_stages(
    asking: Asking, question: Question, catalogue: Catalogue, *, limits: SqlLimits
) -> tuple[SqlDraft, Selected]:
    """Return the SQL that the model of ``asking`` writes for ``question``, and its rows.

    Raises:
        UncoveredError: there is no model.
        SqlUnwrittenError: no attempt was SQL that runs.
        ModelError: the model gives no answer.
    """
    choice = asking.choice
    if choice is None or choice.model is None:
        raise UncoveredError(question.text, "its words are not all understood, and no model is set")
    metered = metered_model(asking, choice.model)
    writing = _Writing(asking, metered.model, catalogue, limits, question.text)
    draft, selected = asyncio.run(_staged(writing, question))
    draft = replace(draft, usage=metered.usage())
    return draft, selected


async def _staged(writing: _Writing, question: Question) -> tuple[SqlDraft, Selected]:
    model = writing.model
    ready = {}
    queries = {}
    for key, select in group_selects(question).items():
        name = query_name(key)
        meant = name_of(question, key)
        ready[name] = f"runs of {meant}"
        queries[name] = select
    asked = asked_text(writing.question, ready)
    try:
        chosen = await _choose(writing.catalogue, model, asked)
        prompt = sql_prompt(chosen, ready, writing.question)
        sql, selected, tries = await _write(writing, prompt, queries)
    finally:
        await model.aclose()
    steps = (*_steps(chosen), *tries.failures)
    explained = _explained(writing, sql, ready)
    return SqlDraft(sql, explained, steps), selected


def _explained(writing: _Writing, sql: str, ready: Mapping[str, str]) -> tuple[str, ...]:
    """Return what ``sql`` does, in words."""
    checked = check_select(writing.asking.con, sql, writing.catalogue)
    tables = listed(checked.tables)
    by = writing.model.name
    explained = [f"was written by {by} and not by rules; it reads {tables}"]
    explained += [f"takes {what} as {name}" for name, what in ready.items() if name in sql]
    return tuple(explained)


async def _choose(catalogue: Catalogue, model: ChatModel, asked: str) -> Chosen:
    """Return the tables, joins and columns chosen; what a choice lacks to connect is added."""
    prompt = tables_prompt(catalogue, asked)
    schema = tables_schema(offered(catalogue))
    picked = await _picked(model, prompt, schema, "tables")
    tables = catalogue.connected(picked)
    joins = await _joined(catalogue, model, tables, asked)
    described = [catalogue.tables[name] for name in tables]
    columns = await _columns(model, described, asked)
    joining = [(join.left, join.left_column) for join in joins]
    joining += [(join.right, join.right_column) for join in joins]
    distinct = dict.fromkeys([*joining, *columns])
    return Chosen(tables, joins, tuple(distinct))


async def _columns(model: ChatModel, tables: Sequence[Table], asked: str) -> list[tuple[str, str]]:
    """Return the columns of ``tables`` that the model picks, each with its table."""
    prompt = columns_prompt(tables, asked)
    named = {}
    for table in tables:
        for column in table.column_names:
            named[f"{table.name}.{column}"] = (table.name, column)
    schema = columns_schema(list(named))
    picked = await _picked(model, prompt, schema, "columns")
    return [named[one] for one in picked]


async def _joined(
    catalogue: Catalogue, model: ChatModel, tables: Sequence[str], asked: str
) -> tuple[Join, ...]:
    """Return joins that connect ``tables``: the model's choice, with what it lacks added."""
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
        if join not in picked and _adds(join, reached):
            picked.append(join)
            reached |= {join.left, join.right}
    return tuple(picked)


def _adds(join: Join, reached: set[str]) -> bool:
    has_left = join.left in reached
    has_right = join.right in reached
    return has_left != has_right


async def _picked(
    model: ChatModel, prompt: Prompt, schema: type[Any], name: str
) -> tuple[str, ...]:
    answer = await model.complete(prompt, schema, max_tokens=_LIST_TOKENS)
    picked = getattr(answer.parsed, name)
    distinct = dict.fromkeys(picked)
    return tuple(distinct)


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
    raise SqlUnwrittenError(writing.question, tries.failures)


def with_ready(sql: str, queries: Mapping[str, str]) -> str:
    """Return ``sql`` with those of the ready ``queries`` that it names put before it.

    >>> with_ready("SELECT run FROM virus_runs", {"virus_runs": "SELECT run FROM detection"})
    'WITH\\nvirus_runs AS (\\n    SELECT run FROM detection\\n)\\nSELECT run FROM virus_runs'
    """
    text = sql.strip().rstrip(";").strip()
    words = set(re.findall(r"\w+", text))
    named = {name: select for name, select in queries.items() if name in words}
    if not named:
        return text
    ready = with_queries(named)
    own = re.match(r"(?i)with\b(?!\s+recursive)", text)
    if own is None:
        return f"{ready}\n{text}"
    rest = text[own.end() :].strip()
    return f"{ready},\n{rest}"


def _finds(selected: Selected) -> bool:
    """Return whether there is a row that is not all unknown."""
    cells = itertools.chain.from_iterable(selected.rows)
    return any(cell is not None for cell in cells)


def _steps(chosen: Chosen) -> tuple[str, ...]:
    tables = ", ".join(chosen.tables)
    joins = "; ".join(join.text for join in chosen.joins)
    columns = ", ".join(f"{table}.{column}" for table, column in chosen.columns)
    return (
        f"tables: {tables}",
        f"joins: {joins or 'none needed'}",
        f"columns: {columns}",
    )
