"""How expected hits are in the sequenced organism, and which relatives explain the reads better."""

from __future__ import annotations

from typing import Any, Final, NamedTuple

from index.store.origins import OF_RUN, RUN_KIND
from index.store.run_values import AT_SPECIES, WEIGHED_VIRUS
from query.compiler.held import hit_tables
from query.compiler.resolving import Resolver
from query.compiler.statement import RunningRequest
from query.request import Evidence, Hit, Request, RequestField, RunSet


class Relative(NamedTuple):
    """A virus of the genus with more reads in the same runs: ``times`` as many in the median."""

    name: str
    runs: int
    times: float


class Relatives(NamedTuple):
    """Relatives with more reads, the one of most runs first, and how many runs have none.

    ``without`` counts runs whose hit is at 90 % identity and that have no such relative; ``runs``
    counts all runs with such a hit.
    """

    listed: tuple[Relative, ...]
    without: int
    runs: int = 0


def how_expected(names: Resolver, hit: Hit, of: RunSet) -> dict[str, int]:
    """Return how many runs of ``of`` have such a hit, by how expected it is there, most runs first.

    The classes are those of ``run_plausibility``, "of its group" if records name no such host
    itself but a group as wide as vertebrates, and "other library" if a library is of another virus.
    A run whose host is unknown is in no class.
    """
    return dict(_rows(names, _EXPECTED, hit, of))


def laboratory_runs(names: Resolver, hit: Hit, of: RunSet) -> list[tuple[str, int]]:
    """Return the runs from a laboratory with such a hit, by ``origins.KINDS``, most runs first."""
    return _rows(names, _LABORATORY, hit, of)


def unexpected_hosts(names: Resolver, hit: Hit, of: RunSet) -> dict[str, int]:
    """Return the hosts that the virus of a hit is not recorded in, with their runs, most first."""
    return {host: runs for host, runs in _rows(names, _UNEXPECTED, hit, of) if host is not None}


def relatives(names: Resolver, hit: Hit, of: RunSet) -> Relatives:
    """Return the viruses of the same genus that have more reads in the same runs."""
    listed = tuple(Relative(*row) for row in _rows(names, _RELATIVES, hit, of))
    if not listed:
        return Relatives((), 0)
    ((without, runs),) = _rows(names, _WITHOUT, hit, of)
    return Relatives(listed, without, runs)


def outweighed_values(
    names: Resolver, field: RequestField, hit: Hit, of: RunSet
) -> list[tuple[str, str, int, int]]:
    """Return value, relative, runs, whole for each virus of a list that a relative outweighs.

    ``field``, a field of hits, has the values. In ``runs`` of the ``whole`` runs of the value, more
    than half, the relative has more reads.
    """
    return _rows(names, _OUTWEIGHED, hit, of, column=field.column)


def of_laboratory_values(
    names: Resolver, field: RequestField, hit: Hit, of: RunSet
) -> dict[str, tuple[int, int]]:
    """Return runs and whole for each virus of a list whose runs are mostly from a laboratory.

    ``runs`` of the ``whole`` are.
    """
    rows = _rows(names, _OF_LABORATORY, hit, of, column=field.column)
    return {value: (runs, whole) for value, runs, whole in rows}


def _rows(names: Resolver, select: str, hit: Hit, of: RunSet, *, column: str = "") -> list[Any]:
    running = RunningRequest(Request(Evidence(hit), of), names)
    statement = running.statement()
    runs = statement.flags.among(statement.flags.holds(of))
    condition = statement.holdings.hits(hit, among=runs)
    tables = hit_tables(condition, column)
    text = select.format(hit=condition, tables=tables, column=column)
    return running.run(statement, text)


_HITS: Final = f"""
SELECT d.run, d.virus, d.taxon, d.species, d.identity, d.congener, d.congener_ratio,
       {AT_SPECIES} AS is_species
FROM {{tables}} WHERE {{hit}}
"""
_IS_SAME: Final = """coalesce(
    contains(' ' || lower({value}) || ' ', ' ' || lower(relative) || ' ')
    OR contains(' ' || lower(relative) || ' ', ' ' || lower({value}) || ' ')
    OR v.species = {value} OR relative IN (SELECT species FROM virus WHERE name = {value}), false)
"""
"""Whether ``relative`` is the same virus under a shorter name, or the species and one below it."""
_EXPECTED: Final = f"""
, hits AS (SELECT DISTINCT run, {WEIGHED_VIRUS} AS weighed FROM ({_HITS})),
pairs AS (
    SELECT p.run, p.virus, p.organism, p.plausibility
    FROM hits h JOIN run_plausibility p ON p.run = h.run AND p.virus = h.weighed
),
species AS (
    SELECT DISTINCT p.virus, coalesce(n.curie, p.virus) AS species
    FROM (SELECT DISTINCT virus FROM pairs) p LEFT JOIN closure c ON c.descendant = p.virus
    LEFT JOIN used_term n ON n.curie = c.ancestor AND n.rank = 'species'
),
named AS (
    SELECT DISTINCT s.virus, k.host
    FROM species s LEFT JOIN closure c ON c.ancestor = s.species
    JOIN known_host k ON k.virus = coalesce(c.descendant, s.species)
    WHERE k.source IN ('virion', 'name')
),
itself AS (
    SELECT DISTINCT p.virus, p.organism
    FROM (SELECT DISTINCT virus, organism FROM pairs WHERE plausibility = 'recorded') p
    LEFT JOIN closure c ON c.descendant = p.organism
    JOIN named n ON n.virus = p.virus AND n.host IN (c.ancestor, p.organism)
),
own AS (
    SELECT DISTINCT s.virus, p.organism
    FROM (SELECT DISTINCT virus, organism FROM pairs WHERE plausibility = 'library') p
    JOIN species s USING (virus)
    LEFT JOIN closure c ON c.descendant = p.organism
    LEFT JOIN closure a ON a.descendant = s.virus AND a.ancestor = p.organism
    WHERE s.species IN (c.ancestor, p.organism) OR a.ancestor IS NOT NULL
)
SELECT CASE WHEN p.plausibility = 'recorded' AND i.virus IS NULL THEN 'of its group'
            WHEN p.plausibility = 'library' AND o.virus IS NULL THEN 'other library'
            ELSE p.plausibility END AS kind, count(DISTINCT p.run) AS runs
FROM pairs p LEFT JOIN itself i USING (virus, organism) LEFT JOIN own o USING (virus, organism)
GROUP BY ALL ORDER BY runs DESC, kind
"""
_OF_HITS: Final = ", ".join(
    f"{table} AS (FROM main.{table} SEMI JOIN hits USING (run))"
    for table in ("run", "annotation", "detection", "run_plausibility")
)
_OF_RUN: Final = f"{_OF_HITS}, {OF_RUN}".replace("{", "{{").replace("}", "}}")
"""The queries of ``OF_RUN`` over the runs of ``hits`` alone."""
_KIND: Final = RUN_KIND.format(vector="false")
_LABORATORY: Final = f"""
, hits AS (SELECT DISTINCT run FROM ({_HITS})), {_OF_RUN}
SELECT kind, count(*) AS runs FROM (SELECT {_KIND} AS kind FROM of_run SEMI JOIN hits USING (run))
WHERE kind IS NOT NULL GROUP BY kind ORDER BY runs DESC, kind
"""
_VALUED: Final = """
, hits AS (
    SELECT DISTINCT d.run, {column} AS value, d.congener FROM {tables}
    WHERE {hit} AND {column} IS NOT NULL
)
"""
_OF_LABORATORY: Final = f"""{_VALUED}, {_OF_RUN}
SELECT value, count(*) FILTER (kind IS NOT NULL) AS runs, count(*) AS whole
FROM (SELECT DISTINCT value, run, {_KIND} AS kind FROM of_run JOIN hits USING (run))
GROUP BY value HAVING 2 * runs > whole
"""
_UNEXPECTED: Final = f"""
, hits AS (SELECT DISTINCT run, {WEIGHED_VIRUS} AS weighed FROM ({_HITS})),
hosts AS (
    SELECT p.organism, count(DISTINCT p.run) AS runs
    FROM hits h JOIN run_plausibility p ON p.run = h.run AND p.virus = h.weighed
    WHERE p.plausibility = 'unexpected' GROUP BY ALL
)
SELECT coalesce(min(a.value), h.organism) AS host, h.runs
FROM hosts h LEFT JOIN (
    SELECT DISTINCT curie, value FROM annotation WHERE facet IN ('host', 'label')
) a ON a.curie = h.organism
GROUP BY h.organism, h.runs ORDER BY h.runs DESC, host
"""
_RELATIVES: Final = f"""
SELECT coalesce(v.name, t.label, h.congener) AS relative, count(DISTINCT h.run) AS runs,
       median(h.congener_ratio)
FROM ({_HITS}) h LEFT JOIN virus v ON v.virus = h.congener
LEFT JOIN used_term t ON t.curie = h.congener
LEFT JOIN virus o ON o.virus = h.virus
WHERE h.congener IS NOT NULL AND NOT {_IS_SAME.format(value="o.name")}
GROUP BY ALL ORDER BY runs DESC, relative LIMIT 3
"""
_WITHOUT: Final = f"""
SELECT count(DISTINCT run) FILTER (is_species AND congener IS NULL), count(DISTINCT run)
FROM ({_HITS})
"""
_OUTWEIGHED: Final = f"""{_VALUED},
whole AS (SELECT value, count(DISTINCT run) AS whole FROM hits GROUP BY value),
beside AS (
    SELECT value, congener, count(DISTINCT run) AS runs FROM hits WHERE congener IS NOT NULL
    GROUP BY value, congener
    QUALIFY row_number() OVER (PARTITION BY value ORDER BY runs DESC, congener) = 1
)
SELECT b.value, coalesce(v.name, t.label, b.congener) AS relative, b.runs, w.whole
FROM beside b JOIN whole w USING (value)
LEFT JOIN virus v ON v.virus = b.congener LEFT JOIN used_term t ON t.curie = b.congener
WHERE 2 * b.runs > w.whole AND NOT {_IS_SAME.format(value="b.value")} ORDER BY b.runs DESC, b.value
"""
