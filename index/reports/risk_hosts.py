"""Taxa with recorded hosts, none of them a vertebrate: registers need not list these.

Records are the pairs of the literature and the host groups that ICTV and NCBI Taxonomy state. A
host that only the name of a virus mentions is not a record, but a vertebrate counts all the same.
The hosts of a taxon are those of itself, of all below it, and of its species.
"""

from __future__ import annotations

from typing import Final

import duckdb
import polars as pl

from index.store.frames import rows_over
from index.store.lineages import lineage_of

VERTEBRATES: Final = "NCBITaxon:7742"
_NAME_SAYS: Final = "name"
"""Source in ``known_host`` of a host that only the name of a virus mentions."""


def without_vertebrates(
    con: duckdb.DuckDBPyConnection, as_one: pl.DataFrame, lineage: pl.DataFrame
) -> pl.DataFrame:
    """Return ``taxon``: taxa of ``as_one`` (taxon, itself) without a vertebrate as recorded host.

    No group that vertebrates are part of may be recorded, either.

    ``lineage`` (descendant, ancestor) leads from each taxon up. Reads ``known_host, term``.
    """
    pairs = con.sql("SELECT virus, host, source FROM known_host").pl()
    above_hosts = lineage_of(con, pl.concat([pairs["host"], pl.Series([VERTEBRATES])]))
    within = above_hosts.filter(pl.col("ancestor") == VERTEBRATES)["descendant"]
    around = above_hosts.filter(pl.col("descendant") == VERTEBRATES)["ancestor"]
    vertebrate = pl.concat([within, around]).unique()
    recorded = pairs.with_columns(
        vertebrate=pl.col("host").is_in(vertebrate.implode()),
        recorded=pl.col("source") != _NAME_SAYS,
    )
    frames = {
        "risk_as_one": as_one,
        "risk_lineage": lineage,
        "risk_host": recorded,
        "risk_host_line": lineage_of(con, pairs["virus"]),
    }
    return rows_over(con, _WITHOUT, frames)


_WITHOUT: Final = """
WITH kin AS (
    SELECT taxon, itself FROM risk_as_one
    UNION SELECT a.taxon, l.ancestor
    FROM risk_as_one AS a JOIN risk_lineage AS l ON l.descendant = a.itself
    JOIN term AS t ON t.curie = l.ancestor WHERE t.rank = 'species'
)
SELECT k.taxon
FROM kin AS k JOIN risk_host_line AS l ON l.ancestor = k.itself
JOIN risk_host AS h ON h.virus = l.descendant
GROUP BY k.taxon HAVING bool_or(h.recorded) AND NOT bool_or(h.vertebrate) ORDER BY k.taxon
"""
