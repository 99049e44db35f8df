"""Where a community is in the hierarchy: how it divides, what most runs do not state, and that
nothing sets it apart.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, TypeAlias

from index.reports.contrast import is_within
from index.reports.findings.sentences import (
    Clause,
    Sentences,
    citable,
    cite,
    finding,
    own,
)
from index.reports.naming.named_values import title_name
from index.reports.phrases import counted, listed, percent, share_of
from index.reports.profiles import Profile

Labels: TypeAlias = Mapping[str, str]
"""Two-word label of every community, by which a parent speaks of its children."""

SHOWN_CHILDREN: Final = 3
SHOWN_SIBLINGS: Final = 2
LEAST_NAMED: Final = 0.25
"""Share of its runs that the children with a report hold, from which these are named."""
FEW_RUNS: Final = 5
"""Runs below which a community is single samples, and silence is no finding."""
SILENT: Final = 0.5
"""Share of runs without a statement from which the silence is reported."""
_NOTHING: Final = "Nothing"
_VIRAL: Final = ("species", "family")
_UNKNOWN: Final = {
    "species": "a named virus",
    "host": "a stated host",
    "geography": "a stated place of origin",
}
"""Facets whose silence matters, and what the runs are without."""


def division_findings(profile: Profile, labels: Labels) -> list[Sentences]:
    """Return how a parent divides and what its children share, where it has at least two."""
    named = sum(runs for _, runs in profile.children[:SHOWN_CHILDREN])
    is_divided = len(profile.children) + profile.parts.communities > 1
    if not is_divided or named < LEAST_NAMED * profile.runs:
        return []
    clauses = []
    for fact in profile.shared[:1]:
        shared = f"In each of them most runs share {title_name(fact)}"
        clauses.append(Clause(shared, cite([fact])))
    smaller = sum(runs for _, runs in profile.children[SHOWN_CHILDREN:]) + profile.parts.runs
    if smaller:
        held = share_of(smaller, profile.runs)
        clauses.append(Clause(f"The others hold {held}", own(profile)))
    return [finding(division_clause(profile, labels), clauses)]


def division_clause(profile: Profile, labels: Labels) -> Clause:
    """Return the one sentence that names the largest children of a parent with their shares."""
    largest = profile.children[:SHOWN_CHILDREN]
    names = []
    for name, runs in largest:
        share = percent(runs / profile.runs)
        label = labels.get(name, name)
        size = counted(runs, "run")
        names.append(f"{label} ({size}, {share})")
    children = len(profile.children) + profile.parts.communities
    some = "among them" if children > len(largest) else "namely"
    parts = counted(children, "community", "communities")
    text = f"It divides into {parts}, {some} {listed(names)}"
    cited = [("community", name) for name, _ in largest]
    return Clause(text, citable(cited))


def sibling_findings(profile: Profile, labels: Labels) -> list[Sentences]:
    """Return how much of its parent a community is, and the largest of its siblings."""
    if not profile.siblings or not profile.parent_runs:
        return []
    share = share_of(profile.runs, profile.parent_runs, "of its parent")
    largest = profile.siblings[:SHOWN_SIBLINGS]
    names = [f"{labels.get(name, name)} ({counted(runs, 'run')})" for name, runs in largest]
    claim = Clause(f"It holds {share}; its largest siblings are {listed(names)}", own(profile))
    if len(names) == 1:
        claim = Clause(f"It holds {share}; its sibling is {names[0]}", own(profile))
    return [finding(claim, [])]


def nothing_finding(profile: Profile, *, marked: bool) -> Sentences:
    """Return that nothing sets a community apart, and whose runs it holds.

    ``marked``: its title or summary states something that does.
    """
    nothing = f"{_NOTHING} else" if marked else _NOTHING
    stated = "states" if profile.runs == 1 else "state"
    others = "the rest of its parent" if profile.parent else "the whole index"
    runs = counted(profile.runs, "run")
    claim = f"{nothing} that its {runs} {stated} sets it apart from {others}"
    clauses = _whose_runs(profile)

    return finding(Clause(claim, own(profile)), clauses)


def _whose_runs(profile: Profile) -> list[Clause]:
    """Return how many biosamples and bioprojects the runs come from, where that is known."""
    itself = own(profile)
    if not profile.biosamples:
        return []
    origin = counted(profile.biosamples, "biosample")
    if profile.bioprojects > 1:
        projects = counted(profile.bioprojects, "bioproject")
        origin = f"{origin} of {projects}"
    return [Clause(f"They come from {origin}", itself)]


def silence_findings(profile: Profile) -> list[Sentences]:
    """Return what most runs do not state, as a finding."""
    clauses = silence_clauses(profile)
    return [finding(clauses[0], clauses[1:])] if clauses else []


def silence_clauses(profile: Profile) -> list[Clause]:
    """Return what most runs do not state and matters, once; nothing where the parent is as
    silent.
    """
    clauses = []
    silent = []
    for facet, what in _UNKNOWN.items():
        if is_silent(profile, facet):
            missing = profile.runs - profile.known(facet)
            are = "is" if missing == 1 else "are"
            share = share_of(missing, profile.runs)
            without = f"{share} {are} without {what}"
            if facet == "species" and _without_named_virus(profile, missing):
                clauses.append(_unnamed_clause(profile, missing))
            else:
                silent.append(without)
    return [*clauses, Clause(listed(silent), own(profile))] if silent else clauses


def _unnamed_clause(profile: Profile, missing: int) -> Clause:
    """Return what the ``missing`` runs without a named virus have."""
    share = share_of(missing, profile.runs)
    (first, runs), *others = _without_named_virus(profile, missing).items()
    if not others:
        return Clause(f"{share} {first}", own(profile))
    parts = listed([f"{runs:,} {first}", *[f"{number:,} {what}" for what, number in others]])
    return Clause(f"{share} are without a named virus: {parts}", own(profile))


def _without_named_virus(profile: Profile, missing: int) -> dict[str, int]:
    """Return how many of the ``missing`` runs have only viruses without a name, how many have none
    and how many were not searched; nothing where the counts do not add up to them.
    """
    found = profile.searched
    unnamed = found.positive - profile.known("species")
    counts = {
        "carry only viruses without a species name": unnamed,
        "had no virus found": found.negative,
        "were not searched": profile.runs - found.searched,
    }
    if sum(counts.values()) != missing or min(counts.values()) < 0:
        return {}
    return {what: runs for what, runs in counts.items() if runs}


def is_silent(profile: Profile, facet: str) -> bool:
    """Return whether most runs do not state the facet, in another share than in the parent.

    Titles say it of viruses that few runs name, and a handful of runs needs no such warning.
    """
    missing = profile.runs - profile.known(facet)
    most = SILENT * profile.runs
    if profile.runs < FEW_RUNS or missing < most:
        return False
    if facet == "species" and not any(map(profile.has_viruses, _VIRAL)):
        return False
    if facet == "host":
        without_host = profile.known("environment") + profile.known("virus")
        if without_host > missing / 2:
            return False
    before = profile.parent_silence.get(facet)
    if before is None:
        return True
    return not is_within(before, missing, profile.runs)
