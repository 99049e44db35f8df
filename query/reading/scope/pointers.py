"""Words that mean what is named beside a question: it, there, that diagnosis, the two."""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import Final

from query.reading.intent import ASKED_BY, singular
from query.reading.mentions import GROUP_OF_FACET

_HERE: Final = r"(?! (?:is|are|was|were|any)\b)"
POINTS: Final = re.compile(
    rf"\b(?:it|its|they|them|their|those|these|that one|there)\b{_HERE}"
    r"|\b(?:talking about|affected|concerned|involved)(?=\W*$)"
    r"|\b(?:would|is) that(?: be)?(?=\W*$)"
    r"|\b(?:ha(?:s|ve|d)|carr(?:y|ies|ied)|contain(?:s|ed)?|show(?:s|ed)?|h[oe]lds?|with)"
    r" (?:one|any|some)(?=\W*$)"
    r"|\bhow many (?:also |even |then )*(?:ha(?:ve|d)|carry|carried|contain|harbou?r|show)\b",
    re.IGNORECASE,
)
"""Means what is named beside the question."""
POINTS_BACK: Final = re.compile(r"\b(?:it|its|that one)\b", re.IGNORECASE)
POINTS_TO_A_PLACE: Final = re.compile(
    r"\b(?:from|in|out|over|down|up) there\b|\bthere(?=\W*$)", re.IGNORECASE
)
WITHOUT_THESE: Final = re.compile(
    r"\b(?:(?:leaving|setting|putting) (?:them|those|these|it|that) aside"
    r"|(?:apart|aside) from (?:them|those|these|it|that)"
    r"|(?:without|excluding|ignoring|besides|other than|not counting|except(?: for)?)"
    r" (?:them|those|these|it|that(?! (?:is|are|have|has|carry)\b)))(?=\W|$)",
    re.IGNORECASE,
)
"""Rules out what was said before."""
NOT_SO: Final = re.compile(
    r"\b(?:is|are|was|were|do|does|did|has|have)(?: not|n['’]t)(?=\W*$)", re.IGNORECASE
)
"""Denies what was said before: how many are not."""
_TO_SEVERAL: Final = re.compile(
    r"\b(?:(?<!in )each|each(?! of (?:them|these|those))|both|which ones?"
    r"|(?:the|these|those) (?:two|three|four))\b",
    re.IGNORECASE,
)
"""Asks about several things that are named beside it."""
_TO_SIDES: Final = re.compile(
    r"\bwho\b|^(?:where|in which)\b.*\b(?:more|less|most|least)\b"
    r"|^which (?:is|are|was|were|has|have|had)\b.*\b(?:more|less|fewer|\w+er)\b",
    re.IGNORECASE,
)
"""Asks which of the things beside it is first; things of its own may be what it compares."""
_OWN_SIDES: Final = re.compile(
    r"\bor (?!both|not|none|neither|either|all|any|more|less|only|just)(?=\w)"
    r"|\b(?:than|versus|vs|between)\b",
    re.IGNORECASE,
)
"""Joins things that a question compares itself."""
_COMPARED: Final = re.compile(
    r"\b(?:it|that|this|they|them|those|these)\b.*"
    r"\b(?:compar\w+|than|versus|vs|against|and how many|together with|alongside|along with"
    r"|in the same|co-?(?:occur|detect|infect)\w*)\b",
    re.IGNORECASE,
)
"""Compares what is named beside it with what it names itself, or asks for both at once."""
_OTHER_NOUNS: Final = {
    "cancer": "disease", "tumor": "disease", "tumour": "disease", "infection": "virus",
    "line": "tissue", "agent": "virus", "bug": "virus", "beast": "organism", "crop": "organism",
}  # fmt: skip
_NO_POINTERS: Final = frozenset({"where", "who", "viral", "environmental", "geographic"})
_GROUP_OF_NOUN: Final = {
    **{
        word: GROUP_OF_FACET[facet]
        for facet, words in ASKED_BY.items()
        for word in words - _NO_POINTERS
        if facet in GROUP_OF_FACET
    },
    **_OTHER_NOUNS,
    "virus": "virus",
    "species": "virus",
    "family": "virus",
}
"""Noun behind a pointing word -> the group of what it points to."""
_DEMONSTRATIVE: Final = re.compile(
    r"\b(?P<sign>that|this|those|these|such(?: an?)?|the same|the said)"
    r" (?P<noun>[a-z]+)\b(?!-)(?! (?:of|with|from|or)\b)",
    re.IGNORECASE,
)
_DEFINITE: Final = re.compile(
    r"\bthe (?P<noun>virus|disease|infection|tumou?r|cancer|host|animal|crop|country|tissue|organ"
    r"|cell line)\b(?=\W*$|,| (?:in|found|present|there|itself|is|was|at|or|more|less|occur\w*"
    r"|turn\w*|show\w*|appear\w*|come\w*)\b)",
    re.IGNORECASE,
)
"""A noun that can only mean what was named."""
_CONTRAST: Final = re.compile(
    r"\b(?P<first>[a-z]{3,}) (?:against|versus|vs\.?|compared (?:to|with)) (?P<second>[a-z]{3,})\b",
    re.IGNORECASE,
)
_THAT: Final = re.compile(r"\b(?:that|this|it)\b", re.IGNORECASE)
_SINGULAR: Final = ("that", "this")


def points_to_all(question: str) -> bool:
    """Return whether ``question`` asks about things that are named beside it, and all of it is the
    question.

    >>> points_to_all("Which of the two has more runs?"), points_to_all("Who has more, A or B?")
    (True, False)
    """
    if _TO_SEVERAL.search(question):
        return True
    return _TO_SIDES.search(question) is not None and not _OWN_SIDES.search(question)


def compares_what_is_beside(question: str) -> bool:
    """Return whether ``question`` compares what is named beside it with what it names.

    >>> compares_what_is_beside("How does that compare with mumps?")
    True
    """
    return _COMPARED.search(question) is not None


def with_pointers(question: str, groups: Collection[str]) -> tuple[str, tuple[str, ...]]:
    """Return ``question`` with "that one" for each noun that means a name of one of the
    ``groups`` named beside it, as many words as before; and the nouns that mean nothing there.

    >>> with_pointers("How many runs with that diagnosis?", ["disease"])
    ('How many runs with that one?', ())
    >>> with_pointers("How many runs with that diagnosis?", ["virus"])[1]
    ('that diagnosis',)
    """
    missing: list[str] = []

    def pointed(found: re.Match[str]) -> str:
        group = _pointed_group(found)
        if group is None:
            return found[0]
        if group in groups:
            ones = ["one"] * (len(found[0].split()) - 1)
            return " ".join(["that", *ones])
        missing.append(found[0])
        return found[0]

    def meant(found: re.Match[str]) -> str:
        return "that one" if _GROUP_OF_NOUN.get(singular(found["noun"])) in groups else found[0]

    question = _DEMONSTRATIVE.sub(pointed, question)
    return _DEFINITE.sub(meant, question), tuple(missing)


def unknown_contrast(question: str, setting: str, known: Collection[str]) -> tuple[str, ...]:
    """Return the contrast in the ``setting`` that ``question`` points to where neither side of it
    is a ``known`` name, in lower case.

    >>> unknown_contrast("Does that matter?", "We had irrigated against rainfed.", ["rice"])
    ('irrigated against rainfed',)
    """
    found = _CONTRAST.search(setting)
    if found is None or not _THAT.search(question):
        return ()
    sides = {found["first"].lower(), found["second"].lower()}
    return (found[0],) if sides.isdisjoint(known) else ()


def _pointed_group(found: re.Match[str]) -> str | None:
    """Return the group of what a noun behind a pointing word means, None where it is none: say
    that viruses are rare, such runs.
    """
    sign, noun = found["sign"].lower(), found["noun"].lower()
    several = singular(noun) != noun
    if sign in _SINGULAR and several:
        return None
    return _GROUP_OF_NOUN.get(singular(noun))
