"""``query search`` as one of the ways of asking."""

from __future__ import annotations

import re
import time
from typing import TYPE_CHECKING, Final

from query.errors import NoEvidenceError
from query.mode import NO_FIT, Asking, Fit, Mode

if TYPE_CHECKING:
    from query.answer import Answer
    from query.reading.question import Question
    from query.search.passage import Kind

_ASKS_FOR_TEXT: Final = re.compile(
    r"^(?:please )?(?:search|look (?:up|for)|find (?:me )?(?:text|passages?|studies|papers?))\b"
    r"|\b(?:passages?|mention\w*|quot(?:e|es|ed|ing)|abstracts?|papers?|documents?|notes?|pdfs?"
    r"|texts?|descriptions?|discuss\w*|literature|written|wrote|titles?|similar to|is said"
    r"|(?:do|does|what) \w+ say)\b"
    r"|\b(?:reports?|stud(?:y|ies)|findings) (?:\w+ "
    r")?(?:about|on|of|that|describ\w+|mention\w*|say)\b"
    r"|\b(?:which|what|any|show|find) (?:reports?|stud(?:y|ies))\b"
)


_OF_YOUR_OWN: Final = re.compile(r"\bmy (?:\w+ )?(?:documents?|notes?|pdfs?|files?|papers?)\b")

_KINDS: Final[tuple[tuple[str, tuple[Kind, ...]], ...]] = (
    (r"\b(?:stud(?:y|ies)|abstracts?|papers?|titles?|literature)\b", ("study", "document")),
    (r"\b(?:documents?|notes?|pdfs?)\b", ("document",)),
    (r"\breports?\b", ("report",)),
    (r"\bfindings?\b", ("finding",)),
)
"""What asks for which kinds of passages."""


def fit(question: Question) -> Fit:
    """Return how well passages suit ``question``."""
    text = question.text.lower()
    if _OF_YOUR_OWN.search(text):
        return Fit(0.95, "it asks for documents of your own")
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
    from query.search.ask import found_answer, search_words
    from query.search.passage import KINDS

    started = time.perf_counter()
    store = documents_path(asking.db)
    kinds = kinds_asked(asking.question)
    try:
        found = search_words(asking.con, asking.question, store, kinds=kinds or KINDS)
    except NoEvidenceError:
        if not kinds:
            raise
        found = search_words(asking.con, asking.question, store)
    return found_answer(found, started=started)


def kinds_asked(text: str) -> tuple[Kind, ...]:
    """Return the kinds of passages that ``text`` asks for, none where it does not say.

    >>> kinds_asked("Which studies mention bees?"), kinds_asked("bees")
    (('study', 'document'), ())
    """
    lowered = text.lower()
    found: list[Kind] = []
    for pattern, kinds in _KINDS:
        if re.search(pattern, lowered):
            found += kinds
    once = dict.fromkeys(found)
    return tuple(once)


MODE: Final = Mode(
    name="search",
    can="Find passages by words and by meaning: reports, findings, studies, terms, viruses, and "
    "documents of your own.",
    examples=("bats sampled in caves", "studies of mosquito viromes"),
    fit=fit,
    answer=answer,
)
