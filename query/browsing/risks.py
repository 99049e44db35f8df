"""Viruses of a risk group in the runs of a community, with what supports each, and the lines of its
report that name them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import duckdb

from index.claims import NamedNumber, Ranking
from index.claims.phrases import counted, identity_of, identity_range, listed, sentence
from index.exposure import DANGEROUS
from index.stated import REPORTED
from index.store.run_values import BEST_FIRST


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
    """Runs with a hit of 90 % identity. K-mers confirm none, nor do a few reads if another virus of
    the run has many.
    """
    outweighed: int = 0
    """Runs, not among ``runs``, in which a relative has more reads."""
    deposited: int = 0
    """Runs, not confirmed, with a polymerase that was deposited under another name."""
    others: Sequence[str] = ()
    """What the hits of the runs that are not confirmed are: keys of ``_UNSURE``."""
    low: float | None = None
    high: float | None = None
    """Identities of the hits that confirm it, percent."""
    labelled: int = 0
    """Runs labelled as the virus."""

    @property
    def is_faint(self) -> bool:
        """Whether nothing or only k-mers show it, with few reads in every run."""
        return self.by_kmers and (self.most_reads or 0) < _FEW_READS

    @property
    def is_sure(self) -> bool:
        """Whether several runs confirm it, more than those where a relative has more reads."""
        return self.confirmed >= max(_FEWEST, self.outweighed + 1)

    @property
    def is_of_few(self) -> bool:
        """Whether runs confirm it, but no more than two."""
        return self.outweighed < self.confirmed < _FEWEST

    @property
    def is_main(self) -> bool:
        """Whether many runs have it, and enough of these support it."""
        is_common = self.runs >= _DEFINING * self.positive
        supported = self.confirmed + self.deposited
        return is_common and supported >= max(_FEWEST, _CONFIRMED * self.runs)

    @property
    def defines(self) -> bool:
        """Whether the community is about it, or its libraries are labelled as it."""
        return self.is_main or self.labelled >= max(_FEWEST, _DEFINING * self.positive)

    def name(self) -> str:
        """Return the virus, and what it rests on if hardly any run confirms it.

        >>> RiskVirus("Dengue virus", "RG3", 9, "", None, None, None, False, 9, deposited=9).name()
        'Dengue virus (by a polymerase that was deposited under another name)'
        """
        virus = sentence(self.virus)
        confirmed = f"; confirmed in {self.confirmed:,}" if self.confirmed else ""
        if not self.is_main:
            return f"{virus} (by the label of {counted(self.labelled, 'run')}{confirmed})"
        if self.confirmed < _FEWEST:
            return f"{virus} ({_UNSURE[_POLYMERASE]}{confirmed})"
        return virus

    def text(self) -> str:
        """Return in how many runs it is, how many confirm it, and its best supported detection.

        >>> RiskVirus("Lassa virus", "RG4", 9, "SRR1", 98.0, 12, 12, False, 90, 4).text()
        'Lassa virus in 9 runs, 4 of them confirmed (best in SRR1: 98% identity, 12 reads)'
        """
        known = [] if self.identity is None else [identity_of(self.identity)]
        reads = [] if self.reads is None else [counted(self.reads, "read")]
        best = f" (best in {self.run}: {', '.join([*known, *reads])})" if known or reads else ""
        runs = self.runs + self.outweighed
        some = f", {self.confirmed:,} of them confirmed" if self.confirmed < runs else ""
        return f"{sentence(self.virus)} in {counted(runs, 'run')}{some}{best}"

    def few(self) -> NamedNumber:
        """Return the runs that confirm it, with their identity and reads."""
        known = [identity_range(self.low, self.high)] if self.low and self.high else []
        up_to = "up to " if self.confirmed > 1 else ""
        known = [f"{identity} identity" for identity in known]
        reads = [] if self.reads is None else [f"{up_to}{counted(self.reads, 'read')}"]
        return NamedNumber(
            name=sentence(self.virus),
            number=self.confirmed,
            out_of=self.runs + self.outweighed,
            note=", ".join([*known, *reads]),
        )

    def unsure(self) -> NamedNumber:
        """Return its runs, with the reason why they do not confirm it."""
        why = " or ".join(_UNSURE[kind] for kind in self.others)
        if self.outweighed >= max(self.confirmed, 1):
            why = f"in {counted(self.outweighed, 'further run')} a relative has more reads"
        return NamedNumber(name=sentence(self.virus), number=self.runs, note=why)


def risky_viruses(
    con: duckdb.DuckDBPyConnection, community: str | None = None
) -> dict[str, tuple[RiskVirus, ...]]:
    """Return the viruses of RG2 and above of ``community``, of all where it is None."""
    found: dict[str, list[RiskVirus]] = {}
    for name, *columns in con.execute(_RISK, [community]).fetchall():
        found.setdefault(name, []).append(RiskVirus(*columns))
    return {name: tuple(viruses) for name, viruses in found.items()}


def risk_lines(viruses: Sequence[RiskVirus]) -> list[str]:
    """Return the risk group of the viruses that define a community, and what else of RG3 or RG4 was
    found in it, with the evidence; nothing if no group is known.

    Viruses that one or two runs confirm, or none, are named separately, with the reason. Traces by
    k-mers alone do not count as found.
    """
    defining = [agent for agent in viruses if agent.defines]
    alike = [agent for agent in defining if agent.group == defining[0].group][:_SHOWN_RISKS]
    lines = []
    if alike:
        lines.append(f"Risk group {alike[0].group}: {listed([agent.name() for agent in alike])}")
    others = [agent for agent in viruses if agent not in alike and agent.group in DANGEROUS]
    for group in sorted({agent.group for agent in others if agent.is_sure}, reverse=True):
        found = [agent for agent in others if agent.group == group and agent.is_sure]
        found.sort(key=lambda agent: (-agent.confirmed, agent.virus))
        named = [agent.text() for agent in found[:_SHOWN_RISKS]]
        more = [f"{len(found) - _SHOWN_RISKS:,} more"] if len(found) > _SHOWN_RISKS else []
        lines.append(f"{group} in some of its runs: {listed([*named, *more])}")
    unsure = [agent for agent in others if not agent.is_sure and not agent.is_faint]
    unsure.sort(key=lambda agent: (-agent.runs, agent.virus))
    few = tuple(agent.few() for agent in unsure if agent.is_of_few)
    none = tuple(agent.unsure() for agent in unsure if not agent.is_of_few)
    for begin, places in (("confirmed in one or two runs only:", few), ("not confirmed:", none)):
        if places:
            rest = f"; {len(places) - _NAMED:,} more" if len(places) > _NAMED else ""
            first = Ranking(begin=begin, places=places[:_NAMED]).clause()
            lines.append(f"{sentence(first)}{rest}")
    return lines


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

_POLYMERASE: Final = "deposited"
_UNSURE: Final = {
    _POLYMERASE: "by a polymerase that was deposited under another name",
    "trace": "traces only",
    "below": "below 90% identity",
    "name": "by name alone",
    "k-mers": "by k-mers alone",
}
"""Why hits do not confirm a virus, by kind; the best supported kind of a run counts."""

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
found AS (
    SELECT o.community, replace(d.stated, '{REPORTED}', '') AS name, k.risk_group, d.run, d.sotu,
           d.identity, d.reads, d.coverage,
           CASE WHEN d.source IN (FROM unsure) THEN 'k-mers'
                WHEN starts_with(d.stated, '{REPORTED}') THEN 'name'
                WHEN d.identity IS NULL THEN '{_POLYMERASE}' WHEN d.identity < 90 THEN 'below'
                WHEN d.reads < {_TRACE} * t.reads THEN 'trace' ELSE 'confirmed' END AS kind
    FROM own AS o JOIN detection AS d USING (run) JOIN dangerous AS k USING (virus)
    JOIN most_read AS t USING (run)
    WHERE d.congener IS NULL AND d.stated IS NOT NULL AND NOT ends_with(d.stated, '-like')
),
carried AS (
    SELECT community, name, max(risk_group) AS risk_group, run,
           bool_and(kind = 'k-mers') AS by_kmers, max(reads) AS most_reads,
           min(list_position({["confirmed", *_UNSURE]}, kind)) AS place,
           min(identity) FILTER (kind = 'confirmed') AS low,
           max(identity) FILTER (kind = 'confirmed') AS high
    FROM found GROUP BY community, name, run
),
outweighed AS (
    SELECT o.community, d.stated AS name, count(DISTINCT d.run) AS runs
    FROM own AS o JOIN detection AS d USING (run) SEMI JOIN dangerous USING (virus)
    ANTI JOIN carried AS c ON (c.community, c.name, c.run) = (o.community, d.stated, d.run)
    WHERE d.congener IS NOT NULL GROUP BY ALL
),
labelled AS (
    SELECT community, a.value AS name, max(k.risk_group) AS risk_group,
           count(DISTINCT run) AS libraries
    FROM own JOIN annotation AS a USING (run) JOIN dangerous AS k ON k.virus = a.curie
    WHERE a.facet = 'virus' AND a.value IS NOT NULL GROUP BY ALL
),
counted AS (
    SELECT community, name, max(risk_group) AS risk_group, count(*) AS runs,
           max(most_reads) AS most_reads, bool_and(by_kmers) AS by_kmers,
           count(*) FILTER (place = 1) AS confirmed, count(*) FILTER (place = 2) AS deposited,
           list(DISTINCT place ORDER BY place) FILTER (place > 1) AS places,
           min(low) AS low, max(high) AS high
    FROM carried GROUP BY community, name
),
best AS (
    SELECT community, name, run, identity, reads FROM found
    QUALIFY row_number() OVER (PARTITION BY community, name ORDER BY {BEST_FIRST}) = 1
)
SELECT community, name, greatest(c.risk_group, l.risk_group) AS worst,
       coalesce(c.runs, 0), coalesce(b.run, ''), b.identity, b.reads, c.most_reads,
       coalesce(c.by_kmers, true), w.positive, coalesce(c.confirmed, 0), coalesce(o.runs, 0),
       coalesce(c.deposited, 0), list_transform(
           coalesce(c.places, []), lambda place: ({list(_UNSURE)})[place - 1]
       ), c.low, c.high, coalesce(l.libraries, 0)
FROM counted AS c FULL JOIN labelled AS l USING (community, name)
JOIN whole AS w USING (community) LEFT JOIN best AS b USING (community, name)
LEFT JOIN outweighed AS o USING (community, name)
ORDER BY community, worst DESC, greatest(c.runs, libraries) DESC, name
"""
