"""What the runs of each virus are of, where a community joins several and none is in most runs."""

from __future__ import annotations

from typing import Final

from index.reports.evidence_rows import StudyCount
from index.reports.fact_rows import FactRow, by_runs
from index.reports.findings.evidence import PATTERN
from index.reports.findings.sentences import (
    Clause,
    Sentences,
    cite,
    finding,
    listed_name,
)
from index.reports.phrases import counted
from index.reports.profiles import Profile
from index.stated import names_no_species

HOSTS: Final = ("host", "environment")
MOST: Final = 6
"""Viruses that are described."""
SEVERAL: Final = 3
"""Viruses of a community that joins several."""
LARGEST: Final = 0.7
"""Share of the runs with a named virus from which one virus is what a community is about."""
LEAST: Final = 0.04
"""Share of the runs with a named virus from which a virus is described."""
LEAST_OF_VIRUS: Final = 0.1
"""Share of the runs of a virus from which a host or a study is named."""


def virus_findings(profile: Profile) -> list[Sentences]:
    """Return what the runs of the largest viruses are of: their host, and the study of most."""
    named = [
        fact
        for fact in by_runs(profile.of("species"))
        if not (names_no_species(fact.value) or fact.is_outweighed or fact.far)
    ]
    large = [fact for fact in named if fact.runs >= max(PATTERN, LEAST * fact.known)][:MOST]
    is_about_them = 2 * max((fact.known for fact in large), default=0) >= profile.runs
    if len(large) < SEVERAL or large[0].share >= LARGEST or not is_about_them:
        return []
    described = [clause for fact in large for clause in _described(fact, profile)]
    of_studies = [fact for fact in large if _largest_study(fact, profile) is not None]
    if len(described) < SEVERAL or len(of_studies) < 2:
        return []
    claim = Clause("Its largest viruses by host and study", cite(large[:SEVERAL]))
    return [finding(claim, described)]


def _largest_study(virus: FactRow, profile: Profile) -> StudyCount | None:
    """Return the studies of a virus where the largest has a tenth of its runs."""
    behind = profile.behind.get((virus.facet_value, virus.facet_value))
    least = max(PATTERN, LEAST_OF_VIRUS * virus.runs)
    return behind if behind is not None and behind.study_runs >= least else None


def _described(virus: FactRow, profile: Profile) -> list[Clause]:
    """Return the host of most runs of a virus and its largest study, as far as they are known."""
    least = max(PATTERN, LEAST_OF_VIRUS * virus.runs)
    hosts = [fact for facet in HOSTS for fact in profile.of(facet)]
    both = {host: profile.together(virus.facet_value, host.facet_value) for host in hosts}
    most = sorted(both, key=lambda host: (-both[host], host.value))[:1]
    of_host = [host for host in most if both[host] >= least]
    known = [f"{both[host]:,} from {host.value}" for host in of_host]
    behind = _largest_study(virus, profile)
    if behind is not None:
        largest = f", the largest of {behind.studies:,} known studies"
        known.append(f"{behind.study_runs:,} of {behind.study}{largest * (behind.studies > 1)}")
    if not known:
        return []
    runs = counted(virus.runs, "run")
    text = f"{listed_name(virus.value)}, {runs}: {' and '.join(known)}"
    return [Clause(text, cite([virus, *of_host]))]
