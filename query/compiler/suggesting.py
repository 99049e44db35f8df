"""The known names most like an unknown one: "did you mean"."""

from __future__ import annotations

from typing import Final

import duckdb

from query.request.fields import RequestField

_SHOWN: Final = 3
_LEAST_ALIKE: Final = 0.84
"""Minimum Jaro–Winkler similarity to propose a name; a single slip leaves more than that."""


def nearest_viruses(con: duckdb.DuckDBPyConnection, name: str) -> tuple[str, ...]:
    """Return names of viruses most like ``name``; names that the index has come first."""
    return _alike(con, _VIRUSES, [name])


def nearest_terms(con: duckdb.DuckDBPyConnection, name: str, of: RequestField) -> tuple[str, ...]:
    """Return names most like ``name``, of terms that runs have in a field and terms above them."""
    return _alike(con, _TERMS, [name, of.facet])


def nearest_values(con: duckdb.DuckDBPyConnection, name: str, held: str) -> tuple[str, ...]:
    """Return the values of ``held``, a SELECT of ``value``, most like ``name``."""
    names = f"SELECT DISTINCT value AS name, 0 AS tier FROM ({held})"
    return _alike(con, _RANKED.format(names=names), [name])


def _alike(con: duckdb.DuckDBPyConnection, query: str, asked: list[str]) -> tuple[str, ...]:
    rows = con.execute(query, [*asked]).fetchall()
    return tuple(str(name) for (name,) in rows)


_ALL: Final = 100_000_000
"""More than all names: with a limit, DuckDB picks the names first and compares only these."""
_RANKED: Final = f"""
SELECT name FROM (
    SELECT max(name) AS name, min(tier) AS tier, max(greatest(
        jaro_winkler_similarity(lower(name), lower($1)),
        CASE damerau_levenshtein(lower(name), lower($1)) WHEN 1 THEN 0.97 ELSE 0 END,
        CASE WHEN contains(lower(name), lower($1)) THEN 0.96 - 0.002 * length(name) ELSE 0 END
    )) AS alike
    FROM ({{names}}) WHERE length(name) BETWEEN length($1) / 2 AND length($1) * 3
    GROUP BY lower(name)
)
WHERE alike >= {_LEAST_ALIKE} OR contains(lower(name), lower($1))
ORDER BY alike - 0.05 * tier DESC, name LIMIT {_SHOWN}
"""
_VIRUSES: Final = _RANKED.format(
    names="SELECT name, 0 AS tier FROM virus "
    "UNION ALL SELECT n.name, 0 FROM virus_name n JOIN virus v ON v.virus = n.virus "
    "UNION ALL SELECT DISTINCT reported_name, 1 FROM detection WHERE reported_name IS NOT NULL "
    "UNION ALL SELECT name, 1 FROM virus_name"
)
_TERMS: Final = _RANKED.format(
    names="SELECT name, tier FROM (SELECT n.name, n.tier FROM "
    "(SELECT curie, label AS name, 0 AS tier FROM term "
    "UNION ALL SELECT curie, synonym, 1 FROM synonym) n "
    "WHERE n.curie IN (SELECT c.ancestor FROM closure c WHERE c.descendant IN "
    f"(SELECT curie FROM annotation WHERE facet = $2)) LIMIT {_ALL})"
)
