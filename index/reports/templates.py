"""Template reports: the facts of a community in plain sentences, without a model.

Every sentence states a number that is a fact and cites the runs that it counts. A model may add an
interpretation; these sentences stay as they are.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

import dataframely as dy
import polars as pl

from index.reports.findings.hierarchy import gaps_clause
from index.reports.findings.sentences import close
from index.reports.findings.write import MAX_FINDINGS, stated_facts, write_findings
from index.reports.naming.labels import propose_labels
from index.reports.naming.named_values import titled_facts
from index.reports.naming.titles import distinct_names, propose_titles
from index.reports.profiles import Profile
from index.reports.rating import rate
from index.reports.redundancy import Said
from index.reports.summary import (
    following,
    leading_facts,
    leading_virus,
    unstated,
    write_summary,
)
from index.tables import Report, ReportCitation, ReportFinding
from ontology_etl.tables import conform

_Row: TypeAlias = tuple[object, ...]

_STATED: Final = [
    "community",
    "title",
    "label",
    "summary",
    "gaps",
    "rating",
    "rating_explanation",
    "risk_group",
    "facts_hash",
]
"""Columns of a report that a template states."""
_COUNTS_OF_MODELS: Final = (
    "prompt_tokens",
    "completion_tokens",
    "dropped",
)
"""Columns of a report that count what a model did: 0 without one."""


@dataclass(frozen=True)
class Reports:
    """Reports, their findings and citations; a citation is resolved once ``runs`` is above 0."""

    report: pl.DataFrame
    finding: pl.DataFrame
    citation: pl.DataFrame


def template_reports(profiles: Sequence[Profile], *, max_findings: int = MAX_FINDINGS) -> Reports:
    """Return one report per profile; citations are not yet resolved.

    Labels are unique, and titles are, too, if a true fact sets them apart.

    ``profiles`` come coarsest level first, largest first, as ``build_profiles`` returns them: the
    order in which names are given out.
    """
    titles = distinct_names(profiles, propose_titles)
    labels = distinct_names(profiles, propose_labels)

    reports: list[_Row] = []
    findings: list[_Row] = []
    citations: list[_Row] = []
    for profile in profiles:
        name, title = profile.community, titles[profile.community]
        titled = titled_facts(profile, title)
        leads = leading_facts(profile)
        stated = [*leads, *unstated(titled, leads)]
        said = Said.of([*stated, *following(leads, profile)], titled)
        written = write_findings(profile, said, most=max_findings)
        summary = write_summary(profile, stated)
        gaps = gaps_clause(profile, leading_virus(leads))
        known = summary._replace(citations=(*summary.citations, *gaps.citations))
        named = (name, title, labels[name], summary.summary, close(gaps) if gaps.text else None)
        rating = rate(profile, stated_facts(profile, leads))
        reports.append((*named, *rating, profile.risk_group, profile.facts_hash))
        for number, finding in enumerate([known, *written]):
            distinct = dict.fromkeys(finding.citations)
            citations += [(name, number, *citation) for citation in distinct]
        for number, finding in enumerate(written, start=1):
            findings.append((name, number, finding.summary, finding.explanation))
    return Reports(_report_frame(reports), _finding_frame(findings), _citation_frame(citations))


def _report_frame(rows: list[_Row]) -> dy.DataFrame[Report]:
    frame = pl.DataFrame(rows, schema=_STATED, orient="row", infer_schema_length=None)
    no_model = {name: pl.lit(0) for name in _COUNTS_OF_MODELS}
    by_template = frame.with_columns(
        interpretation=pl.lit(None),
        model=pl.lit(None),
        **no_model,
    )
    return conform(by_template, Report)


def _finding_frame(rows: list[_Row]) -> dy.DataFrame[ReportFinding]:
    columns = ReportFinding.column_names()
    frame = pl.DataFrame(rows, schema=columns, orient="row", infer_schema_length=None)
    return conform(frame, ReportFinding)


def _citation_frame(rows: list[_Row]) -> dy.DataFrame[ReportCitation]:
    columns = ["community", "ordinal", "key", "value"]
    frame = pl.DataFrame(rows, schema=columns, orient="row", infer_schema_length=None)
    unresolved = frame.with_columns(runs=pl.lit(0), verified=pl.lit(False))
    return conform(unresolved, ReportCitation)
