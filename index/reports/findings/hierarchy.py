"""Where a community is in the hierarchy: in what its parts differ, what is not known of its runs,
and that nothing sets it apart.
"""

from __future__ import annotations

from typing import Final

from index.facets import SAMPLED
from index.reports.findings.sentences import Clause, Sentences, citable, finding, listed_name, own
from index.reports.phrases import counted, listed
from index.reports.profiles import FactRow, Profile

SHOWN_CHILDREN: Final = 3
FEW_RUNS: Final = 5
"""Runs below which a community is single samples, and silence is no finding."""
SILENT: Final = 0.5
"""Share of runs of which something is not known, from which that is said."""
UNSEARCHED: Final = 0.05
"""Share of runs never searched for viruses, from which that is said."""
_NOTHING: Final = "Nothing"
_UNKNOWN: Final = {"geography": "the place"}
"""Facets whose silence matters, and what is not known."""


def division_findings(profile: Profile) -> list[Sentences]:
    """Return in what the largest parts of a parent differ, where at least two of them have a value
    that the others hardly have.
    """
    marked = profile.parts_marked[:SHOWN_CHILDREN]
    if len(marked) < 2:
        return []
    said = [_marked(name, fact) for name, fact in marked]
    cited = citable(("community", name) for name, _ in marked)
    return [finding(Clause(f"Its parts differ: {listed(said)}", cited), [])]


def _marked(part: str, fact: FactRow) -> str:
    """Return in how many runs of a part a value is, and in how many of the other runs."""
    here = f"{fact.runs:,} of {fact.known:,} runs of {part}"
    elsewhere = f"{fact.rest_runs:,}" if fact.rest_runs else "none"
    return f"{listed_name(fact.value)} in {here} against {elsewhere} of {fact.rest_known:,} others"


def nothing_finding(profile: Profile, *, marked: bool) -> Sentences:
    """Return that nothing sets a community apart.

    ``marked``: its title or summary states something that does.
    """
    nothing = f"{_NOTHING} else" if marked else _NOTHING
    stated = "states" if profile.runs == 1 else "state"
    others = "the rest of its parent" if profile.parent else "the whole index"
    runs = counted(profile.runs, "run")
    claim = f"{nothing} that its {runs} {stated} sets it apart from {others}"
    return finding(Clause(claim, own(profile)), [])


def gaps_clause(profile: Profile) -> Clause:
    """Return what is not known of the runs of a community, in one sentence; empty where little."""
    missing = {what: profile.runs - profile.known(facet) for facet, what in _UNKNOWN.items()}
    sampled = sum(profile.known(facet) for facet in SAMPLED)
    missing["the host or environment"] = max(0, profile.runs - sampled)
    missing["the study"] = profile.runs - profile.studies.study_runs
    least = max(1, SILENT * profile.runs)
    gaps = [
        f"{what} of {_of(runs, profile.runs)}" for what, runs in missing.items() if runs >= least
    ]
    found = profile.searched
    unmeasured = found.positive - found.measured
    if found.positive and 2 * unmeasured >= found.positive:
        runs = _of(unmeasured, found.positive)
        gaps.append(f"the identity to a reference of {runs} with a virus")
    said = [f"Not known: {'; '.join(gaps)}"] if gaps else []
    unsearched = profile.runs - found.searched
    if unsearched >= UNSEARCHED * profile.runs:
        said.append(f"{counted(unsearched, 'run')} never searched for viruses")
    return Clause("; ".join(said), own(profile) if said else ())


def _of(runs: int, whole: int) -> str:
    return (
        f"all {counted(whole, 'run')}" if runs == whole else f"{runs:,} of {counted(whole, 'run')}"
    )
