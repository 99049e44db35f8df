"""Redundancy: whether a finding says what the title, an earlier finding or the parent says already.

A fact is implied by another where the same runs carry both (95 % of the runs that carry either),
and a family by a species of it that holds most of its runs (80 %). A fact is repeated where its
share is the share of the parent, or without a parent that of the index, within its 95 % interval.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Final, NamedTuple

import polars as pl

from index.reports.citations import cited
from index.reports.contrast import is_expected
from index.reports.naming.named_values import titled_facts
from index.reports.naming.titles import NEARLY_ALL
from index.reports.profiles import FactRow, Profile, Value

QUOTED: Final = "“"
"""In a claim that quotes authors: words, no share."""


MOST_OF_FAMILY: Final = 0.8
"""Share of the runs of a family that a species of it holds, from which the species says both."""


class Said(NamedTuple):
    """What a report has said so far."""

    stated: tuple[Value, ...] = ()
    """Values whose share the reader knows."""
    named: tuple[Value, ...] = ()
    """Values that are only named."""

    @classmethod
    def of(cls, stated: Iterable[FactRow], titled: Iterable[FactRow]) -> Said:
        """Return what facts and a title say: a title states what nearly all runs have."""
        named = list(titled)
        known = [*stated, *(fact for fact in named if fact.share >= NEARLY_ALL)]
        return cls(
            tuple((fact.facet, fact.value) for fact in known),
            tuple((fact.facet, fact.value) for fact in named),
        )

    def facts(self, profile: Profile) -> list[FactRow]:
        """Return the facts of ``profile`` that were said or named."""
        values = {*self.stated, *self.named}
        return [
            fact
            for facts in profile.facts.values()
            for fact in facts
            if (fact.facet, fact.value) in values
        ]

    def implies(self, fact: FactRow, profile: Profile) -> bool:
        """Return whether a fact follows from what was said."""
        value = (fact.facet, fact.value)
        others = [one for one in self.named if one != value]
        return implied_by(fact, [*self.stated, *others], profile)

    def with_values(self, values: Iterable[Value]) -> Said:
        """Return what has been said once the shares of ``values`` are stated."""
        return self._replace(stated=(*self.stated, *values))


NOTHING_SAID: Final = Said()


class Repeated(NamedTuple):
    """A finding that adds nothing, and what says it already: title, finding, parent or index."""

    community: str
    ordinal: int
    said_by: str


def redundant_findings(
    report: pl.DataFrame, finding: pl.DataFrame, profiles: Iterable[Profile]
) -> list[Repeated]:
    """Return the findings that add nothing. Only claims that one value makes are judged: what a
    division, a pair, a test, a quotation or a silence says follows from no single fact.
    """
    titles = dict(report.select("community", "title").iter_rows())
    claims: dict[str, list[tuple[int, str]]] = {}
    ordered = finding.sort("community", "ordinal").select("community", "ordinal", "summary")
    for community, ordinal, summary in ordered.iter_rows():
        claims.setdefault(community, []).append((ordinal, summary))
    return [
        repeated
        for profile in profiles
        for repeated in _repeated(
            profile, titles.get(profile.community, ""), claims.get(profile.community, ())
        )
    ]


def redundancy(report: pl.DataFrame, finding: pl.DataFrame, profiles: Iterable[Profile]) -> float:
    """Return the share of findings that add nothing; 0 where there are none."""
    return len(redundant_findings(report, finding, profiles)) / max(1, len(finding))


def implied_by(fact: FactRow, said: Sequence[Value], profile: Profile) -> bool:
    """Return whether one of the values ``said`` of the community implies the fact."""
    value = (fact.facet, fact.value)
    return any(_implies(one, fact, profile) for one in said) or value in said


def _implies(said: Value, fact: FactRow, profile: Profile) -> bool:
    runs = {(one.facet, one.value): one.runs for one in profile.of(said[0])}.get(said, 0)
    both = profile.together(said, (fact.facet, fact.value))
    same_runs = runs > 0 and both >= NEARLY_ALL * (runs + fact.runs - both)
    kinds = (said[0], fact.facet)
    is_family = kinds == ("species", "family") and both >= NEARLY_ALL * runs
    return same_runs or (is_family and both >= MOST_OF_FAMILY * fact.runs)


def _repeated(
    profile: Profile, title: str, claims: Iterable[tuple[int, str]]
) -> Iterator[Repeated]:
    facts = {(one.facet, one.value): one for values in profile.facts.values() for one in values}
    titled = Said.of((), titled_facts(profile, title))
    before = NOTHING_SAID
    for ordinal, claim in claims:
        if QUOTED in claim:
            continue
        values = [(one.key, one.value) for one in cited([claim])]
        fact = facts.get(values[0]) if len(values) == 1 else None
        if fact is not None:
            by = _said_by(fact, titled, before, profile)
            if by is not None:
                yield Repeated(profile.community, ordinal, by)
        if len(values) == 1:
            before = before.with_values(values)


def _said_by(fact: FactRow, titled: Said, before: Said, profile: Profile) -> str | None:
    """Return what says the fact already, None where it adds something."""
    if titled.implies(fact, profile):
        return "title"
    if before.implies(fact, profile):
        return "finding"
    if is_expected(fact):
        return "parent" if fact.parent_known else "index"
    return None
