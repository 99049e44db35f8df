"""Rows of worded reports: template rows with the sentences of a model in their places, citations
recounted.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import polars as pl

from index.reports.citations import Citation, cited
from index.reports.profiles import Profile
from index.reports.templates import Reports
from index.tables import Citation as CitationTable
from index.tables import Finding, Report
from index.wording.judging import Judged, findings_by_ordinal, summary_text
from ontology_etl.tables import conform


@dataclass(frozen=True)
class Counts:
    """What became of the sentences of one report, and what they cost (also where a cache paid)."""

    accepted: int = 0
    repaired: int = 0
    replaced: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0

    @property
    def method(self) -> str:
        """Who worded the report: a model, a model in part, or the template alone."""
        if not self.accepted + self.repaired:
            return "template"
        return "llm-partial" if self.replaced else "llm"


def one_report(reports: Reports, community: str) -> Reports:
    """Return the rows of ``community`` only."""
    own = pl.col("community") == community
    return Reports(
        reports.report.filter(own), reports.finding.filter(own), reports.citation.filter(own)
    )


def worded_report(
    template: Reports, profile: Profile, judged: Sequence[Judged], counts: Counts, *, model: str
) -> Reports:
    """Return the rows of one report with the sentences of ``judged`` in place of the template's.

    Where none of the model's sentences held, the template stands as it was, and only the counts are
    noted.
    """
    noted = template.report.with_columns(
        pl.lit(counts.accepted).alias("accepted"),
        pl.lit(counts.repaired).alias("repaired"),
        pl.lit(counts.replaced).alias("replaced"),
        pl.lit(counts.prompt_tokens).alias("prompt_tokens"),
        pl.lit(counts.completion_tokens).alias("completion_tokens"),
        pl.lit(counts.method).alias("method"),
    )
    if counts.method == "template":
        return Reports(conform(noted, Report), template.finding, template.citation)
    summary = pl.lit(summary_text(judged)).alias("summary")
    report = conform(noted.with_columns(summary, pl.lit(model).alias("model")), Report)
    worded = findings_by_ordinal(judged)
    claim = pl.col("ordinal").replace_strict(worded, default=None, return_dtype=pl.String)
    finding = conform(
        template.finding.with_columns(pl.coalesce(claim, "summary").alias("summary")), Finding
    )
    return Reports(report, finding, _recount_citations(report, finding, template.citation, profile))


def replace_reports(templates: Reports, worded: Iterable[Reports]) -> Reports:
    """Return ``templates`` with the reports of ``worded`` in place of those of the same
    communities.
    """
    listed = list(worded)
    if not listed:
        return templates
    names = pl.concat([one.report for one in listed])["community"].implode()
    others = ~pl.col("community").is_in(names)
    tables = {"report": Report, "finding": Finding, "citation": CitationTable}
    merged = {
        name: conform(
            pl.concat(
                [getattr(templates, name).filter(others), *(getattr(one, name) for one in listed)]
            ),
            schema,
        )
        for name, schema in tables.items()
    }
    return Reports(**merged)


def _recount_citations(
    report: pl.DataFrame, finding: pl.DataFrame, before: pl.DataFrame, profile: Profile
) -> pl.DataFrame:
    """Return the citations that the texts now hold, with the runs that each was resolved to before."""
    runs = _runs_by_citation(before, profile)
    texts = {0: [report["summary"].item()]}
    rows = finding.select("ordinal", "summary", "explanation").iter_rows()
    texts |= {ordinal: [summary, explanation] for ordinal, summary, explanation in rows}
    found = [
        (profile.community, ordinal, one.key, one.value, runs.get(one, 0), runs.get(one, 0) > 0)
        for ordinal, said in texts.items()
        for one in cited(said)
    ]
    return conform(
        pl.DataFrame(found, schema=CitationTable.column_names(), orient="row"), CitationTable
    )


def _runs_by_citation(before: pl.DataFrame, profile: Profile) -> Mapping[Citation, int]:
    resolved = before.select("key", "value", "runs").iter_rows()
    children = {Citation("community", name): runs for name, runs in profile.children}
    return children | {Citation(key, value): runs for key, value, runs in resolved}
