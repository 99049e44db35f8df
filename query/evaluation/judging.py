"""Whether a headline is right: exactly the numbers, the names and the yes or no of the gold.

A headline is judged by its words, as a reader would, so that any way of wording it can be right.
``fault`` says what is wrong in a few words; failures are counted by it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Final

from query.evaluation.gold import Gold
from query.evaluation.listed_values import (
    USUAL,
    is_listed,
    limited,
    names_enough,
    wrong_values,
)
from query.evaluation.observing import Observation
from query.evaluation.questions import Asks, GoldQuestion
from query.evaluation.sides import Contrast

_NUMBER: Final = re.compile(r"(?<![\w.,-])\d[\d,]*(?![\w-]|\.\d)")
_NOTHING: Final = re.compile(r"\b(?:no|none|not|nothing|never)\b", re.IGNORECASE)
_UNKNOWN: Final = re.compile(
    r"cannot be (?:said|tested)|unknown|not (?:stated|known)|\bno \w+ is stated|no run of the index"
    r"|none of (?:them|the runs)[\w ]* searched|too few",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Verdict:
    """Whether an answer is right, and what is wrong with one that is not."""

    fault: str | None = None

    @property
    def right(self) -> bool:
        """True where nothing is wrong."""
        return self.fault is None


RIGHT: Final = Verdict()


def judge(question: GoldQuestion, gold: Gold, seen: Observation) -> Verdict:
    """Return whether ``seen`` is the right answer to ``question``."""
    asks = question.asked.asks
    if asks == "refuse":
        return _unless(seen.refused, "answered what the index cannot know")
    if asks == "propose":
        return _proposed(seen)
    if asks == "none":
        return _unless(seen.refused or _denies(seen), "does not say that there is none")
    if seen.refused:
        return _unless(_is_empty(gold), "refused wrongly")
    return _JUDGED[asks](question, gold, seen)


def _unless(right: object, fault: str) -> Verdict:
    """Return ``RIGHT`` where ``right`` holds, else the verdict of ``fault``."""
    return RIGHT if right else Verdict(fault)


def numbers_in(text: str) -> frozenset[int]:
    """Return the whole numbers that ``text`` states; digits of a name are none.

    >>> sorted(numbers_in("HSV-1 is in 1,294 of 2,000 runs (64.7%)"))
    [1294, 2000]
    """
    written = _NUMBER.findall(text)
    plain = [number.replace(",", "") for number in written]
    return frozenset(map(int, plain))


def _is_empty(gold: Gold) -> bool:
    """Return whether no searched run is of what is asked, so that saying so and no more is
    right.
    """
    if gold.whole:
        return False
    return gold.truth == "unknown"


def _proposed(seen: Observation) -> Verdict:
    asked_back = "id you mean" in seen.text
    proposed = seen.reading.proposals or asked_back
    return _unless(proposed, "a slip of the pen is not noticed")


def _denies(seen: Observation) -> bool:
    headline = seen.headline
    if headline.startswith("Yes"):
        return False
    return bool(_NOTHING.search(headline))


def _judge_found(question: GoldQuestion, gold: Gold, seen: Observation) -> Verdict:
    headline = _without_names(seen)
    kind = question.kinds[0]
    fault = _wrong_truth(gold, seen) if kind == "exists" else None
    if fault:
        return Verdict(fault)
    if not gold.runs:
        says_none = _denies(seen) or 0 in numbers_in(headline)
        return _unless(says_none, "says it is found")
    wanted = {gold.runs, gold.whole} if kind == "share" else {gold.runs}
    return _with_numbers(wanted, headline)


def _wrong_truth(gold: Gold, seen: Observation) -> str | None:
    """Return what is wrong with the yes or no of a headline."""
    first = re.split("[:,]", seen.headline)[0]
    said = first.strip().lower()
    if gold.truth == "yes":
        return None if said.startswith("yes") else "does not say yes"
    if said.startswith("yes"):
        return "says yes"
    if gold.truth == "unknown":
        says_unknown = _UNKNOWN.search(seen.headline)
        return None if says_unknown else "does not say that it is unknown"
    return None if said.startswith("no") else "does not say no"


def _judge_runs(_: GoldQuestion, gold: Gold, seen: Observation) -> Verdict:
    """Return right where the number is stated, or denied where it is none."""
    if not gold.runs and _denies(seen):
        return RIGHT
    headline = _without_names(seen)
    return _with_numbers({gold.runs}, headline)


def _judge_values(question: GoldQuestion, gold: Gold, seen: Observation) -> Verdict:
    """Return right where the first values of one of the facets asked for are listed with their
    runs.
    """
    filled = [values for values in gold.values.values() if values]
    if not filled:
        return _unless(_NOTHING.search(seen.headline), "lists what there is not")
    limit = question.asked.limit
    text = limited(seen, limit)
    faults = [wrong_values(values, text, limit) for values in filled]
    if None in faults:
        return RIGHT
    return Verdict(faults[0])


def _judge_fewest(question: GoldQuestion, gold: Gold, seen: Observation) -> Verdict:
    """Return right where a value with the fewest runs is listed, and none with more."""
    for values in gold.values.values():
        shown = min(question.asked.limit or USUAL, len(values))
        most = values[shown - 1][1]
        listed = [runs for value, runs in values if is_listed(value, runs, seen.headline)]
        if len(listed) >= shown and max(listed) <= most:
            return RIGHT
    return Verdict("a value with fewest runs is missing")


def _judge_shares(question: GoldQuestion, gold: Gold, seen: Observation) -> Verdict:
    """Return right where the values with the largest shares are named with both their numbers."""
    shown = question.asked.limit or USUAL
    numbers = numbers_in(seen.headline)
    least = gold.shares[min(shown, len(gold.shares)) - 1]
    best = [one for one in gold.shares if one[1] * least[2] >= least[1] * one[2]]
    named = [
        value
        for value, runs, whole in best
        if value in seen.headline and numbers.issuperset((runs, whole))
    ]
    return RIGHT if len(named) >= shown else Verdict("the largest share is missing")


def _judge_common(_: GoldQuestion, gold: Gold, seen: Observation) -> Verdict:
    """Return right where what both have is named, and nothing that only one of them has."""
    text = seen.headline
    if not any(gold.values.values()):
        return RIGHT if _NOTHING.search(text) else Verdict("names what the two do not share")
    enough = any(names_enough(values, text) for values in gold.values.values() if values)
    if not enough:
        return Verdict("what the two share is missing")
    foreign = [name for name in gold.others if re.search(rf"\b{re.escape(name)}(?![\w-])", text)]
    return Verdict("names what only one of them has") if foreign else RIGHT


def _judge_unexpected(_: GoldQuestion, gold: Gold, seen: Observation) -> Verdict:
    """Return right where an unexpected virus is named as such, or that there is none is said."""
    if not gold.names:
        return RIGHT if _NOTHING.search(seen.opening) else Verdict("does not say there is none")
    named = any(name in seen.opening for name in gold.names)
    return RIGHT if named and "xpected" in seen.opening else Verdict("no unexpected virus is named")


def _judge_sides(_: GoldQuestion, gold: Gold, seen: Observation) -> Verdict:
    """Return right where the runs of both sides are stated, of the family that differs most where
    no virus is named.
    """
    contrast = gold.contrast
    if contrast is None:
        return Verdict("nothing is compared")
    text = seen.opening
    both = {contrast.left_whole, contrast.right_whole}
    if _is_too_small(contrast):
        numbers = numbers_in(text)
        says_so = _UNKNOWN.search(text) and min(both) in numbers
        in_none = _NOTHING.search(text) and numbers.issuperset(both)
        return _unless(says_so or in_none, "does not say that a side is too small")
    if contrast.name and contrast.name not in text:
        return Verdict("the virus that differs most is missing")
    wanted = {contrast.left, contrast.right, *both}
    return _with_numbers(wanted, text, fault="the two sides are not counted")


def _is_too_small(contrast: Contrast) -> bool:
    """Return whether nothing could be tested, since a side has too few runs."""
    tested = contrast.holds is not None or contrast.name is not None
    carrying = contrast.left + contrast.right
    return not tested and not carrying


def _judge_holds(_: GoldQuestion, gold: Gold, seen: Observation) -> Verdict:
    """Return right where the runs of an accession and the virus of most of them are stated."""
    if not gold.runs:
        return _unless(_NOTHING.search(seen.headline), "does not say it is unknown")
    if gold.runs > 1 and gold.runs not in numbers_in(seen.headline):
        return Verdict("the runs of the accession are not counted")
    first = list(gold.names)
    if not first:
        first = [values[0][0] for values in gold.values.values() if values]
    if not first:
        return _unless(_NOTHING.search(seen.opening), "does not say that it holds none")
    named = any(name in seen.opening for name in first)
    return _unless(named, "the virus that it holds is missing")


def _judge_effects(_: GoldQuestion, gold: Gold, seen: Observation) -> Verdict:
    """Return right where an association that holds is named, or that there is none is said."""
    if not gold.names:
        says_none = gold.whole or _NOTHING.search(seen.headline)
        return _unless(says_none, "does not say that none holds")
    named = any(name in seen.headline for name in gold.names)
    return _unless(named, "no association that holds is named")


_JUDGED: Final[Mapping[Asks, Callable[[GoldQuestion, Gold, Observation], Verdict]]] = {
    "found": _judge_found,
    "runs": _judge_runs,
    "distinct": _judge_runs,
    "values": _judge_values,
    "fewest": _judge_fewest,
    "shares": _judge_shares,
    "common": _judge_common,
    "unexpected": _judge_unexpected,
    "sides": _judge_sides,
    "holds": _judge_holds,
    "effects": _judge_effects,
}


def _with_numbers(
    wanted: Iterable[int], text: str, *, fault: str = "a number is missing or wrong"
) -> Verdict:
    stated = numbers_in(text)
    complete = stated.issuperset(wanted)
    return _unless(complete, fault)


def _without_names(seen: Observation) -> str:
    """Return the headline without the names that the reading found, whose digits count nothing."""
    text = seen.headline
    reading = seen.reading
    for one in (*reading.subjects, *reading.without, *reading.absent):
        for name in (one.name, one.label):
            text = text.replace(name, "")
    return text
