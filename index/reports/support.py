"""Support: what stands behind a virus of a community, run by run.

How many of its runs have an identity to a reference, and which; how many studies carry it; and the
runs to look at first.
"""

from __future__ import annotations

from typing import Final

import duckdb
import polars as pl

from index.reports.profiles import SOTU
from index.store.frames import rows_over
from index.store.run_values import BEST_FIRST, COMMUNITY_RUNS, MOST_READ_IDENTITY, STUDY_OF_RUN

EXAMPLES: Final = 2
"""Runs of a virus that are named, the best supported first."""


def find_support(con: duckdb.DuckDBPyConnection, wanted: pl.DataFrame) -> pl.DataFrame:
    """Return ``community, facet, value``, the fields of ``Support`` but ``examples`` and those of
    ``Example``: a row per run that is named, the best supported first.

    ``wanted`` has ``community, facet, value``: species, families, and sOTUs without a name.
    """
    asked = (
        wanted.select("community", "facet", "value").unique().sort("community", "facet", "value")
    )
    return rows_over(con, _SUPPORT, {"wanted_virus": asked})


_KEY: Final = "community, facet, value"
_FITTING_FIRST: Final = f"coalesce(fits, 0) DESC, {BEST_FIRST}"
"""Runs of the host and the place of most runs first: the report speaks of these."""
_MOST_READ_FIRST: Final = f"reads DESC NULLS LAST, {BEST_FIRST}"
"""Detections of a virus in a run: a few reads of one segment match some reference."""
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
    SELECT facet, value, run, sotu, identity, reads, coverage, congener IS NOT NULL AS beside
    FROM hit SEMI JOIN asked USING (facet, value)
),
here AS (
    SELECT w.community, c.*
    FROM wanted_virus AS w JOIN carried AS c USING (facet, value)
    JOIN ({COMMUNITY_RUNS}) AS m ON m.community = w.community AND m.run = c.run
),
size AS (SELECT community, count(*) AS size FROM ({COMMUNITY_RUNS}) GROUP BY community),
usual AS (
    SELECT m.community, a.facet, a.value
    FROM ({COMMUNITY_RUNS}) AS m JOIN annotation AS a USING (run) JOIN size USING (community)
    WHERE a.facet IN ('host', 'geography') AND m.community IN (SELECT community FROM wanted_virus)
    GROUP BY m.community, a.facet, a.value HAVING 2 * count(DISTINCT run) > any_value(size)
),
fitting AS (
    SELECT h.community, h.run, count(DISTINCT a.facet) AS fits
    FROM (SELECT DISTINCT community, run FROM here) AS h JOIN annotation AS a USING (run)
    JOIN usual AS u ON (u.community, u.facet, u.value) = (h.community, a.facet, a.value)
    GROUP BY h.community, h.run
),
per_run AS (
    SELECT {_KEY}, run, {MOST_READ_IDENTITY} AS identity FROM here GROUP BY {_KEY}, run
),
whole AS (
    SELECT {_KEY}, count(*) AS runs, count(identity) AS measured,
           median(identity) AS median_identity,
           count(DISTINCT nullif(o.study, '')) AS studies
    FROM per_run JOIN ({STUDY_OF_RUN}) AS o USING (run) GROUP BY ALL
),
of_run AS (
    FROM here LEFT JOIN fitting USING (community, run)
    QUALIFY row_number() OVER (PARTITION BY {_KEY}, run ORDER BY beside, {_MOST_READ_FIRST}) = 1
),
best AS (
    SELECT {_KEY}, run, identity, reads, coverage,
           row_number() OVER (PARTITION BY {_KEY} ORDER BY beside, {_FITTING_FIRST}) AS place
    FROM of_run QUALIFY place <= {EXAMPLES}
)
SELECT {_KEY}, w.runs, w.measured, w.median_identity, w.studies,
       b.run, b.identity, b.reads, b.coverage
FROM whole AS w JOIN best AS b USING ({_KEY})
ORDER BY {_KEY}, b.place
"""
