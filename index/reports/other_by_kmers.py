"""Runs whose k-mers are mostly of an organism other than the one they state.

A caution, not a correction: a mosquito that fed, a contaminated library, a swapped sample and a
wrong entry look alike. Most species have no reference, and their k-mers go to the nearest relative
that has one; so a run counts only if the two organisms do not even share an order. Runs labelled as
metagenomes are left out: any organism may dominate them.
"""

from __future__ import annotations

from typing import Final

import dataframely as dy
import duckdb

from index.reports.sequenced import CELLULAR
from index.store.frames import rows_over
from index.store.lineages import lineage_of
from index.tables import OtherByKmers
from ontology_etl.tables import conform

MOSTLY: Final = 0.5
"""Above this share of its k-mers, a run is mostly of a taxon: there is only one such lineage."""


def find_other_by_kmers(con: duckdb.DuckDBPyConnection) -> dy.DataFrame[OtherByKmers]:
    """Return run, host, organism, share of runs mostly of an organism of another order.

    Its order is neither that of their host nor that of their label.

    Reads ``stat_hit, annotation, term, term_edge``.
    """
    taxa = con.sql(_TAXA).pl()["curie"]
    rows = rows_over(con, _OTHER, {"taxon_above": lineage_of(con, taxa)})
    return conform(rows, OtherByKmers)


_TAXA: Final = f"""
SELECT DISTINCT curie FROM stat_hit WHERE share > {MOSTLY}
UNION
SELECT DISTINCT curie FROM annotation
WHERE facet IN ('host', 'label') AND starts_with(curie, 'NCBITaxon:')
"""
_OTHER: Final = f"""
WITH
depth AS (SELECT descendant AS curie, max(distance) AS depth FROM taxon_above GROUP BY descendant),
dominant AS (
    SELECT run, curie, share FROM stat_hit JOIN depth USING (curie)
    WHERE share > {MOSTLY}
    QUALIFY row_number() OVER (PARTITION BY run ORDER BY depth DESC, share, curie) = 1
),
stated AS (
    SELECT DISTINCT d.run, a.facet, a.curie AS stated, d.curie AS organism, d.share
    FROM dominant AS d JOIN annotation AS a USING (run)
    WHERE a.facet IN ('host', 'label') AND starts_with(a.curie, 'NCBITaxon:')
      AND d.curie IN (SELECT descendant FROM taxon_above WHERE ancestor = '{CELLULAR}')
      AND d.run NOT IN (SELECT run FROM annotation WHERE facet = 'environment')
),
pair AS (SELECT DISTINCT stated, organism FROM stated),
close AS (
    SELECT DISTINCT p.stated, p.organism
    FROM pair AS p
    JOIN taxon_above AS s ON s.descendant = p.stated
    JOIN taxon_above AS o ON o.descendant = p.organism AND o.ancestor = s.ancestor
    JOIN term AS t ON t.curie = s.ancestor
    WHERE s.ancestor IN (p.stated, p.organism) OR t.rank IN ('order', 'family', 'genus', 'species')
)
SELECT s.run, min(s.stated) FILTER (s.facet = 'host') AS host, any_value(s.organism) AS organism,
       any_value(s.share) AS share
FROM stated AS s LEFT JOIN close AS c USING (stated, organism)
GROUP BY s.run
HAVING host IS NOT NULL AND bool_and(c.stated IS NULL)
"""
