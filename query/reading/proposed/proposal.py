"""What a model is asked of a question that rules refuse, and the form of its answer."""

from __future__ import annotations

import functools
from pathlib import Path
from typing import Annotated, Final

from pydantic import BaseModel, ConfigDict, Field

from index.models.protocol import Prompt, Turn

PROPOSAL_TOKENS: Final = 150
"""Tokens of the longest proposal."""
_PROMPTS: Final = Path(__file__).parent / "prompts"
_EXAMPLES: Final = ("1", "2")

Stretch = Annotated[str, Field(min_length=1, max_length=300)]


class PlainQuestion(BaseModel):
    """Stretches of a question that are talk, as written there, and the question without them."""

    model_config = ConfigDict(extra="forbid")

    set_aside: Annotated[list[Stretch], Field(max_length=6)]
    question: Stretch


def proposal_prompt(text: str) -> Prompt:
    """Return the prompt that asks for the plain question in ``text``.

    Instructions and examples come first and never change, so that a server keeps them read.
    """
    turns = [_example(number) for number in _EXAMPLES]
    system = _read("plain_question.md")
    return Prompt(system=system, user=f"Text: {text}", turns=tuple(turns))


def _example(number: str) -> Turn:
    asked = _read(f"plain_question.{number}.user.md")
    answered = _read(f"plain_question.{number}.answer.json")
    return Turn(asked, answered)


@functools.cache
def _read(name: str) -> str:
    path = _PROMPTS / name
    return path.read_text(encoding="utf-8").strip()
