"""Notes of earlier builds, carried over into the new index."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Final

import duckdb
import polars as pl

from index.errors import StoreError
from index.store.build import Build
from index.store.read import open_carried

KEPT: Final = 50
"""Builds that are remembered, the newest first."""
UNKNOWN: Final = "unknown"
"""Time of publishing of a build that did not note it."""
_EARLIER: Final = f"""
SELECT published, key, value FROM past_build
WHERE published IN (
    SELECT DISTINCT published FROM past_build ORDER BY published DESC LIMIT {KEPT - 1}
)
"""
_LAST: Final = f"""
SELECT coalesce(
           (SELECT value FROM build WHERE key = 'run_at.published'), '{UNKNOWN}'
       ) AS published,
       key, value
FROM build
"""


def carry_builds(build: Build) -> None:
    """Write into ``build`` the notes of the published index and of the builds before it.

    Nothing is written where no index is published or it cannot be read.
    """
    try:
        published = open_carried(build.path)
    except StoreError:
        return
    with published:
        try:
            past = past_builds(published)
        except duckdb.Error:  # an index of another contract has notes of another form
            return
    build.write("past_build", past)


def past_builds(published: duckdb.DuckDBPyConnection) -> pl.DataFrame:
    """Return (published, key, value) of the index ``published`` and of earlier builds.

    The newest ``KEPT`` builds, sorted by time and key.
    """
    last = published.sql(_LAST).pl()
    found = [last]
    if _remembers(published):
        earlier = published.sql(_EARLIER).pl()
        found.insert(0, earlier)

    builds = pl.concat(found)
    newest: pl.DataFrame = builds.unique(["published", "key"], keep="last")
    return newest.sort("published", "key")


def utc_now() -> str:
    """Return the time in UTC to the second, ISO 8601."""
    return datetime.now(UTC).isoformat(timespec="seconds")


def _remembers(published: duckdb.DuckDBPyConnection) -> bool:
    """Return whether the index has a table of past builds; older ones do not."""
    query = "SELECT count(*) FROM duckdb_tables() WHERE table_name = 'past_build'"
    ((tables,),) = published.execute(query).fetchall()
    return bool(tables)
