"""Support: what stands behind a virus of a community, run by run.

How many of its runs have an identity to a reference; how many studies carry it; and the runs to
look at first. Where no run of the index lies in a wide gap of identity below that of the species,
what lies below the gap is another species.
"""

from __future__ import annotations

from typing import Final

import duckdb
import polars as pl

from index.reports.campaigns import CAMPAIGN_OF_RUN
from index.reports.evidence_rows import SOTU
from index.reports.naming.named_values import SPECIES_IDENTITY
from index.store.frames import rows_over
from index.store.run_values import COMMUNITY_RUNS, MOST_READ_IDENTITY

EXAMPLES: Final = 2
"""Runs of a virus that are named, those of most reads first."""
WIDE: Final = 5
"""Percent of identity that no run has, between a species and another one."""
FEWEST_BELOW: Final = 3
"""Runs on either side of such a gap."""

SPECIES_GAPS: Final = f"""
WITH per_run AS (
    SELECT stated, run, round({MOST_READ_IDENTITY})::INTEGER AS identity
    FROM detection WHERE stated IS NOT NULL AND closest IS NULL AND reads IS NOT NULL
    GROUP BY stated, run
),
counted AS (
    SELECT stated, identity, count(*) AS runs FROM per_run
    WHERE identity IS NOT NULL GROUP BY stated, identity
),
placed AS (
    SELECT stated, identity, lag(identity) OVER species AS before,
           sum(runs) OVER species - runs AS below, sum(runs) OVER (PARTITION BY stated) AS whole
    FROM counted WINDOW species AS (PARTITION BY stated ORDER BY identity)
)
SELECT stated, max(before) AS gap_low, max(identity) AS gap_high FROM placed
WHERE before < {SPECIES_IDENTITY} AND identity > {SPECIES_IDENTITY} AND identity - before >= {WIDE}
  AND below >= {FEWEST_BELOW} AND whole - below >= {FEWEST_BELOW}
GROUP BY stated
"""
"""SELECT of ``stated, gap_low, gap_high``: species with runs on both sides of a gap."""


def find_support(con: duckdb.DuckDBPyConnection, wanted: pl.DataFrame) -> pl.DataFrame:
    """Return ``community, facet, value``, the fields of ``Support`` but ``examples`` and those of
    ``Example``: a row per run that is named, that of most reads or else of most coverage first.

    ``wanted`` has ``community, facet, value``: species, families, and sOTUs without a name. Runs
    in which a congener has more reads, or whose reads are of another species, come last.
    """
    asked = (
        wanted.select("community", "facet", "value").unique().sort("community", "facet", "value")
    )
    return rows_over(con, _SUPPORT, {"wanted_virus": asked})


_KEY: Final = "community, facet, value"
_MOST_READ: Final = """is_other, reads DESC NULLS LAST, coverage DESC NULLS LAST,
    identity DESC NULLS LAST, run, sotu"""
_SUPPORT: Final = f"""
WITH hit AS (
    SELECT run, 'species' AS facet, stated AS value, * EXCLUDE (run) FROM detection
    WHERE stated IS NOT NULL
    UNION ALL
    SELECT run, 'family', family, * EXCLUDE (run) FROM detection WHERE family IS NOT NULL
    UNION ALL
    SELECT run, '{SOTU}', sotu, * EXCLUDE (run) FROM detection
    WHERE family IS NULL AND stated IS NULL
),
asked AS (SELECT DISTINCT facet, value FROM wanted_virus),
carried AS (
    SELECT facet, value, run, sotu, identity, reads, coverage,
           congener IS NOT NULL OR coalesce(facet = 'species' AND identity < gap_high, false)
               AS is_other
    FROM hit SEMI JOIN asked USING (facet, value) LEFT JOIN ({SPECIES_GAPS}) USING (stated)
),
source AS (
    SELECT run, coalesce(arg_min(a.value, (a.facet, a.value)), any_value(r.organism)) AS source
    FROM run AS r LEFT JOIN (
        FROM annotation WHERE facet IN ('environment', 'host') AND value IS NOT NULL
    ) AS a USING (run) GROUP BY run
),
here AS (
    SELECT w.community, c.*
    FROM wanted_virus AS w JOIN carried AS c USING (facet, value)
    JOIN ({COMMUNITY_RUNS}) AS m ON m.community = w.community AND m.run = c.run
),
per_run AS (
    SELECT {_KEY}, run, {MOST_READ_IDENTITY} AS identity FROM here GROUP BY {_KEY}, run
),
whole AS (
    SELECT {_KEY}, count(*) AS runs, count(identity) AS measured,
           median(identity) AS median_identity,
           count(DISTINCT nullif(o.campaign, '')) AS studies
    FROM per_run JOIN ({CAMPAIGN_OF_RUN}) AS o USING (run) GROUP BY ALL
),
of_run AS (
    FROM here QUALIFY row_number() OVER (PARTITION BY {_KEY}, run ORDER BY {_MOST_READ}) = 1
),
best AS (
    SELECT {_KEY}, run, identity, reads, coverage, source,
           row_number() OVER (PARTITION BY {_KEY} ORDER BY {_MOST_READ}) AS place
    FROM of_run LEFT JOIN source USING (run) QUALIFY place <= {EXAMPLES}
)
SELECT {_KEY}, w.runs, w.measured, w.median_identity, w.studies,
       b.run, b.identity, b.reads, b.coverage, b.source
FROM whole AS w JOIN best AS b USING ({_KEY})
ORDER BY {_KEY}, b.place
"""
