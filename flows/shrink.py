"""How much of the published index a build has lost, usually because of wrong inputs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import duckdb

from index.errors import StoreError
from index.store.build import Build
from index.store.read import open_locked

TOLERATED: Final = 0.1
"""Share of runs or of reports that a build may lose without being asked about it."""
_GONE_RUNS: Final = (
    "SELECT count(*) FROM (SELECT run FROM published_run EXCEPT SELECT run FROM run)"
)


@dataclass(frozen=True)
class Loss:
    """``lost`` of the ``held`` published runs or reports are missing from the build."""

    what: str
    lost: int
    held: int

    def __str__(self) -> str:
        return f"{self.lost:,} of {self.held:,} {self.what}"

    def is_large(self) -> bool:
        """Return whether more than a tenth is lost.

        >>> Loss("runs", lost=10, held=100).is_large(), Loss("runs", lost=11, held=100).is_large()
        (False, True)
        """
        return self.lost > TOLERATED * self.held


def measure_losses(build: Build) -> tuple[Loss, ...]:
    """Return the runs and reports that ``build`` loses; empty without a readable published index.

    Runs are compared by accession. Reports are compared by number: other parameters rename
    communities, which is not a loss.
    """
    if not build.path.exists():
        return ()
    try:
        with open_locked(build.path) as published:
            return _compare(build.connection, published)
    except (StoreError, duckdb.Error):  # no index, or not to be read: nothing to compare with
        return ()


def _compare(
    connection: duckdb.DuckDBPyConnection, published: duckdb.DuckDBPyConnection
) -> tuple[Loss, ...]:
    """Return the losses; the published file is read by a connection that can do nothing else."""
    runs = published.sql("SELECT run FROM run").pl()
    reports = _count(published, "SELECT count(*) FROM report")
    connection.register("published_run", runs)
    try:
        gone = _count(connection, _GONE_RUNS)
        left = _count(connection, "SELECT count(*) FROM report")
    finally:
        connection.unregister("published_run")
    of_runs = Loss(
        "runs",
        lost=gone,
        held=len(runs),
    )
    return of_runs, Loss(
        "reports",
        lost=max(0, reports - left),
        held=reports,
    )


def _count(connection: duckdb.DuckDBPyConnection, query: str) -> int:
    ((count,),) = connection.execute(query).fetchall()
    return int(count)
