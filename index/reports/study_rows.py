"""The studies of a community: what is known about each, for communities with a report.

A study is a bioproject, or the SRA study of runs without one; runs that state neither share a row,
so that the rows of a community add up to its runs. A community that is not worth a report of its
own is a part of its parent: the rows of the parent name it.
"""

from __future__ import annotations

from typing import Final

import dataframely as dy
import duckdb
import polars as pl

from index.reports.evidence_rows import StudyShare
from index.reports.gazetteer import read_gazetteer
from index.store.frames import rows_over
from index.store.run_values import COMMUNITY_RUNS, STUDY_OF_RUN
from index.tables import NO_STUDY, StudyRow
from ontology_etl.tables import conform

LARGEST: Final = 6
"""Number of studies of a community that its report chooses from."""


def find_study_rows(
    con: duckdb.DuckDBPyConnection, reported: pl.DataFrame
) -> dy.DataFrame[StudyRow]:
    """Return one row per study of each community in ``reported``, a frame of ``community``.

    Levels are taken one by one: a run is in a community of each, and all at once take too much
    memory.

    Reads ``distinct_community, community_member, run, bioproject, study, detection, annotation,
    sequenced, term``.
    """
    named = reported.select("community")
    levels = _levels(con).join(named, on="community", how="semi").partition_by("level")
    rows = [
        rows_over(con, _STUDY_ROWS, {"reported": named, "at_level": at_level})
        for at_level in levels or [named]
    ]
    return conform(pl.concat(rows), StudyRow)


def largest_studies(con: duckdb.DuckDBPyConnection) -> pl.DataFrame:
    """Return ``community`` and the fields of ``StudyShare``: the studies of most runs, most runs
    first.

    A study whose viruses have no name has the sOTU that most of its runs share.
    """
    levels = _levels(con)
    gazetteer = read_gazetteer()
    described = pl.concat(
        rows_over(con, _DESCRIBED, {"gazetteer": gazetteer, "at_level": at_level})
        for at_level in levels.partition_by("level") or [levels]
    )
    ordered = described.sort("community", "runs", "study", descending=[False, True, False])
    return ordered.select("community", *StudyShare._fields)


def _levels(con: duckdb.DuckDBPyConnection) -> pl.DataFrame:
    """Return community, level; the levels are taken one by one."""
    levels: pl.DataFrame = con.sql("SELECT community, level FROM distinct_community").pl()
    return levels


_VIRUS: Final = """
    SELECT community, study, stated AS virus, count(*) AS virus_runs
    FROM viral GROUP BY community, study, stated
    QUALIFY row_number() OVER (
        PARTITION BY community, study ORDER BY virus_runs DESC, virus) = 1
"""
_ORGANISM: Final = """
    SELECT community, study, value AS organism, count(*) AS organism_runs
    FROM sourced GROUP BY community, study, value
    QUALIFY row_number() OVER (
        PARTITION BY community, study ORDER BY organism_runs DESC, organism) = 1
"""
_STATED: Final = """
    SELECT community, study, value AS {name}, count(*) AS {name}_runs
    FROM here JOIN (
        SELECT DISTINCT run, value FROM annotation WHERE facet = '{facet}' AND value IS NOT NULL
        AND NOT (facet = 'geography' AND contains(value, ': ') AND value NOT IN (FROM gazetteer))
    ) USING (run) GROUP BY community, study, value
    QUALIFY row_number() OVER (PARTITION BY community, study
        ORDER BY {name}_runs DESC, length(value) DESC, value) = 1
"""
_SAMPLED: Final = """
    SELECT a.run, arg_min(coalesce(t.label || ' from ' || a.value, a.value), (a.facet, a.value))
        AS value
    FROM (FROM annotation SEMI JOIN here USING (run)) AS a
    LEFT JOIN sequenced AS q ON q.run = a.run AND q.host = a.curie
    LEFT JOIN used_term AS t ON t.curie = q.organism
    WHERE a.facet IN ('host', 'environment') AND a.curie IS NOT NULL GROUP BY a.run
"""
"""The source of a run: an environment, else what was sequenced from its host, else the host."""
_MET: Final = """
viral AS MATERIALIZED (SELECT community, study, run, stated FROM here JOIN named USING (run)),
sourced AS MATERIALIZED (SELECT community, study, run, value FROM here JOIN sampled USING (run))
"""
"""First by run: joined by virus or source, every run would meet every study."""
_TITLE: Final = """
    SELECT bioproject AS study, title FROM bioproject
    UNION ALL SELECT study, title FROM study WHERE study NOT IN (SELECT bioproject FROM bioproject)
"""
_DESCRIBED: Final = f"""
WITH own AS MATERIALIZED (
    SELECT m.community, s.study, s.key, m.run
    FROM (FROM ({COMMUNITY_RUNS}) SEMI JOIN at_level USING (community)) AS m
    JOIN ({STUDY_OF_RUN}) AS s USING (run) WHERE s.study <> ''
),
largest AS MATERIALIZED (
    SELECT community, study, any_value(key) AS key, count(*) AS runs
    FROM own GROUP BY community, study
    QUALIFY row_number() OVER (PARTITION BY community ORDER BY runs DESC, study) <= {LARGEST}
),
here AS MATERIALIZED (
    SELECT community, study, run FROM own SEMI JOIN largest USING (community, study)
),
found AS (FROM detection SEMI JOIN here USING (run)),
known AS (SELECT DISTINCT run, stated FROM found WHERE stated IS NOT NULL),
named AS (
    FROM known UNION ALL
    SELECT DISTINCT run, sotu FROM found ANTI JOIN known USING (run)
    WHERE sotu IS DISTINCT FROM phylum
),
sampled AS ({_SAMPLED}),
{_MET},
virus AS ({_VIRUS}),
organism AS ({_ORGANISM}),
tissue AS ({_STATED.format(name="tissue", facet="tissue")}),
place AS ({_STATED.format(name="place", facet="geography")}),
shared AS (
    SELECT community, study, count(*) AS both_runs FROM (
        SELECT f.* FROM viral AS f JOIN virus USING (community, study) WHERE stated = virus
    ) JOIN (
        SELECT f.* FROM sourced AS f JOIN organism USING (community, study) WHERE value = organism
    ) USING (community, study, run) GROUP BY community, study
),
title AS ({_TITLE})
SELECT l.community, l.study, l.key, l.runs, t.title, o.organism,
       coalesce(o.organism_runs, 0) AS organism_runs, v.virus,
       coalesce(v.virus_runs, 0) AS virus_runs, tissue,
       coalesce(tissue_runs, 0) AS tissue_runs, place, coalesce(place_runs, 0) AS place_runs,
       coalesce(both_runs, 0) AS both_runs
FROM largest AS l
LEFT JOIN shared USING (community, study)
LEFT JOIN tissue USING (community, study)
LEFT JOIN place USING (community, study)
LEFT JOIN title AS t USING (study)
LEFT JOIN virus AS v USING (community, study)
LEFT JOIN organism AS o USING (community, study)
"""
_STUDY_ROWS: Final = f"""
WITH own AS NOT MATERIALIZED (
    SELECT m.community, coalesce(r.bioproject, r.study, '{NO_STUDY}') AS study, m.run
    FROM ({COMMUNITY_RUNS}) AS m JOIN run AS r USING (run)
),
here AS (FROM own SEMI JOIN at_level USING (community)),
found AS (SELECT DISTINCT run, true AS positive FROM detection),
size AS (
    SELECT community, study, count(*) AS runs, count(*) FILTER (positive) AS positive
    FROM here LEFT JOIN found USING (run) GROUP BY ALL
),
named AS (SELECT DISTINCT run, stated FROM detection WHERE stated IS NOT NULL),
sampled AS ({_SAMPLED}),
{_MET},
virus AS ({_VIRUS}),
organism AS ({_ORGANISM}),
part AS (
    SELECT d.parent AS community, study, d.community AS part, count(*) AS part_runs
    FROM (FROM distinct_community ANTI JOIN reported USING (community)) AS d
    JOIN at_level AS l ON l.community = d.parent JOIN own ON own.community = d.community
    GROUP BY d.parent, study, d.community
    QUALIFY row_number() OVER (
        PARTITION BY d.parent, study ORDER BY part_runs DESC, part) = 1
),
title AS ({_TITLE})
SELECT s.community, s.study, t.title, s.runs, s.positive,
       v.virus, coalesce(v.virus_runs, 0) AS virus_runs,
       o.organism, coalesce(o.organism_runs, 0) AS organism_runs, p.part
FROM size AS s
LEFT JOIN title AS t USING (study)
LEFT JOIN virus AS v USING (community, study)
LEFT JOIN organism AS o USING (community, study)
LEFT JOIN part AS p USING (community, study)
"""
