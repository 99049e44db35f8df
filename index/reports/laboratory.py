"""Runs that say little of natural infection: cultures, infections on purpose, libraries of a virus.

A study is a culture or an experiment by its own words (``study_design``), a run is also of a
culture where a virus is known to live in its cell line (``run_plausibility``), and a library of a
virus where that is what its label says. What no text says is not known to be natural.
"""

from __future__ import annotations

from typing import Final

import duckdb
import polars as pl

from index.store.run_values import COMMUNITY_RUNS

CULTURE: Final = "cell culture"
INFECTION: Final = "experimental infection"


def laboratory_runs(con: duckdb.DuckDBPyConnection) -> pl.DataFrame:
    """Return ``community, infected, cultured, libraries``: each run once, as the first that it is.

    Reads ``study_design, run_plausibility, annotation, run, community_member, distinct_community``.
    """
    found: pl.DataFrame = con.sql(_LABORATORY).pl()
    return found


def cultured_values(con: duckdb.DuckDBPyConnection) -> pl.DataFrame:
    """Return ``community, facet, value, cultured``: the runs of a tissue or a disease that are of
    cell cultures.
    """
    found: pl.DataFrame = con.sql(_CULTURED_VALUES).pl()
    return found


_OF_DESIGN: Final = """
SELECT r.run FROM run AS r JOIN (
    SELECT study FROM study_design WHERE design = '{design}'
    GROUP BY study HAVING 2 * max(runs) >= max(study_runs)
) AS d ON d.study = coalesce(r.bioproject, r.study)
"""
"""Runs of studies most of whose runs are of a design."""
_CULTURED: Final = f"""
SELECT DISTINCT run, true AS cultured FROM (
    {_OF_DESIGN.format(design=CULTURE)}
    UNION ALL SELECT run FROM run_plausibility WHERE plausibility = 'resident'
)
"""
_LABORATORY: Final = f"""
WITH infected AS (SELECT run, true AS infected FROM ({_OF_DESIGN.format(design=INFECTION)})),
cultured AS ({_CULTURED}),
library AS (
    SELECT DISTINCT run, true AS library FROM annotation
    WHERE facet = 'virus' AND value IS NOT NULL
)
SELECT m.community, count(*) FILTER (infected) AS infected,
       count(*) FILTER (infected IS NULL AND cultured) AS cultured,
       count(*) FILTER (infected IS NULL AND cultured IS NULL AND library) AS libraries
FROM ({COMMUNITY_RUNS}) AS m SEMI JOIN distinct_community AS d USING (community)
LEFT JOIN infected USING (run) LEFT JOIN cultured USING (run) LEFT JOIN library USING (run)
GROUP BY m.community ORDER BY m.community
"""
_CULTURED_VALUES: Final = f"""
WITH stated AS (
    SELECT DISTINCT run, facet, value FROM annotation
    WHERE facet IN ('tissue', 'disease') AND value IS NOT NULL
)
SELECT m.community, s.facet, s.value, count(*) AS cultured
FROM ({COMMUNITY_RUNS}) AS m SEMI JOIN distinct_community AS d USING (community)
JOIN stated AS s USING (run) SEMI JOIN ({_CULTURED}) AS c USING (run)
GROUP BY ALL ORDER BY ALL
"""
