"""``query local`` as one of the ways of asking."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from query.mode import NO_FIT, Asking, Fit, Mode

if TYPE_CHECKING:
    from query.answer import Answer
    from query.reading.question import Question

_AROUND: Final = re.compile(
    r"\b(?:link\w*|relat\w*|connect\w*|join\w*|between|in common|share[sd]?|around|tell me about"
    r"|what is known|co-?occur\w*|associat\w*|neighbou?rs?)\b"
)


def fit(question: Question) -> Fit:
    """Return how well what surrounds a name suits ``question``."""
    if question.reading.beyond is not None:
        return NO_FIT
    named = question.mentions
    asks_around = bool(_AROUND.search(question.text.lower()))
    if asks_around and len(named) == 2:
        return Fit(0.75, "it asks what joins two names")
    if asks_around and len(named) == 1:
        return Fit(0.65, "it asks what goes with one name")
    if len(named) == 1 and question.reading.kind == "describe":
        return Fit(0.62, "it names one thing and asks for nothing in particular")
    return Fit(0.35, "it names something of the graph") if named else Fit(0.05)


def answer(asking: Asking) -> Answer:
    """Return the answer from the surroundings of the names; raises as ``answer_locally``."""
    from query.local_search.search import answer_locally

    return answer_locally(asking)


MODE: Final = Mode(
    name="local",
    can="Answer a question from what surrounds its names in the graph: statements of one and two "
    "hops with counts, p and q, and what joins two names.",
    examples=("What is known about Deformed wing virus?", "What links Coronaviridae and camels?"),
    fit=fit,
    answer=answer,
)
