"""Whether a headline is right: exactly the numbers, the names and the yes or no of the gold.

A headline is judged by its words, as a reader would, so that any way of wording it can be right.
``fault`` says what is wrong in a few words; failures are counted by it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Final

from query.evaluation.gold import Gold, Ranked
from query.evaluation.observing import Observation
from query.evaluation.questions import Asks, GoldQuestion

_NUMBER: Final = re.compile(r"(?<![\w.,-])\d[\d,]*(?![\w-]|\.\d)")
_NOTHING: Final = re.compile(r"\b(?:no|none|not|nothing|never)\b", re.IGNORECASE)
_UNKNOWN: Final = re.compile(
    r"cannot be (?:said|tested)|unknown|not (?:stated|known)|\bno \w+ is stated|no run of the index"
    r"|none of (?:them|the runs)[\w ]* searched|too few",
    re.IGNORECASE,
)
_USUAL: Final = 3
"""Values that a list has to show where the question gives no number."""


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
        return RIGHT if seen.refused else Verdict("answered what the index cannot know")
    if asks == "propose":
        return _proposed(seen)
    if asks == "none":
        return (
            RIGHT if seen.refused or _denies(seen) else Verdict("does not say that there is none")
        )
    if seen.refused and _is_empty(gold):
        return RIGHT
    if seen.refused:
        return Verdict("refused wrongly")
    return _JUDGED[asks](question, gold, seen)


def numbers_in(text: str) -> frozenset[int]:
    """Return the whole numbers that ``text`` states; digits of a name are none.

    >>> sorted(numbers_in("HSV-1 is in 1,294 of 2,000 runs (64.7%)"))
    [1294, 2000]
    """
    written = _NUMBER.findall(text)
    plain = (number.replace(",", "") for number in written)
    return frozenset(int(number) for number in plain)


def _is_empty(gold: Gold) -> bool:
    """Return whether no searched run is of what is asked, so that saying so and no more is
    right.
    """
    return gold.truth == "unknown" and not gold.whole


def _proposed(seen: Observation) -> Verdict:
    if seen.reading.proposals or "id you mean" in seen.text:
        return RIGHT
    return Verdict("a slip of the pen is not noticed")


def _denies(seen: Observation) -> bool:
    headline = seen.headline
    says_yes = headline.startswith("Yes")
    return not says_yes and bool(_NOTHING.search(headline))


def _judge_found(question: GoldQuestion, gold: Gold, seen: Observation) -> Verdict:
    headline = _without_names(seen)
    if question.kinds[0] == "exists" and (fault := _wrong_truth(gold, seen)):
        return Verdict(fault)
    if not gold.runs:
        return RIGHT if _denies(seen) or 0 in numbers_in(headline) else Verdict("says it is found")
    wanted = {gold.runs, gold.whole} if question.kinds[0] == "share" else {gold.runs}
    return _with_numbers(wanted, headline)


def _wrong_truth(gold: Gold, seen: Observation) -> str | None:
    """Return what is wrong with the yes or no of a headline."""
    said = seen.headline.split(":")[0].split(",")[0].strip().lower()
    if gold.truth == "yes":
        return None if said.startswith("yes") else "does not say yes"
    if said.startswith("yes"):
        return "says yes"
    if gold.truth == "unknown":
        return None if _UNKNOWN.search(seen.headline) else "does not say that it is unknown"
    return None if said.startswith("no") else "does not say no"


def _judge_runs(_: GoldQuestion, gold: Gold, seen: Observation) -> Verdict:
    return _with_numbers({gold.runs}, _without_names(seen))


def _judge_values(question: GoldQuestion, gold: Gold, seen: Observation) -> Verdict:
    """Return right where the first values of one of the facets asked for are listed with their
    runs.
    """
    filled = {facet: values for facet, values in gold.values.items() if values}
    if not filled:
        return RIGHT if _NOTHING.search(seen.headline) else Verdict("lists what there is not")
    limit = question.asked.limit
    text = _limited(seen, limit)
    faults = [_wrong_values(values, text, limit) for values in filled.values()]
    wrong = [fault for fault in faults if fault]
    return RIGHT if len(wrong) < len(faults) else Verdict(wrong[0])


def _limited(seen: Observation, limit: int | None) -> str:
    """Return where values are looked for: the headline, where the question says how many."""
    return seen.headline if limit else seen.opening


def _wrong_values(values: Ranked, text: str, limit: int | None) -> str | None:
    """Return what is wrong with a list of values; those with as many runs may take each other's
    place.
    """
    shown = min(limit or _USUAL, len(values))
    least = values[shown - 1][1]
    above = [one for one in values if one[1] > least]
    tied = [one for one in values if one[1] == least]
    if not all(_is_listed(*one, text) for one in above):
        return "a value is missing, or its runs are wrong"
    found = sum(_is_listed(*one, text) for one in tied)
    if len(above) + found < shown:
        return "a value is missing, or its runs are wrong"
    beyond = [one for one in values if one[1] < least and _is_listed(*one, text)]
    too_many = limit and (beyond or len(above) + found > shown)
    return "lists more values than asked for" if too_many else None


def _is_listed(value: str, runs: int, text: str) -> bool:
    name = re.escape(value)
    listed = rf"{name}[^\w;.]{{1,3}}{runs:,}\b"
    return bool(re.search(listed, text))


def _judge_sides(_: GoldQuestion, gold: Gold, seen: Observation) -> Verdict:
    """Return right where the runs of both sides are stated, of the family that differs most where
    no virus is named.
    """
    contrast = gold.contrast
    if contrast is None:
        return Verdict("nothing is compared")
    text = seen.opening
    if contrast.holds is None and contrast.name is None and not contrast.left + contrast.right:
        wanted = {contrast.left_whole, contrast.right_whole}
        small = _UNKNOWN.search(text) and min(wanted) in numbers_in(text)
        return RIGHT if small else Verdict("does not say that a side is too small")
    if contrast.name and contrast.name not in text:
        return Verdict("the virus that differs most is missing")
    wanted = {contrast.left, contrast.left_whole, contrast.right, contrast.right_whole}
    return _with_numbers(wanted, text, fault="the two sides are not counted")


def _judge_holds(_: GoldQuestion, gold: Gold, seen: Observation) -> Verdict:
    """Return right where the runs of an accession and the virus of most of them are stated."""
    if not gold.runs:
        return RIGHT if _NOTHING.search(seen.headline) else Verdict("does not say it is unknown")
    if gold.runs > 1 and gold.runs not in numbers_in(seen.headline):
        return Verdict("the runs of the accession are not counted")
    first = gold.names or [values[0][0] for values in gold.values.values() if values]
    if not first:
        return (
            RIGHT if _NOTHING.search(seen.opening) else Verdict("does not say that it holds none")
        )
    named = any(name in seen.opening for name in first)
    return RIGHT if named else Verdict("the virus that it holds is missing")


def _judge_effects(_: GoldQuestion, gold: Gold, seen: Observation) -> Verdict:
    """Return right where an association that holds is named, or that there is none is said."""
    if not gold.names:
        return (
            RIGHT
            if gold.whole or _NOTHING.search(seen.headline)
            else Verdict("does not say that none holds")
        )
    named = any(name in seen.headline for name in gold.names)
    return RIGHT if named else Verdict("no association that holds is named")


_JUDGED: Final[Mapping[Asks, Callable[[GoldQuestion, Gold, Observation], Verdict]]] = {
    "found": _judge_found,
    "runs": _judge_runs,
    "distinct": _judge_runs,
    "values": _judge_values,
    "sides": _judge_sides,
    "holds": _judge_holds,
    "effects": _judge_effects,
}


def _with_numbers(
    wanted: Iterable[int], text: str, *, fault: str = "a number is missing or wrong"
) -> Verdict:
    stated = numbers_in(text)
    return RIGHT if stated.issuperset(wanted) else Verdict(fault)


def _without_names(seen: Observation) -> str:
    """Return the headline without the names that the reading found, whose digits count nothing."""
    text = seen.headline
    reading = seen.reading
    for one in (*reading.subjects, *reading.without, *reading.absent):
        text = text.replace(one.name, "").replace(one.label, "")
    return text
