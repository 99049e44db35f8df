"""Prompts about communities, read from ``prompts/``: numbered statements in, JSON out."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Final, Literal, get_args

from pydantic import BaseModel, ConfigDict, Field

from index.checking.interpretation import MAX_SENTENCES
from index.models.protocol import Prompt, Turn

_PROMPTS: Final = Path(__file__).parent / "prompts"
OVERHEAD_TOKENS: Final = 700
"""Instructions and example of a prompt."""
MOST_STATEMENTS: Final = 6
"""Statements of an answer that a model may choose."""
PromptName = Literal["rate_communities", "answer_question", "choose_statements"]
Heading = Literal[
    "Viruses",
    "Hosts and tissues",
    "Places and dates",
    "What goes with it",
    "Studies",
    "How sure it is",
]


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid")


class RatedCommunity(_Strict):
    """A community by its number, with its relevance (3 answers, 2 helps, 1 touches the question, 0
    is unrelated) and those of its statements that answer.
    """

    community: int
    relevance: Annotated[int, Field(ge=0, le=3)]
    statements: list[int] = Field(default_factory=list)


class RatedCommunities(_Strict):
    """A model's ratings of a batch of communities."""

    communities: list[RatedCommunity]


class GroupOfStatements(_Strict):
    """Statements by their numbers, under a heading that is offered."""

    heading: Heading
    statements: list[int]


class ChosenStatements(_Strict):
    """The answer of a model below 4 billion parameters: true, whatever it chooses."""

    groups: list[GroupOfStatements]


class AnsweredQuestion(_Strict):
    """The answer of a larger model: statements in groups, and its interpretation."""

    groups: list[GroupOfStatements] = Field(default_factory=list)
    sentences: Annotated[list[str], Field(max_length=2 * MAX_SENTENCES)]


def rating_prompt(question: str, batch: Sequence[str]) -> Prompt:
    """Return the prompt that asks how much each community of ``batch``, a text each, helps."""
    numbered = [f"{number}. {text}" for number, text in enumerate(batch, 1)]
    return prompt_of("rate_communities", [f"Question: {question}", *numbered])


def answer_prompt(question: str, lead: str, statements: Sequence[str]) -> Prompt:
    """Return the prompt that asks which ``statements`` to show, and what may explain them."""
    return prompt_of("answer_question", _statement_lines(question, lead, statements))


def choosing_prompt(question: str, lead: str, statements: Sequence[str]) -> Prompt:
    """Return the prompt that asks only which of ``statements`` to show after ``lead``."""
    return prompt_of("choose_statements", _statement_lines(question, lead, statements))


def _statement_lines(question: str, lead: str, statements: Sequence[str]) -> list[str]:
    lines = [f"Question: {question}", *([f"Answer: {lead}"] if lead else [])]
    return lines + [f"[{number}] {text}" for number, text in enumerate(statements, 1)]


def prompt_of(name: PromptName, lines: Sequence[str]) -> Prompt:
    """Return the prompt ``name`` with its solved example, and ``lines`` as what is asked."""
    example = Turn(_read(f"{name}.example.user.md"), _read(f"{name}.example.answer.json"))
    headings = ", ".join(f'"{heading}"' for heading in get_args(Heading))
    system = _read(f"{name}.md").replace("HEADINGS", headings)
    return Prompt(system=system, user="\n".join(lines), turns=(example,))


@functools.cache
def _read(name: str) -> str:
    return (_PROMPTS / name).read_text(encoding="utf-8").strip()
