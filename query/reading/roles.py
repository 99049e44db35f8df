"""The part that each name plays in a question: asked for, ruled out, asked for on its own, or one
side of a comparison.

Read from the words between the names: "X without Y", "liver but not lung", "both X and Y",
"X versus Y".
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence
from typing import Final, Protocol, TypeVar

from query.reading.words_read import words_read


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
        "missing",
        "misses",
        "never",
        "absent",
        "unseen",
    ]
)
NEGATING: Final = re.compile(
    rf"(?i)(?<![\w-])(?:{'|'.join(sorted(_NEGATORS))})(?![\w-])|\b(?:other|rather) than\b"
    r"|\bfree (?=(?:of|from)\b)"
)
"""Words that rule out what follows them. They stand alone: HIV-negative is a word of its own."""
_DENIED: Final = re.compile(
    r"(?<=\w )(?<!\bor )(?:not|never)\b(?! (?:only|true|sure|known?|mind|or)\b| (?:seen|found)\W*$)"
    r"|(?<=\w )\w+n['’]t\b",
    re.IGNORECASE,
)
"""Denies what is said, but for the question whether it is so or not."""
_STEPS: Final = frozenset({
    "in", "on", "of", "for", "from", "with", "any", "a", "an", "the", "known", "seen", "found",
    "runs", "samples", "are", "is", "that", "have", "has", "to", "carrying", "containing",
    "carry", "contain", "than", "or", "and", "show", "give", "yield", "come", "taken", "sampled",
    "isolated", "obtained", "collected", "derived", "made", "sequenced", "list", "report",
    "been", "be", "being", "ever", "also", "detected", "observed", "present", "reported",
    "recorded", "identified", "turning", "turn", "turned", "up", "appearing", "appear",
    "appeared", "occur", "occurring", "those", "ones", "shared", "were", "was",
})  # fmt: skip
"""Words that may stand between a negation and what it rules out."""
_NOT_SO: Final = re.compile(
    r"(?:(?:do|does|did|is|are|was|were|has|have|can|could)(?: not|n['’]t)|cannot|lacks?|never)"
    r"(?: (?:have|carry|harbou?r|contain|host|show|had|be|been|infected|found|seen|detected|them"
    r"|it|any|have it|have them))*"
)
"""Denies the name before it."""
_TOGETHER: Final = re.compile(
    r"\b(?:both|together|simultaneously|(?:and|that|which|who|runs|samples) also|as well as"
    r"|also (?:have|has|carry|carries|contain\w*|hold|holds)|along with"
    r"|alongside|plus"
    r"|in combination with|combined with|accompanied by|on top of|co-?infect\w*"
    r"|co-?detect\w*|at the same time|at once"
    r"|in (?:(?:one and )?the same|one) (?:\w+ )?(?:runs?|samples?|librar(?:y|ies)|data ?sets?)"
    r"|co-?occur\w*)\b"
)
_ADDED: Final = re.compile(r"\b(?:together|combined|altogether|added up|in sum|sum of|summed)\b")
"""Adds up what is counted."""
_RUNS: Final = frozenset(["run", "runs", "sample", "samples", "library", "libraries", "datasets"])
_CARRYING: Final = frozenset({
    "with", "carry", "carries", "carrying", "have", "has", "having", "contain", "contains",
    "containing", "hold", "holds", "holding", "showing", "show",
})  # fmt: skip
_APART: Final = frozenset(
    ["each", "respectively", "apiece", "separately", "individually", "either", "any", "or", "total"]
)
"""Words that say that names joined by *and* are counted one by one, or any of them."""
_PIVOT: Final = frozenset(["versus", "vs", "compared", "than", "against", "unlike", "relative"])
_RELATING: Final = frozenset(["elsewhere", "rest", "else", "background", "among", "between"])

_BEFORE_THAN: Final = ("other", "rather")
_JOINING: Final = frozenset(["or", "and", "nor", "in", "of", "the"])
"""Words between two names that are ruled out together."""

_JOINING_SIDES: Final = _PIVOT | {"or", "and", "with", "the"}

_SEPARATE: Final = frozenset(
    ["organism", "tissue", "geography", "environment", "disease", "biome", "sex"]
)
"""Groups of which a run has one value as a rule: what pigs and humans both carry, no run of both
does.
"""

ROLE_WORDS: Final = (
    _NEGATORS
    | _PIVOT
    | _RELATING
    | frozenset(["both", "together", "simultaneously", "other", "rather", "free"])
)
"""Words that say what part a name plays."""


def denial_in(asked: str) -> tuple[str, ...]:
    """Return the word of ``asked`` that denies something, where there is one.

    >>> denial_in("runs that were not washed"), denial_in("is it seen or not")
    (('not',), ())
    """
    found = _DENIED.search(asked)
    return (found[0].lower(),) if found else ()


def without_negations(text: str) -> str:
    """Return ``text`` with each word that rules something out replaced by a harmless one, so that
    what it rules out is read like any name. As many words as before.

    >>> without_negations("bees without mites, but not in Spain")
    'bees with mites, but with in Spain'
    """
    return NEGATING.sub(_harmless, text)


def _harmless(found: re.Match[str]) -> str:
    """Return as many harmless words as ``found`` has, with the blank it may end in."""
    words = found[0].split()
    replaced = " ".join(["with"] * len(words))
    if found[0].endswith(" "):
        return f"{replaced} "
    return replaced


def ruled_out(words: Sequence[str], named: Sequence[SpotT]) -> list[SpotT]:
    """Return the names that the words before them rule out; "without X or Y" rules out both."""
    lowered = [word.lower() for word in words]
    out: list[SpotT] = []
    for one in named:
        if _is_denied(lowered, one, named) or _is_denied_behind(lowered, one, named):
            out.append(one)
            continue
        if not out:
            continue
        last = out[-1]
        alike = last.group == one.group and last.end <= one.start
        if alike and _only_or(lowered, last, one):
            out.append(one)
    return [_ruled_part(one, named) for one in out]


def _ruled_part(one: SpotT, named: Sequence[SpotT]) -> SpotT:
    """Return the name right behind ``one`` where ``one`` is asked for, too: human blood and not
    human brain rules out the brain.
    """
    asked_for = any(other.label == one.label and other != one for other in named)
    behind = [other for other in named if other.start == one.end]
    return behind[0] if asked_for and behind else one


def _is_denied(words: Sequence[str], one: Spot, named: Sequence[Spot]) -> bool:
    """Return whether one of the small words before ``one`` rules it out."""
    between = _before(words, one, named)
    return any(_negates(words, place) for place in between)


def _is_denied_behind(words: Sequence[str], one: Spot, named: Sequence[Spot]) -> bool:
    """Return whether the words behind ``one``, the last name of several of its group, deny it: in
    humans that mice do not carry.
    """
    others = [other for other in named if other != one and other.group == one.group]
    if any(other.start >= one.end for other in named) or not others:
        return False
    behind = " ".join(words[one.end :])
    return _NOT_SO.fullmatch(behind) is not None


def _before(words: Sequence[str], one: Spot, named: Sequence[Spot]) -> list[int]:
    """Return the places before ``one``, nearest first, as far as only small words stand there."""
    ends = [other.end for other in named if other.end <= one.start]
    nearest = max(ends, default=0)
    places = []
    for place in range(one.start - 1, nearest - 1, -1):
        places.append(place)
        small = words[place] in _STEPS
        if not small or _negates(words, place):
            break
    return places


def _negates(words: Sequence[str], place: int) -> bool:
    word = words[place]
    following = "".join(words[place + 1 : place + 2])
    if word in _BEFORE_THAN:
        return following == "than"
    if word == "free":
        return following in ("of", "from")
    if word != "than":
        return word in _NEGATORS
    if place == 0:
        return False
    previous = words[place - 1]
    return previous in _BEFORE_THAN


def _only_or(words: Sequence[str], before: Spot, after: Spot) -> bool:
    """Return whether one name follows another in a list: liver, lung or brain."""
    return set(words[before.end : after.start]) <= _JOINING


def asked_together(words: Sequence[str], named: Sequence[SpotT]) -> list[SpotT]:
    """Return the names of one group that must hold at once: "both influenza and coronavirus"."""
    lowered = " ".join(words).lower()
    opens = lowered.split()[:1] == ["both"]
    if not opens and not _TOGETHER.search(lowered):
        return _joined_by_and(words, named)
    groups = dict.fromkeys(one.group for one in named)
    for group in groups:
        several = [one for one in named if one.group == group]
        if len(several) > 1:
            return several
    return []


def are_added_up(words: Sequence[str], together: Sequence[Spot]) -> bool:
    """Return whether names of which a run has one, such as hosts, are counted in one number: runs
    of soybean and maize together.
    """
    separate = bool(together) and all(one.group in _SEPARATE for one in together)
    return separate and _ADDED.search(" ".join(words).lower()) is not None


def _joined_by_and(words: Sequence[str], named: Sequence[SpotT]) -> list[SpotT]:
    """Return the viruses that runs are said to carry with nothing but *and* between them: runs with
    EBV and HBV. Written large, *AND* joins whatever stands before it.
    """
    viruses = [one for one in named if one.group == "virus"]
    if len(viruses) < 2 or not _APART.isdisjoint(word.lower() for word in words):
        return []
    joints = [words[one.end : two.start] for one, two in itertools.pairwise(viruses)]
    if all(joint == ["AND"] for joint in joints):
        return viruses
    before = [word.lower() for word in words[: viruses[0].start] if word.lower() != "the"]
    carried = bool(before) and before[-1] in _CARRYING and not _RUNS.isdisjoint(before)
    return viruses if carried and all(joint == ["and"] for joint in joints) else []


def role_words(frame: str) -> frozenset[str]:
    """Return the words of ``frame`` that say what part names play."""
    words: set[str] = set()
    for pattern in (_TOGETHER, NEGATING, _REST):
        words.update(words_read(pattern, frame))
    return ROLE_WORDS | words


def groups_met(together: Sequence[SpotT]) -> tuple[SpotT, ...]:
    """Return the names ``asked_together`` of which no run is expected to have several, so that each
    is a group of runs by itself.
    """
    separate = [one for one in together if one.group in _SEPARATE]
    distinct = {one.label: one for one in separate}
    return tuple(distinct.values()) if len(distinct) > 1 else ()


def sides_of(words: Sequence[str], named: Sequence[SpotT]) -> tuple[SpotT, ...]:
    """Return the names that are compared, two or more of one group: those on both sides of the word
    that compares, else of the first group with several.
    """
    lowered = [word.lower() for word in words]
    pivot = next((place for place, word in enumerate(lowered) if word in _PIVOT), None)
    by_group: dict[str, list[SpotT]] = {}
    for one in named:
        listed = by_group.setdefault(one.group, [])
        listed.append(one)
    several = list(by_group.values())
    across = [listed for listed in several if _is_across(listed, pivot)]
    for listed in across or several:
        distinct = {one.label: one for one in reversed(listed)}
        if len(distinct) > 1:
            sides = sorted(distinct.values(), key=lambda one: one.start)
            return tuple(sides)
    return _side_by_side(lowered, named)


def _side_by_side(words: Sequence[str], named: Sequence[SpotT]) -> tuple[SpotT, ...]:
    """Return two names of different groups that a comparing word joins: peat or compost, of which
    the taxonomy lists one as a metagenome.
    """
    for first, second in itertools.pairwise(named):
        between = set(words[first.end : second.start])
        joined = between and between <= _JOINING_SIDES
        if joined and first.group in _SEPARATE and second.group in _SEPARATE:
            return (first, second)
    return ()


def _is_across(listed: Sequence[Spot], pivot: int | None) -> bool:
    """Return whether names are on both sides of the word at ``pivot``."""
    if pivot is None:
        return False
    before = any(one.end <= pivot for one in listed)
    behind = any(one.start > pivot for one in listed)
    return before and behind


_REST: Final = re.compile(
    r"\b(?:(?:all |any |the |every )*others?|elsewhere|(?:the )?rest|everything else|background)\b"
)


def against_rest(frame: str) -> bool:
    """Return whether ``frame`` compares a group with all others.

    >>> against_rest("compare _ with all other hosts"), against_rest("compare _ with _")
    (True, False)
    """
    rest = _REST.search(frame)
    return rest is not None
