"""How much of the published index a build has lost: mostly it was given other inputs by mistake."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Final

import duckdb

from index.store.build import Build

TOLERATED: Final = 0.1
"""Share of runs or of reports that a build may lose without being asked about it."""
_GONE_RUNS: Final = (
    "SELECT count(*) FROM (SELECT run FROM published.run EXCEPT SELECT run FROM run)"
)
_HELD: Final = "SELECT count(*) FROM published."


@dataclass(frozen=True)
class Loss:
    """``lost`` of the ``held`` runs or reports of a published index are not in the build."""

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
    """Return the runs and the reports that ``build`` loses; nothing where no index is published
    that can be read.

    Runs are compared by accession. Reports are compared by number: other parameters give
    communities other identifiers, which is no loss.
    """
    if not build.path.exists():
        return ()
    try:
        return _compare(build.connection, build.path)
    except duckdb.Error:  # not a DuckDB file, or one without these tables: nothing to compare with
        return ()


def _compare(connection: duckdb.DuckDBPyConnection, published: Path) -> tuple[Loss, ...]:
    quoted = str(published).replace("'", "''")
    connection.execute(f"ATTACH '{quoted}' AS published (READ_ONLY)")
    try:
        runs = Loss(
            "runs", lost=_count(connection, _GONE_RUNS), held=_count(connection, f"{_HELD}run")
        )
        reports = _count(connection, f"{_HELD}report")
        left = _count(connection, "SELECT count(*) FROM report")
    finally:
        connection.execute("DETACH published")
    return runs, Loss("reports", lost=max(0, reports - left), held=reports)


def _count(connection: duckdb.DuckDBPyConnection, query: str) -> int:
    ((count,),) = connection.execute(query).fetchall()
    return int(count)
