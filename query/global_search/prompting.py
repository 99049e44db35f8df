"""Prompts of a global search, read from ``prompts/``: numbered statements or points in,
schema-constrained JSON out.

The model names the statements it uses by number and never writes a citation: citations are those of
the statements.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from pathlib import Path
from string import Template
from typing import Annotated, Final

from pydantic import BaseModel, ConfigDict, Field

from index.models.protocol import Prompt, Turn
from query.global_search.statements import Statement
from query.global_search.triage import Candidate

_PROMPTS: Final = Path(__file__).parent / "prompts"
MAX_CHARACTERS: Final = 400
MAX_POINTS: Final = 12
MAX_SENTENCES: Final = 8


class WordedPoint(BaseModel):
    """A point, the numbers of the statements it uses, and how much it helps (0-100)."""

    model_config = ConfigDict(extra="forbid")

    facts: Annotated[list[int], Field(min_length=1, max_length=6)]
    text: Annotated[str, Field(max_length=MAX_CHARACTERS)]
    score: Annotated[int, Field(ge=0, le=100)]


class WordedPoints(BaseModel):
    """What a model makes of a batch of communities."""

    model_config = ConfigDict(extra="forbid")

    points: Annotated[list[WordedPoint], Field(max_length=MAX_POINTS)]


class WordedSentence(BaseModel):
    """A sentence of the answer and the numbers of the points it uses."""

    model_config = ConfigDict(extra="forbid")

    points: Annotated[list[int], Field(min_length=1, max_length=4)]
    text: Annotated[str, Field(max_length=MAX_CHARACTERS)]


class WordedAnswer(BaseModel):
    """What a model makes of the best points."""

    model_config = ConfigDict(extra="forbid")

    sentences: Annotated[list[WordedSentence], Field(min_length=1, max_length=MAX_SENTENCES)]


class ChosenFacts(BaseModel):
    """The numbers of the facts that a small model chooses, most useful first."""

    model_config = ConfigDict(extra="forbid")

    facts: Annotated[list[int], Field(min_length=1, max_length=2)]


Described = tuple[Candidate, Sequence[Statement]]
"""A community and what may be said of it."""


def map_prompt(question: str, batch: Sequence[Described]) -> Prompt:
    """Return the prompt that asks for points about the communities of ``batch``; statements are
    numbered through.
    """
    lines = [f"Question: {question}"]
    number = 0
    for candidate, statements in batch:
        lines.append(f"Community: {candidate.title}")
        for statement in statements:
            number += 1
            lines.append(f"{number}. {statement.text}")
    system = Template(_read("map_points.md")).substitute(points=min(MAX_POINTS, 2 * len(batch)))
    example = Turn(_read("map_points.example.user.md"), _read("map_points.example.answer.json"))
    return Prompt(system=system, user="\n".join(lines), turns=(example,))


def reduce_prompt(question: str, points: Sequence[str], *, sentences: int) -> Prompt:
    """Return the prompt that asks for the answer from ``points``, best first."""
    lines = [f"Question: {question}"]
    lines += [f"{number}. {text}" for number, text in enumerate(points, 1)]
    template = Template(_read("reduce_points.md"))
    system = template.substitute(sentences=sentences)
    asked = _read("reduce_points.example.user.md")
    answered = _read("reduce_points.example.answer.json")
    example = Turn(asked, answered)
    user = "\n".join(lines)
    return Prompt(system=system, user=user, turns=(example,))


def choice_prompt(question: str, facts: Sequence[str]) -> Prompt:
    """Return the prompt that asks a small model which of ``facts`` help most beside the first,
    which is the answer and has no number.

    Instructions and example come first and never change, so that a server keeps them read.
    """
    answer, *others = facts
    lines = [f"Question: {question}", f"Answer: {answer}"]
    lines += [f"{number}. {text}" for number, text in enumerate(others, 1)]
    asked = _read("choose_facts.example.user.md")
    answered = _read("choose_facts.example.answer.json")
    example = Turn(asked, answered)
    system = _read("choose_facts.md")
    user = "\n".join(lines)
    return Prompt(system=system, user=user, turns=(example,))


@functools.cache
def _read(name: str) -> str:
    path = _PROMPTS / name
    text = path.read_text(encoding="utf-8")
    return text.strip()
