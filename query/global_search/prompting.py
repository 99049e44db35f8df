"""Prompts about communities, read from ``prompts/``: numbered facts in, JSON of a schema out."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Final

from pydantic import BaseModel, ConfigDict, Field

from index.models.protocol import Prompt, Turn

_PROMPTS: Final = Path(__file__).parent / "prompts"
OVERHEAD_TOKENS: Final = 500
"""Instructions and example of a prompt."""


class RatedCommunity(BaseModel):
    """A community by its number: 3 answers, 2 helps, 1 touches, 0 has nothing to do with it."""

    model_config = ConfigDict(extra="forbid")

    community: int
    relevance: Annotated[int, Field(ge=0, le=3)]


class RatedCommunities(BaseModel):
    """What a model makes of a batch of communities."""

    model_config = ConfigDict(extra="forbid")

    communities: list[RatedCommunity]


def rating_prompt(question: str, batch: Sequence[str]) -> Prompt:
    """Return the prompt that asks how much each community of ``batch``, a text each, helps."""
    numbered = [f"{number}. {text}" for number, text in enumerate(batch, 1)]
    return _prompt("rate_communities", [f"Question: {question}", *numbered])


def interpretation_prompt(question: str, answer: Sequence[str]) -> Prompt:
    """Return the prompt that asks what may explain ``answer``, whose best sentences come first."""
    lines = [f"Question: {question}", *(f"Answer: {text}" for text in answer)]
    return _prompt("interpret_answer", lines)


def repair_prompt(prompt: Prompt, answer: str, faults: Sequence[tuple[str, str]]) -> Prompt:
    """Return the prompt that sends sentences back, each with what is wrong with it."""
    lines = [f"- {reason}: {sentence}" for sentence, reason in faults]
    return prompt.follow_up(answer, "\n".join([_read("repair_sentences.md"), *lines]))


def _prompt(name: str, lines: Sequence[str]) -> Prompt:
    """Return the prompt ``name`` with its solved example, and ``lines`` as what is asked."""
    example = Turn(_read(f"{name}.example.user.md"), _read(f"{name}.example.answer.json"))
    return Prompt(system=_read(f"{name}.md"), user="\n".join(lines), turns=(example,))


@functools.cache
def _read(name: str) -> str:
    return (_PROMPTS / name).read_text(encoding="utf-8").strip()
