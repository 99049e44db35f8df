"""Candidates: the communities that may get a report.

Most communities are small parts of another one, and are never described. Every table of facts is
gathered for the candidates alone.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

import duckdb

_TABLES: Final = ("distinct_community", "community_member")


@contextmanager
def only_candidates(
    con: duckdb.DuckDBPyConnection, *, min_runs: int, of_parts: int
) -> Iterator[None]:
    """Restrict ``distinct_community`` and ``community_member`` to candidates within the block.

    A candidate has ``min_runs`` runs or more, and ``of_parts`` if it has a parent, which is then a
    candidate, too. The two names are temporary tables of ``con`` until the end.
    """
    con.execute(
        f"""CREATE TEMP TABLE distinct_community AS FROM distinct_community
        WHERE runs >= if(parent IS NULL, {min_runs}, {max(min_runs, of_parts)})"""
    )
    try:
        con.execute(
            """CREATE TEMP TABLE community_member AS
            FROM community_member SEMI JOIN distinct_community USING (community)"""
        )
        yield
    finally:
        for name in _TABLES:
            con.execute(f"DROP TABLE IF EXISTS temp.{name}")
