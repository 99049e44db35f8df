"""Clades: the taxon that the hosts of a community share, where no single host is of most runs, and
the one that the runs with its unnamed virus are of.
"""

from __future__ import annotations

from typing import Final

import duckdb
import polars as pl

from index.store.frames import rows_over
from index.store.run_values import COMMUNITY_RUNS

HELD: Final = 0.8
"""Share of the runs with a host that a clade holds."""
OF_CARRIERS: Final = 2 / 3
"""Share of the runs with an unnamed virus that a clade holds, which a title may name."""
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


def carrier_clades(con: duckdb.DuckDBPyConnection, shared: pl.DataFrame) -> pl.DataFrame:
    """Return ``community, clade, runs, rank``: the lowest taxon that ``OF_CARRIERS`` of the runs
    with the unnamed sOTU of each community are of. ``shared`` has ``community, unnamed``.
    """
    found = rows_over(con, _CARRIERS, {"shared_sotu": shared})
    english = pl.col("clade").replace(COMMON_NAMES)
    return found.with_columns(clade=english).sort("community")


_CARRIERS: Final = f"""
WITH carrier AS (
    SELECT DISTINCT m.community, m.run
    FROM shared_sotu AS s JOIN detection AS d ON d.sotu = s.unnamed
    JOIN ({COMMUNITY_RUNS}) AS m ON m.community = s.community AND m.run = d.run
),
whole AS (SELECT community, count(*) AS runs FROM carrier GROUP BY community),
host AS (
    SELECT DISTINCT run, curie FROM annotation WHERE facet = 'host' AND curie IS NOT NULL
),
clade AS (
    SELECT c.descendant, c.ancestor, t.label, t.rank
    FROM closure AS c JOIN term AS t ON t.curie = c.ancestor
    WHERE t.rank IN ('species', {", ".join(f"'{rank}'" for rank in RANKS)})
      AND c.descendant IN (SELECT curie FROM host)
),
width AS (SELECT ancestor, count(*) AS members FROM clade GROUP BY ancestor),
held AS (
    SELECT k.community, c.ancestor, c.label, c.rank, count(DISTINCT k.run) AS runs
    FROM carrier AS k JOIN host AS h USING (run) JOIN clade AS c ON c.descendant = h.curie
    GROUP BY ALL
)
SELECT h.community, h.label AS clade, h.runs, h.rank
FROM held AS h JOIN whole AS w USING (community) JOIN width AS d USING (ancestor)
WHERE h.runs >= {OF_CARRIERS} * w.runs
QUALIFY row_number() OVER (PARTITION BY h.community
    ORDER BY d.members, list_position(['species', {", ".join(f"'{rank}'" for rank in RANKS)}],
                                      h.rank)) = 1
"""
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
