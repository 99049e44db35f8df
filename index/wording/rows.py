"""Rows of worded reports: template rows with the sentences of a model in their places.

Their citations are counted again.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import dataframely as dy
import polars as pl

from index.checking.sentences import split_sentences
from index.reports.citations import CitedValue, cited, strip_references
from index.reports.findings.marks import is_caveat, warns
from index.reports.profiles import Profile
from index.reports.templates import Reports
from index.tables import Report, ReportCitation, ReportFinding
from index.wording.briefs import FOLLOWED, with_reference
from index.wording.judging import COUNT, Judged, findings_by_ordinal, summary_text
from ontology_etl.tables import conform


@dataclass(frozen=True)
class Counts:
    """What became of the sentences of a report, and what they cost, also where a cache paid."""

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
        reports.report.filter(own),
        reports.finding.filter(own),
        reports.citation.filter(own),
    )


def worded_report(
    template: Reports, profile: Profile, judged: Sequence[Judged], counts: Counts, *, model: str
) -> Reports:
    """Return the rows of a report with the sentences of ``judged`` in place of the template's.

    Where none of the model's sentences held, the template stays as it was, and only the counts are
    noted.
    """
    noted = template.report.with_columns(
        accepted=pl.lit(counts.accepted),
        repaired=pl.lit(counts.repaired),
        replaced=pl.lit(counts.replaced),
        prompt_tokens=pl.lit(counts.prompt_tokens),
        completion_tokens=pl.lit(counts.completion_tokens),
        method=pl.lit(counts.method),
    )
    if counts.method == "template":
        report = conform(noted, Report)
        return Reports(report, template.finding, template.citation)
    summary = _with_unsaid(summary_text(judged), template.report["summary"].item())
    summarised = noted.with_columns(
        summary=pl.lit(summary),
        model=pl.lit(model),
    )
    report = conform(summarised, Report)
    finding = _worded_findings(template.finding, judged)
    citation = _recount_citations(report, finding, template.citation, profile)
    return Reports(report, finding, citation)


def _worded_findings(finding: pl.DataFrame, judged: Sequence[Judged]) -> pl.DataFrame:
    """Return ``finding`` with the sentences of ``judged`` where it has one for the ordinal."""
    claim = pl.col("ordinal").replace_strict(
        findings_by_ordinal(judged),
        default=None,
        return_dtype=pl.String,
    )
    worded = finding.with_columns(
        summary=pl.coalesce(claim, "summary"),
    )
    return conform(worded, ReportFinding)


def _with_unsaid(worded: str, template: str) -> str:
    """Return ``worded`` with the sentences of the template's summary behind its size that cite what
    it does not: a model leaves nothing out.
    """
    said = set(cited([worded]))
    sentences = split_sentences(template)[1:]
    summary = [worded]
    for sentence in sentences:
        if _is_said(sentence, worded, said):
            continue
        summary.append(_without_said(sentence, said))
        said.update(cited([sentence]))
    return " ".join(summary).strip()


def _is_said(sentence: str, worded: str, said: set[CitedValue]) -> bool:
    """Return whether ``worded`` says what a sentence of the template does."""
    if is_caveat(sentence):
        return warns(worded)
    citations = cited([sentence])
    if {one.key for one in citations} == {"community"}:
        counts = set(COUNT.findall(strip_references(sentence)))
        return counts.issubset(COUNT.findall(worded))
    return said.issuperset(citations)


def _without_said(sentence: str, said: set[CitedValue]) -> str:
    """Return a sentence of the template without its first value, where that is said already."""
    _, followed, others = strip_references(sentence).partition(FOLLOWED)
    leading, *following = cited([sentence])
    if not followed or leading not in said:
        return sentence
    return with_reference(f"Other viruses are{others}", following)


def replace_reports(templates: Reports, worded: Iterable[Reports]) -> Reports:
    """Return ``templates`` with ``worded`` in place of the reports of the same communities."""
    listed = list(worded)
    if not listed:
        return templates
    new_reports = pl.concat([reports.report for reports in listed])
    communities = new_reports["community"].implode()
    others = ~pl.col("community").is_in(communities)

    def merge(table: str, schema: type[dy.Schema]) -> pl.DataFrame:
        kept = getattr(templates, table).filter(others)
        new = [getattr(reports, table) for reports in listed]
        return conform(pl.concat([kept, *new]), schema)

    return Reports(
        report=merge("report", Report),
        finding=merge("finding", ReportFinding),
        citation=merge("citation", ReportCitation),
    )


def _recount_citations(
    report: pl.DataFrame, finding: pl.DataFrame, before: pl.DataFrame, profile: Profile
) -> pl.DataFrame:
    """Return the citations that the texts now hold, with the runs that they had before."""
    runs_of = _runs_by_citation(before, profile)
    texts = {0: [report["summary"].item()]}
    rows = finding.select("ordinal", "summary", "explanation")
    for ordinal, summary, explanation in rows.iter_rows():
        texts[ordinal] = [summary, explanation]

    found = []
    for ordinal, said in texts.items():
        for citation in cited(said):
            runs = runs_of.get(citation, 0)
            row = (
                profile.community,
                ordinal,
                citation.key,
                citation.value,
                runs,
                runs > 0,
            )
            found.append(row)
    columns = ReportCitation.column_names()
    table = pl.DataFrame(found, schema=columns, orient="row")
    return conform(table, ReportCitation)


def _runs_by_citation(before: pl.DataFrame, profile: Profile) -> Mapping[CitedValue, int]:
    """Return the runs of each citation of the template and of each child."""
    resolved = {}
    for child, runs in profile.children:
        resolved[CitedValue("community", child)] = runs
    rows = before.select("key", "value", "runs")
    for key, value, runs in rows.iter_rows():
        resolved[CitedValue(key, value)] = runs
    return resolved
