-- Counts behind the facts; the two placeholders are the relations of index/store/run_values.py.
-- DISTINCT first, count afterwards: count(DISTINCT ...) over tens of millions of rows is several
-- times slower.

-- One CURIE per value: of spellings that ground twice, the lexically first.
CREATE OR REPLACE TEMP TABLE fact_stated AS $RUN_VALUES;

CREATE OR REPLACE TEMP TABLE fact_value AS
SELECT facet, value, min(curie) AS curie, row_number() OVER (ORDER BY facet, value) AS value_id
FROM fact_stated GROUP BY facet, value;

-- Species and family come without a CURIE: the live taxon of that name, a virus where names are
-- shared.
CREATE OR REPLACE TEMP TABLE fact_virus_taxon AS
SELECT v.value_id,
       coalesce(min(t.curie) FILTER (WHERE c.ancestor IS NOT NULL), min(t.curie)) AS curie
FROM fact_value AS v
JOIN term AS t ON lower(t.label) = lower(v.value) AND t.ontology = 'NCBITaxon' AND NOT t.obsolete
LEFT JOIN closure AS c ON c.descendant = t.curie AND c.ancestor = 'NCBITaxon:10239'
WHERE v.facet IN ('species', 'family')
GROUP BY v.value_id;

-- A run counts for its most specific terms only: 'intestine' is not reported beside 'colon' of the
-- same run.
CREATE OR REPLACE TEMP TABLE fact_ancestor AS
SELECT DISTINCT d.value_id AS value_id, a.value_id AS ancestor_id
FROM fact_value AS d
JOIN closure AS c ON c.descendant = d.curie AND c.distance > 0
JOIN fact_value AS a ON a.facet = d.facet AND a.curie = c.ancestor;

CREATE OR REPLACE TEMP TABLE fact_run_value AS
SELECT DISTINCT s.run, v.facet, v.value_id
FROM fact_stated AS s JOIN fact_value AS v ON v.facet = s.facet AND v.value = s.value;

CREATE OR REPLACE TEMP TABLE fact_implied AS
SELECT DISTINCT r.run, a.ancestor_id AS value_id
FROM fact_run_value AS r JOIN fact_ancestor AS a ON a.value_id = r.value_id;

CREATE OR REPLACE TEMP TABLE fact_specific AS
SELECT r.run, r.facet, r.value_id
FROM fact_run_value AS r ANTI JOIN fact_implied AS i USING (run, value_id);

CREATE OR REPLACE TEMP TABLE fact_known AS SELECT DISTINCT run, facet FROM fact_run_value;

-- Each set of runs once: a community that is its parent carried down has the facts of its parent.
CREATE OR REPLACE TEMP TABLE fact_member AS
SELECT m.community, m.run FROM ($COMMUNITY_RUNS) AS m ANTI JOIN carried USING (community);

CREATE OR REPLACE TEMP TABLE fact_count AS
WITH
    index_known AS (SELECT facet, count(*) AS index_known FROM fact_known GROUP BY facet),
    index_runs AS (SELECT value_id, count(*) AS index_runs FROM fact_specific GROUP BY value_id),
    known AS (
        SELECT m.community, k.facet, count(*) AS known
        FROM fact_member AS m JOIN fact_known AS k USING (run) GROUP BY m.community, k.facet
    ),
    counted AS (
        SELECT m.community, s.facet, s.value_id, count(*) AS runs
        FROM fact_member AS m JOIN fact_specific AS s USING (run)
        GROUP BY m.community, s.facet, s.value_id
    )
SELECT c.community, c.facet, v.value, coalesce(v.curie, t.curie) AS curie, c.runs, known.known,
       index_runs.index_runs, index_known.index_known
FROM counted AS c
JOIN fact_value AS v USING (value_id)
JOIN index_runs USING (value_id)
JOIN index_known ON index_known.facet = c.facet
JOIN known ON known.community = c.community AND known.facet = c.facet
LEFT JOIN fact_virus_taxon AS t USING (value_id);
