"""Where runs come from: from a laboratory, from patients or the field, or nothing says.

The evidence of each run is that of ``index.store.origins``. Of a virus speaks, too, that it lives
in the cell line, is a common vector or comes with a reagent
(``ontology_etl/reviewed/laboratory_viruses.tsv``), and patients and field samples count only for
viruses that a register of pathogens lists: phages and viruses of plants have no patients.
"""

from __future__ import annotations

from typing import Final

import duckdb
import polars as pl

from index.reports.phrases import listed
from index.reports.profiles import Provenance
from index.store.frames import rows_over
from index.store.origins import CULTURED, KINDS, OF_RUN, RUN_KIND
from index.store.run_values import COMMUNITY_RUNS, WEIGHED_VIRUS
from ontology_etl.reviewed_lists import read_reviewed

LEAST_LABELLED: Final = 5
"""Runs that state their environment, from which they speak for the others of their studies."""


def find_origins(con: duckdb.DuckDBPyConnection) -> pl.DataFrame:
    """Return ``community, facet, value`` and the fields of ``Provenance``: of each virus, each
    family and, with both empty, of all runs of each community.

    Reads ``study_design, run_plausibility, annotation, detection, virus, virus_risk, run,
    community_member, distinct_community``.
    """
    reviewed = read_reviewed("laboratory_viruses.tsv")
    found = rows_over(con, _ORIGINS, {"laboratory_virus": reviewed})
    why = pl.struct(list(KINDS)).map_elements(_why, return_dtype=pl.String)
    return found.select("community", "facet", "value", *Provenance._fields[:-1], why.alias("why"))


def cultured_values(con: duckdb.DuckDBPyConnection) -> pl.DataFrame:
    """Return ``community, facet, value, cultured``: the runs of a tissue or a disease that are of
    cell cultures.
    """
    found: pl.DataFrame = con.sql(_CULTURED_VALUES).pl()
    return found


def study_surroundings(con: duckdb.DuckDBPyConnection) -> pl.DataFrame:
    """Return ``community, environment, runs``: the environment that other runs of their studies
    state, and no run contradicts, of most runs without a host or an environment of their own.
    """
    found: pl.DataFrame = con.sql(_SURROUNDINGS).pl()
    return found


def _why(runs: dict[str, int]) -> str:
    """Return the evidence for a laboratory in words, that of most runs first; what a tenth of these
    runs or less have is left out.
    """
    many = [kind for kind in KINDS if 10 * runs[kind] > sum(runs.values())]
    kinds = sorted(many, key=lambda kind: -runs[kind])
    return listed([f"{runs[kind]:,} {KINDS[kind]}" for kind in kinds])


_ORIGINS: Final = f"""
WITH member AS (
    SELECT m.community, m.run FROM ({COMMUNITY_RUNS}) AS m SEMI JOIN distinct_community
    USING (community)
),
{OF_RUN},
hit AS (
    SELECT run, 'species' AS facet, stated AS value, {WEIGHED_VIRUS} AS weighed, virus, source
    FROM detection WHERE stated IS NOT NULL
    UNION ALL
    SELECT run, 'family', family, {WEIGHED_VIRUS}, virus, source
    FROM detection WHERE family IS NOT NULL
),
judged AS (
    SELECT run, virus AS weighed, bool_or(plausibility = 'recorded') AS recorded
    FROM run_plausibility GROUP BY ALL
),
pathogen AS (SELECT virus FROM virus_risk WHERE starts_with(risk_group, 'RG')),
made AS (
    SELECT h.run, h.facet, h.value, bool_or(p.virus IS NOT NULL) AS of_vertebrates,
           bool_and(l.kind IS NOT NULL AND NOT coalesce(
               CASE l.kind WHEN 'reagent' THEN j.recorded ELSE o.placed END, false)) AS vector
    FROM hit AS h JOIN of_run AS o USING (run) LEFT JOIN virus AS v USING (virus)
    LEFT JOIN laboratory_virus AS l ON l.virus = v.name
    LEFT JOIN judged AS j ON j.run = h.run AND j.weighed = h.weighed
    LEFT JOIN pathogen AS p ON p.virus = h.virus
    GROUP BY ALL
),
evidence AS (
    SELECT m.facet, m.value, o.*, m.vector, m.of_vertebrates
    FROM made AS m JOIN of_run AS o USING (run)
    UNION ALL SELECT '', '', o.*, false, false FROM of_run AS o
),
kind AS (
    SELECT run, facet, value, of_vertebrates, is_natural AND of_vertebrates AS is_natural,
           {RUN_KIND.format(vector="vector")} AS kind
    FROM evidence
)
SELECT m.community, k.facet, k.value, count(*) AS runs, count(kind) AS laboratory,
       count(*) FILTER (kind IS NULL AND is_natural) AS "natural",
       2 * count(*) FILTER (of_vertebrates) > count(*) AS of_vertebrates,
       {", ".join(f"count(*) FILTER (kind = '{kind}') AS {kind}" for kind in KINDS)}
FROM member AS m JOIN kind AS k USING (run)
GROUP BY m.community, k.facet, k.value ORDER BY ALL
"""
_CULTURED_VALUES: Final = f"""
WITH stated AS (
    SELECT DISTINCT run, facet, value FROM annotation
    WHERE facet IN ('tissue', 'disease') AND value IS NOT NULL
)
SELECT m.community, s.facet, s.value, count(*) AS cultured
FROM ({COMMUNITY_RUNS}) AS m SEMI JOIN distinct_community AS d USING (community)
JOIN stated AS s USING (run) SEMI JOIN ({CULTURED}) AS c USING (run)
GROUP BY ALL ORDER BY ALL
"""
_SURROUNDINGS: Final = f"""
WITH stated AS (
    SELECT DISTINCT a.run, a.value, coalesce(r.bioproject, r.study) AS study, a.facet
    FROM annotation AS a JOIN run AS r USING (run)
    WHERE a.facet IN ('host', 'environment', 'virus') AND a.value IS NOT NULL
),
of_study AS (
    SELECT study, any_value(value) AS environment, count(DISTINCT run) AS labelled
    FROM stated WHERE study IS NOT NULL
    GROUP BY study HAVING count(DISTINCT value) = 1 AND bool_and(facet = 'environment')
),
silent AS (
    SELECT r.run, s.environment, s.study, s.labelled FROM run AS r ANTI JOIN stated USING (run)
    JOIN of_study AS s ON s.study = coalesce(r.bioproject, r.study)
),
here AS (
    SELECT m.community, s.environment, s.study, any_value(s.labelled) AS labelled, count(*) AS runs
    FROM ({COMMUNITY_RUNS}) AS m SEMI JOIN distinct_community AS d USING (community)
    JOIN silent AS s USING (run) GROUP BY m.community, s.environment, s.study
)
SELECT community, environment, sum(runs)::BIGINT AS runs
FROM here GROUP BY community, environment HAVING sum(labelled) >= {LEAST_LABELLED}
QUALIFY row_number() OVER (PARTITION BY community ORDER BY sum(runs) DESC, environment) = 1
ORDER BY ALL
"""
