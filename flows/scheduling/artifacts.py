"""Artifacts of a build in Prefect: its summary, the cost of each stage, and what changed."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Final

import duckdb
from prefect.artifacts import (
    create_link_artifact,
    create_markdown_artifact,
    create_table_artifact,
)

from flows.summary import BuildSummary
from index.errors import StoreError
from index.store.build import open_index
from index.store.read import beside
from index.store.whole_file import write_whole
from query.atlas.content import MOST_REPORTS, gather_content
from query.atlas.page import page_of

_RELEASES: Final = "SELECT ontology, version, sha256 FROM ontology_release"
_MOVED: Final = """
SELECT community, level, runs, previous FROM community
WHERE previous IS NOT NULL AND previous <> community
ORDER BY runs DESC, community LIMIT 100
"""

Releases = Mapping[str, tuple[str, str]]
"""Version and sha256 of each ontology."""


def published_releases(db: Path) -> Releases:
    """Return the ontologies of the index at ``db``; empty without an index."""
    try:
        with open_index(db) as connection:
            rows = connection.execute(_RELEASES).fetchall()
    except (StoreError, duckdb.Error):
        return {}
    return {name: (version, sha256) for name, version, sha256 in rows}


def leave_artifacts(summary: BuildSummary, db: Path, *, before: Releases) -> None:
    """Publish the artifacts of the build at ``db``; ``before`` are the ontologies of the index it
    replaced.
    """
    create_markdown_artifact(
        key="index-summary", markdown=summary.markdown(), description=f"Index at {db}"
    )
    create_table_artifact(
        key="index-stages", table=stage_rows(summary), description="Cost of each stage"
    )
    create_table_artifact(
        key="index-ontologies",
        table=release_rows(before, published_releases(db)),
        description="Ontologies; a new release: python -m flows.ontologies diff OLD NEW --db INDEX",
    )
    with open_index(db) as connection:
        moved = connection.sql(_MOVED).pl().to_dicts()
    create_table_artifact(
        key="index-communities",
        table=moved,
        description=f"Communities: {summary.communities}. Split, merged or renamed, the largest",
    )
    atlas = beside(db, "atlas.html").resolve()
    if not _is_of(atlas, db):
        with open_index(db) as connection:
            content = gather_content(connection, most_reports=MOST_REPORTS)
        write_whole(atlas, page_of(content))
    create_link_artifact(
        key="index-atlas",
        link=atlas.as_uri(),
        link_text=str(atlas),
        description=f"Map, reports and figures in one page; questions: query serve --db {db}",
    )


def _is_of(atlas: Path, db: Path) -> bool:
    """Return whether ``atlas`` exists and is newer than ``db``."""
    return atlas.exists() and atlas.stat().st_mtime_ns >= db.stat().st_mtime_ns


def stage_rows(summary: BuildSummary) -> list[dict[str, object]]:
    """Return cost and output of each stage, and the skipped stages."""
    ran: list[dict[str, object]] = [
        {
            "stage": stage,
            "seconds": seconds,
            "CPU seconds": summary.stage_cpu_seconds[stage],
            "peak MB": summary.stage_peak_mb[stage],
            "rows": summary.stage_rows.get(stage),
            "MB written": _megabytes(summary.stage_bytes.get(stage)),
        }
        for stage, seconds in summary.seconds.items()
    ]
    return ran + [{"stage": stage, "seconds": "unchanged"} for stage in summary.unchanged]


def _megabytes(written: int | None) -> float | None:
    return None if written is None else round(written / 1e6, 1)


def release_rows(before: Releases, after: Releases) -> list[dict[str, object]]:
    """Return the version of each ontology before and after, and whether its file changed.

    >>> release_rows({"BTO": ("1", "aa")}, {"BTO": ("2", "bb")})[0]["file"]
    'changed'
    """
    rows: list[dict[str, object]] = []
    for name in sorted({*before, *after}):
        old, new = before.get(name, ("", "")), after.get(name, ("", ""))
        state = "same" if old == new else "changed"
        rows.append({"ontology": name, "before": old[0], "now": new[0], "file": state})
    return rows
