"""Hosts in which a virus is not expected, from the table of plausibility."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import duckdb

from index.reports.phrases import counted
from query.local_search.seed import Seed

_PAIRS: Final = 6


@dataclass(frozen=True, slots=True)
class Known:
    """A sentence about ``seed`` that is not a count of values, and its source."""

    seed: str
    kind: str
    sentence: str
    origin: str


def known_of(con: duckdb.DuckDBPyConnection, seeds: Sequence[Seed]) -> list[Known]:
    """Return in which hosts the viruses among ``seeds`` are not expected, unexpected ones first."""
    return [known for seed in seeds if seed.own for known in _plausible(con, seed)]


def _plausible(con: duckdb.DuckDBPyConnection, seed: Seed) -> list[Known]:
    """Return hosts in which the viruses of ``seed`` are not expected."""
    rows = con.execute(_UNUSUAL.format(own=seed.own), [_PAIRS]).fetchall()
    return [
        Known(
            seed.name,
            "plausibility",
            f"{virus} in {host} is {how} ({counted(runs, 'run')}){_caution(how)}",
            "recorded hosts",
        )
        for virus, host, how, runs in rows
    ]


def _caution(how: str) -> str:
    return ": possibly contamination or a new host" if how == "unexpected" else ""


_UNUSUAL: Final = """
SELECT coalesce(v.label, p.virus), coalesce(h.label, p.host), p.plausibility, p.runs
FROM plausibility p LEFT JOIN used_term v ON v.curie = p.virus
LEFT JOIN used_term h ON h.curie = p.host
WHERE p.plausibility IN ('unexpected', 'new within class', 'resident')
  AND p.virus IN (SELECT taxon FROM detection d WHERE {own} UNION SELECT virus FROM detection d
                  WHERE {own})
ORDER BY p.plausibility = 'unexpected' DESC, p.runs DESC, p.virus, p.host
LIMIT $1
"""
