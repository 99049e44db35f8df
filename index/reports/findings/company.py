"""Viruses in company: pairs that more runs carry than chance would give."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from index.reports.findings.sentences import (
    WORDINGS,
    Clause,
    Sentences,
    citable,
    finding,
    listed_name,
    own,
)
from index.reports.findings.studies import of_studies
from index.reports.phrases import factor, share_of
from index.reports.profiles import Company, Profile, Provenance
from index.stated import REPORTED

MOST: Final = 2
"""Pairs of a report."""


def telling_company(profile: Profile) -> list[Company]:
    """Return the pairs of viruses that a report names, those of most significance first."""
    apart = [pair for pair in profile.company if not _is_explained(pair, profile)]
    return _distinct_company(apart)[:MOST]


def company_finding(profile: Profile, pair: Company) -> Sentences:
    """Return the finding of two viruses that are found together more often than chance would have
    it, and that relatives may share reads.
    """
    both = [("species", pair.first), ("species", pair.second)]
    held = share_of(pair.together, pair.known, WORDINGS["species"].stating)
    first, second = listed_name(pair.first), listed_name(pair.second)
    within = f", counted within each {pair.within}," if pair.within else ""
    chance = f"by chance{within} about {factor(pair.expected)} would have both"
    studies = of_studies(profile, *both)
    text = f"{first} and {second} are found together in {held}{studies}; {chance}"
    family = profile.family_of.get(pair.first)
    clauses = []
    if family is not None and family == profile.family_of.get(pair.second):
        clauses.append(Clause(f"Both are of {family} and may share reads", own(profile)))
    return finding(Clause(text, citable(both)), clauses)


def _is_explained(pair: Company, profile: Profile) -> bool:
    """Return whether two viruses may be one, or were mixed in a laboratory: reads of a congener, or
    two of one family that are both named by their source alone, where k-mers of the one are taken
    for the other.
    """
    origins = [profile.origins.get(("species", name), Provenance()) for name in pair[:2]]
    if any(2 * origin.laboratory >= origin.runs > 0 for origin in origins):
        return True
    pairs = ((fact.value, fact.congener) for fact in profile.of("species") if fact.congener)
    if any(set(names) == {pair.first, pair.second} for names in pairs):
        return True
    reported = all(name.startswith(REPORTED) for name in (pair.first, pair.second))
    family = profile.family_of.get(pair.first)
    return reported and family is not None and family == profile.family_of.get(pair.second)


def _distinct_company(pairs: Iterable[Company]) -> list[Company]:
    """Return ``pairs`` of viruses, each virus in the first of its pairs only: what is like two
    viruses is found with both.
    """
    met: set[str] = set()
    distinct = []
    for pair in pairs:
        if met.isdisjoint((pair.first, pair.second)):
            distinct.append(pair)
            met |= {pair.first, pair.second}
    return distinct
