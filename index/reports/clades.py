"""Clades: the taxon that the hosts of a community share if no single host has most runs, and the
hosts and environments of the runs with its unnamed virus.
"""

from __future__ import annotations

from typing import Final

import duckdb
import polars as pl

from index.reports.profiles import SHARED_BY
from index.store.frames import rows_over
from index.store.run_values import COMMUNITY_RUNS

HELD: Final = 0.8
"""Minimum share of the runs with a host that a clade must have."""
FEWEST: Final = 3
"""Minimum number of runs of a genus or an environment for its coverage to be compared."""
UPPER: Final = 0.9
"""The quantile of the coverage of its runs that is compared."""
LEAST: Final = 15
"""Below this coverage a virus is hardly there."""
MUCH: Final = 5
"""A source with so many times less coverage than the best only carries another source's virus.
"""
LARGE: Final = ("NCBITaxon:33090", "NCBITaxon:7742")
"""Plants and vertebrates: other organisms live and feed on them."""
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
    """Return ``community, clade, runs, rank``: the lowest taxon that holds ``HELD`` of the runs.

    The share is of the runs with a host; ``runs`` are its runs, ``rank`` is its rank. Communities
    whose hosts share no taxon have no row.

    Reads ``distinct_community, community_member, run, annotation, closure, term``.
    """
    found: pl.DataFrame = con.sql(_CLADES).pl()
    english = pl.col("clade").replace(COMMON_NAMES)
    return found.with_columns(clade=english).sort("community")


def carrier_sources(con: duckdb.DuckDBPyConnection, shared: pl.DataFrame) -> pl.DataFrame:
    """Return ``community`` and the fields of ``Carrier``: what runs with an unnamed sOTU are of.

    They are genera and environments, most coverage first.

    A run that is labelled as a metagenome counts for that environment, not for its host. ``shared``
    has ``community, unnamed``.
    """
    return rows_over(con, f"{_SOURCES} {_OF_SOURCE}", {"shared_sotu": shared})


def carrier_clades(con: duckdb.DuckDBPyConnection, shared: pl.DataFrame) -> pl.DataFrame:
    """Return ``community, clade, runs, rank``: the lowest taxon shared by runs of an unnamed sOTU.

    It has ``SHARED_BY`` of the runs with the sOTU that state a source. ``shared`` has ``community,
    unnamed``.
    """
    found = rows_over(con, f"{_SOURCES}, {_OF_CARRIERS}", {"shared_sotu": shared})
    english = pl.col("clade").replace(COMMON_NAMES)
    return found.with_columns(clade=english).sort("community")


_SOURCES: Final = f"""
WITH member AS MATERIALIZED (
    SELECT community, run, unnamed AS sotu
    FROM shared_sotu JOIN ({COMMUNITY_RUNS}) USING (community)
),
carrier AS (
    SELECT community, run, coalesce(max(coverage), 0) AS coverage
    FROM member JOIN detection USING (run, sotu) GROUP BY community, run
),
stated AS (
    SELECT run, arg_min(value, (facet, value)) AS value, arg_min(curie, (facet, value)) AS curie,
           min(facet) = 'environment' AS is_environment
    FROM annotation
    WHERE facet IN ('environment', 'host') AND value IS NOT NULL
      AND run IN (SELECT run FROM carrier) GROUP BY run
),
clade AS (
    SELECT c.descendant, c.ancestor, t.label, t.rank
    FROM closure AS c JOIN term AS t ON t.curie = c.ancestor
    WHERE t.rank IN ('species', {", ".join(f"'{rank}'" for rank in RANKS)})
      AND c.descendant IN (SELECT curie FROM stated)
),
placed AS (
    SELECT k.community, k.run, k.coverage, s.is_environment, s.curie, o.label AS of_order,
           s.curie IN (SELECT descendant FROM closure WHERE ancestor IN {LARGE}) AS is_large,
           coalesce(if(s.is_environment, NULL, g.label), s.value) AS value
    FROM carrier AS k JOIN stated AS s USING (run)
    LEFT JOIN clade AS g ON g.descendant = s.curie AND g.rank = 'genus'
    LEFT JOIN clade AS o ON o.descendant = s.curie AND o.rank = 'order'
),
counted AS (
    SELECT community, value, is_environment, count(*) AS runs, median(coverage) AS median,
           quantile_cont(coverage, {UPPER}) AS upper, any_value(of_order) AS of_order,
           bool_or(is_large) AS is_large
    FROM placed GROUP BY community, value, is_environment HAVING count(*) >= {FEWEST}
),
source AS (
    SELECT *, upper >= {LEAST} AND {MUCH} * upper >= max(upper) OVER (PARTITION BY community)
           AS is_strong
    FROM counted
)"""
_OF_SOURCE: Final = """
SELECT community, value, is_environment, runs, median, upper, of_order, is_strong, is_large
FROM source ORDER BY community, upper DESC, runs DESC, value
"""
_OF_CARRIERS: Final = f"""
whole AS (SELECT community, count(*) AS runs FROM placed GROUP BY community),
width AS (SELECT ancestor, count(*) AS members FROM clade GROUP BY ancestor),
held AS (
    SELECT s.community, c.ancestor, c.label, c.rank, count(*) AS runs
    FROM placed AS s JOIN clade AS c ON c.descendant = s.curie
    WHERE NOT s.is_environment GROUP BY ALL
)
SELECT h.community, h.label AS clade, h.runs, h.rank
FROM held AS h JOIN whole AS w USING (community) JOIN width AS d USING (ancestor)
WHERE h.runs >= {SHARED_BY} * w.runs
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
