"""Headline of groups of which it is asked how often their runs state something: a sex, a country, a
named virus.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from index.reports.phrases import listed, percent, q_text
from query.global_search.carrying import runs_carrying
from query.global_search.headlines.compared.differences import (
    Difference,
    Side,
    more_than,
    shares_tested,
)
from query.global_search.headlines.compared.groups import counted_in_none, in_common, sides_of
from query.global_search.matched_runs import MatchedRuns
from query.reading.mentions import Mention
from query.reading.question import Question

_STATED: Final = "stated"


def compares_stated(question: Question) -> bool:
    """Return whether groups of runs are compared by what they state, and not by their viruses."""
    groups = {one.group for one in question.mentions}
    sides = question.reading.sides
    return _STATED in groups and "virus" not in groups and sides[0].group != _STATED


def compare_stated(question: Question, matched: MatchedRuns) -> str:
    """Return how many runs of each group state what is asked about, and whether the difference
    holds.
    """
    stated = [one for one in question.mentions if one.group == _STATED]
    others = tuple(one for one in question.mentions if one.group != _STATED)
    sides, shared = sides_of(replace(question, mentions=others), matched)
    compared = " ".join(_of(question, one, sides) for one in stated)
    return f"{compared}{counted_in_none(shared, sides)}"


def _of(question: Question, stated: Mention, sides: list[Side]) -> str:
    """Return the comparison by one thing that runs state."""
    condition = runs_carrying(stated.senses)
    wholes = [_count(side, "") for side in sides]
    parts = [_count(side, f"SEMI JOIN ({condition}) USING (run)") for side in sides]
    found = shares_tested(stated.label, parts, wholes)
    shares = [part / whole if whole else 0.0 for part, whole in zip(parts, wholes, strict=True)]
    opening = more_than(question, *shares[:2], holds=found.holds)
    among = in_common(replace(question, mentions=_without(question, stated)))
    counts = [
        f"{part:,} of {whole:,} runs of {side.name} ({percent(share)})"
        for side, part, whole, share in zip(sides, parts, wholes, shares, strict=True)
    ]
    have = stated.label.removeprefix("with ")
    of_those = f", of {among} alone" if among else ""
    return f"{opening}{listed(counts)}{of_those} have {have}: the difference {_verdict(found)}."


def _without(question: Question, stated: Mention) -> tuple[Mention, ...]:
    return tuple(one for one in question.mentions if one.group != stated.group)


def _count(side: Side, filtered: str) -> int:
    ((runs,),) = side.runs.rows(f"SELECT count(*) FROM matched {filtered}")
    return int(runs)


def _verdict(found: Difference) -> str:
    if found.q_value is None:
        return "cannot be tested, as one side has too few runs"
    holds = "holds" if found.holds else "does not hold"
    return f"{holds} ({q_text(found.q_value)})"
