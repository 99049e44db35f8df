"""Two questions in one sentence, the second of which points back to the first: "How many runs have
rabies, and which animals are most of them from?". They are read one after the other, what the first
names being said beside the second.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from query.reading.question import Question, read_question

if TYPE_CHECKING:
    import duckdb

_OPENS: Final = r"(?:(?:in|from|of|for|with) )?(?:how (?:many|much|often)|which|what|where|who)"
_TWO: Final = re.compile(
    rf"^(?P<first>(?:{_OPENS}|is|are|was|were|do|does|did|has|have|list|name|show|give)\b.+?"
    r"|[^,?]+[:,] how many\b.+?)"
    rf",? and (?P<second>{_OPENS}\b.+)$",
    re.IGNORECASE,
)
_COUNTS: Final = re.compile(r"\bhow many\b(?! (?:countries|places))", re.IGNORECASE)
_POINTS_BACK: Final = re.compile(
    r"\b(?:them|these|those|it|its|they|their|ones?|give no|have no|lack)\b", re.IGNORECASE
)
"""Says of the second question that it is about what the first names."""
_OF_EACH: Final = re.compile(
    r"\beach\b|^how (?:often|frequently)\W*$|^what (?:else|goes|comes)\b"
    r"|^which(?: one| of (?:them|these))? (?:leads?|wins|(?:is|comes) (?:first|on top))\W*$",
    re.IGNORECASE,
)
"""Asks for what an answer to the first has anyway: numbers, and what goes with it."""


def read_questions(con: duckdb.DuckDBPyConnection, text: str) -> tuple[Question, ...]:
    """Return ``text`` as read: two questions where it asks one of another, else one.

    A question that counts and lists what it counts is one: how many runs, and which hosts.
    """
    whole = read_question(con, text)
    parts = _TWO.match(text)
    if parts is None or not _asks_again(parts["second"]):
        return (whole,)
    if _covers_both(whole, first=parts["first"]):
        return (whole,)
    first = read_question(con, parts["first"])
    second = read_question(con, f"{parts['first']}. {parts['second']}")
    if _is_doubtful(first) or _is_doubtful(second):
        return (whole,)
    return first, second


def _asks_again(second: str) -> bool:
    return _POINTS_BACK.search(second) is not None and _OF_EACH.search(second) is None


def _covers_both(whole: Question, *, first: str) -> bool:
    """Return whether one reading answers both parts: a count with the values of what is counted, or
    a part of it; whether there is any, and in which; what an accession is and holds; a comparison.
    """
    reading = whole.reading
    counts = _COUNTS.search(first) is not None and (reading.explicit or bool(reading.whole))
    compares = reading.kind == "compare" and bool(reading.sides)
    yes_and_values = reading.kind == "exists" and reading.explicit
    covered = counts or compares or yes_and_values or bool(reading.accessions)
    return covered and not reading.not_understood


def _is_doubtful(question: Question) -> bool:
    reading = question.reading
    return bool(reading.not_understood or reading.unanswerable or reading.beyond)
