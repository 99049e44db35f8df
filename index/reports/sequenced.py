"""Libraries of an organism other than the host of their sample: a worm from a mouse.

The host is where the sample was taken, the organism label says what was sequenced. Both stay as
stated; this table says where they differ, so that nothing is said about a mouse that is only true
of its worm.
"""

from __future__ import annotations

from typing import Final

import dataframely as dy
import duckdb

from index.store.frames import rows_over
from index.store.lineages import lineage_of
from index.tables import Sequenced
from ontology_etl.tables import conform

CELLULAR: Final = "NCBITaxon:131567"
"""Cellular organisms: a metagenome names an environment, and a virus was found in something."""


def find_sequenced(con: duckdb.DuckDBPyConnection) -> dy.DataFrame[Sequenced]:
    """Return run, host, organism of libraries whose organism is not their host, above or below it.

    Reads ``annotation, term_edge``. A run with several organisms, none of them the host, has the
    first by CURIE.
    """
    taxa = con.sql(_TAXA).pl()["curie"]
    lineages = lineage_of(con, taxa)
    rows = rows_over(con, _SEQUENCED, {"taxon_above": lineages})
    return conform(rows, Sequenced)


_TAXA: Final = """
SELECT DISTINCT curie FROM annotation
WHERE facet IN ('host', 'label') AND starts_with(curie, 'NCBITaxon:') ORDER BY 1
"""
_SEQUENCED: Final = f"""
WITH
host AS (SELECT DISTINCT run, curie FROM annotation WHERE facet = 'host'),
organism AS (
    SELECT DISTINCT run, curie FROM annotation
    WHERE facet = 'label'
      AND curie IN (SELECT descendant FROM taxon_above WHERE ancestor = '{CELLULAR}')
),
stated AS (
    SELECT h.run, h.curie AS host, o.curie AS organism
    FROM host AS h JOIN organism AS o USING (run)
),
differing AS (SELECT DISTINCT host, organism FROM stated WHERE host <> organism),
related AS (
    SELECT d.host, d.organism FROM differing AS d JOIN taxon_above AS a
    ON (a.descendant = d.host AND a.ancestor = d.organism)
    OR (a.descendant = d.organism AND a.ancestor = d.host)
)
SELECT s.run, s.host, min(s.organism) AS organism
FROM stated AS s LEFT JOIN related AS r USING (host, organism)
GROUP BY s.run, s.host
HAVING bool_and(s.host <> s.organism AND r.host IS NULL)
"""
