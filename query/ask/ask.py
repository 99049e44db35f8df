"""Answer a question by the way of asking that its reading calls for, and say why."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from query.answer import Answer
from query.ask.routing import route
from query.mode import Asking
from query.modes import mode_named

MODE_ASK: Final = "ask"
TITLE_ASK: Final = "automatic choice"
CAN_ASK: Final = "Ask about viruses in public sequencing runs, their hosts, places and studies."


def answer_any(asking: Asking) -> Answer:
    """Return the answer by the way of asking that the question calls for, with the reason.

    Raises the refusal of that way; no other way is tried after it.
    """
    chosen = route(asking)
    answer = mode_named(chosen.mode).answer(asking)
    said = f"answered by {chosen.mode}, because {chosen.why}"
    return replace(answer, steps=(said, *answer.steps))


def answer_by(asking: Asking, name: str) -> Answer:
    """Return the answer by the way of asking called ``name``; ``MODE_ASK`` chooses one.

    Raises ``UnknownModeError``, and what that way raises.
    """
    if name == MODE_ASK:
        return answer_any(asking)
    return mode_named(name).answer(asking)
