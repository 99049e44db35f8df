"""Numbers of a sentence: each must equal a quantity of what the sentence names or cites."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Final, NamedTuple

from index.checking.evidence import Evidence
from index.checking.faults import Fault
from index.checking.numbers import matches, read_numbers
from index.checking.quantities import (
    Quantity,
    association_quantities,
    company_quantities,
    fact_parts,
    fact_quantities,
)
from index.reports.profiles import AssociationRow, FactRow, Profile


def sayable_quantities(
    facts: list[FactRow], associations: Iterable[AssociationRow], evidence: Evidence
) -> frozenset[Quantity]:
    """Return what may be counted in a sentence that names these facts and associations."""
    quantities = set(evidence.general)
    if not facts:
        quantities |= evidence.stated
    for fact in facts:
        quantities.update(fact_quantities(fact, runs=evidence.profile.runs))
    for row in associations:
        quantities.update(association_quantities(row))
    return frozenset(quantities)


def quoted_runs(sentence: str, profile: Profile) -> frozenset[Quantity]:
    """Return the runs of the studies that ``sentence`` names and the profile quotes."""
    quoted = [quote for quote in profile.quotes if quote.study in sentence]
    return frozenset(Quantity(quote.runs, "count") for quote in quoted)


class _Pairs(NamedTuple):
    """What may be said of values together: quantities, and which "a of b runs"."""

    quantities: frozenset[Quantity]
    parts: frozenset[tuple[int, int]]


def named_pairs(facts: list[FactRow], profile: Profile) -> _Pairs:
    """Return what may be said of the pairs that ``facts`` name: viruses in company, hosts with a
    caveat, a value here and in the rest of the parent.
    """
    values = {fact.value for fact in facts}
    company = [pair for pair in profile.company if {pair.first, pair.second} <= values]
    hosts = [pair for pair in profile.pairings if {pair.virus, pair.host} <= values]
    of_company = (one for pair in company for one in company_quantities(pair))
    of_hosts = (Quantity(pair.runs, "count") for pair in hosts)
    parts = [(pair.together, pair.known) for pair in company]
    parts += [(fact.rest_runs, fact.rest_known) for fact in facts if fact.rest_known]

    return _Pairs(frozenset([*of_company, *of_hosts]), frozenset(parts))


def wrong_numbers(masked: str, quantities: frozenset[Quantity]) -> Iterator[Fault]:
    """Yield each number of ``masked`` that equals none of ``quantities``."""
    for text, written in read_numbers(masked):
        known = any(matches(written, quantity) for quantity in quantities)
        if not known:
            yield Fault(
                "number",
                text.strip(),
                "equals no fact about what the sentence names",
            )


_PART: Final = re.compile(
    r"(?<![\w.,])(\d[\d,]*) (?:out )?of (?:the |its |all )?(\d[\d,]*)(?!\w|%|\.\d)"
    r"(?:[^.;,(]*\((?P<percent>[\d.]+)%)?"
)
_ALL: Final = re.compile(
    r"\ball (?:the |its |of the )?(\d[\d,]*) (?:runs|libraries)\b", re.IGNORECASE
)
_BELONGING: Final = re.compile(
    r"\b([\d,]*\d) (?:runs|libraries) (?:are|were|come|came)(?: all)?"
    r" (?:of|from|in)(?: the)? §",
    re.IGNORECASE,
)
"""Runs that are said to have the value named next: ``These 152 runs are of §``."""
_QUALIFIED: Final = re.compile(r"\b(?:with|that|which|whose|stat(?:e|es|ed|ing)|named|known)\b")
NARROW: Final = 0.8
"""A share of fewer runs than this share of the community is misread as a share of them all.

It is not where the sentence says which runs they are.
"""
_TALLY: Final = re.compile(r"\s*\((\d[\d,]*) (?:runs?|libraries)\b")


def wrong_parts(
    masked: str,
    facts: list[FactRow],
    evidence: Evidence,
    of_pairs: frozenset[tuple[int, int]],
) -> Iterator[Fault]:
    """Yield each "a of b (c%)" and "all a runs" that no fact and no pair of values says.

    Each number may be true of something else. ``of_pairs`` are what pairs of values say, and what
    is said of runs outside of the community.
    """
    parts = _sayable_parts(facts, evidence) | of_pairs
    clear = evidence.theme_parts | of_pairs

    for match in _PART.finditer(masked):
        part = _Part(_integer(match[1]), _integer(match[2]))
        percent = match["percent"]
        if part not in parts:
            reason = "no fact the sentence names is that part of that whole"
            yield Fault("number", match.group(), reason)
        elif part not in clear and _is_vague(part.whole, masked, evidence):
            yield Fault("number", match.group(), _which_runs(part.whole, evidence))
        elif percent and not _is_percent_of(percent, part):
            reason = f"{part.number} of {part.whole} is another share"
            yield Fault("number", f"{percent}%", reason)
    for match in _ALL.finditer(masked):
        number = _integer(match[1])
        is_community = not facts and number == evidence.profile.runs
        if (number, number) not in parts and not is_community:
            yield Fault("number", match.group(), "not all of that many runs have it")
        elif _is_vague(number, masked, evidence):
            yield Fault("number", match.group(), _which_runs(number, evidence))
    having = {fact.runs for fact in facts}
    for match in _BELONGING.finditer(masked):
        if having and _integer(match[1]) not in having:
            yield Fault("number", match.group(), "another number of runs has it")


class _Part(NamedTuple):
    """How many of how many."""

    number: int
    whole: int


def _sayable_parts(facts: list[FactRow], evidence: Evidence) -> frozenset[tuple[int, int]]:
    """Return which "a of b" may be said in a sentence that names these facts."""
    if not facts:
        return evidence.theme_parts | evidence.stated_parts
    parts = set(evidence.theme_parts)
    for fact in facts:
        parts.update(fact_parts(fact, runs=evidence.profile.runs))
    return frozenset(parts)


def _is_vague(whole: int, masked: str, evidence: Evidence) -> bool:
    """Return whether a share of ``whole`` runs would be misread as a share of the community."""
    enough = NARROW * evidence.profile.runs
    if whole >= enough:
        return False
    said_which = _QUALIFIED.search(masked)
    return said_which is None


def _which_runs(whole: int, evidence: Evidence) -> str:
    runs = evidence.profile.runs
    return f"does not say which {whole:,} runs of {runs:,} these are"


def _is_percent_of(percent: str, part: _Part) -> bool:
    """Return whether ``percent``, as written, is the share that ``part`` is."""
    share = 100 * part.number / part.whole
    distance = abs(float(percent) - share)
    return distance <= _half_unit(percent)


def wrong_tallies(words: str, evidence: Evidence) -> Iterator[Fault]:
    """Yield each "name (n runs)" whose number belongs to another name."""
    for match in evidence.name_pattern.finditer(words):
        name = match.group()
        tally = _TALLY.match(words, match.end())
        allowed = evidence.tallies.get(name.lower())
        if not tally or not allowed:
            continue
        if _integer(tally[1]) not in allowed:
            shown = name + tally.group()
            yield Fault("number", shown, "not the runs of that name")


def _integer(digits: str) -> int:
    plain = digits.replace(",", "")
    return int(plain)


def _half_unit(digits: str) -> float:
    """Return half a unit of the last digit; 99.9 may also be written for almost all."""
    decimals = len(digits.partition(".")[2])
    half = 0.5 * 10.0**-decimals
    room = 0.1 if digits == "99.9" else 0.0
    return float(half) * 1.000001 + room
