"""Clades: the taxon that the hosts of a community share, where no single host is of most runs."""

from __future__ import annotations

from typing import Final

import duckdb
import polars as pl

from index.store.run_values import COMMUNITY_RUNS

HELD: Final = 0.8
"""Share of the runs with a host that a clade holds."""
RANKS: Final = ("genus", "family", "order", "class", "phylum", "kingdom")
COMMON_NAMES: Final = {
    "Mammalia": "mammals",
    "Aves": "birds",
    "Insecta": "insects",
    "Actinopteri": "ray-finned fishes",
    "Arachnida": "arachnids",
    "Arthropoda": "arthropods",
    "Fungi": "fungi",
    "Magnoliopsida": "flowering plants",
    "Viridiplantae": "plants",
    "Metazoa": "animals",
}
"""Clades that everybody calls by an English word."""


def community_clades(con: duckdb.DuckDBPyConnection) -> pl.DataFrame:
    """Return ``community, clade, runs, rank``: the lowest taxon that holds ``HELD`` of the runs
    with a host, how many runs these are, and its rank. Communities whose hosts share none have no
    row.

    Reads ``distinct_community, community_member, run, annotation, closure, term``.
    """
    found: pl.DataFrame = con.sql(_CLADES).pl()
    english = pl.col("clade").replace(COMMON_NAMES)
    return found.with_columns(clade=english).sort("community")


_CLADES: Final = f"""
WITH host AS (
    SELECT DISTINCT run, curie FROM annotation WHERE facet = 'host' AND curie IS NOT NULL
),
counted AS (
    SELECT m.community, h.curie, count(*) AS runs
    FROM ({COMMUNITY_RUNS}) AS m SEMI JOIN distinct_community AS d USING (community)
    JOIN host AS h USING (run) GROUP BY ALL
),
whole AS (SELECT community, sum(runs) AS runs FROM counted GROUP BY community),
clade AS (
    SELECT c.descendant, c.ancestor, t.label, t.rank
    FROM closure AS c JOIN term AS t ON t.curie = c.ancestor
    WHERE t.rank IN {RANKS} AND c.descendant IN (SELECT curie FROM host)
),
width AS (SELECT ancestor, count(*) AS members FROM clade GROUP BY ancestor),
held AS (
    SELECT n.community, c.ancestor, c.label, c.rank, sum(n.runs) AS runs
    FROM counted AS n JOIN clade AS c ON c.descendant = n.curie GROUP BY ALL
)
SELECT h.community, h.label AS clade, h.runs::BIGINT AS runs, h.rank
FROM held AS h JOIN whole AS w USING (community) JOIN width AS d USING (ancestor)
WHERE h.runs >= {HELD} * w.runs
QUALIFY row_number() OVER (PARTITION BY h.community ORDER BY d.members, h.label) = 1
"""
