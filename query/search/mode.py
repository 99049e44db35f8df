"""``query search`` as one of the ways of asking."""

from __future__ import annotations

import re
import time
from typing import TYPE_CHECKING, Final

from query.mode import NO_FIT, Asking, Fit, Mode

if TYPE_CHECKING:
    from query.answer import Answer
    from query.reading.question import Question

_ASKS_FOR_TEXT: Final = re.compile(
    r"^(?:please )?(?:search|look (?:up|for)|find (?:me )?(?:text|passages?|studies|papers?))\b"
    r"|\b(?:passages?|mention\w*|quot(?:e|es|ed|ing)|abstracts?|papers?|documents?|notes?|pdfs?"
    r"|texts?|descriptions?|discuss\w*|literature|written|wrote|titles?|similar to|is said"
    r"|(?:do|does|what) \w+ say)\b"
    r"|\b(?:reports?|stud(?:y|ies)|findings) (?:\w+ "
    r")?(?:about|on|of|that|describ\w+|mention\w*|say)\b"
    r"|\b(?:which|what|any|show|find) (?:reports?|stud(?:y|ies))\b"
)


_TEXTS: Final = r"(?:reports?|findings|abstracts?|papers?|texts?|passages?|summaries|descriptions?)"
_SAYS: Final = re.compile(
    rf"\b(?:which|what|any|find|show) (?:\w+ )?{_TEXTS} (?:that )?"
    r"(?:discuss|mention|say|describe|report|explain|speak|talk|bring up|deal|comment)\w*\b"
    rf"|\bwhat (?:do|does|did) (?:the |its |our )?(?:\w+ )?(?:{_TEXTS}|stud(?:y|ies)) say\b"
    rf"|\bin the {_TEXTS}\b"
)
"""Asks for what texts say, and for nothing else."""
_OF_YOUR_OWN: Final = re.compile(r"\bmy (?:\w+ )?(?:documents?|notes?|pdfs?|files?|papers?)\b")


def fit(question: Question) -> Fit:
    """Return how well passages suit ``question``."""
    text = question.text.lower()
    if _OF_YOUR_OWN.search(text):
        return Fit(0.95, "it asks for documents of your own")
    if _SAYS.search(text):
        return Fit(0.95, "it asks what texts say")
    asked = _ASKS_FOR_TEXT.search(text)
    if asked is not None:
        return Fit(0.8, f"it asks for what is written: {asked[0]}")
    if question.reading.beyond is not None:
        return NO_FIT
    return Fit(0.2, "passages can be found for any words")


def answer(asking: Asking) -> Answer:
    """Return the passages found, of the kinds that the question asks for where there are any.

    Raises ``QueryError`` where there is none.
    """
    from query.config import documents_path
    from query.search.ask import found_answer, search_asked

    started = time.perf_counter()
    store = documents_path(asking.db)
    found = search_asked(asking.con, asking.question, store)
    return found_answer(found, started=started)


MODE: Final = Mode(
    name="search",
    can="Find passages by words and by meaning: reports, findings, studies, terms, viruses, and "
    "documents of your own.",
    examples=("bats sampled in caves", "studies of mosquito viromes"),
    fit=fit,
    answer=answer,
)
