"""Where runs come from: a laboratory, patients or the field, or unknown.

The evidence for each run is that of ``index.store.origins``. For a virus, it is also evidence that
it lives in the cell line, is a common vector or comes with a reagent
(``ontology_etl/reviewed/laboratory_viruses.tsv``). Patients and field samples count only for
viruses that a register of pathogens lists or that are recorded in a vertebrate: phages and viruses
of plants have no patients.
"""

from __future__ import annotations

from typing import Final

import duckdb
import polars as pl

from index.reports.evidence_rows import Provenance
from index.reports.risk_hosts import VERTEBRATES
from index.store.frames import rows_over
from index.store.origins import CULTURED, HUMAN, KINDS, OF_SAMPLES, RUN_KIND
from index.store.run_values import BROADER, COMMUNITY_RUNS, WEIGHED_VIRUS
from ontology_etl.reviewed_lists import read_reviewed

HEAVY: Final = 1_000_000
"""Number of reads of a virus that infected cultures often have, and samples seldom."""


def find_origins(con: duckdb.DuckDBPyConnection, designs: pl.DataFrame) -> pl.DataFrame:
    """Return ``community, facet, value`` and the fields of ``Provenance``, by virus and family.

    Rows with empty facet and value are about all runs of a community.

    Reads ``study_design, run_plausibility, annotation, detection, virus, virus_risk, known_host,
    closure, run, community_member, distinct_community``; ``designs`` has ``run, design``, what the
    samples of single runs say.
    """
    reviewed = read_reviewed("laboratory_viruses.tsv")
    tables = {"laboratory_virus": reviewed, "run_design": designs}
    found = rows_over(con, _ORIGINS, tables)
    kinds = pl.concat_list(list(KINDS)).alias("kinds")
    return found.select("community", "facet", "value", *Provenance._fields[:-1], kinds)


def cultured_values(con: duckdb.DuckDBPyConnection, designs: pl.DataFrame) -> pl.DataFrame:
    """Return ``community, facet, value, cultured``: runs of a tissue or disease from cultures."""
    return rows_over(con, _CULTURED_VALUES, {"run_design": designs})


_ORIGINS: Final = f"""
WITH member AS (
    SELECT m.community, m.run FROM ({COMMUNITY_RUNS}) AS m SEMI JOIN distinct_community
    USING (community)
),
{OF_SAMPLES},
taken AS (  -- from nature: an environment, or an animal or a plant from a place
    SELECT run FROM said WHERE facet = 'environment'
    UNION SELECT run FROM said SEMI JOIN placed USING (run)
    WHERE facet = 'host' AND curie <> '{HUMAN}'
),
hit AS (
    SELECT run, 'species' AS facet, stated AS value, {WEIGHED_VIRUS} AS weighed, virus, reads
    FROM detection WHERE stated IS NOT NULL
    UNION ALL
    SELECT run, 'family', family, {WEIGHED_VIRUS}, virus, reads
    FROM detection WHERE family IS NOT NULL
),
judged AS (
    SELECT run, virus AS weighed, bool_or(plausibility = 'recorded') AS recorded,
           bool_and(plausibility = 'unexpected') AS unexpected
    FROM run_plausibility GROUP BY ALL
),
pathogen AS (SELECT virus FROM virus_risk WHERE starts_with(risk_group, 'RG')),
of_vertebrate AS (
    SELECT DISTINCT k.virus FROM known_host AS k JOIN closure AS c ON c.descendant = k.host
    WHERE c.ancestor = '{VERTEBRATES}'
),
made AS (
    SELECT h.run, h.facet, h.value, bool_or(p.virus IS NOT NULL) AS of_vertebrates,
           of_vertebrates OR bool_or(i.virus IS NOT NULL) AS infects,
           coalesce(max(h.reads), 0) >= {HEAVY} AS heavy,
           coalesce(bool_and(j.unexpected), false) AS unexpected,
           bool_and(l.kind IS NOT NULL AND NOT coalesce(
               CASE l.kind WHEN 'reagent' THEN j.recorded ELSE o.placed END, false)) AS vector
    FROM hit AS h JOIN of_run AS o USING (run) LEFT JOIN virus AS v USING (virus)
    LEFT JOIN laboratory_virus AS l ON l.virus = v.name
    LEFT JOIN judged AS j ON j.run = h.run AND j.weighed = h.weighed
    LEFT JOIN pathogen AS p ON p.virus = h.virus
    LEFT JOIN of_vertebrate AS i ON i.virus = h.virus
    GROUP BY ALL
),
evidence AS (
    SELECT m.facet, m.value, o.* REPLACE (o.animal AND NOT m.unexpected AS animal), m.vector,
           m.of_vertebrates, m.infects, m.heavy
    FROM made AS m JOIN of_run AS o USING (run)
    UNION ALL SELECT '', '', o.*, false, false, false, false FROM of_run AS o
),
kind AS (
    SELECT run, facet, value, of_vertebrates, heavy,
           evidence.is_natural AND infects AS is_natural,
           {RUN_KIND.format(vector="vector")} AS kind, kind IS NULL AND infects
           AND NOT is_natural AND run NOT IN (FROM taken) AS is_open
    FROM evidence
)
SELECT m.community, k.facet, k.value, count(*) AS runs, count(kind) AS laboratory,
       count(*) FILTER (kind IS NULL AND is_natural) AS "natural",
       2 * count(*) FILTER (of_vertebrates) > count(*) AS of_vertebrates,
       count(*) FILTER (is_open) AS "open", count(*) FILTER (heavy AND is_open) AS heavy,
       {", ".join(f"count(*) FILTER (kind = '{kind}') AS {kind}" for kind in KINDS)}
FROM member AS m JOIN kind AS k USING (run)
GROUP BY m.community, k.facet, k.value ORDER BY ALL
"""
_CULTURED_VALUES: Final = f"""
WITH stated AS (
    SELECT DISTINCT run, facet, value FROM annotation
    ANTI JOIN ({BROADER}) USING (run, facet, value)
    WHERE facet IN ('tissue', 'disease') AND value IS NOT NULL
)
SELECT m.community, s.facet, s.value, count(*) AS cultured
FROM ({COMMUNITY_RUNS}) AS m SEMI JOIN distinct_community AS d USING (community)
JOIN stated AS s USING (run) SEMI JOIN ({CULTURED}) AS c USING (run)
GROUP BY ALL ORDER BY ALL
"""
