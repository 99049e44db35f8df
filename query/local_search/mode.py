"""``query local`` as one of the ways of asking."""

from __future__ import annotations

from typing import Final

from query.answer import Answer
from query.mode import Asking, Mode


def answer(asking: Asking) -> Answer:
    """Return the answer from the surroundings of the names; raises as ``answer_locally``."""
    from query.local_search.surroundings import answer_locally

    return answer_locally(asking)


MODE: Final = Mode(
    name="local",
    title="what is linked to a name",
    can="Answer a question from what surrounds its names in the graph: statements of one and two "
    "hops with counts, p and q, and what joins two names.",
    examples=("What is known about Deformed wing virus?", "What links Coronaviridae and camels?"),
    answer=answer,
)
