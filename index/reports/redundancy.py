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
from index.reports.naming.title_values import NEARLY_ALL
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
        known = list(stated)
        known += [fact for fact in named if fact.share >= NEARLY_ALL]
        shares = [fact.facet_value for fact in known]
        names = [fact.facet_value for fact in named]
        return cls(tuple(shares), tuple(names))

    def facts(self, profile: Profile) -> list[FactRow]:
        """Return the facts of ``profile`` that were said or named."""
        values = {*self.stated, *self.named}
        found: list[FactRow] = []
        for facts in profile.facts.values():
            found += [fact for fact in facts if fact.facet_value in values]
        return found

    def implies(self, fact: FactRow, profile: Profile) -> bool:
        """Return whether a fact follows from what was said."""
        own = fact.facet_value
        others = [value for value in self.named if value != own]
        said = [*self.stated, *others]
        return implied_by(fact, said, profile)

    def with_values(self, values: Iterable[Value]) -> Said:
        """Return what has been said once the shares of ``values`` are stated."""
        known = (*self.stated, *values)
        return self._replace(stated=known)


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
    claims = _claims(finding)

    repeated: list[Repeated] = []
    for profile in profiles:
        name = profile.community
        title = titles.get(name, "")
        repeated += _repeated(profile, title, claims.get(name, ()))
    return repeated


def _claims(finding: pl.DataFrame) -> dict[str, list[tuple[int, str]]]:
    """Return ordinal and summary of the findings of each community, in their order."""
    ordered = finding.sort("community", "ordinal")
    rows = ordered.select("community", "ordinal", "summary")

    claims: dict[str, list[tuple[int, str]]] = {}
    for community, ordinal, summary in rows.iter_rows():
        of_community = claims.setdefault(community, [])
        of_community.append((ordinal, summary))
    return claims


def redundancy(report: pl.DataFrame, finding: pl.DataFrame, profiles: Iterable[Profile]) -> float:
    """Return the share of findings that add nothing; 0 where there are none."""
    repeated = redundant_findings(report, finding, profiles)
    findings = max(1, len(finding))
    return len(repeated) / findings


def implied_by(fact: FactRow, said: Sequence[Value], profile: Profile) -> bool:
    """Return whether one of the values ``said`` of the community implies the fact."""
    if fact.facet_value in said:
        return True
    return any(_implies(value, fact, profile) for value in said)


def _implies(said: Value, fact: FactRow, profile: Profile) -> bool:
    facet, _ = said
    runs = 0

    for stated in profile.of(facet):
        if stated.facet_value == said:
            runs = stated.runs
    both = profile.together(said, fact.facet_value)
    either = runs + fact.runs - both
    if runs > 0 and both >= NEARLY_ALL * either:
        return True
    of_family = (facet, fact.facet) == ("species", "family")
    in_family = both >= NEARLY_ALL * runs
    return of_family and in_family and both >= MOST_OF_FAMILY * fact.runs


def _repeated(
    profile: Profile, title: str, claims: Iterable[tuple[int, str]]
) -> Iterator[Repeated]:
    facts: dict[Value, FactRow] = {}
    for stated in profile.facts.values():
        facts |= {fact.facet_value: fact for fact in stated}
    titled = Said.of((), titled_facts(profile, title))
    before = NOTHING_SAID

    for ordinal, claim in claims:
        if QUOTED in claim:
            continue
        values = [(one.key, one.value) for one in cited([claim])]
        if len(values) != 1:
            continue
        fact = facts.get(values[0])
        by = None if fact is None else _said_by(fact, titled, before, profile)
        if by is not None:
            yield Repeated(profile.community, ordinal, by)
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
