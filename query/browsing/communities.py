"""Communities and their reports as plain records, straight from the tables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

import duckdb

from index.checking.interpretation import interpretation_label
from index.exposure import DANGEROUS
from index.reports.phrases import counted, listed
from index.stated import REPORTED
from query.answer import Citation
from query.browsing.lookup import no_report
from query.errors import UnknownLevelError


@dataclass(frozen=True, slots=True)
class CommunityRow:
    """One line of the list of communities."""

    community: str
    level: int
    parent: str | None
    runs: int
    rating: float | None
    label: str | None
    title: str | None


@dataclass(frozen=True, slots=True)
class Finding:
    """One finding of a report with its citations."""

    ordinal: int
    summary: str
    explanation: str
    citations: tuple[Citation, ...]


@dataclass(frozen=True, slots=True)
class RiskVirus:
    """A virus of a risk group in the runs of a community, with what supports it."""

    virus: str
    """As it is stated."""
    group: str
    runs: int
    """Runs in which no relative has more reads."""
    identity: float | None
    """The highest to its reference, percent; None where none is known."""
    reads: int | None
    """The most of a run."""
    run: str
    """The run that supports it best."""
    positive: int
    """Runs of the community with a virus."""

    @property
    def defines(self) -> bool:
        """Whether the community is about it, and not only a few of its runs."""
        return self.runs >= max(_FEWEST, _DEFINING * self.positive)

    def text(self) -> str:
        """Return in how many runs it is, and on what evidence.

        >>> RiskVirus("Lassa virus", "RG4", 1, 98.0, 12, "SRR1", 90).text()
        'in 1 run: Lassa virus (RG4), at 98% identity at best, e.g. SRR1 with 12 reads'
        >>> RiskVirus("reported as Lassa virus", "RG4", 2, None, None, "SRR1", 90).text()
        'in 2 runs: Lassa virus (RG4), reported only, with no identity known, e.g. SRR1'
        """
        evidence = "reported only, with no identity known"
        if self.identity is not None:
            evidence = f"at {self.identity:g}% identity at best"
        reads = "" if self.reads is None else f" with {counted(self.reads, 'read')}"
        named = f"{self.virus.removeprefix(REPORTED)} ({self.group})"
        return f"in {counted(self.runs, 'run')}: {named}, {evidence}, e.g. {self.run}{reads}"


@dataclass(frozen=True, slots=True)
class ReportCard:
    """A report as a reader sees it."""

    community: str
    level: int
    parent: str | None
    runs: int
    title: str
    label: str
    summary: str
    rating: float
    rating_explanation: str
    risk_group: str
    interpretation: str | None
    """Sentences of ``model``, not counted in the index."""
    model: str | None
    gaps: str | None = None
    """What is not known of most runs."""
    risks: tuple[RiskVirus, ...] = ()
    """Viruses of RG2 and above, the most dangerous first; of it those of most runs."""
    children: tuple[str, ...] = ()
    findings: tuple[Finding, ...] = ()
    citations: tuple[Citation, ...] = ()


def list_communities(
    con: duckdb.DuckDBPyConnection,
    *,
    like: str | None = None,
    level: int | None = None,
    limit: int = 50,
) -> tuple[list[CommunityRow], int]:
    """Return reported communities, largest first, and how many there are in all.

    ``like`` keeps those whose title, label or any fact value contains the text, in any case.

    Raises ``UnknownLevelError`` where the hierarchy has no ``level``.
    """
    levels = _levels(con)
    if level is not None and level not in levels:
        raise UnknownLevelError(level, levels=levels)
    asked = {"like": like, "level": level}
    count = f"SELECT count(*) FROM ({_LIST})"
    ((total,),) = con.execute(count, asked).fetchall()
    most = int(limit)
    largest = f"{_LIST} ORDER BY level, runs DESC, community LIMIT {most}"
    rows = con.execute(largest, asked).fetchall()
    listed = [CommunityRow(*row) for row in rows]
    return listed, total


def _levels(con: duckdb.DuckDBPyConnection) -> list[int]:
    """Return the levels of the hierarchy, the coarsest first."""
    query = "SELECT DISTINCT level FROM community ORDER BY level"
    rows = con.execute(query).fetchall()
    return [level for (level,) in rows]


def read_report(con: duckdb.DuckDBPyConnection, community: str) -> ReportCard:
    """Return the report of ``community``, or of the community it carries down.

    Raises ``UnknownCommunityError`` where there is none, naming the nearest, and
    ``UnreportedCommunityError`` where a community has no report.
    """
    carried = con.execute(_CARRIED, [community]).fetchall()
    for (carried_from,) in carried:
        community = carried_from
    cards = _cards(con, community)
    if not cards:
        raise no_report(con, community)
    return cards[0]


def all_reports(con: duckdb.DuckDBPyConnection) -> list[ReportCard]:
    """Return every report, the coarsest level and the largest communities first."""
    return _cards(con, None)


def _cards(con: duckdb.DuckDBPyConnection, community: str | None) -> list[ReportCard]:
    """Return the report of ``community``, of all where it is None; one query for each part."""
    reports = con.execute(_REPORT, [community]).fetchall()
    children = _by_community(con, _CHILDREN, community)
    risks = risky_viruses(con, community)
    findings = _by_community(con, _FINDINGS, community)
    citations = _by_community(con, _CITATIONS, community)
    cards = []
    for row in reports:
        card = ReportCard(*row)
        name = card.community
        cited = _by_finding(citations.get(name, []))
        complete = replace(
            card,
            risks=risks.get(name, ()),
            children=tuple(child for (child,) in children.get(name, [])),
            findings=_findings(findings.get(name, []), cited),
            citations=tuple(cited.get(0, ())),
        )
        cards.append(complete)
    return cards


def risky_viruses(
    con: duckdb.DuckDBPyConnection, community: str | None = None
) -> dict[str, tuple[RiskVirus, ...]]:
    """Return the viruses of RG2 and above of ``community``, of all where it is None."""
    found = _by_community(con, _RISK, community)
    return {name: tuple(RiskVirus(*row) for row in rows) for name, rows in found.items()}


def _by_community(
    con: duckdb.DuckDBPyConnection, query: str, community: str | None
) -> dict[str, list[Sequence[Any]]]:
    """Return the rows of ``query`` by the community in their first column, without it."""
    rows: dict[str, list[Sequence[Any]]] = {}
    for name, *columns in con.execute(query, [community]).fetchall():
        of_community = rows.setdefault(name, [])
        of_community.append(columns)
    return rows


def _findings(
    rows: Sequence[Sequence[Any]], cited: Mapping[int, Sequence[Citation]]
) -> tuple[Finding, ...]:
    """Return findings in the order of ``rows``, each with its citations."""
    findings = []
    for ordinal, summary, explanation in rows:
        citations = tuple(cited.get(ordinal, ()))
        finding = Finding(ordinal, summary, explanation, citations)
        findings.append(finding)
    return tuple(findings)


def _by_finding(rows: Sequence[Sequence[Any]]) -> dict[int, list[Citation]]:
    """Return the citations of each finding by its ordinal, those of the summary under 0."""
    cited: dict[int, list[Citation]] = {}
    for ordinal, *columns in rows:
        citation = Citation(*columns)
        of_finding = cited.setdefault(ordinal, [])
        of_finding.append(citation)
    return cited


def report_text(card: ReportCard) -> str:
    """Return a report for a reader, as Markdown."""
    place = "; ".join(_place(card))
    paragraphs = [f"# {card.title}", f"{card.community} · {place}", card.summary]
    for finding in card.findings:
        claim = f"{finding.ordinal}. {finding.summary}"
        paragraph = f"{claim}\n   {finding.explanation}".rstrip()
        paragraphs.append(paragraph)
    paragraphs += [card.gaps] if card.gaps else []
    paragraphs += risk_lines(card.risks)
    paragraphs.append(f"Rating {card.rating:.1f} of 10: {card.rating_explanation}")
    if card.interpretation and card.model:
        paragraphs.append(f"{interpretation_label(card.model)}\n{card.interpretation}")
    return "\n\n".join(paragraphs)


def risk_lines(viruses: Sequence[RiskVirus]) -> list[str]:
    """Return the risk group of the viruses that define a community, and what else is in it of RG3
    or RG4 with its evidence; nothing where no group is known.
    """
    defining = [one for one in viruses if one.defines]
    lines = []
    if defining:
        group = defining[0].group
        alike = [one for one in defining if one.group == group][:_SHOWN_RISKS]
        named = [f"{_called(one.virus)} ({counted(one.runs, 'run')})" for one in alike]
        lines.append(f"Risk group {group}: {listed(named)}")
    others = [one for one in viruses if not one.defines and one.group in DANGEROUS]
    lines += [f"Also, {one.text()}" for one in others[:_SHOWN_RISKS]]
    return lines


def _called(virus: str) -> str:
    """Return a virus as it is stated, in a list."""
    name = virus.removeprefix(REPORTED)
    return f"{name} as reported" if name != virus else name


def _place(card: ReportCard) -> list[str]:
    """Return where a community is in the hierarchy and its size, in words."""
    place = [f"level {card.level}", counted(card.runs, "run")]
    if card.parent:
        place.append(f"part of {card.parent}")
    if card.children:
        shown = ", ".join(card.children[:_SHOWN_CHILDREN])
        more = ", …" if len(card.children) > _SHOWN_CHILDREN else ""
        place.append(f"parts {shown}{more}")
    return place


_SHOWN_CHILDREN: Final = 6

_SHOWN_RISKS: Final = 2
_DEFINING: Final = 0.1
"""Share of the runs with a virus that have it, from which a virus defines a community."""
_FEWEST: Final = 3
"""Runs of a virus that defines a community."""

_RISK: Final = f"""
WITH member AS (
    SELECT m.community, d.run, d.virus, replace(d.stated, '{REPORTED}', '') AS stated,
           starts_with(d.stated, '{REPORTED}') AS reported, d.identity, d.reads,
           d.congener IS NULL AS sound
    FROM community_member m JOIN detection d ON d.run = m.entity
    WHERE ($1::VARCHAR IS NULL OR lower(m.community) = lower($1))
      AND m.community IN (SELECT community FROM report)
),
whole AS (SELECT community, count(DISTINCT run) AS positive FROM member GROUP BY community),
hit AS (
    SELECT m.community, m.stated, max(k.risk_group) AS risk_group, m.run,
           bool_and(m.reported) AS reported,
           max(m.identity) AS identity, max(m.reads) AS reads
    FROM member m JOIN virus_risk k ON k.virus = m.virus
    WHERE m.sound AND m.stated IS NOT NULL AND NOT ends_with(m.stated, '-like')
      AND k.risk_group IN ('RG2', 'RG3', 'RG4')
    GROUP BY m.community, m.stated, m.run
)
SELECT h.community, if(bool_and(h.reported), '{REPORTED}', '') || h.stated,
       max(h.risk_group) AS risk_group, count(*) AS runs,
       max(h.identity), max(h.reads),
       arg_max(h.run, (coalesce(h.identity, 0), coalesce(h.reads, 0), h.run)),
       any_value(w.positive)
FROM hit h JOIN whole w USING (community)
GROUP BY h.community, h.stated
ORDER BY h.community, risk_group DESC, runs DESC, h.stated
"""

_LIST: Final = """
SELECT c.community, c.level, c.parent, c.runs, r.rating, r.label, r.title
FROM reported_community c JOIN report r USING (community)
WHERE ($level::INTEGER IS NULL OR $level BETWEEN c.level AND c.last_level) AND (
    $like::VARCHAR IS NULL OR contains(lower(concat_ws(' ', r.title, r.label)), lower($like))
    OR c.community IN (SELECT community FROM fact WHERE contains(lower(value), lower($like)))
)
"""

_CARRIED: Final = "SELECT carried_from FROM carried WHERE lower(community) = lower($1)"

_REPORT: Final = """
SELECT c.community, c.level, c.parent, c.runs, r.title, r.label, r.summary,
       r.rating, r.rating_explanation, r.risk_group, r.interpretation, r.model, r.gaps
FROM report r JOIN reported_community c USING (community)
WHERE $1::VARCHAR IS NULL OR lower(r.community) = lower($1)
ORDER BY c.level, c.runs DESC, c.community
"""

_CHILDREN: Final = """
SELECT parent, community FROM reported_community
WHERE parent IS NOT NULL AND ($1::VARCHAR IS NULL OR lower(parent) = lower($1))
ORDER BY runs DESC, community
"""

_FINDINGS: Final = """
SELECT community, ordinal, summary, explanation FROM finding
WHERE $1::VARCHAR IS NULL OR lower(community) = lower($1) ORDER BY community, ordinal
"""

_CITATIONS: Final = """
SELECT community, ordinal, key, value, runs, verified FROM citation
WHERE $1::VARCHAR IS NULL OR lower(community) = lower($1)
ORDER BY community, ordinal, key, value
"""
