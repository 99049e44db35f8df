"""Communities and their reports as plain records, straight from the tables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

import duckdb

from index.checking.interpretation import interpretation_label
from index.reports.phrases import counted
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
class RiskBasis:
    """What decided the risk group of a community: an agent, a row of the register, a rule."""

    rule: str = "not listed"
    name: str | None = None
    taxon: str | None = None
    row: int | None = None
    listed: str | None = None
    register: str | None = None
    runs: int = 0
    explained: int = 0
    """Runs in which a relative has more reads: the group does not rest on them."""

    def text(self) -> str:
        """Return why, in words.

        >>> zika = "NCBITaxon:64320"
        >>> RiskBasis("listed", "Zika virus", zika, 1175, zika, runs=2).text()
        'Zika virus (NCBITaxon:64320) in 2 runs, named in row 1,175 of the register'
        """
        number = self.row or 0
        row = f"{number:,}"
        rule = _RISK_RULES[self.rule]
        shipped = "shipped " if self.register == "shipped" else ""
        why = rule.format(row=row, listed=self.listed, register=f"{shipped}register")
        agent = self.name
        if self.taxon:
            agent = f"{agent} ({self.taxon})"
        if self.runs:
            agent = f"{agent} in {counted(self.runs, 'run')}"
        if self.explained:
            agent = f"{agent}, {self.explained:,} of them with more reads of a relative"
        return f"{agent}, {why}" if agent else why


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
    risk: RiskBasis = RiskBasis()
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
    risks = risk_bases(con, community)
    findings = _by_community(con, _FINDINGS, community)
    citations = _by_community(con, _CITATIONS, community)
    cards = []
    for row in reports:
        card = ReportCard(*row)
        name = card.community
        cited = _by_finding(citations.get(name, []))
        complete = replace(
            card,
            risk=risks.get(name, RiskBasis()),
            children=tuple(child for (child,) in children.get(name, [])),
            findings=_findings(findings.get(name, []), cited),
            citations=tuple(cited.get(0, ())),
        )
        cards.append(complete)
    return cards


def risk_bases(
    con: duckdb.DuckDBPyConnection, community: str | None = None
) -> dict[str, RiskBasis]:
    """Return what decided the risk group of ``community``, of all where it is None."""
    decided = _by_community(con, _RISK, community)
    return {name: RiskBasis(*rows[0]) for name, rows in decided.items()}


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
    paragraphs = [
        f"# {card.title}",
        f"{card.community} · {card.label} · {place}",
        card.summary,
    ]
    for finding in card.findings:
        claim = f"{finding.ordinal}. {finding.summary}"
        paragraph = f"{claim}\n   {finding.explanation}".rstrip()
        paragraphs.append(paragraph)
    risk = card.risk.text()
    paragraphs += [
        f"Rating {card.rating:.1f} of 10: {card.rating_explanation}",
        f"Risk group {card.risk_group}: {risk}",
    ]
    if card.interpretation and card.model:
        paragraphs.append(f"{interpretation_label(card.model)}\n{card.interpretation}")
    return "\n\n".join(paragraphs)


def _place(card: ReportCard) -> list[str]:
    """Return where a community is in the hierarchy, its size and its risk group, in words."""
    place = [
        f"level {card.level}",
        counted(card.runs, "run"),
        f"risk group {card.risk_group}",
    ]
    if card.parent:
        place.append(f"part of {card.parent}")
    if card.children:
        shown = ", ".join(card.children[:_SHOWN_CHILDREN])
        more = ", …" if len(card.children) > _SHOWN_CHILDREN else ""
        place.append(f"parts {shown}{more}")
    return place


_SHOWN_CHILDREN: Final = 6

_RISK_RULES: Final = {
    "listed": "named in row {row} of the {register}",
    "inherited": "below {listed} of row {row} of the {register}",
    "floor": "at least this group by row {row} of the {register} ({listed})",
    "floor only": "for which row {row} of the {register} gives only a lower limit",
    "members": "of which row {row} of the {register} lists a member higher ({listed})",
    "unread": "whose group in row {row} of the {register} cannot be read",
    "no vertebrate host": "listed in no register, with recorded hosts that are no vertebrates",
    "not listed": "not listed in a register",
    "no agent": "no virus or other agent is named",
}
"""What each rule of ``community_risk`` says of the agent that decided."""

_RISK: Final = """
SELECT c.community, c.rule, c.name, c.taxon, c.row, c.listed, c.register, count(DISTINCT d.run),
       count(DISTINCT d.run) FILTER (d.congener IS NOT NULL)
FROM community_risk c
LEFT JOIN community_member m ON m.community = c.community
LEFT JOIN detection d ON d.run = m.entity AND (
    d.taxon = c.taxon OR d.sotu = c.name
    OR (d.virus = c.taxon AND NOT ends_with(coalesce(d.stated, ''), '-like'))
)
WHERE $1::VARCHAR IS NULL OR lower(c.community) = lower($1)
GROUP BY c.community, c.rule, c.name, c.taxon, c.row, c.listed, c.register
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
       r.rating, r.rating_explanation, r.risk_group, r.interpretation, r.model
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
