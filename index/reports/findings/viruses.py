"""Hosts and studies of each virus, for a community with several viruses, none in most runs."""

from __future__ import annotations

from collections.abc import Collection
from typing import Final

from index.claims import ComingFrom, Counted, FoundIn, OfStudy
from index.reports.evidence_rows import SOTU, Deposit, Provenance, Support
from index.reports.fact_rows import FactRow, Value, by_runs
from index.reports.findings.evidence import PATTERN, is_often_below
from index.reports.findings.own_runs import source_clauses
from index.reports.findings.sentences import (
    Clause,
    Sentences,
    cite,
    finding,
    listed_name,
    own,
)
from index.reports.naming.named_values import SPECIES_IDENTITY
from index.reports.naming.subjects import title_subject
from index.reports.naming.title_values import is_probable
from index.reports.profiles import Profile
from index.stated import VIRAL, names_no_species

MOST_HOSTS: Final = 2
MOST: Final = 6
"""Number of viruses that are described."""
SEVERAL: Final = 3
"""Minimum number of viruses of a community that joins several."""
LARGEST: Final = 0.7
"""Minimum share of the runs with a named virus for a community to be about one virus."""
LEAST: Final = 0.04
"""Minimum share of the runs with a named virus for a virus to be described."""
LEAST_OF_VIRUS: Final = 0.1
"""Minimum share of a virus's runs for a host or a study to be named."""


def virus_findings(profile: Profile, stated: Collection[Value] = ()) -> list[Sentences]:
    """Return what the runs of the largest viruses are of: their host, and the study of most. What
    the summary says of the first virus of the title, and of the identity of the ``stated`` ones, is
    not said again.
    """
    large = described(profile)
    if not large:
        return []
    probable = [fact for fact in profile.of("virus") if is_probable(fact, profile)]
    ordered = sorted([*probable, *large], key=_carrying, reverse=True)
    led = [fact.facet_value for fact in title_subject(profile).values if fact.facet in VIRAL][:1]
    said = [virus for virus in led if source_clauses(profile, virus)]
    new = [fact for fact in ordered if fact.facet_value not in said]
    clauses = [clause for fact in new for clause in _described(fact, profile, stated)]
    if len(clauses) < SEVERAL - len(said):
        return []
    other = "other " * (len(new) < len(ordered))
    claim = Clause(f"its {other}frequent viruses have these hosts and studies", cite(new[:SEVERAL]))
    return [finding(claim, clauses)]


def described(profile: Profile) -> list[FactRow]:
    """Return the viruses that are described one by one; none if a community is about one virus."""
    named = [
        fact
        for fact in by_runs(profile.of("species"))
        if not (names_no_species(fact.value) or fact.is_outweighed or fact.is_reported)
    ]
    large = [fact for fact in named if fact.runs >= max(PATTERN, LEAST * fact.known)][:MOST]
    is_about_them = 2 * max((fact.known for fact in large), default=0) >= profile.runs
    is_of_several = len(large) >= SEVERAL and large[0].share < LARGEST
    return large if is_of_several and is_about_them else []


def _carrying(virus: FactRow) -> int:
    """Return the runs of a virus; for a label, the runs with its unnamed virus."""
    return virus.unnamed_runs or virus.runs


def mixture_clauses(profile: Profile) -> list[Clause]:
    """Return that a community joins several viruses but its runs share nothing, and its use."""
    described = virus_findings(profile)
    species = by_runs(profile.of("species"))
    if not described or 2 * species[0].runs >= species[0].known:
        return []
    text = "this community is a mixture: no species of virus is in half of its runs"
    return [Clause(text, own(profile))]


def _described(virus: FactRow, profile: Profile, stated: Collection[Value]) -> list[Clause]:
    """Return the hosts of the runs of a virus and its largest study, as far as they are known, and
    how many are below the identity of a species.
    """
    of = (SOTU, virus.unnamed) if virus.unnamed else virus.facet_value
    support = Support(0) if virus.far else profile.support.get(of, Support(0))
    runs = _carrying(virus)
    least = max(PATTERN, LEAST_OF_VIRUS * runs)
    hosts = tuple(source for source in support.sources if source[1] >= least)[:MOST_HOSTS]
    name = (
        f"{virus.unnamed}, probably {virus.value}," if virus.unnamed else listed_name(virus.value)
    )
    parts = [FoundIn(subject=name, number=runs).clause()]
    if hosts:
        parts[0] += f", {ComingFrom(whole=runs, most=hosts).clause()}"
    parts += [_of_deposit(first, support) for first in support.deposits[:1] if first.runs >= least]
    if is_often_below(virus) and virus.facet_value not in stated:
        low = f"the identity is below {SPECIES_IDENTITY}%"
        below = Counted(number=virus.below, noun=("of its runs",) * 2, before="in", after=low)
        parts.append(below.clause())
    origin = profile.origins.get(virus.facet_value, Provenance())
    parts += ["they are largely laboratory material"] * (origin.is_laboratory and not virus.unnamed)
    return [Clause("; ".join(parts), cite([virus]))]


def _of_deposit(deposit: Deposit, support: Support) -> str:
    """Return how many runs of a virus are from its largest study."""
    claim = OfStudy(
        number=deposit.runs,
        whole=support.runs,
        study=deposit.study,
        first=deposit.first,
        last=deposit.last,
        studies=support.studies,
    )
    return claim.clause()
