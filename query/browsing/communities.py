"""Communities and their reports as plain records, straight from the tables."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

import duckdb

from index.checking.interpretation import interpretation_label
from index.claims import NamedNumber, Ranking
from index.claims.phrases import counted, identity_of, listed, sentence
from index.exposure import DANGEROUS
from index.stated import REPORTED
from index.store.run_values import BEST_FIRST
from query.answer import Citation
from query.browsing.lookup import no_report
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
class RiskVirus:
    """A virus of a risk group in the runs of a community, with what supports it."""

    virus: str
    """As it is stated."""
    group: str
    runs: int
    """Runs in which it is found and no relative has more reads."""
    run: str
    """The run of its best supported detection."""
    identity: float | None
    """Identity of that detection to its reference, percent; None if it is not known."""
    reads: int | None
    """Of that detection."""
    most_reads: int | None
    """The most of all its detections."""
    by_kmers: bool
    """Whether methods without identity alone find it, as k-mers do."""
    positive: int
    """Runs of the community with a virus."""
    confirmed: int = 0
    """Runs with a hit of 90 % identity, or named by other evidence; k-mers alone confirm none, nor
    do a few reads if another virus of the run has many."""
    outweighed: int = 0
    """Runs, not among these, in which a relative has more reads."""

    @property
    def is_faint(self) -> bool:
        """Whether only k-mers show it, with few reads in every run."""
        return self.by_kmers and (self.most_reads or 0) < _FEW_READS

    @property
    def is_sure(self) -> bool:
        """Whether several runs confirm it, more than those where a relative has more reads."""
        return self.confirmed >= max(_FEWEST, self.outweighed + 1)

    @property
    def defines(self) -> bool:
        """Whether the community is about it, and not only a few of its runs."""
        is_common = self.runs >= _DEFINING * self.positive
        return is_common and self.confirmed >= max(_FEWEST, _CONFIRMED * self.runs)

    def text(self) -> str:
        """Return in how many runs it is, and its best supported detection.

        >>> RiskVirus("Lassa virus", "RG4", 1, "SRR1", 98.0, 12, 12, False, 90, 1).text()
        'Lassa virus in 1 run (best in SRR1: 98% identity, 12 reads)'
        """
        known = [] if self.identity is None else [identity_of(self.identity)]
        reads = [] if self.reads is None else [counted(self.reads, "read")]
        best = f" (best in {self.run}: {', '.join([*known, *reads])})" if known or reads else ""
        return f"{sentence(self.virus)} in {counted(self.confirmed, 'run')}{best}"


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


def risk_lines(viruses: Sequence[RiskVirus]) -> list[str]:
    """Return the risk group of the viruses that define a community, and what else of RG3 or RG4 was
    found in it, with the evidence; nothing if no group is known.

    Viruses that hardly any run confirms are named separately. Traces by k-mers alone and viruses
    that only label a library do not count as found.
    """
    defining = [agent for agent in viruses if agent.defines]
    alike = [agent for agent in defining if agent.group == defining[0].group][:_SHOWN_RISKS]
    lines = []
    if alike:
        named = [sentence(agent.virus) for agent in alike]
        lines.append(f"Risk group {alike[0].group}: {listed(named)}")
    others = [agent for agent in viruses if agent not in alike and agent.group in DANGEROUS]
    for group in sorted({agent.group for agent in others if agent.is_sure}, reverse=True):
        found = [agent for agent in others if agent.group == group and agent.is_sure]
        found.sort(key=lambda agent: (-agent.confirmed, agent.virus))
        named = [agent.text() for agent in found[:_SHOWN_RISKS]]
        more = [f"{len(found) - _SHOWN_RISKS:,} more"] if len(found) > _SHOWN_RISKS else []
        lines.append(f"{group} in some of its runs: {listed([*named, *more])}")
    unsure = [agent for agent in others if not agent.is_sure and not agent.is_faint]
    unsure.sort(key=lambda agent: (-agent.runs, agent.virus))
    if unsure:
        places = tuple(
            NamedNumber(name=sentence(agent.virus), number=agent.runs) for agent in unsure[:_NAMED]
        )
        begin = "not confirmed (single runs, traces, a relative or a name alone):"
        lines.append(sentence(Ranking(begin=begin, places=places).clause()))
    return lines


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
_NAMED: Final = 3
"""Unconfirmed viruses that are named."""
_DEFINING: Final = 0.1
"""Share of the runs with a virus that have it, from which a virus defines a community."""
_CONFIRMED: Final = 0.05
"""Share of the runs of a virus that are confirmed, from which it may define a community."""
_FEWEST: Final = 3
"""Runs of a virus that defines a community."""
_TRACE: Final = 0.002
"""Share of the most reads of a virus in a run, below which reads may be of another library."""
_FEW_READS: Final = 100
"""Number of reads below which k-mers alone do not raise an alarm."""

_RISK: Final = f"""
WITH own AS (
    SELECT m.community, m.entity AS run
    FROM community_member AS m SEMI JOIN report USING (community)
    WHERE $1::VARCHAR IS NULL OR lower(m.community) = lower($1)
),
whole AS (
    SELECT community, count(DISTINCT run) AS positive
    FROM own SEMI JOIN detection USING (run) GROUP BY community
),
dangerous AS (FROM virus_risk WHERE risk_group IN ('RG2', 'RG3', 'RG4')),
unsure AS (SELECT source FROM search_method WHERE identity IS NULL),
most_read AS (
    SELECT run, max(reads) AS reads FROM detection SEMI JOIN own USING (run) GROUP BY run
),
outweighed AS (
    SELECT o.community, d.stated AS name, count(DISTINCT run) AS runs
    FROM own AS o JOIN detection AS d USING (run) SEMI JOIN dangerous USING (virus)
    WHERE d.congener IS NOT NULL GROUP BY ALL
),
found AS (
    SELECT o.community, replace(d.stated, '{REPORTED}', '') AS name, k.risk_group, d.run, d.sotu,
           d.source IN (FROM unsure) AS by_kmers, d.identity, d.reads, d.coverage,
           NOT starts_with(d.stated, '{REPORTED}') AND coalesce(d.identity, 100) >= 90
               AND coalesce(d.reads >= {_TRACE} * t.reads, true) AS confirmed
    FROM own AS o JOIN detection AS d USING (run) JOIN dangerous AS k USING (virus)
    JOIN most_read AS t USING (run)
    WHERE d.congener IS NULL AND d.stated IS NOT NULL AND NOT ends_with(d.stated, '-like')
),
carried AS (
    SELECT community, name, max(risk_group) AS risk_group, run,
           bool_and(by_kmers) AS by_kmers, max(reads) AS most_reads,
           bool_or(confirmed AND NOT by_kmers) AS confirmed
    FROM found GROUP BY community, name, run
),
best AS (
    SELECT community, name, run, identity, reads FROM found
    QUALIFY row_number() OVER (PARTITION BY community, name ORDER BY {BEST_FIRST}) = 1
)
SELECT c.community, c.name, max(c.risk_group) AS risk_group, count(*) AS runs,
       any_value(b.run), any_value(b.identity), any_value(b.reads), max(c.most_reads),
       bool_and(c.by_kmers), any_value(w.positive), count(*) FILTER (c.confirmed),
       coalesce(any_value(l.runs), 0)
FROM carried AS c JOIN whole AS w USING (community) JOIN best AS b USING (community, name)
LEFT JOIN outweighed AS l USING (community, name)
GROUP BY c.community, c.name
ORDER BY c.community, risk_group DESC, runs DESC, c.name
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
