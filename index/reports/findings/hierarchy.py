"""The place of a community in the hierarchy: how its parts differ, and what is unknown about it."""

from __future__ import annotations

from typing import Final

from index.claims import InRuns, NamedNumber
from index.facets import SAMPLED
from index.reports.fact_rows import Value
from index.reports.findings.sentences import (
    Clause,
    Sentences,
    citable,
    finding,
    listed_name,
    own,
    ranked,
)
from index.reports.profiles import Profile

SHOWN_CHILDREN: Final = 3
FEW_RUNS: Final = 5
"""A community with fewer runs is single samples, whose missing values are not a finding."""
SILENT: Final = 0.5
"""Minimum share of runs without a value for that to be mentioned."""
UNSEARCHED: Final = 0.05
"""Minimum share of runs never searched for viruses for that to be mentioned."""
_DOES: Final = {"geography": "come from", "species": "carry", "family": "carry"}


def division_findings(profile: Profile) -> list[Sentences]:
    """Return how the largest parts of a parent differ.

    At least two of them must have a value that the others hardly have.
    """
    marked = profile.parts_marked[:SHOWN_CHILDREN]
    if len(marked) < 2:
        return []
    sizes = dict(profile.children)
    places = []
    for part, fact in marked:
        note = f"most {_DOES.get(fact.facet, 'are of')} {listed_name(fact.value)}"
        places.append(NamedNumber(name=part, number=sizes.get(part, fact.known), note=note))
    cited = citable(("community", name) for name, _ in marked)
    return [finding(Clause(ranked("its parts differ:", places), cited), [])]


def gaps_clause(profile: Profile, virus: Value | None = None) -> Clause:
    """Return in one sentence what limits the statements about a community; empty if nothing does.

    It says that the host of most runs is unknown or, if a ``virus`` leads, the identity of most
    viruses.
    """
    found = profile.searched
    unsampled = profile.runs - sum(profile.known(facet) for facet in SAMPLED)
    gaps = []
    if unsampled >= max(1, SILENT * profile.runs):
        subject = "the host or environment is not recorded"
        gaps.append(InRuns(subject=subject, part=unsampled, whole=profile.runs))
    is_confirmed = 2 * found.classified < found.positive
    unmeasured = found.positive - found.measured
    if virus is not None and is_confirmed and 2 * unmeasured >= found.positive > 0:
        subject, which = "the identity to a reference is not known", "with a virus"
        gaps.append(InRuns(subject=subject, part=unmeasured, whole=found.positive, which=which))
    unsearched = profile.runs - found.searched
    if unsearched >= UNSEARCHED * profile.runs:
        subject = "nobody searched for viruses"
        gaps.append(InRuns(subject=subject, part=unsearched, whole=profile.runs))
    text = "; ".join(gap.clause() for gap in gaps)
    return Clause(text, own(profile) if gaps else ())
