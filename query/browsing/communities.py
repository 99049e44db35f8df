"""Communities and their reports as plain records, straight from the tables."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

import duckdb

from index.checking.interpretation import interpretation_label
from index.claims.phrases import counted
from query.answer import Citation
from query.browsing.lookup import no_report
from query.browsing.risks import RiskVirus, risk_lines, risky_viruses
from query.levels import checked_levels


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
    checked_levels(con, level)
    filters = {"like": like, "level": level}
    ((total,),) = con.execute(f"SELECT count(*) FROM ({_LIST})", filters).fetchall()
    largest = f"{_LIST} ORDER BY level, runs DESC, community LIMIT {int(limit)}"
    rows = con.execute(largest, filters).fetchall()
    return [CommunityRow(*row) for row in rows], total


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
        cited: dict[int, list[Citation]] = {}
        for ordinal, *columns in citations.get(name, []):
            cited.setdefault(ordinal, []).append(Citation(*columns))
        complete = replace(
            card,
            risks=risks.get(name, ()),
            children=tuple(child for (child,) in children.get(name, [])),
            findings=tuple(
                Finding(ordinal, summary, explanation, tuple(cited.get(ordinal, ())))
                for ordinal, summary, explanation in findings.get(name, [])
            ),
            citations=tuple(cited.get(0, ())),
        )
        cards.append(complete)
    return cards


def _by_community(
    con: duckdb.DuckDBPyConnection, query: str, community: str | None
) -> dict[str, list[Sequence[Any]]]:
    """Return the rows of ``query`` by the community in their first column, without it."""
    rows: dict[str, list[Sequence[Any]]] = {}
    for name, *columns in con.execute(query, [community]).fetchall():
        rows.setdefault(name, []).append(columns)
    return rows


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
