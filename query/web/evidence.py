"""The runs behind a citation, with what a reader checks first: project, sample, label, virus."""

from __future__ import annotations

from typing import Final

import duckdb

from index.facets import CITATION_KEYS
from index.store.run_values import COMMUNITY_RUNS, RUN_VALUES
from query.answer import ResultTable
from query.errors import UnknownCitationKeyError

MOST_RUNS: Final = 10_000
_OF_VALUE: Final = f"""
SELECT DISTINCT run FROM ({RUN_VALUES}) WHERE facet = $key AND lower(value) = lower($value)
"""
_OF_COMMUNITY: Final = f"SELECT run FROM ({COMMUNITY_RUNS}) WHERE community = $community"
_OF_RUN: Final = "SELECT run FROM run WHERE run = $value"
_SHOWN: Final = """
SELECT r.run, r.biosample, r.bioproject, r.organism, r.library_strategy, r.spots,
       string_agg(DISTINCT coalesce(d.stated, d.reported_name), '; ') AS viruses,
       sum(d.reads)::BIGINT AS virus_reads
FROM run r LEFT JOIN detection d USING (run)
WHERE r.run IN (FROM behind)
GROUP BY ALL ORDER BY r.run LIMIT $limit
"""


def runs_behind(
    con: duckdb.DuckDBPyConnection,
    key: str,
    value: str,
    *,
    community: str | None = None,
    limit: int = 50,
) -> tuple[ResultTable, int]:
    """Return the runs that have ``value`` for ``key``, of ``community`` or of the whole index, and
    how many there are with those beyond the limit.

    The key ``community`` gives all runs of the community ``value``. Sorted by accession.

    Raises ``UnknownCitationKeyError`` where no citation has such a key.
    """
    if key not in CITATION_KEYS:
        raise UnknownCitationKeyError(key, known=CITATION_KEYS)
    chosen, given = _chosen_runs(key, value, community)
    with_runs = f"WITH behind AS ({chosen})"
    ((total,),) = con.execute(f"{with_runs} SELECT count(*) FROM behind", given).fetchall()
    result = con.execute(f"{with_runs} {_SHOWN}", {**given, "limit": limit})
    columns = tuple(column[0] for column in result.description)
    return ResultTable(columns, tuple(result.fetchall())), total


def _chosen_runs(key: str, value: str, community: str | None) -> tuple[str, dict[str, str]]:
    """Return the SELECT of the runs that have ``value`` for ``key``, and its parameters."""
    if key == "community":
        return _OF_COMMUNITY, {"community": value}
    if key == "runId":
        return _OF_RUN, {"value": value}
    given = {"key": key, "value": value}
    if community is None:
        return _OF_VALUE, given
    return f"{_OF_VALUE} INTERSECT {_OF_COMMUNITY}", {**given, "community": community}
