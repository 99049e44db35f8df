"""Two questions in one sentence: "How many runs have rabies, and which animals are most of them
from?". They are read one after the other, what the first names being said beside the second.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from query.reading.question import Question, read_question
from query.reading.respelling.rules import put_plainly

if TYPE_CHECKING:
    import duckdb

_OPENS: Final = (
    r"(?:(?:in|from|of|for|with) )?(?:how (?:many|much|often|common)|which|what|where|who)"
)
_TWO: Final = re.compile(
    rf"^(?P<first>(?:{_OPENS}|is|are|was|were|do|does|did|has|have|list|name|show|give)\b.+?"
    r"|[^,?]+[:,] how many\b.+?)"
    rf",? and (?P<second>(?:{_OPENS}|(?:is|are|was|were) (?:there|it|they|that)"
    r"|(?:does|do|did|has|have) (?:it|they|that|these|those))\b.+)$",
    re.IGNORECASE,
)
_COUNTS: Final = re.compile(r"\bhow many\b(?! (?:countries|places))", re.IGNORECASE)
_LISTS: Final = ("list", "rank")
_POINTS_BACK: Final = re.compile(
    r"\b(?:them|these|those|it|its|they|their|ones?|give no|have no|lack)\b",
    re.IGNORECASE,
)
"""Says of the second question that it is about what the first names."""
_FOUND_TOO: Final = re.compile(
    r"^(?P<often>how (?:often|frequently)) (?P<what>(?!(?:is|are|was|were|do|does|did)\b)[^?]+?)"
    r"(?=\W*$)",
    re.IGNORECASE,
)
"""A second question that leaves out its verb: how often is A seen, and how often B?"""
_OF_EACH: Final = re.compile(
    r"\beach\b|^how many (?:runs |of them )?(?:have|has|carry|hold|contain|are|were) both\W*$"
    r"|^how (?:often|frequently)\W*$|^what (?:else|goes|comes)\b"
    r"|^which(?: one| of (?:them|these))? (?:leads?|wins|(?:is|comes) (?:first|on top))\W*$"
    r"|^(?:who|which|what)(?: one)? (?:is|comes) second\W*$",
    re.IGNORECASE,
)
"""Asks for what an answer to the first has anyway: numbers, and what goes with it."""


def read_questions(con: duckdb.DuckDBPyConnection, text: str) -> tuple[Question, ...]:
    """Return ``text`` as read: two questions where it asks one after another, else one.

    A question that counts and lists what it counts is one: how many runs, and which hosts.
    """
    whole = read_question(con, text)
    parts = _TWO.match(put_plainly(text))
    if parts is None or _OF_EACH.search(parts["second"]):
        return (whole,)
    if _covers_both(whole, first=parts["first"]):
        return (whole,)
    first = read_question(con, parts["first"])
    points = _POINTS_BACK.search(parts["second"]) is not None
    asked = _FOUND_TOO.sub(r"\g<often> is \g<what> found", parts["second"])
    opened = asked if points else f"{asked[:1].upper()}{asked[1:]}"
    second = read_question(con, f"{_beside(first, points=points)}. {opened}")
    if _is_doubtful(first) or (points and _is_doubtful(second)):
        return (whole,)
    if points:
        return first, second
    return (whole,) if _is_all_of(whole, first, second) else (first, _all_words_needed(second))


def _all_words_needed(question: Question) -> Question:
    """Return ``question``, which says little by itself, with no word taken for wording only."""
    reading = question.reading
    needed = reading.only_wording
    return replace(
        question,
        reading=replace(
            reading,
            only_wording=(),
            not_understood=(*needed, *reading.not_understood),
            unanswerable=(*needed, *reading.unanswerable),
        ),
    )


def _beside(first: Question, *, points: bool) -> str:
    """Return what is said beside the second question: all of the ``first`` where it ``points``
    back, or rules something out; else what that names.
    """
    names = [one.text for one in (*first.mentions, *first.absent)]
    if points or first.reading.without or not names:
        return first.text.rstrip(" ?.!")
    return ", ".join(names)


def _is_all_of(whole: Question, first: Question, second: Question) -> bool:
    """Return whether the reading of the ``whole`` sentence answers both of its questions: it lists
    the values of both, or counts names of one group, apart or together.
    """
    both, before, asked = whole.reading, first.reading, second.reading
    if before.kind == asked.kind == both.kind == "count":
        groups = [{one.group for one in reading.subjects} for reading in (before, asked)]
        return groups[0] == groups[1] and _labels(first) != _labels(second)
    listed = {*before.facets} if before.kind in _LISTS and before.explicit else set()
    if listed and listed < {*both.facets} and _labels(first) == _labels(whole):
        return both.explicit
    lists = asked.kind in _LISTS and both.kind in (*_LISTS, "exists")
    if not (lists and asked.explicit and both.explicit):
        return False
    return {*asked.facets, *listed} <= {*both.facets} and _labels(second) == _labels(whole)


def _labels(question: Question) -> set[str]:
    """Return what the names are called that runs must carry."""
    return {one.label for one in question.reading.subjects}


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
