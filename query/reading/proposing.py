"""Let a model read a question that the reader is not sure of; its requests are checked like any.

The model sees what a request may say, a few questions like this one with their requests, and the
names found in it. A proposal counts only if it is a request whose names the index knows; the model
is shown once what is wrong.
"""

from __future__ import annotations

import asyncio
import functools
import json
import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from string import Template
from typing import TYPE_CHECKING, Annotated, Any, Final, get_args

from pydantic import BaseModel, ConfigDict, Field

from index.errors import ModelError
from index.models.protocol import Prompt, Turn
from query.compiler import run
from query.errors import QueryError
from query.reading.pairs import PAIRS
from query.reading.short_schema import HIT, MEASURE, RUN_SET
from query.request import Request, from_json
from query.request.measures import DescribedKind
from query.request.records import TABLES

if TYPE_CHECKING:
    import duckdb

    from index.models.choose import ModelChoice
    from index.models.protocol import ChatModel
    from query.reading.reading import NameInQuestion, Reading

_PROMPT: Final = Path(__file__).parent / "prompts" / "read_question.md"
MOST_TOKENS: Final = 500
EXAMPLES: Final = 5
"""Questions with their requests that the model is shown."""
TRIES: Final = 2


class ProposedRequests(BaseModel):
    """Requests as a model proposes them: JSON texts, or why there are none."""

    model_config = ConfigDict(extra="forbid")

    requests: Annotated[list[Annotated[str, Field(max_length=4000)]], Field(max_length=3)]
    cannot: Annotated[str, Field(max_length=300)] = ""


def may_read(choice: ModelChoice, reading: Reading) -> bool:
    """Return whether the model of ``choice`` reads what the reader is unsure of.

    Models below 4B read questions no better. If ``VIROME_READ`` is ``model``, any model reads
    everything.
    """
    if choice.model is None or reading.elsewhere:
        return False
    if os.environ.get("VIROME_READ") == "model":
        return True
    is_large = choice.profile is None or choice.profile.is_large
    return is_large and not reading.requests


def read_with_model(con: duckdb.DuckDBPyConnection, reading: Reading, model: ChatModel) -> Reading:
    """Return ``reading`` as ``model`` reads the question.

    A model that fails, or proposes nothing that can be run, leaves ``reading`` as it is.
    """
    try:
        found, cannot = asyncio.run(_proposed(con, model, reading))
    except ModelError:
        return reading
    if found:
        return replace(
            reading, requests=found, choices=(), unknown=(), refusal=None, read_by=model.name
        )
    if cannot and not reading.requests:
        return replace(reading, choices=(), refusal=cannot, read_by=model.name)
    return reading


async def _proposed(
    con: duckdb.DuckDBPyConnection, model: ChatModel, reading: Reading
) -> tuple[tuple[Request, ...], str]:
    """Return the requests that the model proposes, or why there are none."""
    prompt = reading_prompt(reading.text, reading.names)
    try:
        for _ in range(TRIES):
            answer = await model.complete(prompt, ProposedRequests, max_tokens=MOST_TOKENS)
            proposed: ProposedRequests = answer.parsed
            try:
                return tuple(_checked(con, text) for text in proposed.requests), proposed.cannot
            except QueryError as error:
                wrong = f"That cannot be run: {error.message}. Answer again, with JSON only."
                prompt = prompt.follow_up(answer.text, wrong)
    finally:
        await model.aclose()
    return (), ""


def _checked(con: duckdb.DuckDBPyConnection, text: str) -> Request:
    """Return the request in ``text``; raises ``QueryError`` where the index cannot run it."""
    request = from_json(text)
    run(con, request)
    return request


def reading_prompt(question: str, names: Sequence[NameInQuestion]) -> Prompt:
    """Return the prompt that asks for the requests of ``question``."""
    template = Template(_PROMPT.read_text(encoding="utf-8"))
    turns = [Turn(text, json.dumps({"requests": requests, "cannot": cannot}))
             for text, requests, cannot in nearest_pairs(question)]  # fmt: skip
    known = "; ".join(f"{name.text} is the {name.kind} {name.name}" for name in names)
    user = f"{question}\n\nNames in it: {known}" if known else question
    system = template.substitute(schema=_schema_in_short())
    return Prompt(system=system.strip(), user=user, turns=tuple(turns))


def nearest_pairs(question: str) -> list[tuple[str, list[str], str]]:
    """Return the questions with the most words in common with ``question``, most last.

    Each with its requests as JSON, or why it cannot be answered.
    """
    words = _words(question)

    def likeness(pair: Mapping[str, Any]) -> float:
        other = _words(pair["question"])
        return len(words & other) / max(1, len(words | other))

    ranked = sorted(_pairs(), key=likeness)
    return [
        (pair["question"], [json.dumps(request) for request in pair.get("requests", ())],
         pair.get("refuse", ""))
        for pair in ranked[-EXAMPLES:]
    ]  # fmt: skip


def _words(text: str) -> frozenset[str]:
    return frozenset(re.findall(r"[a-z0-9]+", text.lower()))


@functools.cache
def _pairs() -> tuple[Mapping[str, Any], ...]:
    lines = PAIRS.read_text(encoding="utf-8").splitlines()
    return tuple(json.loads(line) for line in lines if line.strip())


def _schema_in_short() -> str:
    """Return what a request may say, in the words that programs read, too."""
    hit = "; ".join(f"{name}: {part.get('description', part.get('enum', ''))}"
                    for name, part in HIT["properties"].items())  # fmt: skip
    tables = "; ".join(f"{name} {', '.join(table.columns)}" for name, table in TABLES.items())
    return "\n".join(
        [
            f"MEASURE: {MEASURE['description']} · describe {{kind, id}} what is known of one "
            f"{', '.join(get_args(DescribedKind))}",
            f"by, columns, unit: {MEASURE['properties']['by']['description']}",
            f"RUNS: {RUN_SET['description']}",
            f"field: {RUN_SET['properties']['field']['description']}",
            f"hit: {hit}",
            f"order: {MEASURE['properties']['order']['description']}",
            f'table, and its columns; records stand alone, without "of": {tables}',
        ]
    )
