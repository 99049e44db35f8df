"""The prompt that asks for the interpretation of a report, read from ``prompts/``."""

from __future__ import annotations

import functools
from math import ceil
from pathlib import Path
from typing import Final

from index.models.profiles import ModelProfile
from index.models.protocol import Prompt, Turn
from index.wording.brief import Brief

_PROMPTS: Final = Path(__file__).parent / "prompts"
CHARACTERS: Final = 2.6
"""Characters a token, at the fewest: measured on prompts of real reports."""
_TOKENS_A_TURN: Final = 8


def report_prompt(brief: Brief, model: ModelProfile) -> Prompt:
    """Return the prompt for ``brief``, without the last of its lines where they do not fit."""
    for shown in range(len(brief.lines), 0, -1):
        prompt = _prompt(brief, shown)
        if longest_tokens(prompt) <= model.prompt_tokens:
            return prompt
    return _prompt(brief, 1)


def longest_tokens(prompt: Prompt) -> int:
    """Return how many tokens ``prompt`` has at most, for any tokenizer of a small model.

    Names and numbers take more tokens than prose: ``CHARACTERS`` a token, and a few for each turn.
    """
    messages = prompt.messages()
    characters = sum(len(message["content"]) for message in messages)
    return ceil(characters / CHARACTERS) + _TOKENS_A_TURN * len(messages)


def _prompt(brief: Brief, shown: int) -> Prompt:
    lines = [f"Title: {brief.title}", *(f"Fact: {line}" for line in brief.lines[:shown])]
    example = Turn(
        _read("interpret_report.example.user.md"), _read("interpret_report.example.answer.json")
    )
    return Prompt(_read("interpret_report.md"), "\n".join(lines), (example,))


@functools.cache
def _read(name: str) -> str:
    return (_PROMPTS / name).read_text(encoding="utf-8").strip()
