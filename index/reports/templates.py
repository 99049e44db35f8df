"""Template reports: the facts of a community in plain sentences, without a model.

Every sentence states a number that is a fact and cites the runs it counts. A model may word a
report better, it cannot know more: where it fails, these sentences stand.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice
from math import log2
from typing import Final, TypeAlias

import dataframely as dy
import polars as pl

from index.facets import SAMPLED
from index.reports.findings import (
    WORDINGS,
    Clause,
    Labels,
    Sentences,
    cite,
    close,
    division_clause,
    own,
    stated_share,
    statement,
    with_runs,
    write_findings,
)
from index.reports.naming import distinct_names, propose_labels, propose_titles
from index.reports.phrases import against_index, counted, listed
from index.reports.profiles import FactRow, Profile, by_runs
from index.tables import Citation, Finding, Report
from ontology_etl.tables import conform

MAX_FINDINGS: Final = 8
FEW_RUNS: Final = 5
SOME_RUNS: Final = 0.05

_CONTEXT: Final = ("tissue", "disease", "geography", "biome")
_RATED: Final = ("tissue", "geography")
_STATED_WORDS: Final = (
    (0.95, "nearly all runs"),
    (0.6, "most runs"),
    (0.3, "some runs"),
    (0.0, "few runs"),
)
_Row: TypeAlias = tuple[object, ...]


@dataclass(frozen=True)
class Reports:
    """Reports, their findings and citations; a citation is resolved once ``runs`` is above 0."""

    report: pl.DataFrame
    finding: pl.DataFrame
    citation: pl.DataFrame


def template_reports(profiles: Sequence[Profile], *, max_findings: int = MAX_FINDINGS) -> Reports:
    """Return one report per profile; titles and labels are distinct across them, citations are not
    yet resolved.

    ``profiles`` come coarsest level first, largest first, as ``build_profiles`` returns them: the
    order in which names are given out.
    """
    titles = distinct_names(profiles, propose_titles)
    labels = distinct_names(profiles, propose_labels)
    reports: list[_Row] = []
    findings: list[_Row] = []
    citations: list[_Row] = []
    for profile in profiles:
        name = profile.community
        summary = write_summary(profile, labels)
        written = list(islice(write_findings(profile, labels), max_findings))
        reports.append(
            (
                name,
                titles[name],
                labels[name],
                summary.summary,
                *rate(profile),
                profile.risk_group,
                profile.facts_hash,
            )
        )
        findings += [
            (name, n, one.summary, one.explanation) for n, one in enumerate(written, start=1)
        ]
        for n, one in enumerate([summary, *written]):
            citations += [(name, n, *citation) for citation in dict.fromkeys(one.citations)]
    return Reports(_report_frame(reports), _finding_frame(findings), _citation_frame(citations))


def write_summary(profile: Profile, labels: Labels) -> Sentences:
    """Return the summary paragraph (without explanation): size, viruses, organism, what else stands
    out, a caution.
    """
    clauses = _size(profile)
    virus = "species" if profile.of("species") else "family"
    sampled = max(SAMPLED, key=profile.known)
    leading = (virus, sampled) if profile.has_viruses(virus) else (sampled, virus)
    clauses += [_lead(profile, facet) for facet in leading if profile.of(facet)]
    marks = [
        fact for facet in _CONTEXT for fact in profile.salient(facet)[:1] if _is_mark(fact, profile)
    ]
    if marks:
        values = [
            f"{mark.value} ({mark.facet}, {stated_share(mark, profile.runs)})" for mark in marks
        ]
        clauses.append(Clause(f"Over-represented besides: {listed(values)}", cite(marks)))
    if len(profile.children) > 1:
        clauses.append(division_clause(profile, labels))
    if profile.runs < FEW_RUNS or _one_study(profile):
        clauses.append(_caution(profile))
    return Sentences(
        " ".join(map(close, clauses)),
        "",
        tuple(one for clause in clauses for one in clause.citations),
    )


def rate(profile: Profile) -> tuple[float, str]:
    """Return the strength of the evidence, 0-10 in steps of a half, and what it rests on.

    Up to 3 for independent bioprojects (log2 of their number), up to 3 for facets that stand out
    (0.5 each), up to 2 for runs (a fifth of log2), 1 for the share of organism, tissue and place
    stated, 1 for an unflagged association.
    """
    marked = sum(any(fact.stands_out for fact in profile.of(facet)) for facet in WORDINGS)
    sampled = max(map(profile.known, SAMPLED))
    known = sampled + sum(map(profile.known, _RATED))
    stated = known / ((1 + len(_RATED)) * max(1, profile.runs))
    sound = any(row.flag is None for row in profile.associations)
    score = min(3.0, log2(max(1, profile.bioprojects))) + min(3.0, marked / 2) + stated + sound
    score += min(2.0, log2(max(1, profile.runs)) / 5)
    how_many = next(words for limit, words in _STATED_WORDS if stated >= limit)
    return round(2 * score) / 2, (
        f"Rests on {_runs_and_projects(profile)}; "
        f"{counted(marked, 'facet')} over-represented against the index; "
        f"{'an' if sound else 'no'} unflagged significant association; "
        f"organism, tissue and place stated for {how_many}."
    )


def _runs_and_projects(profile: Profile) -> str:
    """Return how many runs of how many bioprojects; a bioproject that is not stated is not zero."""
    runs = counted(profile.runs, "run")
    if not profile.bioprojects:
        return f"{runs} without a stated bioproject"
    projects = counted(profile.bioprojects, "bioproject")
    known = profile.known("bioproject")
    if known < profile.runs and profile.of("bioproject"):
        return f"{runs}, {known:,} of them from {projects}"
    return f"{runs} from {projects}"


def _size(profile: Profile) -> list[Clause]:
    projects = cite(by_runs(profile.of("bioproject"))[:3])
    known, number = profile.known("bioproject"), counted(profile.bioprojects, "bioproject")
    runs = f"This community holds {counted(profile.runs, 'run')}"
    if not projects:
        return [Clause(f"{runs} without a stated bioproject", own(profile))]
    if known == profile.runs:
        return [Clause(f"{runs} from {number}", projects)]
    some = (
        "The 1 run with a stated bioproject comes"
        if known == 1
        else f"The {known:,} with a stated bioproject come"
    )
    return [Clause(runs, own(profile)), Clause(f"{some} from {number}", projects)]


def _is_mark(fact: FactRow, profile: Profile) -> bool:
    return fact.stands_out and fact.runs >= SOME_RUNS * profile.runs


def _lead(profile: Profile, facet: str) -> Clause:
    lead, *rest = profile.salient(facet)
    following = by_runs(rest)[:2] if facet not in SAMPLED else []
    then = f"; it is followed by {with_runs(following)}" if following else ""
    return Clause(
        f"{statement(lead, profile.runs)}, {against_index(lead.lift, lead.q_value)}{then}",
        cite([lead, *following]),
    )


def _one_study(profile: Profile) -> bool:
    return profile.bioprojects == 1 and profile.known("bioproject") == profile.runs


def _caution(profile: Profile) -> Clause:
    if profile.runs < FEW_RUNS:
        runs = counted(profile.runs, "run")
        return Clause(
            f"With {runs}, it describes single samples rather than a pattern", own(profile)
        )
    return Clause(
        "All runs come from 1 bioproject, so this may be the design of one study", own(profile)
    )


def _report_frame(rows: list[_Row]) -> dy.DataFrame[Report]:
    said = [
        "community",
        "title",
        "label",
        "summary",
        "rating",
        "rating_explanation",
        "risk_group",
        "facts_hash",
    ]
    counts = {
        name: pl.lit(0)
        for name in ("prompt_tokens", "completion_tokens", "accepted", "repaired", "replaced")
    }
    frame = pl.DataFrame(rows, schema=said, orient="row", infer_schema_length=None)
    return conform(
        frame.with_columns(model=pl.lit(None), method=pl.lit("template"), **counts), Report
    )


def _finding_frame(rows: list[_Row]) -> dy.DataFrame[Finding]:
    return conform(
        pl.DataFrame(rows, schema=Finding.column_names(), orient="row", infer_schema_length=None),
        Finding,
    )


def _citation_frame(rows: list[_Row]) -> dy.DataFrame[Citation]:
    columns = ["community", "ordinal", "key", "value"]
    frame = pl.DataFrame(rows, schema=columns, orient="row", infer_schema_length=None)
    return conform(frame.with_columns(runs=pl.lit(0), verified=pl.lit(False)), Citation)
