"""K-mer profiles of runs at the rank that annotations and the graph use.

A full profile of NCBI STAT lists a run's taxa from the domain down to the strain. At a single rank
each run has a handful of taxa, which can be compared between runs. ``kmer_profile`` is what
annotations, relationships and associations read; ``stat_hit`` keeps what was listed.
"""

from __future__ import annotations

from typing import Final

import dataframely as dy
import duckdb
import polars as pl

from index.store.frames import rows_over
from index.store.kmer_shares import shares_of
from index.store.lineages import lineage_of
from index.tables import KmerProfile
from ontology_etl.tables import conform


def profile_runs(
    con: duckdb.DuckDBPyConnection, *, rank: str, min_share: float
) -> dy.DataFrame[KmerProfile]:
    """Return the k-mer shares above ``min_share`` (exclusive, 0-1) of the taxa of ``rank``.

    Reads ``stat_hit, term, term_edge``. Without a rank, taxa are used as listed. A taxon without an
    ancestor of that rank is left out.
    """
    if not rank:
        listed: pl.DataFrame = con.sql(_LISTED, params=[min_share]).pl()
        return conform(listed, KmerProfile)
    taxa = con.sql("SELECT DISTINCT curie FROM stat_hit").pl()["curie"]
    frames = {"taxon_above": lineage_of(con, taxa)}
    rows = rows_over(con, _AT_RANK, frames, params={"rank": rank, "min_share": min_share})
    return conform(rows, KmerProfile)


_LISTED: Final = "SELECT run, curie, share FROM stat_hit WHERE share > $1"
_PAIRS: Final = """
SELECT s.run, a.ancestor AS taxon, s.curie, s.share
FROM stat_hit AS s
JOIN taxon_above AS a ON a.descendant = s.curie
JOIN term AS t ON t.curie = a.ancestor AND t.rank = $rank
"""
_AT_RANK: Final = f"""
SELECT run, taxon AS curie, share FROM ({shares_of(_PAIRS, "taxon_above")})
WHERE share > $min_share
"""
