"""Template reports: the facts of a community in plain sentences, without a model.

Every sentence states a number that is a fact and cites the runs it counts. A model may word a
report better, it cannot know more: where it fails, these sentences stand.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

import dataframely as dy
import polars as pl

from index.facets import SAMPLED
from index.reports.findings.hierarchy import FEW_RUNS
from index.reports.findings.marks import against_rest
from index.reports.findings.sentences import (
    Clause,
    Sentences,
    citable,
    cite,
    close,
    own,
    statement,
    with_runs,
)
from index.reports.findings.write import MAX_FINDINGS, SELDOM, write_findings
from index.reports.naming.labels import propose_labels
from index.reports.naming.named_values import titled_facts
from index.reports.naming.titles import distinct_names, propose_titles
from index.reports.phrases import against_index, counted
from index.reports.profiles import FactRow, Profile, by_runs
from index.reports.rating import rate
from index.reports.redundancy import Said, implied_by
from index.tables import Report, ReportCitation, ReportFinding
from ontology_etl.tables import conform

_Row: TypeAlias = tuple[object, ...]


@dataclass(frozen=True)
class Reports:
    """Reports, their findings and citations; a citation is resolved once ``runs`` is above 0."""

    report: pl.DataFrame
    finding: pl.DataFrame
    citation: pl.DataFrame


def template_reports(profiles: Sequence[Profile], *, max_findings: int = MAX_FINDINGS) -> Reports:
    """Return one report per profile; labels are distinct across them, titles where a
    true fact sets them apart, and citations are not yet resolved.

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
        leads = leading_facts(profile)
        summary = write_summary(profile, leads)
        titled = titled_facts(profile, titles[name])
        written = write_findings(profile, labels, Said.of(leads, titled), most=max_findings)
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


def write_summary(profile: Profile, leads: Sequence[FactRow]) -> Sentences:
    """Return the summary paragraph (without explanation): size, what leads it, a caution."""
    clauses = _size(profile)
    clauses += [_lead(fact, profile) for fact in leads]
    if profile.runs < FEW_RUNS or profile.only_study:
        clauses.append(_caution(profile))
    return Sentences(
        " ".join(map(close, clauses)),
        "",
        tuple(one for clause in clauses for one in clause.citations),
    )


def leading_facts(profile: Profile) -> list[FactRow]:
    """Return the facts that a summary states: of the virus and of what was sequenced, the one that
    more runs state first.

    Each is the most frequent value of its facet. What few runs state, and a fact whose runs are
    those of the fact before it, are left out.
    """
    virus = "species" if profile.has_viruses("species") else "family"
    sampled = max(SAMPLED, key=profile.known)
    leading = [virus, sampled] if profile.has_viruses(virus) else [sampled]
    stated = [facet for facet in leading if profile.known(facet) >= SELDOM * profile.runs]
    leads: list[FactRow] = []
    for facet in stated:
        for fact in by_runs(profile.of(facet))[:1]:
            said = [(one.facet, one.value) for one in leads]
            if not implied_by(fact, said, profile):
                leads.append(fact)
    return leads


def _size(profile: Profile) -> list[Clause]:
    projects = cite(by_runs(profile.of("bioproject"))[:3])
    known, number = profile.known("bioproject"), counted(profile.bioprojects, "bioproject")
    runs = f"This community holds {counted(profile.runs, 'run')}"
    if profile.studies.study_runs > known:
        return _size_in_studies(profile)
    if not projects:
        return [Clause(f"{runs} without a stated study", own(profile))]
    if known == profile.runs:
        return [Clause(f"{runs} from {number}", projects)]
    some = (
        "The 1 run with a stated bioproject comes"
        if known == 1
        else f"The {known:,} with a stated bioproject come"
    )
    return [Clause(runs, own(profile)), Clause(f"{some} from {number}", projects)]


def _size_in_studies(profile: Profile) -> list[Clause]:
    """Return the size of a community whose runs state their SRA study rather than a bioproject."""
    stated = profile.studies
    runs = f"This community holds {counted(profile.runs, 'run')}"
    number = counted(stated.studies, "study", "studies")
    if profile.only_study is not None:
        cited = citable([(profile.study_key, profile.only_study)])
        return [Clause(f"{runs} of {number}, {profile.only_study}", cited)]
    if stated.study_runs == profile.runs:
        return [Clause(f"{runs} from {number}", own(profile))]
    come = "comes" if stated.study_runs == 1 else "come"
    some = f"The {stated.study_runs:,} with a stated study {come} from {number}"
    return [Clause(runs, own(profile)), Clause(some, own(profile))]


def _lead(lead: FactRow, profile: Profile) -> Clause:
    rest = [fact for fact in by_runs(profile.of(lead.facet)) if fact != lead]
    following = rest[:2] if lead.facet not in SAMPLED else []
    then = f"; it is followed by {with_runs(following)}" if following else ""
    compared = against_rest(lead) or f", {against_index(lead.lift, lead.q_value)}"
    return Clause(
        f"{statement(lead, profile.runs)}{compared}{then}",
        cite([lead, *following]),
    )


def _caution(profile: Profile) -> Clause:
    if profile.runs < FEW_RUNS:
        runs = counted(profile.runs, "run")
        return Clause(
            f"With {runs}, it describes single samples rather than a pattern", own(profile)
        )
    return Clause("All runs come from 1 study, whose design this may be", own(profile))


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


def _finding_frame(rows: list[_Row]) -> dy.DataFrame[ReportFinding]:
    return conform(
        pl.DataFrame(
            rows, schema=ReportFinding.column_names(), orient="row", infer_schema_length=None
        ),
        ReportFinding,
    )


def _citation_frame(rows: list[_Row]) -> dy.DataFrame[ReportCitation]:
    columns = ["community", "ordinal", "key", "value"]
    frame = pl.DataFrame(rows, schema=columns, orient="row", infer_schema_length=None)
    return conform(frame.with_columns(runs=pl.lit(0), verified=pl.lit(False)), ReportCitation)
