"""Prompts of the stages in which a model writes SQL, and the schemas of its answers.

A model is shown the schema of the index, the question, the meaning of its names, and why an attempt
failed. No row of the index is part of any prompt. The fixed part comes first.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from string import Template
from typing import Annotated, Any, Final, Literal

from pydantic import BaseModel, ConfigDict, Field, create_model

from index.models.protocol import Prompt, Turn
from query.sql_search.catalogue import Catalogue, Join, Table

_PROMPTS: Final = Path(__file__).parent / "prompts"
OFFERED: Final = (
    "run", "stated_attribute", "bioproject", "study", "detection", "searched", "annotation",
    "virus", "plausibility", "stat_hit", "closure", "term", "community", "community_member", "fact",
    "association", "meta_association", "report", "summaries", "community_overview",
)  # fmt: skip
"""Tables that a model may choose among; the others repeat these, or few questions need them."""
MAX_TABLES: Final = 5
MAX_COLUMNS: Final = 12
_FAILURE: Final = 400
"""Characters of an error that a prompt shows."""
_COMMENT: Final = 70
"""Characters of a comment that a prompt shows."""


class WrittenSql(BaseModel):
    """One SELECT, as a model wrote it."""

    model_config = ConfigDict(extra="forbid")

    sql: Annotated[str, Field(min_length=8, max_length=3000)]


class ChosenJoins(BaseModel):
    """Numbers of the joins chosen."""

    model_config = ConfigDict(extra="forbid")

    joins: Annotated[list[int], Field(min_length=1, max_length=MAX_TABLES)]


@dataclass(frozen=True, slots=True)
class Chosen:
    """What earlier stages chose: tables, their joins and their columns."""

    tables: tuple[str, ...]
    joins: tuple[Join, ...]
    columns: tuple[tuple[str, str], ...]
    """Pairs of a table and a column."""


def offered(catalogue: Catalogue) -> tuple[str, ...]:
    """Return the tables that a model may choose among."""
    return tuple(name for name in OFFERED if name in catalogue.tables)


def choice_schema(what: Literal["tables", "columns"], names: Sequence[str]) -> type[BaseModel]:
    """Return the schema of an answer that lists some of ``names`` under ``what``."""
    one_of: Any = Literal[tuple(names)]
    most = MAX_TABLES if what == "tables" else MAX_COLUMNS
    kind: Any = Annotated[list[one_of], Field(min_length=1, max_length=most)]
    fields: Any = {what: (kind, ...)}
    name = f"Chosen{what.capitalize()}"
    schema: type[BaseModel] = create_model(name, __config__=ConfigDict(extra="forbid"), **fields)
    return schema


def tables_prompt(catalogue: Catalogue, asked: str) -> Prompt:
    """Return the prompt of the first stage; ``asked`` is the question with what its names mean."""
    tables = [catalogue.tables[name] for name in offered(catalogue)]
    lines = [f"{table.name}: {_short(table.comment)}" for table in tables]
    system = Template(_read("choose_tables.md")).substitute(tables="\n".join(lines))
    return Prompt(system=system, user=asked)


def joins_prompt(joins: Sequence[Join], asked: str) -> Prompt:
    """Return the prompt of the second stage, over numbered joins."""
    lines = [f"{number}. {join.text}" for number, join in enumerate(joins, 1)]
    return Prompt(system=_read("choose_joins.md"), user="\n".join([*lines, asked]))


def columns_prompt(tables: Sequence[Table], asked: str) -> Prompt:
    """Return the prompt of the third stage, over the columns of the tables chosen."""
    lines = [
        f"{table.name}.{column.name}: {_short(column.comment)}"
        for table in tables
        for column in table.columns
    ]
    return Prompt(system=_read("choose_columns.md"), user="\n".join([*lines, asked]))


def sql_prompt(chosen: Chosen, ready: Mapping[str, str], question: str) -> Prompt:
    """Return the prompt of the last stage; ``ready`` names the tables of runs of each name."""
    lines = ["Tables:", *_described(chosen)]
    if chosen.joins:
        lines.append(f"Joins: {'; '.join(join.text for join in chosen.joins)}")
    if ready:
        named = "; ".join(f"{name} ({what})" for name, what in ready.items())
        lines.append(f"Ready tables: {named}")
    lines.append(f"Question: {question}")
    example = Turn(_read("write_sql.example.user.md"), _read("write_sql.example.answer.json"))
    return Prompt(system=_read("write_sql.md"), user="\n".join(lines), turns=(example,))


def _described(chosen: Chosen) -> list[str]:
    columns: dict[str, list[str]] = {table: [] for table in chosen.tables}
    for table, column in chosen.columns:
        columns[table].append(column)
    return [f"{table}({', '.join(names)})" for table, names in columns.items()]


def asked_text(question: str, ready: Mapping[str, str]) -> str:
    """Return the question with what its names mean."""
    lines = [f"Question: {question}"]
    lines += [f"It names: {what}" for what in ready.values()]
    return "\n".join(lines)


def failure_text(why: str, sql: str) -> str:
    """Return what a model reads about an attempt that failed.

    Values that the error quotes and the SQL does not are rows of the index: they are left out.

    >>> failure_text("Could not convert 'secret' to INT", "SELECT 1")
    "It fails: Could not convert '…' to INT\\nWrite one other SELECT that works."
    """
    shown = re.sub(r"'([^']*)'", lambda found: found[0] if found[1] in sql else "'…'", why)
    return f"It fails: {shown[:_FAILURE]}\nWrite one other SELECT that works."


def _short(comment: str) -> str:
    """Return the first words of a comment, without its key."""
    description = comment.partition(" Key: ")[0].rstrip(".")
    if len(description) <= _COMMENT:
        return description
    return f"{description[:_COMMENT].rsplit(' ', 1)[0]} …"


@functools.cache
def _read(name: str) -> str:
    return (_PROMPTS / name).read_text(encoding="utf-8").strip()
