"""The whole of a share: of which runs a question asks a share or a part, as its words say.

"Among", "out of" and "of the runs with" open the whole, and a verb, a question word or the end of
the question closes it: among the runs positive for rabies virus, how many are human.
"""

from __future__ import annotations

import re
from typing import Final

from query.reading.kinds import NAME, Kind

_RUNS: Final = (
    "runs|samples|libraries|datasets|detections|finds|hits|cases|positives|ones|patients|accessions"
)
_RUN_WORDS: Final = frozenset(_RUNS.split("|"))
_CARRYING: Final = "with|carrying|containing|having|harbouring|holding|bearing|positive for"
_AMONG: Final = re.compile(r"\b(?:among|amongst|amid|out of|of those|of the ones)\b")
_FIRST: Final = re.compile(
    r"^(?:and )?(?:of|from|for|in) (?=.*\b(?:how|what|which|share|percent\w*)\b)"
)
"""A question that opens with its whole: of the runs with a virus, how many are human."""
_OF_RUNS: Final = re.compile(
    r"\b(?:shares?|percent\w*|proportions?|fractions?|portions?|parts?|slices?|many|much|most"
    r"|majority|half|thirds?|quarter) (?:of|from)"
    r"(?= (?:\w+ )*?_)"
)
"""What a share is said to be of."""
_VERBS: Final = (
    "is are was were come comes came do does did has have had carry carries state states belong"
    " belongs derive derives originate originates turn turns contain contains"
)
_CLOSING: Final = "how what which where also share percentage percent proportion fraction number"
_OF_THEM: Final = re.compile(r"(?<=_ )(?:.* )?of (?:them|those|these)\b(?! (?:with|that))")
"""Goes back to runs named before: how many of them."""
_CLOSED: Final = frozenset([*_VERBS.split(), *_CLOSING.split()])
"""Words that close the whole: the part, or what is asked of it, begins."""
_RELATIVE: Final = frozenset({"that", "which", "who", "whose"})
_POSITIVE: Final = re.compile(
    rf"_ (?:positive|infected|{_CARRYING}|bearing) (?:{_RUNS})\b(?! (?:from|in|of) (?:the )?_$)"
)
"""Runs said to have what is named: positive runs are a whole, whatever stands before them."""
_OF_PATIENTS: Final = re.compile(
    r"_ (?:patients|cases|carriers|donors|individuals) (?:also )?(?:have|had|carry|carried) _"
)
"""People said to have one thing, and asked whether they have another."""
_SAID_TO_CARRY: Final = re.compile(rf"\b(?:{_RUNS}) (?:(?:that|which) )?(?:{_CARRYING}|are)\b")
_ARE_FROM: Final = re.compile(
    rf"^(?:are|is|was|were)\b[^_]*_(?: (?:{_RUNS}))? (?:from|in|of|with) (?:the )?_$"
)
"""Asks of a part of runs whether they are of something else: are most of the human runs of blood.
"""
_ASKING: Final = ("share", "count")


def whole_of(frame: str, kind: Kind) -> tuple[int, ...]:
    """Return which names of ``frame`` say of which runs a share is asked, by their number; none
    where its words do not say, or leave no other name to be the part.

    >>> whole_of("share of _ runs among the ones positive for _", "share")
    (1,)
    >>> whole_of("of the _ runs with _ how many are from _", "count")
    (0, 1)
    >>> whole_of("percentage of _ runs that carry _", "share"), whole_of("_ in _", "describe")
    ((0,), ())
    >>> whole_of("what share of _ runs _", "share")
    (0,)
    >>> whole_of("how many _ runs are there and how many of those carry _", "count")
    (0,)
    """
    if kind not in _ASKING:
        return ()

    words = frame.split()
    names = frame.split().count(NAME)
    if kind == "share" and _ARE_FROM.match(frame):
        return (0,)
    them = _OF_THEM.search(frame)
    if them:
        before = frame[: them.start()].count(NAME)
        return tuple(range(before)) if before < names else ()
    opened = _AMONG.search(frame) or _FIRST.search(frame)
    within: list[int] = []
    if opened:
        within = _names_from(words, _place(frame, opened.end()), relative=True)
    if not within:
        of_runs = _OF_RUNS.search(frame)
        within = _names_from(words, _place(frame, of_runs.end()), relative=False) if of_runs else []
    positive = _POSITIVE.search(frame) or _OF_PATIENTS.search(frame)
    if not within and positive:
        within = [frame[: positive.start()].count(NAME)]
    return tuple(within) if len(within) < names else ()


def _place(frame: str, end: int) -> int:
    """Return the number of words of ``frame`` before the character ``end``."""
    return len(frame[:end].split())


def _names_from(words: list[str], start: int, *, relative: bool) -> list[int]:
    """Return the names from the word at ``start`` to the one that closes the whole.

    ``relative``: what the runs are said to carry belongs to the whole, too.
    """
    before = words[:start].count(NAME)
    found: list[int] = []
    previous = ""
    for word in words[start:]:
        if word in _RELATIVE and found and not relative:
            break
        closes = word in _CLOSED and previous not in _RELATIVE
        said_of_them = word == NAME and previous in _RUN_WORDS and not relative and bool(found)
        if closes or said_of_them:
            break
        if word == NAME:
            found.append(before + len(found))
        previous = word
    return found
