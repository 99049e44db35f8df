"""The prompt that asks for the interpretation of a report, read from ``prompts/``."""

from __future__ import annotations

import functools
from pathlib import Path
from typing import Final

from index.models.profiles import ModelProfile
from index.models.protocol import Prompt, Turn, longest_tokens
from index.wording.brief import Brief

_PROMPTS: Final = Path(__file__).parent / "prompts"
_TOKENS_A_TURN: Final = 8


def report_prompt(brief: Brief, model: ModelProfile) -> Prompt:
    """Return the prompt for ``brief``; if it is too long, its last lines are left out."""
    for shown in range(len(brief.lines), 0, -1):
        prompt = _prompt(brief, shown)
        if longest_prompt(prompt) <= model.prompt_tokens:
            return prompt
    return _prompt(brief, 1)


def shown_lines(prompt: Prompt) -> list[str]:
    """Return the facts that ``prompt`` shows, in their order."""
    lines = prompt.user.split("\n")
    return [line.partition("] ")[2] for line in lines if line.startswith("[")]


def shown_titles(prompt: Prompt) -> list[str]:
    """Return the titles that ``prompt`` shows: of the community and of its studies."""
    lines = prompt.user.split("\n")
    return [line.partition(": ")[2] for line in lines if line.startswith(("Title: ", "Study: "))]


def longest_prompt(prompt: Prompt) -> int:
    """Return how many tokens ``prompt`` has at most, including a few for each turn."""
    messages = prompt.messages()
    text = "".join(message["content"] for message in messages)
    return longest_tokens(text) + _TOKENS_A_TURN * len(messages)


def _prompt(brief: Brief, shown: int) -> Prompt:
    facts = [f"[{number}] {line}" for number, line in enumerate(brief.lines[:shown], 1)]
    lines = [f"Title: {brief.title}", *facts, *(f"Study: {text}" for text in brief.studies)]
    return prompt_about("\n".join(lines))


def prompt_about(shown: str) -> Prompt:
    """Return the prompt that asks for the interpretation of ``shown``: title, facts and studies."""
    example = Turn(
        _read("interpret_report.example.user.md"), _read("interpret_report.example.answer.json")
    )
    return Prompt(_read("interpret_report.md"), shown, (example,))


@functools.cache
def _read(name: str) -> str:
    return (_PROMPTS / name).read_text(encoding="utf-8").strip()
