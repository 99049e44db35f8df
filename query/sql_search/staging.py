"""SQL written by a model in stages: tables, joins, columns, SELECT (BioChatter's way).

Each stage is constrained by a schema of what there is and checked before the next one. An attempt
that fails or finds nothing is shown its error and written again, at most ``ROUNDS`` times.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from index.models.metered import MeteredModel
from index.reports.phrases import listed
from query.answer import Usage
from query.errors import (
    SqlFailedError,
    SqlLimitError,
    SqlUnwrittenError,
    UncoveredError,
    UnsafeSqlError,
)
from query.global_search.matching import group_selects
from query.global_search.naming import name_of
from query.sql_search.checking import check_select
from query.sql_search.compiling import query_name, with_queries
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
from query.sql_search.search import Draft

if TYPE_CHECKING:
    from index.models.protocol import ChatModel, Prompt
    from query.mode import Asking
    from query.reading.question import Question
    from query.sql_search.catalogue import Catalogue, Join

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
) -> tuple[Draft, Selected]:
    """Return the SQL that the model of ``asking`` writes for ``question``, and its rows.

    Raises:
        UncoveredError: there is no model.
        SqlUnwrittenError: no attempt was SQL that runs.
        ModelError: the model gives no answer.
    """
    choice = asking.choice
    if choice is None or choice.model is None:
        raise UncoveredError(question.text, "its words are not all understood, and no model is set")
    metered = MeteredModel(choice.model, budget_tokens=asking.budget_tokens)
    model: ChatModel = metered
    if asking.cache is not None:
        from index.models.choose import CachedModel, open_cache

        model = CachedModel(metered, open_cache(asking.cache), spent=metered.spent)
    draft, selected = asyncio.run(_staged(asking, question, catalogue, model, limits))
    spent = metered.spent
    usage = Usage(
        model.name, spent.calls, spent.cached, spent.prompt_tokens, spent.completion_tokens
    )
    return Draft(draft.sql, draft.told, draft.steps, draft.note, usage), selected


async def _staged(
    asking: Asking,
    question: Question,
    catalogue: Catalogue,
    model: ChatModel,
    limits: SqlLimits,
) -> tuple[Draft, Selected]:
    selects = group_selects(question)
    ready = {query_name(key): f"runs of {name_of(question, key)}" for key in selects}
    queries = {query_name(key): select for key, select in selects.items()}
    try:
        chosen = await _choose(catalogue, model, asked_text(question.text, ready))
        prompt = sql_prompt(chosen, ready, question.text)
        writing = _Writing(asking, model, catalogue, limits, question.text)
        sql, selected, tries = await _write(writing, prompt, queries)
    finally:
        await model.aclose()
    checked = check_select(asking.con, sql, catalogue)
    told = [f"was written by {model.name} and not by rules; it reads {listed(checked.tables)}"]
    told += [f"takes {what} as {name}" for name, what in ready.items() if name in sql]
    return Draft(sql, tuple(told), (*_steps(chosen), *tries.failures)), selected


async def _choose(catalogue: Catalogue, model: ChatModel, asked: str) -> Chosen:
    """Return the tables, joins and columns chosen; what a choice lacks to connect is added."""
    names = offered(catalogue)
    picked = await _picked(model, tables_prompt(catalogue, asked), tables_schema(names), "tables")
    tables = catalogue.connected(picked)
    joins = await _joined(catalogue, model, tables, asked)
    described = [catalogue.tables[name] for name in tables]
    named = [f"{table.name}.{column}" for table in described for column in table.column_names]
    columns = await _picked(
        model, columns_prompt(described, asked), columns_schema(named), "columns"
    )
    joining = [f"{join.left}.{join.left_column}" for join in joins]
    joining += [f"{join.right}.{join.right_column}" for join in joins]
    both = dict.fromkeys([*joining, *columns])
    pairs = [(table, column) for table, _, column in (one.partition(".") for one in both)]
    return Chosen(tables, joins, tuple(pairs))


async def _joined(
    catalogue: Catalogue, model: ChatModel, tables: Sequence[str], asked: str
) -> tuple[Join, ...]:
    """Return joins that connect ``tables``: the model's choice, with what it lacks added."""
    possible = catalogue.joins_between(tables)
    if len(possible) <= 1:
        return possible
    answer = await model.complete(
        joins_prompt(possible, asked), ChosenJoins, max_tokens=_LIST_TOKENS
    )
    numbers = dict.fromkeys(answer.parsed.joins)
    picked = [possible[number - 1] for number in numbers if 1 <= number <= len(possible)]
    reached = {tables[0]}
    for join in [*picked, *possible]:
        if not _adds(join, reached) and join not in picked:
            continue
        reached |= {join.left, join.right}
        picked += [] if join in picked else [join]
    return tuple(picked)


def _adds(join: Join, reached: set[str]) -> bool:
    return (join.left in reached) != (join.right in reached)


async def _picked(
    model: ChatModel, prompt: Prompt, schema: type[Any], name: str
) -> tuple[str, ...]:
    answer = await model.complete(prompt, schema, max_tokens=_LIST_TOKENS)
    return tuple(dict.fromkeys(getattr(answer.parsed, name)))


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
            why, tries.empty = _NO_ROW, (checked.sql, selected)
        tries.failures.append(f"attempt {len(tries.failures) + 1}: {why}")
        prompt = prompt.follow_up(answer.text, failure_text(why, written))
    if tries.empty is not None:
        return (*tries.empty, tries)
    raise SqlUnwrittenError(writing.question, tries.failures)


def with_ready(sql: str, queries: Mapping[str, str]) -> str:
    """Return ``sql`` with those of the ready ``queries`` that it names put before it.

    >>> with_ready("SELECT run FROM virus_runs", {"virus_runs": "SELECT run FROM detection"})
    'WITH\\nvirus_runs AS (\\n    SELECT run FROM detection\\n)\\nSELECT run FROM virus_runs'
    """
    text = sql.strip().rstrip(";").strip()
    named = {name: select for name, select in queries.items() if re.search(rf"\b{name}\b", text)}
    if not named:
        return text
    own = re.match(r"(?i)with\b(?!\s+recursive)", text)
    rest = f",\n{text[own.end() :].strip()}" if own else f"\n{text}"
    return f"{with_queries(named)}{rest}"


def _finds(selected: Selected) -> bool:
    """Return whether there is a row that is not all unknown."""
    return any(cell is not None for row in selected.rows for cell in row)


def _steps(chosen: Chosen) -> tuple[str, ...]:
    joins = "; ".join(join.text for join in chosen.joins) or "none needed"
    columns = ", ".join(f"{table}.{column}" for table, column in chosen.columns)
    return (f"tables: {', '.join(chosen.tables)}", f"joins: {joins}", f"columns: {columns}")
