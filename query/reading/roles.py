"""The part that each name plays in a question: asked for, ruled out, asked for on its own, or one
side of a comparison.

Read from the words between the names: "X without Y", "liver but not lung", "both X and Y",
"X versus Y".
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final, Protocol, TypeVar


class Spot(Protocol):
    """A stretch of words that names something of a group."""

    @property
    def start(self) -> int:
        """First word."""

    @property
    def end(self) -> int:
        """Word after the last one."""

    @property
    def group(self) -> str:
        """What it is of: virus, organism, tissue, …"""

    @property
    def label(self) -> str:
        """What it is called."""


SpotT = TypeVar("SpotT", bound=Spot)

_NEGATORS: Final = frozenset(
    [
        "without",
        "not",
        "no",
        "nor",
        "except",
        "excluding",
        "excepting",
        "lacking",
        "lack",
        "lacks",
        "minus",
        "neither",
        "besides",
        "excludes",
        "exclude",
        "negative",
    ]
)
NEGATING: Final = re.compile(
    rf"(?i)(?<![\w-])(?:{'|'.join(sorted(_NEGATORS))})(?![\w-])|\b(?:other|rather) than\b"
    r"|\bfree (?=(?:of|from)\b)"
)
"""Words that rule out what follows them. They stand alone: HIV-negative is a word of its own."""
_STEPS: Final = frozenset(
    [
        "in",
        "on",
        "of",
        "for",
        "from",
        "with",
        "any",
        "a",
        "an",
        "the",
        "known",
        "seen",
        "found",
        "runs",
        "samples",
        "are",
        "is",
        "that",
        "have",
        "has",
        "to",
        "carrying",
        "containing",
        "carry",
        "contain",
        "than",
        "or",
        "and",
    ]
)
"""Words that may stand between a negation and what it rules out."""
_TOGETHER: Final = re.compile(
    r"\b(?:both|together|simultaneously|as well as|along with|alongside|co-?infect\w*"
    r"|co-?detect\w*|at the same time|co-?occur\w*)\b"
)
_PIVOT: Final = frozenset(["versus", "vs", "compared", "than", "against", "unlike", "relative"])
_RELATING: Final = frozenset(["elsewhere", "rest", "else", "background", "among", "between"])

ROLE_WORDS: Final = (
    _NEGATORS
    | _PIVOT
    | _RELATING
    | frozenset(["both", "together", "simultaneously", "other", "rather"])
)
"""Words that say what part a name plays."""


def without_negations(text: str) -> str:
    """Return ``text`` with each word that rules something out replaced by a harmless one, so that
    what it rules out is read like any name. As many words as before.

    >>> without_negations("bees without mites, but not in Spain")
    'bees with mites, but with in Spain'
    """
    return NEGATING.sub(
        lambda found: " ".join(["with"] * len(found[0].split())) + _blank(found), text
    )


def _blank(found: re.Match[str]) -> str:
    return " " if found[0].endswith(" ") else ""


def ruled_out(words: Sequence[str], named: Sequence[SpotT]) -> list[SpotT]:
    """Return the names that the words before them rule out; "without X or Y" rules out both."""
    lowered = [word.lower() for word in words]
    out: list[SpotT] = []
    for one in named:
        between = _before(lowered, one, named)
        denied = any(_negates(lowered, place) for place in between)
        inherits = bool(out) and out[-1].end <= one.start and _only_or(lowered, out[-1], one)
        if denied or (inherits and out[-1].group == one.group):
            out.append(one)
    return out


def _before(words: Sequence[str], one: Spot, named: Sequence[Spot]) -> list[int]:
    """Return the places before ``one``, nearest first, as far as only small words stand there."""
    ends = [other.end for other in named if other.end <= one.start]
    places = []
    for place in range(one.start - 1, max(ends, default=0) - 1, -1):
        places.append(place)
        if words[place] not in _STEPS or _negates(words, place):
            break
    return places


def _negates(words: Sequence[str], place: int) -> bool:
    following = words[place + 1] if place + 1 < len(words) else ""
    if words[place] in ("other", "rather"):
        return following == "than"
    if words[place] == "free":
        return following in ("of", "from")
    if words[place] == "than":
        return place > 0 and words[place - 1] in ("other", "rather")
    return words[place] in _NEGATORS


def _only_or(words: Sequence[str], before: Spot, after: Spot) -> bool:
    between = words[before.end : after.start]
    return bool(between) and set(between) <= {"or", "and", "nor", "in", "of", "the"}


def asked_together(words: Sequence[str], named: Sequence[SpotT]) -> list[SpotT]:
    """Return the names of one group that must hold at once: "both influenza and coronavirus"."""
    lowered = " ".join(words).lower()
    if not _TOGETHER.search(lowered) and lowered.split()[:1] != ["both"]:
        return []
    for group in dict.fromkeys(one.group for one in named):
        several = [one for one in named if one.group == group]
        if len(several) > 1:
            return several
    return []


def sides_of(words: Sequence[str], named: Sequence[SpotT]) -> tuple[SpotT, ...]:
    """Return the names that are compared, two or more of one group: those on both sides of the word
    that compares, else of the first group with several.
    """
    lowered = [word.lower() for word in words]
    pivot = next((place for place, word in enumerate(lowered) if word in _PIVOT), None)
    groups = dict.fromkeys(one.group for one in named)
    several = [[one for one in named if one.group == group] for group in groups]
    across = [listed for listed in several if _is_across(listed, pivot)]
    for listed in across or several:
        distinct = {one.label: one for one in reversed(listed)}
        if len(distinct) > 1:
            return tuple(sorted(distinct.values(), key=lambda one: one.start))
    return ()


def _is_across(listed: Sequence[Spot], pivot: int | None) -> bool:
    """Return whether names are on both sides of the word at ``pivot``."""
    if pivot is None:
        return False
    before = any(one.end <= pivot for one in listed)
    return before and any(one.start > pivot for one in listed)


_REST: Final = re.compile(
    r"\b(?:(?:all |any |the |every )*others?|elsewhere|(?:the )?rest|everything else|background)\b"
)


def against_rest(frame: str) -> bool:
    """Return whether ``frame`` compares a group with all others.

    >>> against_rest("compare _ with all other hosts"), against_rest("compare _ with _")
    (True, False)
    """
    return bool(_REST.search(frame))
