"""How expected hits are in what was sequenced, and which relatives explain their reads better."""

from __future__ import annotations

from typing import Final, NamedTuple

import duckdb

from index.store.run_values import WEIGHED_VIRUS
from query.compiler.held import HIT_TABLES
from query.compiler.resolving import Resolver
from query.compiler.statement import RunningRequest
from query.request import Evidence, Hit, Request
from query.request.run_sets import RunSet


class Relative(NamedTuple):
    """A virus of the same genus in the same runs, with so many times the reads in the median."""

    name: str
    runs: int
    times: float


def how_expected(con: duckdb.DuckDBPyConnection, hit: Hit, of: RunSet) -> dict[str, int]:
    """Return the runs of ``of`` with such a hit by how expected it is there, most first.

    A run is counted once for each kind; a run whose host is unknown has none.
    """
    return {str(kind): int(runs) for kind, runs in _rows(con, _EXPECTED, hit, of)}


def relatives(con: duckdb.DuckDBPyConnection, hit: Hit, of: RunSet) -> list[Relative]:
    """Return the viruses that have at least a twentieth of the reads' number beside, most first."""
    return [Relative(*row) for row in _rows(con, _RELATIVES, hit, of)]


def _rows(
    con: duckdb.DuckDBPyConnection, select: str, hit: Hit, of: RunSet
) -> list[tuple[str, int, float]]:
    asked = RunningRequest(con, Request(Evidence(hit), of), Resolver(con))
    statement = asked.statement()
    runs = statement.flags.holds(of)
    text = select.format(hit=statement.holdings.hits(hit), runs=runs)
    return asked.run(statement, text)  # type: ignore[return-value]


_HITS: Final = f"""
SELECT d.run, d.virus, d.taxon, d.species, d.identity, d.closest, d.congener, d.congener_ratio
FROM {HIT_TABLES} WHERE {{hit}} AND d.run IN (SELECT run FROM flagged WHERE {{runs}})
"""
_EXPECTED: Final = f"""
SELECT p.plausibility, count(DISTINCT p.run) AS runs
FROM (SELECT DISTINCT run, {WEIGHED_VIRUS} AS weighed FROM ({_HITS})) h
JOIN run_plausibility p ON p.run = h.run AND p.virus = h.weighed
GROUP BY ALL ORDER BY runs DESC, p.plausibility
"""
_RELATIVES: Final = f"""
SELECT coalesce(v.name, t.label, h.congener) AS name, count(DISTINCT h.run) AS runs,
       median(h.congener_ratio)
FROM ({_HITS}) h LEFT JOIN virus v ON v.virus = h.congener LEFT JOIN term t ON t.curie = h.congener
WHERE h.congener IS NOT NULL GROUP BY ALL ORDER BY runs DESC, name LIMIT 3
"""
