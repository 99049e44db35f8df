"""Briefs: what a model is shown of a community, drawn from its template report.

A brief is a short list of true sentences, each with the citations it carries. The model words them
and never writes a citation itself; what it gets wrong is replaced by the sentence it should have
worded.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import polars as pl

from index.checking.verification import split_sentences
from index.models.profiles import ModelProfile
from index.reports.citations import Citation, cited, format_reference, strip_references
from index.reports.phrases import share_of
from index.reports.profiles import Profile
from index.reports.templates import Reports


@dataclass(frozen=True)
class Statement:
    """One fact in words: what it is about, its sentence without references, what it cites, what
    else is known.
    """

    kind: str
    text: str
    citations: tuple[Citation, ...]
    detail: str = ""
    name: str = ""
    """What a sentence must name to speak of it; "" where any value cited will do."""

    @property
    def sentence(self) -> str:
        """The fact sentence that stands where a model failed: words and reference."""
        return with_reference(self.text, self.citations)


@dataclass(frozen=True)
class Brief:
    """What a model is shown of one community."""

    community: str
    level: int
    rating: float
    """Strength of the evidence, 0-10."""
    size: Statement
    facts: tuple[Statement, ...]
    """The claims of the template's first findings, in their order; each is worded as a finding."""
    context: tuple[Statement, ...]
    """What else a summary may draw on: further claims, the largest parts."""

    @property
    def statements(self) -> tuple[Statement, ...]:
        """All that is shown, the size first."""
        return (self.size, *self.facts, *self.context)


def write_briefs(
    reports: Reports, profiles: Sequence[Profile], *, model: ModelProfile
) -> list[Brief]:
    """Return one brief per report, the most valuable first: highest rating, then most runs, then
    identifier.

    ``reports`` are template reports with one profile each in ``profiles``; ``model`` says how much
    it can take in.
    """
    found = _findings_by_community(reports.finding)
    names = {
        row[0]: row[1:] for row in reports.report.select("community", "label", "title").iter_rows()
    }
    by_name = {profile.community: profile for profile in profiles}
    rows = reports.report.select("community", "summary", "rating").iter_rows()
    briefs = [
        write_brief(by_name[name], summary, rating, found.get(name, []), names, model=model)
        for name, summary, rating in rows
    ]
    return sorted(
        briefs, key=lambda brief: (-brief.rating, -by_name[brief.community].runs, brief.community)
    )


def write_brief(
    profile: Profile,
    summary: str,
    rating: float,
    findings: Sequence[tuple[str, str]],
    names: Mapping[str, tuple[str, str]],
    *,
    model: ModelProfile,
) -> Brief:
    """Return the brief of one community: its size, its findings' claims, its largest parts by
    (label, title).
    """
    claims = tuple(
        _statement(claim, detail=_detail(explanation, sentences=model.detail_sentences))
        for claim, explanation in findings
    )
    return Brief(
        community=profile.community,
        level=profile.level,
        rating=rating,
        size=_statement(split_sentences(summary)[0], kind="size"),
        facts=claims[: model.findings],
        context=(*claims[model.findings : model.facts], *_parts(profile, names)[: model.parts]),
    )


def with_reference(text: str, citations: Sequence[Citation]) -> str:
    """Return ``text`` as one sentence that ends with the reference to ``citations`` and a full
    stop.

    >>> with_reference("Seen in leaves.", [Citation("tissue", "leaf")])
    'Seen in leaves [Filters: {{tissue: leaf}}].'
    """
    bare = text.strip().rstrip(".").rstrip()
    return f"{bare} {format_reference(citations)}." if citations else f"{bare}."


def _statement(sentence: str, *, kind: str = "", detail: str = "") -> Statement:
    citations = tuple(cited([sentence]))
    keys = list(dict.fromkeys(one.key for one in citations))
    about = kind or (keys[0] if len(keys) == 1 else "association")
    return Statement(about, strip_references(sentence).strip(), citations, detail)


def _detail(explanation: str, *, sentences: int) -> str:
    return " ".join(
        strip_references(sentence).strip() for sentence in split_sentences(explanation)[:sentences]
    )


def _parts(profile: Profile, names: Mapping[str, tuple[str, str]]) -> list[Statement]:
    """Return what the parts of a community are about, the largest first; a single part says nothing
    new.
    """
    if len(profile.children) < 2:
        return []
    return [
        Statement(
            kind="part",
            text=f"Its part {names[name][0]} holds {share_of(runs, profile.runs)}.",
            citations=(Citation("community", name),),
            detail=f"That is {names[name][1]}.",
            name=names[name][0],
        )
        for name, runs in profile.children
        if runs and name in names
    ]


def _findings_by_community(finding: pl.DataFrame) -> dict[str, list[tuple[str, str]]]:
    found: dict[str, list[tuple[str, str]]] = {}
    ordered = finding.sort("community", "ordinal").select("community", "summary", "explanation")
    for community, summary, explanation in ordered.iter_rows():
        found.setdefault(community, []).append((summary, explanation))
    return found
