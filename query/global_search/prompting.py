"""Prompts of a global search, read from ``prompts/``: numbered facts in, schema-constrained JSON
out.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Final

from pydantic import BaseModel, ConfigDict, Field

from index.models.protocol import Prompt, Turn
from query.global_search.statements import Statement
from query.global_search.triage import Candidate

_PROMPTS: Final = Path(__file__).parent / "prompts"


class RatedCommunity(BaseModel):
    """A community by its number, and how much it helps to answer (0-100)."""

    model_config = ConfigDict(extra="forbid")

    community: int
    score: Annotated[int, Field(ge=0, le=100)]


class Relevance(BaseModel):
    """What a model makes of a batch of communities."""

    model_config = ConfigDict(extra="forbid")

    communities: list[RatedCommunity]


class ChosenFacts(BaseModel):
    """The numbers of the facts that a small model chooses, most useful first."""

    model_config = ConfigDict(extra="forbid")

    facts: Annotated[list[int], Field(min_length=1, max_length=2)]


Described = tuple[Candidate, Sequence[Statement]]
"""A community and what may be said of it."""


def map_prompt(question: str, batch: Sequence[Described]) -> Prompt:
    """Return the prompt that asks how much the numbered communities of ``batch`` help."""
    lines = [f"Question: {question}"]
    for number, (candidate, statements) in enumerate(batch, 1):
        said = " ".join(statement.text for statement in statements)
        lines.append(f"{number}. {candidate.title}. {said}")
    return _asked("rate_communities", lines)


def interpretation_prompt(question: str, answer: Sequence[str]) -> Prompt:
    """Return the prompt that asks what may explain ``answer``, whose best sentences come first."""
    lines = [f"Question: {question}", *(f"Answer: {text}" for text in answer)]
    return _asked("interpret_answer", lines)


def choice_prompt(question: str, facts: Sequence[str]) -> Prompt:
    """Return the prompt that asks a small model which of ``facts`` help most beside the first,
    which is the answer and has no number.

    Instructions and example come first and never change, so that a server keeps them read.
    """
    answer, *others = facts
    lines = [f"Question: {question}", f"Answer: {answer}"]
    lines += [f"{number}. {text}" for number, text in enumerate(others, 1)]
    return _asked("choose_facts", lines)


def _asked(name: str, lines: Sequence[str]) -> Prompt:
    """Return the prompt ``name`` with its solved example and ``lines`` as what is asked."""
    example = Turn(_read(f"{name}.example.user.md"), _read(f"{name}.example.answer.json"))
    return Prompt(system=_read(f"{name}.md"), user="\n".join(lines), turns=(example,))


@functools.cache
def _read(name: str) -> str:
    path = _PROMPTS / name
    text = path.read_text(encoding="utf-8")
    return text.strip()
