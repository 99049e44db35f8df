"""Find viruses that are far from anything known, and where they occur.

An sOTU is novel if no hit states a species and its best identity to a reference is below that of a
species, or unknown. Reference genomes and taxa are known, so they are never novel.
"""

from __future__ import annotations

from typing import Final

import dataframely as dy
import duckdb

from index.tables import NovelVirus
from index.vectors.sighting_rows import GENOME, most_frequent
from ontology_etl.tables import conform

OF_SPECIES: Final = 90.0
"""Minimum identity, in percent, of a hit of a known species."""
_NAMED: Final = 3
"""Number of hosts and places that are named."""


def find_novel(con: duckdb.DuckDBPyConnection) -> dy.DataFrame[NovelVirus]:
    """Return the novel sOTUs of an index, in the order of their names.

    Reads ``detection, run, annotation, community, community_member``.
    """
    return conform(con.sql(_NOVEL).pl(), NovelVirus)


def _often(facet: str, value: str) -> str:
    """Return a SELECT of ``sotu`` and the values that most of its runs have."""
    return f"""
        SELECT sotu, string_agg(value, '; ' ORDER BY place) AS named FROM (
            SELECT sotu, value, row_number() OVER (
                PARTITION BY sotu ORDER BY count(DISTINCT run) DESC, value) AS place
            FROM (SELECT sotu, run, {value} AS value FROM found JOIN annotation USING (run)
                  WHERE facet = '{facet}')
            WHERE value IS NOT NULL GROUP BY sotu, value
        ) WHERE place <= {_NAMED} GROUP BY sotu
    """


def _usual(name: str) -> str:
    """Return a SELECT of ``sotu`` and the most frequent value of a column of its hits."""
    return most_frequent("sotu", name, f"FROM hit WHERE {name} IS NOT NULL")


_NOVEL: Final = f"""
WITH
novel AS (
    SELECT sotu, max(identity) AS identity, max(coverage) AS coverage FROM detection
    WHERE sotu IS DISTINCT FROM phylum AND NOT regexp_matches(sotu, '{GENOME}')
    GROUP BY sotu
    HAVING count(species) = 0 AND coalesce(max(identity), 0) < {OF_SPECIES}
       AND (count(virus) = 0 OR max(identity) IS NOT NULL)
),
hit AS (FROM detection SEMI JOIN novel USING (sotu)),
{", ".join(f"most_{name} AS ({_usual(name)})" for name in ("stated", "family", "phylum"))},
found AS (SELECT DISTINCT sotu, run FROM detection SEMI JOIN novel USING (sotu)),
spread AS (
    SELECT sotu, count(DISTINCT run) AS runs,
           count(DISTINCT coalesce(bioproject, study)) AS studies
    FROM found JOIN run USING (run) GROUP BY sotu
),
host AS ({_often("host", "value")}),
place AS ({_often("geography", "split_part(value, ':', 1)")}),
home AS (
    SELECT sotu, arg_max(community, (runs, community)) AS community FROM (
        SELECT f.sotu, c.community, count(*) AS runs
        FROM found AS f JOIN community_member AS m ON m.entity = f.run
        JOIN community AS c ON c.community = m.community AND c.level = 0
        GROUP BY f.sotu, c.community
    ) GROUP BY sotu
)
SELECT sotu, identity, stated AS nearest, family, phylum, runs, studies, coverage,
       host.named AS hosts, place.named AS places, community
FROM novel JOIN spread USING (sotu) LEFT JOIN host USING (sotu) LEFT JOIN place USING (sotu)
LEFT JOIN home USING (sotu) LEFT JOIN most_stated USING (sotu) LEFT JOIN most_family USING (sotu)
LEFT JOIN most_phylum USING (sotu)
"""
