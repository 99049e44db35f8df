"""Find each number of a sentence in the statements that a model was shown.

A number is found if a statement has it with the same unit and whole, for the same names, and within
the same project or community. It may also be the sum, the remainder or a share of such numbers.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from index.checking.evidence import ShownEvidence, Statement
from index.checking.quantities import UNITS, Quantity, ReadText, names_between

DENIAL: Final = re.compile(r"\b(?:no|not|never|without|lacks?|outside|cannot|neither)\b", re.I)
_QUALIFIED: Final = re.compile(r"with an? (?:stated|named|virus)|stated for")
_SIGNIFICANT_Q: Final = 0.05
_PROJECT: Final = re.compile(r"[a-z]+\d{5,}")
_BOUNDS: Final = ("more than", "over", "up to", "at least", "fewer than", "less than", "under")


@dataclass(frozen=True, slots=True)
class Found:
    """A number of a sentence, with the number of a statement that it repeats.

    ``number`` is None if it is computed from several; ``is_rest``: a whole without a part.
    """

    said: Quantity
    statement: Statement
    number: Quantity | None = None
    is_rest: bool = False

    @property
    def text(self) -> str:
        """The statement of the index that contains the number."""
        return "" if self.number is None else self.statement.read.statement(self.number)

    @property
    def unlikely(self) -> bool:
        """Whether chance may explain what the statement says."""
        numbers = self.statement.read.quantities
        place = -1 if self.number is None else self.number.statement
        own = [it for it in numbers if it.statement == place and it.kind in ("q", "p")]
        return any(it.value > _SIGNIFICANT_Q for it in own)


def find_number(said: Quantity, read: ReadText, evidence: ShownEvidence) -> Found | str:
    """Return the number in a statement that ``said`` repeats, or why there is none."""
    if said.kind == "share":
        return _find_share(said, read, evidence)
    if said.kind == "ratio":
        return _find_ratio(said, read, evidence)
    fault = _unit_fault(said, read)
    if fault:
        return fault
    reason = ""
    for statement in evidence.statements:
        for number in statement.read.quantities:
            if not _is_value(said, number):
                continue
            fault = _difference(said, number, statement, read, evidence)
            if not fault:
                return Found(said, statement, number)
            reason = reason or fault
    computed = _computed(said, read, evidence)
    return computed or reason or f"no statement holds its number ({_shown(said, read)})"


def _shown(said: Quantity, read: ReadText) -> str:
    return read.marked[said.start : said.end].strip()


def _unit_fault(said: Quantity, read: ReadText) -> str:
    """Return why the counted unit is not one that the index counts."""
    if not said.noun or said.kind not in ("count", "whole", "percent"):
        return ""
    if said.noun.startswith("⟨"):
        named = re.compile(r"\W*(?:of )?(?:[a-z]+ )?(?:⟨\d+⟩ ?)+(?:\w+ )?(?:runs?|cells)\b")
        after = read.marked[said.end :]
        return "" if named.match(after) else "it counts what no statement counts"
    if said.noun in UNITS or said.noun in ("k", "cells", "engorged", "others"):
        return ""
    return f"it counts what no statement counts ({said.noun})"


def _is_value(said: Quantity, number: Quantity) -> bool:
    """Return whether two numbers are equal; a percentage may be that of a part of its whole."""
    if said.kind == "percent" and number.kind == "count" and number.whole:
        return abs(100 * number.value / number.whole - said.value) <= 0.5
    counts = ("count", "whole")
    same_kind = said.kind == number.kind or (said.kind in counts and number.kind in counts)
    return same_kind and said.value == number.value


def _difference(
    said: Quantity, number: Quantity, statement: Statement, read: ReadText, evidence: ShownEvidence
) -> str:
    """Return how the descriptions of two numbers differ; "" if they do not."""
    if said.bound in _BOUNDS and said.bound != number.bound:
        return f"no statement says {said.bound} {_shown(said, read)}"
    if said.kind in ("q", "p") and said.bound != number.bound:
        return f"no statement has that sign before {_shown(said, read)}"
    if said.kind == "whole" or _counts_projects(said, read):
        return ""
    is_size = number.value == evidence.size and not number.own
    if is_size and said.whole is None and read.marked[: said.start].endswith("the "):
        return ""
    checks = (_names_differ, _unit_differs, _scope_differs, _whole_differs)
    faults = (check(said, number, statement, read) for check in checks)
    fault = next((fault for fault in faults if fault), "")
    if fault == _OF_WHOLE and _is_known_whole(said, number, evidence):
        return ""
    return f"{fault} ({_shown(said, read)})" if fault else ""


def _counts_projects(said: Quantity, read: ReadText) -> bool:
    """Return whether a sentence counts the projects that it names."""
    named = sum(any(_PROJECT.fullmatch(key) for key in keys) for keys in read.keys)
    return UNITS.get(said.noun) in ("project", "test") and said.value == named


def _names_differ(said: Quantity, number: Quantity, statement: Statement, read: ReadText) -> str:
    known = statement.names | statement.header
    own = [keys for keys in read.keys if keys & said.own and keys <= said.own]
    if not all(keys & known for keys in own):
        return "the number belongs to another name"
    if said.own and number.own and not said.own & number.own:
        return "the number belongs to another name"
    others = [it for it in statement.read.quantities if it.is_item and it.value != number.value]
    is_shared = any(it.own & said.own and not it.own & number.own for it in others)
    in_brackets = "(" in read.marked[max(0, said.start - 40) : said.start]
    if number.is_item and is_shared and not in_brackets:
        return "the number belongs to one of the names only"
    return ""


def _unit_differs(said: Quantity, number: Quantity, *_: object) -> str:
    unit, other = UNITS.get(said.noun), UNITS.get(number.noun)
    return "the statement counts another unit" if unit and other and unit != other else ""


def _scope_differs(said: Quantity, number: Quantity, statement: Statement, read: ReadText) -> str:
    """Return what is missing: the project of a test, or the word for a community's share."""
    text = statement.read.statement(number)
    matches = re.search(r"\bmatch", text) and not number.is_item
    if matches and any(re.search(r"vir(?:us|idae)$", key) for key in said.own):
        clause = read.marked[max(0, said.start - 30) : said.end + 30]
        return "" if re.search(r"\bmatch", clause) else "the statement only says that runs match"
    if said.kind not in ("times", "q"):
        return ""
    projects = [keys for keys in statement.read.keys if any(map(_PROJECT.fullmatch, keys))]
    within = [keys for keys in projects if keys & number.own]
    both = re.search(r"\bboth (?:bioprojects|projects|tests)\b", read.marked, re.I)
    if within and not both and not any(keys & read.names for keys in within):
        return "the test is of one project"
    if statement.header and not re.search(r"\b(?:communit\w+|there|here)\b", read.marked):
        return "the share is of one community"
    return ""


_OF_WHOLE: Final = "the number is of another whole"


def _whole_differs(said: Quantity, number: Quantity, statement: Statement, read: ReadText) -> str:
    behind = read.marked[said.start : said.end + 60]
    is_qualified = _QUALIFIED.search(behind) is not None
    line = statement.read.marked
    if said.kind == "percent" or said.whole is not None:
        if is_qualified and not _QUALIFIED.search(line):
            return _OF_WHOLE
        if read.marked[said.end :].startswith(" of all") and _QUALIFIED.search(line):
            return _OF_WHOLE
    if said.whole is None:
        return ""
    wholes = {number.whole}
    if number.whole is None or number.is_item:
        wholes |= {statement.matched} | set(statement.stated_wholes())
    if is_qualified and said.whole == statement.matched != number.whole:
        return _OF_WHOLE
    return "" if said.whole in wholes else _OF_WHOLE


def _is_known_whole(said: Quantity, number: Quantity, evidence: ShownEvidence) -> bool:
    """Return whether a sentence says how many of all runs state a field."""
    states = number.kind == "whole" or number.whole == number.value
    return states and said.whole == evidence.size != said.value


# --- computed numbers -----------------------------------------------------------------------------


def _computed(said: Quantity, read: ReadText, evidence: ShownEvidence) -> Found | None:
    """Return the numbers that ``said`` is the sum or the remainder of."""
    others = [it.value for it in read.quantities if it is not said and it.kind == "count"]
    if len(others) > 1 and sum(others) == said.value == evidence.size:
        return Found(said, evidence.statements[0])
    denied = DENIAL.search(read.marked) is not None
    for statement in evidence.statements:
        for number in statement.read.quantities:
            if number.kind != "count" or not number.whole or not denied:
                continue
            is_rest = 0 < said.value == number.whole - number.value
            named = not said.own or said.own & (number.own | statement.names)
            if is_rest and named and said.whole in (None, number.whole):
                return Found(said, statement, number, is_rest=True)
    return None


def _find_share(said: Quantity, read: ReadText, evidence: ShownEvidence) -> Found | str:
    """Return the part whose share of its whole is said in words, such as "just over half"."""
    counts = [it for it in read.quantities if it.kind in ("count", "whole")]
    mentioned = {it.value for it in counts}
    is_rest = _HAVE_NONE.match(read.marked[said.end :]) is not None
    for statement in () if is_rest else evidence.statements:
        for number in statement.read.quantities:
            known = not said.own or said.own & (number.own | statement.names | statement.header)
            if number.kind not in ("count", "whole") or not known:
                continue
            if (
                counts
                and number.value not in mentioned
                and said.whole not in _wholes(number, statement, evidence)
            ):
                continue
            for whole in _wholes(number, statement, evidence):
                if said.whole in (None, whole) and _fits(number.value / whole, said):
                    return Found(said, statement, number)
    for part in counts:
        for other in counts:
            if part is other or not other.value or said.whole not in (None, other.value):
                continue
            share = part.value / other.value
            if _fits(1 - share if is_rest else share, said):
                return Found(said, evidence.statements[0], is_rest=is_rest)
    return f"no statement gives that share ({_shown(said, read)})"


def _wholes(number: Quantity, statement: Statement, evidence: ShownEvidence) -> set[float]:
    if number.whole:
        wholes: set[float | None] = {number.whole}
    else:
        wholes = {statement.matched} | set(statement.stated_wholes())
    wholes.add(evidence.size)
    return {whole for whole in wholes if whole}


def _fits(share: float, said: Quantity) -> bool:
    """Return whether a share matches its description: half, just over half, nearly a third."""
    if said.bound == "just over":
        return said.value < share < said.value + 0.12
    if said.bound in ("more than", "over"):
        return said.value < share < 1
    if said.bound in ("fewer than", "less than", "under"):
        return share < said.value
    if said.bound in ("just under", "nearly", "almost"):
        return said.value - 0.08 < share < said.value
    return abs(share - said.value) < 0.035


_HAVE_NONE: Final = re.compile(r" (?:of (?:them|these) )?(?:have|carry|state|has) (?:none|no\b)")
"""Words after the share of a remainder: "so about a third have none"."""


def _find_ratio(said: Quantity, read: ReadText, evidence: ShownEvidence) -> Found | str:
    """Return the statement of two counts, one of which is twice the other.

    The counts are numbers in the sentence, or belong to the two names that it compares.
    """
    before = names_between(read.marked, read.keys, 0, said.start)
    behind = names_between(read.marked, read.keys, said.end, len(read.marked))
    mentioned = {it.value for it in read.quantities if it is not said}
    for statement in evidence.statements:
        counts = [it.value for it in statement.read.quantities if it.kind == "count" and it.value]
        for larger in counts:
            for smaller in counts:
                if mentioned & {larger, smaller} and 1.9 < larger / smaller < 2.6:
                    return Found(said, statement)
        items = [it for it in statement.read.quantities if it.is_item and it.value]
        for one in items if before and behind and not mentioned else ():
            for other in items:
                ratio = one.value / other.value
                twice = ratio > 2 if said.bound in ("more than", "over") else 1.9 < ratio < 2.1
                if twice and one.own & before[-1] and other.own & behind[0]:
                    return Found(said, statement, one)
    return "no statement holds two such numbers (twice)"
