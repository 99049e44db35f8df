"""Names of the index spelled most like a text that it does not know."""

from __future__ import annotations

import duckdb


def nearest_communities(con: duckdb.DuckDBPyConnection, community: str) -> list[str]:
    """Return identifiers spelled most like ``community``."""
    return _nearest(con, "SELECT community AS name FROM community", community, most=3)


def nearest_families(con: duckdb.DuckDBPyConnection, family: str) -> list[str]:
    """Return virus families with associations, those spelled most like ``family`` first."""
    return _nearest(con, "SELECT DISTINCT family AS name FROM association", family, most=5)


def _nearest(con: duckdb.DuckDBPyConnection, names: str, text: str, *, most: int) -> list[str]:
    query = f"""
        SELECT name FROM ({names})
        ORDER BY jaro_winkler_similarity(lower(name), lower($1)) DESC, name LIMIT {most}
    """
    return [str(name) for (name,) in con.execute(query, [text]).fetchall()]
