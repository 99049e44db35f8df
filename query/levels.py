"""Levels of the hierarchy of communities."""

from __future__ import annotations

import duckdb

from query.errors import UnknownLevelError


def checked_levels(con: duckdb.DuckDBPyConnection, level: int | None) -> list[int]:
    """Return the levels of the index, the coarsest first.

    Raises ``UnknownLevelError`` where ``level`` is not one of them.
    """
    rows = con.execute("SELECT DISTINCT level FROM community ORDER BY level").fetchall()
    levels = [int(number) for (number,) in rows]
    if level is not None and level not in levels:
        raise UnknownLevelError(level, levels=levels)
    return levels
