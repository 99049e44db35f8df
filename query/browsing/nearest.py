"""Names of the index spelled most like a text that it does not know."""

from __future__ import annotations

import duckdb


def nearest_communities(con: duckdb.DuckDBPyConnection, community: str) -> list[str]:
    """Return identifiers spelled most like ``community``."""
    query = """
        SELECT community FROM community
        ORDER BY jaro_winkler_similarity(community, $1) DESC, community LIMIT 3
    """
    return [str(row[0]) for row in con.execute(query, [community]).fetchall()]


def nearest_families(con: duckdb.DuckDBPyConnection, family: str) -> list[str]:
    """Return virus families with associations, those spelled most like ``family`` first."""
    query = """
        SELECT family FROM association GROUP BY family
        ORDER BY jaro_winkler_similarity(lower(family), lower($1)) DESC, family LIMIT 5
    """
    return [str(row[0]) for row in con.execute(query, [family]).fetchall()]
