"""Checks of the index: the file, its age, its ontologies, what biosafety withholds."""

from __future__ import annotations

import os
import shutil
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Final, Literal

import duckdb

from index.checking.unseen import group_of_report, unseen_names
from index.errors import StoreError
from index.exposure import DEFAULT_POLICY
from index.store.freshness import SOURCES_BY_AGE
from index.store.read import CONTRACT_VERSION, open_index
from query.health.machine import Check

OLD_DAYS: Final = 30
"""Age in days from which an index is worth building anew."""
OLD_SOURCE_DAYS: Final = 2 * 365
"""Age in days of its newest run from which newer detections are worth adding."""
FREE_FACTOR: Final = 3
"""A build needs the space of the old index, the new one, and what DuckDB spills."""
BUILD: Final = "virome index"
NEWER: Final = "python -m flows.inputs new NEWER_FILES"
ONTOLOGIES: Final = "python -m flows.ontologies fetch"
_COUNTS: Final = """
SELECT (SELECT count(*) FROM run), (SELECT count(*) FROM report),
       (SELECT count(*) FROM association)
"""
_RELEASES: Final = "SELECT ontology, version, terms FROM ontology_release ORDER BY ontology"
_AGES: Final = f"""
SELECT kind, name, as_of FROM {SOURCES_BY_AGE}
WHERE kind IN ('detections', 'input') ORDER BY kind, as_of DESC NULLS LAST, name
"""
_REPORTS: Final = "SELECT title, summary FROM report"


def check_index(path: Path) -> list[Check]:
    """Return the checks of the index at ``path``, which need not exist."""
    try:
        connection = open_index(path)
    except StoreError as error:
        found = f"{path}: {error.message}"
        return [Check("index", "missing", found, error.remedy), check_disk(path)]
    with connection:
        return [
            _file(path, connection),
            _age(connection),
            *_sources(connection),
            _ontologies(connection),
            _withheld(connection),
            check_disk(path),
        ]


def check_disk(path: Path) -> Check:
    """Return whether a build has enough room where the index is."""
    folder = next(above for above in path.parents if above.exists())
    free = shutil.disk_usage(folder).free
    needed = FREE_FACTOR * path.stat().st_size if path.exists() else 0
    found = f"{_megabytes(free)} free in {folder}"
    if not os.access(folder, os.W_OK):
        return Check("disk", "missing", f"{folder} cannot be written to", f"chmod u+w {folder}")
    if free < needed:
        short = f"{found}; a build takes up to {_megabytes(needed)}"
        return Check("disk", "missing", short, f"free space in {folder}, or build with --db")
    return Check("disk", "ok", found)


def _file(path: Path, connection: duckdb.DuckDBPyConnection) -> Check:
    ((runs, reports, associations),) = connection.execute(_COUNTS).fetchall()
    found = (
        f"{path}: {runs:,} runs, {reports:,} reports, {associations:,} associations, "
        f"{_megabytes(path.stat().st_size)}, contract {CONTRACT_VERSION}"
    )
    return Check("index", "ok", found)


def _age(connection: duckdb.DuckDBPyConnection) -> Check:
    query = "SELECT value FROM build WHERE key = 'run_at.published'"
    row = connection.execute(query).fetchone()
    if row is None:
        return Check("age", "note", "the index does not say when it was built", BUILD)
    published = datetime.fromisoformat(row[0])
    days = (datetime.now(UTC) - published).days
    found = f"published {published:%Y-%m-%d %H:%M} UTC, {days} days ago"
    if days > OLD_DAYS:
        return Check("age", "note", found, "prefect deployment run index")
    return Check("age", "ok", found)


def _sources(connection: duckdb.DuckDBPyConnection) -> list[Check]:
    """Return how old each source of detections is, and each input with a stated date.

    Detections that are years older than the runs miss viruses of newer runs, and viruses named
    since.
    """
    today = datetime.now(UTC).date()
    aged = connection.execute(_AGES).fetchall()
    said = [
        f"{name} {as_of} ({(today - as_of).days / 365.25:.1f} years)"
        if as_of
        else f"{name} undated"
        for _, name, as_of in aged
    ]
    if not said:
        return []
    found = f"detections by their newest run: {', '.join(said)}"
    if any(as_of and (today - as_of).days > OLD_SOURCE_DAYS for _, _, as_of in aged):
        return [Check("sources", "note", found, NEWER)]
    return [Check("sources", "ok", found)]


def _ontologies(connection: duckdb.DuckDBPyConnection) -> Check:
    releases = connection.execute(_RELEASES).fetchall()
    if not releases:
        return Check("ontologies", "missing", "the index holds none", ONTOLOGIES)
    described = [f"{name} {version} ({terms:,} terms)" for name, version, terms in releases]
    return Check("ontologies", "ok", ", ".join(described))


def _withheld(connection: duckdb.DuckDBPyConnection) -> Check:
    """Return how many reports a model on this machine and one elsewhere may not see."""
    reports = connection.execute(_REPORTS).fetchall()
    here = _kept_back(connection, reports, local=True)
    away = _kept_back(connection, reports, local=False)
    found = (
        f"of {len(reports):,} reports {here:,} are withheld from a model on this machine, "
        f"{away:,} from one elsewhere (docs/biosafety.md)"
    )
    state: Literal["note", "ok"] = "note" if away else "ok"
    return Check("biosafety", state, found)


def _kept_back(
    connection: duckdb.DuckDBPyConnection, reports: Sequence[tuple[str, str]], *, local: bool
) -> int:
    """Return how many ``reports``, title and summary of each, a model may not see."""
    names = unseen_names(connection, DEFAULT_POLICY, local=local)
    groups = [group_of_report(title, summary, names) for title, summary in reports]
    return len(groups) - groups.count(None)


def _megabytes(size: int) -> str:
    return f"{size / 1e6:,.0f} MB"
