"""Template reports: the facts of a community in plain sentences, without a model.

Every sentence states a number that is a fact and cites the runs it counts. A model may word a report better, it cannot
know more: where it fails, these sentences stand.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import log2
from typing import Final, NamedTuple, TypeAlias

import dataframely as dy
import polars as pl

from index.citations import MAX_PER_REFERENCE, Citation, format_reference, is_citable
from index.naming import distinct_names, propose_labels, propose_titles
from index.phrases import against_index, counted, factor, listed, q_text, sentence, share_of
from index.profiles import AssociationRow, FactRow, Profile
from index.tables import Citation as CitationTable
from index.tables import Finding, Report
from ontology_etl.tables import conform

Row: TypeAlias = tuple[object, ...]
Part: TypeAlias = tuple[str, Sequence[Citation]]

MIN_FINDINGS: Final = 3
MAX_FINDINGS: Final = 8
FEW_RUNS: Final = 5


class Sentences(NamedTuple):
    """A finding: its one-sentence summary, its explanation and what both cite."""

    summary: str
    explanation: str
    citations: tuple[Citation, ...]


class Wording(NamedTuple):
    """How a facet is spoken of: ``{value}`` and ``{share}`` are filled in."""

    claim: str
    stating: str
    absent: str


WORDINGS: Final[dict[str, Wording]] = {
    "species": Wording("{value} is found in {share}", "with a named virus", "name no virus species"),
    "family": Wording("Viruses of {value} are found in {share}", "with a virus family", "name no virus family"),
    "label": Wording("The organism label is {value} in {share}", "that name an organism", "name no organism"),
    "statOrganism": Wording("K-mers show {value} in {share}", "with k-mer counts", "have no k-mer counts"),
    "disease": Wording("The disease state is {value} in {share}", "that state one", "state no disease"),
    "tissue": Wording("The tissue is {value} in {share}", "that state one", "state no tissue"),
    "biome": Wording("The biome is {value} in {share}", "that state one", "state no biome"),
    "geography": Wording("The place of origin is {value} for {share}", "that state one", "state no place"),
    "sex": Wording("The sex is {value} in {share}", "that state one", "state no sex"),
}  # fmt: skip
"""Facets in the order a virologist asks: which virus, in what, how ill, which organ, where."""


@dataclass(frozen=True)
class Reports:
    """Reports with their findings and citations; citations are not yet resolved (``runs`` 0, not verified)."""

    report: pl.DataFrame
    finding: pl.DataFrame
    citation: pl.DataFrame


def template_reports(profiles: Sequence[Profile], *, max_findings: int = MAX_FINDINGS) -> Reports:
    """Return one report per profile; titles and labels are distinct across them.

    ``profiles`` come coarsest level first, largest first, as ``build_profiles`` returns them: the order in which names
    are given out.
    """
    titles = distinct_names(profiles, propose_titles)
    labels = distinct_names(profiles, propose_labels)
    reports: list[Row] = []
    findings: list[Row] = []
    citations: list[Row] = []
    for profile in profiles:
        summary = write_summary(profile, labels)
        rating, why = rate(profile)
        name = profile.community
        written = write_findings(profile, labels)[:max_findings]
        reports.append(
            (name, titles[name], labels[name], summary.summary, rating, why, profile.risk_group, profile.facts_hash)
        )
        findings.extend((name, n, one.summary, one.explanation) for n, one in enumerate(written, start=1))
        for n, one in enumerate([summary, *written]):
            citations.extend((name, n, *citation) for citation in dict.fromkeys(one.citations))
    return Reports(_report_frame(reports), _finding_frame(findings), _citation_frame(citations))


def write_summary(profile: Profile, labels: Mapping[str, str]) -> Sentences:
    """Return the summary paragraph (its explanation is empty): size, viruses, organism, what else stands out."""
    parts: list[Part] = [_size(profile)]
    parts += [_claim(facts[0], profile) for facet in ("species", "label") if (facts := profile.salient(facet))]
    if not profile.of("species") and profile.of("family"):
        parts.insert(1, _claim(profile.salient("family")[0], profile))
    marks = [
        f for facet in ("tissue", "disease", "biome", "geography") for f in profile.salient(facet)[:1] if f.stands_out
    ]
    if marks:
        values = listed(
            [f"{mark.value} ({share_of(mark.runs, mark.known, WORDINGS[mark.facet].stating)})" for mark in marks]
        )
        parts.append((f"Over-represented besides: {values}", _cite(marks)))
    if len(profile.children) > 1:
        parts.append(_division(profile, labels))
    if profile.runs < FEW_RUNS:
        parts.append((f"With {counted(profile.runs, 'run')}, it describes single samples rather than a pattern", ()))
    text = " ".join(_close(claim, citations) for claim, citations in parts)
    return Sentences(text, "", tuple(one for _, citations in parts for one in citations))


def write_findings(profile: Profile, labels: Mapping[str, str]) -> list[Sentences]:
    """Return at least three findings, the most telling first; the caller cuts the list.

    ``labels`` are the two-word labels of all communities, by which a parent speaks of its children.
    """
    facets = [_facet_finding(profile, facet) for facet in WORDINGS if profile.of(facet)]
    associated = [_association_finding(row) for row in profile.associations]
    divided = [_division_finding(profile, labels)] if len(profile.children) > 1 else []
    themed = [_theme_finding(profile)] if profile.themes and profile.themes[0].bioprojects > 1 else []
    found = (
        facets[:2]
        + associated[:1]
        + divided
        + facets[2:6]
        + themed
        + associated[1:]
        + _study_findings(profile)
        + facets[6:]
    )
    return found + _fallbacks(profile)[: max(0, MIN_FINDINGS - len(found))]


def fact_sentence(fact: FactRow, *, runs: int) -> str:
    """Return the one sentence that states ``fact`` and cites it; ``runs`` is the size of its community."""
    return _close(f"{_statement(fact, runs)}, {against_index(fact.lift, fact.q_value)}", _cite([fact]))


def association_sentence(row: AssociationRow) -> str:
    """Return the one sentence that states an association and cites its bioproject and family."""
    return _close(*_association(row))


def rate(profile: Profile) -> tuple[float, str]:
    """Return the strength of the evidence, 0-10 in steps of a half, and what it rests on.

    Up to 3 for independent bioprojects (log2 of their number), up to 3 for facets that stand out (0.5 each), up to 2
    for runs (log10), 1 for the share of organism, tissue and place that is stated, 1 for an unflagged association.
    """
    marked = [facet for facet in WORDINGS if any(fact.stands_out for fact in profile.of(facet))]
    stated = (
        sum(profile.known(facet) for facet in ("label", "tissue", "geography")) / (3 * profile.runs)
        if profile.runs
        else 0
    )
    sound = any(row.flag is None for row in profile.associations)
    score = min(3.0, log2(max(1, profile.bioprojects))) + min(3.0, 0.5 * len(marked)) + stated + sound
    score += min(2.0, log2(max(1, profile.runs)) / 5)
    why = (
        f"{counted(profile.runs, 'run')} from {counted(profile.bioprojects, 'bioproject')}; "
        f"{counted(len(marked), 'facet')} over-represented against the index; "
        f"{'an' if sound else 'no'} unflagged significant association; "
        f"organism, tissue and place are stated for {share_of_text(stated)}"
    )
    return round(2 * min(10.0, score)) / 2, f"Rests on {why}."


def share_of_text(share: float) -> str:
    """Return a share of metadata in words."""
    return next(
        word
        for limit, word in ((0.95, "nearly all runs"), (0.6, "most runs"), (0.3, "some runs"), (0, "few runs"))
        if share >= limit
    )


def _facet_finding(profile: Profile, facet: str) -> Sentences:
    lead, *rest = profile.salient(facet)
    frequent = max(rest, key=lambda fact: fact.runs, default=lead)
    claim = _statement(lead, profile.runs)
    parts = [(f"That is {against_index(lead.lift, lead.q_value)}", _cite([lead]))]
    if frequent.runs > lead.runs:
        parts.append(
            (
                f"Most frequent is {frequent.value}, in {counted(frequent.runs, 'run')}, {against_index(frequent.lift, frequent.q_value)}",
                _cite([frequent]),
            )
        )
    following = [fact for fact in rest if fact != frequent or frequent.runs <= lead.runs][:3]
    if following:
        names = listed([f"{fact.value} ({counted(fact.runs, 'run')})" for fact in following])
        parts.append((f"Next {'comes' if len(following) == 1 else 'come'} {names}", _cite(following)))
    missing = profile.runs - lead.known
    if missing:
        parts.append((f"{sentence(share_of(missing, profile.runs))} {WORDINGS[facet].absent}", _own(profile)))
    return _finding((claim, _cite([lead])), parts)


def _statement(fact: FactRow, runs: int) -> str:
    wording = WORDINGS[fact.facet]
    qualifier = wording.stating if fact.known < runs else ""
    return sentence(wording.claim.format(value=fact.value, share=share_of(fact.runs, fact.known, qualifier)))


def _association(row: AssociationRow) -> Part:
    effect = _effect(row)
    groups = f"{counted(row.num_true, 'biosample')} against {row.num_false:,}"
    caution = f", to be read with care: {row.flag.replace(';', ', ')}" if row.flag else ""
    claim = f"In {row.bioproject}, {row.family} {effect} where {row.attribute} is {row.value} ({groups}; {q_text(row.q_value)}){caution}"
    return claim, _citable([("bioproject", row.bioproject), ("family", row.family)])


def _effect(row: AssociationRow) -> str:
    if row.fold_change is None:
        return "differs in abundance"
    return (
        f"is {factor(2 ** abs(row.fold_change))} times as abundant"
        if row.fold_change >= 0
        else f"is {factor(2 ** abs(row.fold_change))} times less abundant"
    )


def _association_finding(row: AssociationRow) -> Sentences:
    claim, citations = _association(row)
    note = "It is a test within one bioproject, reads per million compared between its biosamples"
    effect = "" if row.fold_change is None else f" (log2 fold change {row.fold_change:.1f})"
    return _finding((claim, citations), [(f"{note}{effect}", citations)])


def _theme_finding(profile: Profile) -> Sentences:
    lead, *rest = profile.themes
    claim = (
        f"Its studies write of “{lead.term}”: {lead.bioprojects:,} of {counted(lead.described, 'described bioproject')}"
    )
    also = listed([f"“{theme.term}” ({theme.bioprojects:,})" for theme in rest[:4]])
    quoted = [fact for fact in profile.of("bioproject") if fact.value in profile.titles][:2]
    named = listed([f"{fact.value}, “{profile.titles[fact.value].rstrip('.')}”" for fact in quoted])
    parts = [(f"Other words that set them apart: {also}", _own(profile))] if also else []
    parts += [(f"Among them {'is' if len(quoted) == 1 else 'are'} {named}", _cite(quoted))] if quoted else []
    return _finding((claim, _cite(profile.of("bioproject")) or _own(profile)), parts)


def _study_findings(profile: Profile) -> list[Sentences]:
    projects = sorted(profile.of("bioproject"), key=lambda fact: (-fact.runs, fact.value))
    if not projects:
        return []
    lead, known = projects[0], projects[0].known
    if profile.bioprojects == 1:
        claim = f"A single bioproject, {lead.value}, holds {share_of(lead.runs, known)}"
    else:
        claim = f"{lead.value} is the largest of {counted(profile.bioprojects, 'bioproject')}, with {share_of(lead.runs, known)}"
    title = profile.titles.get(lead.value)
    parts = [(f"Its title is “{title.rstrip('.')}”", _cite([lead]))] if title else []
    if len(projects) > 1:
        names = listed([f"{fact.value} ({counted(fact.runs, 'run')})" for fact in projects[1:4]])
        parts.append((f"Next {'comes' if len(projects) == 2 else 'come'} {names}", _cite(projects[1:4])))
    elif profile.bioprojects == 1:
        parts.append(("What marks this community may be the design of one study", _cite([lead])))
    return [_finding((claim, _cite([lead])), parts)]


def _division(profile: Profile, labels: Mapping[str, str]) -> Part:
    largest = profile.children[:3]
    names = listed([f"{labels.get(name, name)} ({counted(runs, 'run')})" for name, runs in largest])
    some = "namely" if len(profile.children) <= 3 else "the largest being"
    claim = f"It divides into {counted(len(profile.children), 'community', 'communities')}, {some} {names}"
    return claim, _citable([("community", name) for name, runs in largest if runs])


def _division_finding(profile: Profile, labels: Mapping[str, str]) -> Sentences:
    claim, citations = _division(profile, labels)
    largest = profile.children[0][1]
    return _finding(
        (claim, citations), [(f"The largest holds {share_of(largest, profile.runs)} of this community", citations[:1])]
    )


def _fallbacks(profile: Profile) -> list[Sentences]:
    """Return what can be said of any community, for those whose runs state next to nothing."""
    runs = [("runId", run) for run in profile.example_runs]
    size = f"It holds {counted(profile.runs, 'run')} of {counted(profile.biosamples, 'biosample')}"
    stated = [facet for facet in WORDINGS if profile.of(facet)]
    silent = f"The runs state {counted(len(stated), 'facet')} of the {len(WORDINGS)} that are looked for"
    names = f"Of its {counted(profile.runs, 'run')}, {listed([run for _, run in runs])} {'is' if len(runs) == 1 else 'are'} named here"
    return [
        _finding(
            (size, _own(profile)), [("Its place in the graph rests on shared metadata and sequences", _own(profile))]
        ),
        _finding((silent, _own(profile)), [("What is not stated is unknown, not absent", _own(profile))]),
        _finding(
            (names, _citable(runs) or _own(profile)),
            [("They are examples in order of accession", _citable(runs) or _own(profile))],
        ),
    ]


def _size(profile: Profile) -> Part:
    projects = _cite(sorted(profile.of("bioproject"), key=lambda fact: (-fact.runs, fact.value))[:3])
    origin = f" from {counted(profile.bioprojects, 'bioproject')}" if profile.bioprojects else ""
    return f"This community holds {counted(profile.runs, 'run')}{origin}", projects or _own(profile)


def _claim(fact: FactRow, profile: Profile) -> Part:
    return f"{_statement(fact, profile.runs)}, {against_index(fact.lift, fact.q_value)}", _cite([fact])


def _cite(facts: Iterable[FactRow]) -> list[Citation]:
    return _citable((fact.facet, fact.value) for fact in facts)


def _own(profile: Profile) -> list[Citation]:
    return [Citation("community", profile.community)]


def _citable(pairs: Iterable[tuple[str, str]]) -> list[Citation]:
    return [Citation(key, value) for key, value in pairs if is_citable(key, value)][:MAX_PER_REFERENCE]


def _finding(claim: Part, parts: Sequence[Part]) -> Sentences:
    citations = [one for _, listed_ in [claim, *parts] for one in listed_]
    return Sentences(_close(*claim), " ".join(_close(*part) for part in parts), tuple(citations))


def _close(claim: str, citations: Sequence[Citation]) -> str:
    return f"{claim} {format_reference(citations)}." if citations else f"{claim}."


def _report_frame(rows: list[Row]) -> dy.DataFrame[Report]:
    said = ["community", "title", "label", "summary", "rating", "rating_explanation", "risk_group", "facts_hash"]
    counts = {name: pl.lit(0) for name in ("prompt_tokens", "completion_tokens", "accepted", "repaired", "replaced")}
    frame = pl.DataFrame(rows, schema=said, orient="row", infer_schema_length=None)
    return conform(frame.with_columns(model=pl.lit(None), method=pl.lit("template"), **counts), Report)


def _finding_frame(rows: list[Row]) -> dy.DataFrame[Finding]:
    return conform(pl.DataFrame(rows, schema=Finding.column_names(), orient="row", infer_schema_length=None), Finding)


def _citation_frame(rows: list[Row]) -> dy.DataFrame[CitationTable]:
    schema = ["community", "ordinal", "key", "value"]
    frame = pl.DataFrame(rows, schema=schema, orient="row", infer_schema_length=None)
    return conform(frame.with_columns(runs=pl.lit(0), verified=pl.lit(False)), CitationTable)
