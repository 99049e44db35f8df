"""Names of the index spelled most like a text that it does not know."""

from __future__ import annotations

import duckdb


def nearest_names(con: duckdb.DuckDBPyConnection, names: str, text: str, *, most: int) -> list[str]:
    """Return those of ``names``, a SELECT of the column ``name``, spelled most like ``text``."""
    query = f"""
        SELECT name FROM ({names})
        ORDER BY jaro_winkler_similarity(lower(name), lower($1)) DESC, name LIMIT {most}
    """
    return [str(name) for (name,) in con.execute(query, [text]).fetchall()]
