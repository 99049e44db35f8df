"""``query local`` as one of the ways of asking."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from query.mode import NO_FIT, Asking, Fit, Mode

if TYPE_CHECKING:
    from query.answer import Answer
    from query.reading.question import Question

_JOINS: Final = re.compile(
    r"\b(?:link\w*|relat\w*|connect\w*|join\w*|between|in common|common ground|tie[sd]?"
    r"|paths?|neighbou?r\w*|adjacent|triples?|edges?|graph|around|co-?occur\w*"
    r"|associat\w*|shares?(?! of)|shared)\b"
)
_COMMON: Final = re.compile(r"\b(?:common|shared) neighbou?rs\b")
_ABOUT: Final = re.compile(r"\b(?:tell me about|what is known (?:about|of)|what about)\b")
_COUNTED: Final = frozenset({"count", "rank", "compare"})
"""Kinds of questions that tables and the whole index answer."""


def fit(question: Question) -> Fit:
    """Return how well what surrounds a name suits ``question``."""
    reading = question.reading
    if reading.beyond is not None or reading.source or reading.figure:
        return NO_FIT
    text = question.text.lower()
    names = len(question.mentions)
    groups = {one.group for one in question.mentions}
    common = reading.common or _COMMON.search(text) is not None
    joined = reading.kind == "compare" and (common or len(groups) > 1)
    counted = reading.kind in _COUNTED and not joined
    joins = _JOINS.search(text) is not None
    if joins and names == 2 and not counted:
        return Fit(0.75, "it asks what joins two names")
    lists = counted or question.intent.explicit
    if names == 1 and not lists:
        if joins:
            return Fit(0.65, "it asks what goes with one name")
        if _ABOUT.search(text):
            return Fit(0.65, "it asks what is known of one name")
    if names:
        return Fit(0.35, "it names something of the graph")
    return Fit(0.05)


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
