"""Briefs: what a model is shown of a community, drawn from its template report.

A brief is a short list of true sentences, each with its citations. The model rewords them and never
writes a citation itself; what it gets wrong is replaced by the sentence it should have reworded.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

import polars as pl

from index.checking.sentences import split_sentences
from index.facets import SAMPLED
from index.models.profiles import ModelProfile
from index.reports.citations import CitedValue, cited, format_reference, strip_references
from index.reports.findings.hierarchy import is_silence
from index.reports.findings.marks import is_caveat
from index.reports.phrases import share_of
from index.reports.profiles import Profile
from index.reports.templates import Reports, is_caution


@dataclass(frozen=True)
class BriefStatement:
    """A fact in words: what it is about, its sentence without references, what it cites.

    ``detail`` is what else is known.
    """

    kind: str
    text: str
    citations: tuple[CitedValue, ...]
    detail: str = ""
    name: str = ""
    """What a sentence must name to speak of it; "" where any value cited will do."""

    @property
    def sentence(self) -> str:
        """The sentence that is used where a model failed: words and reference."""
        return with_reference(self.text, self.citations)


@dataclass(frozen=True)
class Brief:
    """What a model is shown of one community."""

    community: str
    title: str
    level: int
    rating: float
    """Strength of the evidence, 0-10."""
    size: BriefStatement
    facts: tuple[BriefStatement, ...]
    """The claims of the template's first findings, in their order; each is worded as a finding."""
    context: tuple[BriefStatement, ...]
    """What else a summary may draw on: what the template's summary says of its leading facts,
    further claims, the largest parts.
    """
    caution: BriefStatement | None = None
    """What a lead has to be careful about; always shown."""

    @property
    def nameable(self) -> tuple[BriefStatement, ...]:
        """All that a sentence can name, in the order shown."""
        last = () if self.caution is None else (self.caution,)
        return (*self.facts, *self.context, *last)

    @property
    def statements(self) -> tuple[BriefStatement, ...]:
        """All that is shown, the size first."""
        return (self.size, *self.nameable)


def write_briefs(
    reports: Reports, profiles: Sequence[Profile], *, model: ModelProfile
) -> list[Brief]:
    """Return a brief per report: by highest rating, then most runs, then identifier.

    ``reports`` are template reports with one profile each in ``profiles``; ``model`` says how much
    it can take in.
    """
    found = _findings_by_community(reports.finding)
    names = _names_by_community(reports.report)
    profile_of = {profile.community: profile for profile in profiles}
    rows = reports.report.select("community", "summary", "rating")
    briefs = []
    for community, summary, rating in rows.iter_rows():
        findings = found.get(community, [])
        brief = write_brief(
            profile_of[community],
            summary,
            rating,
            findings,
            names,
            model=model,
        )
        briefs.append(brief)

    def value(brief: Brief) -> tuple[float, int, str]:
        runs = profile_of[brief.community].runs
        return -brief.rating, -runs, brief.community

    return sorted(briefs, key=value)


def write_brief(
    profile: Profile,
    summary: str,
    rating: float,
    findings: Sequence[tuple[str, str]],
    names: Mapping[str, tuple[str, str]],
    *,
    model: ModelProfile,
) -> Brief:
    """Return the brief of a community: its size, the claims of its findings, its largest parts.

    ``names`` are the (label, title) of communities.
    """
    claims = []
    for claim, explanation in findings:
        detail = _detail(explanation, sentences=model.detail_sentences)
        claims.append(_statement(claim, detail=detail))
    first_sentence, *others = split_sentences(summary)
    said = list(map(_statement, others))
    leads = [one for one in said if one.kind in _LEADS]
    caution = None
    if not model.findings:
        leads = [_without_followers(lead) for lead in leads]
        leads[1:] = [_without_comparison(lead) for lead in leads[1:]]
        caution = _caution(said, findings)
        claims = [one for one in claims if not _names_parts(one, profile)]
        if caution is not None:
            claims = [one for one in claims if not is_caveat(one.text) and one != caution]
    last = max(model.findings, model.facts - len(leads))
    further_claims = claims[model.findings : last]
    largest_parts = _parts(profile, names)[: model.parts]
    return Brief(
        community=profile.community,
        title=names[profile.community][1],
        level=profile.level,
        rating=rating,
        size=_statement(first_sentence, kind="size"),
        facts=tuple(claims[: model.findings]),
        context=(*leads, *further_claims, *largest_parts),
        caution=caution,
    )


def _caution(
    said: Sequence[BriefStatement], findings: Sequence[tuple[str, str]]
) -> BriefStatement | None:
    """Return what to be careful about: the virus in a host that the summary warns of, else another
    caution of it, else what most runs do not state; None where a report names none of these.
    """
    claims = [_statement(claim) for claim, _ in findings]
    warnings = [one for one in said if is_caveat(one.text)]
    warnings += [one for one in said if is_caution(one.text)]
    warnings += [one for one in [*said, *claims] if is_silence(one.text)]
    return warnings[0] if warnings else None


def _without_comparison(lead: BriefStatement) -> BriefStatement:
    return replace(lead, text=_COMPARED.sub(".", lead.text))


def _names_parts(statement: BriefStatement, profile: Profile) -> bool:
    """Return whether a statement is about parts of a community: small models take labels apart."""
    itself = CitedValue("community", profile.community)
    return any(one.key == "community" and one != itself for one in statement.citations)


def _without_followers(lead: BriefStatement) -> BriefStatement:
    """Return a leading fact without the values that come next: a short sentence has no room."""
    text, found, _ = lead.text.partition(FOLLOWED)
    if not found:
        return lead
    return replace(lead, text=f"{text}.", citations=lead.citations[:1])


FOLLOWED: Final = "; it is followed by"
"""Before the values that come next in a sentence of a template's summary."""
_COMPARED: Final = re.compile(
    r", (?:against .* in the rest of its parent|[^,]*\bits share in the whole index\b.*)\.$"
)
"""How a fact compares, behind its share."""
_LEADS: Final = ("species", "family", *SAMPLED)
"""Facets that the summary of a template speaks of."""


def with_reference(text: str, citations: Sequence[CitedValue]) -> str:
    """Return ``text`` as a sentence that ends with the reference to ``citations`` and a full stop.

    >>> with_reference("Seen in leaves.", [CitedValue("tissue", "leaf")])
    'Seen in leaves [Filters: {{tissue: leaf}}].'
    """
    bare = text.strip().rstrip(".").rstrip()
    if not citations:
        return f"{bare}."
    reference = format_reference(citations)
    return f"{bare} {reference}."


def _statement(sentence: str, *, kind: str = "", detail: str = "") -> BriefStatement:
    citations = tuple(cited([sentence]))
    text = strip_references(sentence).strip()
    return BriefStatement(
        kind=kind or _kind_of(citations),
        text=text,
        citations=citations,
        detail=detail,
    )


def _kind_of(citations: Sequence[CitedValue]) -> str:
    """Return the key that all ``citations`` share; a fact about several is an association."""
    keys = {citation.key for citation in citations}
    if len(keys) == 1:
        return keys.pop()
    return "association"


def _detail(explanation: str, *, sentences: int) -> str:
    first = split_sentences(explanation)[:sentences]
    bare = [strip_references(sentence).strip() for sentence in first]
    return " ".join(bare)


def _parts(profile: Profile, names: Mapping[str, tuple[str, str]]) -> list[BriefStatement]:
    """Return what the parts of a community are about, the largest first.

    A single part says nothing new.
    """
    if len(profile.children) < 2:
        return []
    statements = []
    for community, runs in profile.children:
        if not runs or community not in names:
            continue
        label, title = names[community]
        share = share_of(runs, profile.runs)
        statement = BriefStatement(
            kind="part",
            text=f"Its part {label} holds {share}.",
            citations=(CitedValue("community", community),),
            detail=f"That is {title}.",
            name=label,
        )
        statements.append(statement)
    return statements


def _findings_by_community(finding: pl.DataFrame) -> dict[str, list[tuple[str, str]]]:
    """Return the (summary, explanation) of the findings of each community, in their order."""
    ordered = finding.sort("community", "ordinal")
    rows = ordered.select("community", "summary", "explanation")
    found: dict[str, list[tuple[str, str]]] = {}
    for community, summary, explanation in rows.iter_rows():
        findings = found.setdefault(community, [])
        findings.append((summary, explanation))
    return found


def _names_by_community(report: pl.DataFrame) -> dict[str, tuple[str, str]]:
    """Return the (label, title) of each community."""
    rows = report.select("community", "label", "title")
    names = {}
    for community, label, title in rows.iter_rows():
        names[community] = (label, title)
    return names
