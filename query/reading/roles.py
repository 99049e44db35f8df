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

ROLE_WORDS: Final = (
    _NEGATORS | _PIVOT | frozenset(["both", "together", "simultaneously", "other", "rather"])
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
    """Return the two names that are compared: of one group, one on each side of the word that
    compares, else the first two of a group.
    """
    pivot = next((place for place, word in enumerate(words) if word.lower() in _PIVOT), None)
    for group in dict.fromkeys(one.group for one in named):
        several = [one for one in named if one.group == group]
        left = [one for one in several if pivot is not None and one.end <= pivot]
        right = [one for one in several if pivot is not None and one.start > pivot]
        if left and right:
            return left[-1], right[0]
    for group in dict.fromkeys(one.group for one in named):
        several = [one for one in named if one.group == group]
        if len(several) > 1:
            return several[0], several[1]
    return ()
