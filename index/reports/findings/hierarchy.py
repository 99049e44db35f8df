"""The place of a community in the hierarchy: how its parts differ, and what is unknown about it."""

from __future__ import annotations

from typing import Final

from index.claims.phrases import counted, listed
from index.facets import SAMPLED
from index.reports.fact_rows import FactRow, Value
from index.reports.findings.sentences import Clause, Sentences, citable, finding, listed_name, own
from index.reports.profiles import Profile

SHOWN_CHILDREN: Final = 3
FEW_RUNS: Final = 5
"""A community with fewer runs is single samples, whose missing values are not a finding."""
SILENT: Final = 0.5
"""Minimum share of runs without a value for that to be mentioned."""
UNSEARCHED: Final = 0.05
"""Minimum share of runs never searched for viruses for that to be mentioned."""


def division_findings(profile: Profile) -> list[Sentences]:
    """Return how the largest parts of a parent differ.

    At least two of them must have a value that the others hardly have.
    """
    marked = profile.parts_marked[:SHOWN_CHILDREN]
    if len(marked) < 2:
        return []
    sizes = dict(profile.children)
    said = [_marked(name, sizes.get(name, fact.known), fact) for name, fact in marked]
    cited = citable(("community", name) for name, _ in marked)
    return [finding(Clause(f"Its parts differ: {listed(said)}", cited), [])]


def _marked(part: str, size: int, fact: FactRow) -> str:
    """Return a part with its size and the value of most of its runs."""
    has = {"geography": "comes from", "species": "carries", "family": "carries"}
    does = has.get(fact.facet, "is of")
    return f"most of {part} ({counted(size, 'run')}) {does} {listed_name(fact.value)}"


def gaps_clause(profile: Profile, virus: Value | None = None) -> Clause:
    """Return in one sentence what limits the statements about a community; empty if nothing does.

    It says that the host of most runs is unknown or, if a ``virus`` leads, the identity of most
    viruses.
    """
    sampled = sum(profile.known(facet) for facet in SAMPLED)
    unsampled = max(0, profile.runs - sampled)
    gaps = []
    if unsampled >= max(1, SILENT * profile.runs):
        gaps.append(f"the host or environment of {_of(unsampled, profile.runs)}")
    is_confirmed = 2 * profile.searched.classified < profile.searched.positive
    found = profile.searched
    unmeasured = found.positive - found.measured
    if virus is not None and is_confirmed and 2 * unmeasured >= found.positive > 0:
        runs = _of(unmeasured, found.positive)
        gaps.append(f"the identity to a reference of {runs} with a virus")
    said = [f"Not known: {'; '.join(gaps)}"] if gaps else []
    unsearched = profile.runs - found.searched
    if unsearched >= UNSEARCHED * profile.runs:
        of_all = _of(unsearched, profile.runs)
        said.append(f"{of_all} {'was' if unsearched == 1 else 'were'} never searched for viruses")
    return Clause("; ".join(said), own(profile) if said else ())


def _of(runs: int, whole: int) -> str:
    return (
        f"all {counted(whole, 'run')}" if runs == whole else f"{runs:,} of {counted(whole, 'run')}"
    )
