"""What is known of each run, as one relation: run, facet, value, curie.

Facts count it, citations resolve against it. Spellings of "no value" (``ontology_etl.missing``)
are left out here for both.
"""

from __future__ import annotations

from typing import Final

from ontology_etl.missing import no_name_sql

STATED_VALUES: Final = """
SELECT run, facet, value, curie FROM annotation
UNION ALL SELECT run, 'species', stated, taxon FROM detection
UNION ALL SELECT run, 'family', family, NULL FROM detection
UNION ALL SELECT run, 'bioproject', bioproject, NULL FROM run
"""
"""SELECT of ``run, facet, value, curie`` as stored, with repeated, unknown and missing values."""

IS_KNOWN: Final = f"value IS NOT NULL AND NOT {no_name_sql('value')}"
"""Condition on a row of ``STATED_VALUES``: its value says something."""

RUN_VALUES: Final = f"""
SELECT DISTINCT run, facet, value, curie FROM ({STATED_VALUES}) WHERE {IS_KNOWN}
"""
"""SELECT of ``run, facet, value, curie``, distinct; ``curie`` may be null.

Facets are ``index.tables.FACT_FACETS``. A value may come twice for a run, with and without a CURIE:
count distinct runs, or drop ``curie`` first.
"""

BROADER: Final = """
SELECT DISTINCT run, facet, broader AS value
FROM annotation JOIN (
    WITH used AS (SELECT DISTINCT facet, value, curie FROM annotation WHERE curie IS NOT NULL)
    SELECT DISTINCT facet, narrow.value, broad.value AS broader
    FROM used AS narrow JOIN closure AS c ON c.descendant = narrow.curie AND c.distance > 0
    JOIN used AS broad USING (facet)
    WHERE broad.curie = c.ancestor AND broad.value <> narrow.value
) USING (facet, value)
"""
"""SELECT of ``run, facet, value``: values of which a run states a narrower one, too. A run counts
for the narrower one only: "intestine" is not counted in runs from the colon.
"""

COMMUNITY_RUNS: Final = """
SELECT community, run FROM community_member JOIN run ON run.run = community_member.entity
"""
"""SELECT of ``community, run``: the runs of every community, at every level."""

FINEST_RUNS: Final = f"""
SELECT community AS finest, run FROM ({COMMUNITY_RUNS})
WHERE community NOT IN (SELECT parent FROM community WHERE parent IS NOT NULL)
"""
"""SELECT of ``finest, run``: the runs of the communities that have no parts. Parts partition a
community, so what is counted of these adds up to what would be counted at every level.
"""
WITH_FINEST: Final = """
WITH RECURSIVE above AS (
    SELECT DISTINCT community AS finest, community FROM community_member
    WHERE community NOT IN (SELECT parent FROM community WHERE parent IS NOT NULL)
    UNION ALL
    SELECT a.finest, c.parent FROM above AS a JOIN community AS c USING (community)
    WHERE c.parent IS NOT NULL
)
SELECT finest, community FROM above
"""
"""SELECT of ``finest, community``: the communities without parts, each with itself and those that
it is a part of.
"""

STUDY_OF_RUN: Final = """
SELECT run, coalesce(study, '') AS study,
       if(study IN (SELECT bioproject FROM run), 'bioproject', 'study') AS key
FROM (
    SELECT run, min(coalesce(bioproject, study)) OVER (
        PARTITION BY coalesce(biosample, run)) AS study
    FROM run
)
"""
"""SELECT of ``run, study, key``: the bioproject of a run, or else its SRA study, with the key that
cites it; empty where neither is known. Runs of one sample that were deposited twice are of one
study.
"""

AT_SPECIES: Final = "(coalesce(d.identity >= 90, false) AND d.closest IS NULL)"
"""Condition that a detection ``d`` supports a species: near it, and not nearer a congener."""

KNOWN_OF_RUNS: Final = f"""
WITH said AS (
    SELECT run, '|' || string_agg(DISTINCT facet, '|' ORDER BY facet) || '|' AS facets_stated
    FROM annotation_of_runs GROUP BY run
),
looked AS (
    SELECT run, '|' || string_agg(source || '/' || search, '|' ORDER BY source, search) || '|'
           AS searches
    FROM searched_of_runs GROUP BY run
),
found AS (
    SELECT run, true AS has_virus, bool_or({AT_SPECIES}) AS has_confirmed_virus
    FROM detection_of_runs AS d GROUP BY run
)
SELECT *, ('0x' || left(md5(concat_ws(
           ' ', coalesce(facets_stated, ''), coalesce(searches, ''), has_virus,
           has_confirmed_virus)), 15))::BIGINT AS state
FROM (
    SELECT r.*, facets_stated, searches, coalesce(has_virus, false) AS has_virus,
           coalesce(has_confirmed_virus, false) AS has_confirmed_virus
    FROM described AS r LEFT JOIN said USING (run) LEFT JOIN looked USING (run)
    LEFT JOIN found USING (run)
) ORDER BY run
"""
"""SELECT of the runs ``described`` (contract ``Run``) with the columns of ``IndexedRun`` and of
``RunState``, whose key is a hash of its columns. What is known of these runs is in
``annotation_of_runs``, ``searched_of_runs`` and ``detection_of_runs``.
"""

BEST_FIRST: Final = """identity >= 90 DESC NULLS LAST, reads DESC NULLS LAST,
    coverage DESC NULLS LAST, identity DESC NULLS LAST, run, sotu"""
"""Order of detections, best supported first: a sentence's identity, reads and run are of one.
"""
MOST_READ_IDENTITY: Final = """
greatest(arg_max(identity, (reads, identity)) FILTER (identity IS NOT NULL AND reads IS NOT NULL),
         max(identity) FILTER (reads IS NULL))
"""
"""SQL of the identity of a virus in a run over its detections: that of most reads, since a few
reads of one segment match some reference; without a number of reads the best of contigs.
"""
WEIGHED_VIRUS_OF: Final = """
CASE WHEN {0}species IS NULL AND {0}identity IS NOT NULL THEN {0}taxon
ELSE coalesce({0}virus, {0}taxon) END
"""
WEIGHED_VIRUS: Final = WEIGHED_VIRUS_OF.format("")
"""SQL of the taxon that a row of ``detection`` is judged by: below the identity of a species only
its genus or family is stated.
"""
