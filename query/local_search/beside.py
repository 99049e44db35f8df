"""Hosts in which a virus is not expected, from the table of plausibility."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import duckdb

from index.reports.phrases import counted
from query.local_search.seed import Seed

_PAIRS: Final = 6


def unexpected_hosts(con: duckdb.DuckDBPyConnection, seeds: Sequence[Seed]) -> list[str]:
    """Return in which hosts the viruses among ``seeds`` are not expected, unexpected ones first."""
    return [sentence for seed in seeds if seed.own for sentence in _unusual(con, seed)]


def _unusual(con: duckdb.DuckDBPyConnection, seed: Seed) -> list[str]:
    rows = con.execute(_UNUSUAL.format(own=seed.own), [_PAIRS]).fetchall()
    return [
        f"{virus} in {host} is {how} ({counted(runs, 'run')}){_CAUTIONS.get(how, '')}"
        for virus, host, how, runs in rows
    ]


_CAUTIONS: Final = {"unexpected": ": possibly contamination or a new host"}
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
