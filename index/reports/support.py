"""Support: the evidence for a virus of a community, run by run.

It is the number of its runs with an identity to a reference; their sources and places; the number
of studies that carry it, and the largest; and the runs to look at first. If no run of the index is
in a wide gap of identity below that of the species, the hits below the gap are another species.
"""

from __future__ import annotations

from typing import Final

import duckdb
import polars as pl

from index.reports.campaigns import CAMPAIGN_OF_RUN
from index.reports.evidence_rows import SOTU
from index.reports.naming.named_values import SPECIES_IDENTITY
from index.store.frames import rows_over
from index.store.run_values import COMMUNITY_RUNS, MOST_READ_IDENTITY, WEIGHED_VIRUS

EXAMPLES: Final = 2
"""Number of runs of a virus that are named, most reads first."""
UNLIKE: Final = 5
MANY: Final = 10
"""A run so far, in percent of identity, below the median of so many runs is not the best example.
"""
WIDE: Final = 5
"""Width, in percent of identity, of a gap without runs between two species."""
DEPOSITS: Final = 2
LISTED: Final = 3
"""Most deposits, and most sources or places, of a virus that are named."""
NEIGHBOURS: Final = 1000
"""Most accession numbers between runs that were probably deposited together: a few hours' worth.
"""
FEWEST_BELOW: Final = 3
"""Minimum number of runs on either side of such a gap."""

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
    """Return ``community, facet, value`` and the fields of ``Support`` and ``Example``.

    ``examples`` is left out: there is a row per named run, most reads or else most coverage first.

    ``wanted`` has ``community, facet, value``: species, families, and sOTUs without a name. Runs
    in which a congener has more reads, or whose reads are of another species, come last; of a
    family, those without its most frequent virus; and runs far below the usual identity.

    Levels and facets are taken one by one: a run is in a community of each level, and each of its
    hits has a value of each facet.
    """
    level: pl.DataFrame = con.sql("SELECT community, level FROM distinct_community").pl()
    asked = wanted.select(_KEY).unique().sort(_KEY).with_row_index("number")
    placed = asked.join(level, on="community", how="left")
    parts = placed.partition_by("level", "facet") or [placed]
    gap: pl.DataFrame = con.sql(SPECIES_GAPS).pl()
    try:
        for name, query in _OF_RUNS.items():
            con.execute(f"CREATE TEMP TABLE {name} AS {query}")
        found = [
            rows_over(con, _SUPPORT, {"wanted_virus": part, "species_gap": gap}) for part in parts
        ]
    finally:
        for name in _OF_RUNS:
            con.execute(f"DROP TABLE IF EXISTS temp.{name}")
    rows = asked.join(pl.concat(found), on="number").sort("number", "place")
    return rows.drop("number", "place")


_KEY: Final = ("community", "facet", "value")
_OF_RUNS: Final = {
    "run_deposited": f"""
        SELECT run, study, campaign, regexp_extract(run, '^[A-Z]+') AS registry,
               TRY_CAST(regexp_extract(run, '[0-9]+$') AS BIGINT) AS accession
        FROM ({CAMPAIGN_OF_RUN}) SEMI JOIN detection USING (run)""",
    "run_stated": """
        SELECT run, if(facet = 'geography', 'place', 'source') AS kind,
               arg_min(value, (facet, value)) AS name
        FROM annotation SEMI JOIN detection USING (run)
        WHERE facet IN ('environment', 'host') OR facet = 'geography' AND NOT contains(value, ': ')
        GROUP BY ALL HAVING name IS NOT NULL""",
}
"""What is known of the runs with a virus, wherever they are."""
_LARGEST: Final = "(list({'name': name, 'runs': runs} ORDER BY runs DESC, name)"
_MOST_READ: Final = """is_other, reads DESC NULLS LAST, coverage DESC NULLS LAST,
    identity DESC NULLS LAST, run, sotu"""
_SUPPORT: Final = f"""
WITH hit AS (
    SELECT run, 'species' AS facet, stated AS value, * EXCLUDE (run) FROM detection
    WHERE stated IS NOT NULL
    UNION ALL
    SELECT run, 'family', family, * EXCLUDE (run) FROM detection WHERE family IS NOT NULL
    UNION ALL
    SELECT run, '{SOTU}', sotu, * EXCLUDE (run) FROM detection WHERE stated IS NULL
),
asked AS (SELECT DISTINCT facet, value FROM wanted_virus),
carried AS (
    SELECT facet, value, run, sotu, identity, reads, coverage, {WEIGHED_VIRUS} AS virus,
           coalesce(stated, sotu) AS called,
           congener IS NOT NULL OR coalesce(facet = 'species' AND identity < gap_high, false)
               AS is_other
    FROM hit SEMI JOIN asked USING (facet, value) LEFT JOIN species_gap USING (stated)
),
member AS MATERIALIZED (  -- first, or each virus meets all its runs in each of its communities
    FROM ({COMMUNITY_RUNS}) SEMI JOIN wanted_virus USING (community) SEMI JOIN detection USING (run)
),
here AS MATERIALIZED (
    SELECT w.number, c.* EXCLUDE (value) FROM member JOIN carried AS c USING (run)
    JOIN wanted_virus AS w USING (community, facet, value)
),
per_run AS MATERIALIZED (
    SELECT number, run, any_value(facet) AS facet, {MOST_READ_IDENTITY} AS identity,
           any_value(virus) AS virus
    FROM here GROUP BY number, run
),
judged AS (
    SELECT run, virus, bool_and(plausibility = 'unexpected') AS is_odd
    FROM run_plausibility GROUP BY run, virus
),
named AS (
    SELECT number, kind, name, count(*) AS runs,
           2 * count(*) FILTER (is_odd AND facet = 'species') > runs AS is_odd
    FROM per_run JOIN run_stated USING (run) LEFT JOIN judged USING (run, virus)
    GROUP BY number, kind, name
),
listed AS (
    SELECT number, sum(runs) FILTER (kind = 'source')::BIGINT AS sourced,
           sum(runs) FILTER (kind = 'place')::BIGINT AS placed,
           {_LARGEST} FILTER (kind = 'source'))[:{LISTED}] AS sources,
           list(name ORDER BY name) FILTER (kind = 'source' AND is_odd) AS unexpected,
           {_LARGEST} FILTER (kind = 'place'))[:{LISTED}] AS places
    FROM named GROUP BY ALL
),
numbered AS MATERIALIZED (
    SELECT number, run, identity, o.* EXCLUDE (run)
    FROM per_run JOIN run_deposited AS o USING (run)
),
next AS (
    SELECT *, coalesce(accession - lag(accession) OVER series > {NEIGHBOURS}, true)::INTEGER
           AS is_first
    FROM numbered WINDOW series AS (PARTITION BY number, study, registry ORDER BY accession, run)
),
chained AS (
    SELECT *, if(study = '', sum(is_first) OVER series, 0) AS chain
    FROM next WINDOW series AS (PARTITION BY number, study, registry ORDER BY accession, run)
),
deposit AS (
    SELECT number, study, count(*) AS runs, arg_min(run, (accession, run)) AS first,
           arg_max(run, (accession, run)) AS last
    FROM chained GROUP BY number, study, if(study = '', registry, ''), chain
),
deposited AS (
    SELECT number, list({{'study': study, 'runs': runs, 'first': first, 'last': last}}
                        ORDER BY runs DESC, first)[:{DEPOSITS}] AS deposits
    FROM deposit GROUP BY ALL
),
whole AS (
    SELECT number, count(*) AS runs, count(identity) AS measured,
           median(identity) AS median_identity,
           count(DISTINCT nullif(campaign, '')) AS studies, count(nullif(study, '')) AS known
    FROM numbered GROUP BY ALL
),
common AS (  -- of a family, the virus in most of its runs
    SELECT number, arg_max(called, (runs, called)) AS commonest FROM (
        SELECT number, called, count(DISTINCT run) AS runs FROM here WHERE facet = 'family'
        GROUP BY ALL
    ) GROUP BY ALL
),
led AS (
    SELECT h.* REPLACE (is_other OR coalesce(called <> commonest, false) AS is_other)
    FROM here AS h LEFT JOIN common USING (number)
),
of_run AS (
    FROM led QUALIFY row_number() OVER (PARTITION BY number, run ORDER BY {_MOST_READ}) = 1
),
named_run AS (
    SELECT number, run, identity, reads, coverage, called,
           row_number() OVER (PARTITION BY number ORDER BY is_other, w.measured >= {MANY}
               AND coalesce(identity < w.median_identity - {UNLIKE}, false), {_MOST_READ}) AS place
    FROM of_run JOIN whole AS w USING (number) QUALIFY place <= {EXAMPLES}
),
best AS (
    SELECT n.*, coalesce(s.name, r.organism) AS source
    FROM named_run AS n JOIN run AS r USING (run)
    LEFT JOIN run_stated AS s ON s.run = n.run AND s.kind = 'source'
)
SELECT b.number, b.place, w.runs, w.measured, w.median_identity, w.studies, w.known,
       coalesce(l.sourced, 0) AS sourced, coalesce(l.placed, 0) AS placed, d.deposits,
       coalesce(l.sources, []) AS sources,
       coalesce(l.unexpected, []) AS unexpected, coalesce(l.places, []) AS places,
       b.run, b.identity, b.reads, b.coverage, b.called AS virus, b.source
FROM whole AS w JOIN best AS b USING (number) JOIN deposited AS d USING (number)
LEFT JOIN listed AS l USING (number)
"""
