"""One repair turn: give sentences back to the model, each with its fault."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Final

from index.models.protocol import Prompt

_PROMPT: Final = Path(__file__).parent / "prompts" / "repair_sentences.md"


def repair_prompt(prompt: Prompt, answer: str, faults: Sequence[tuple[str, str]]) -> Prompt:
    """Return the prompt that follows ``answer`` and lists its sentences that cannot be printed."""
    lines = [f"- {fault}: {sentence}" for sentence, fault in faults]
    return prompt.follow_up(
        answer, "\n".join([_PROMPT.read_text(encoding="utf-8").strip(), *lines])
    )
