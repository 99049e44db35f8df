-- Counts behind the facts; the two placeholders are from index/store/run_values.py. Names are numbered
-- first: tables of tens of millions of rows hold numbers alone. DISTINCT first, count afterwards:
-- count(DISTINCT ...) over tens of millions of rows is several times slower.

-- One CURIE per value: of spellings that ground twice, the lexically first.
CREATE OR REPLACE TEMP TABLE fact_value AS
SELECT facet, value, min(curie) AS curie,
       (row_number() OVER (ORDER BY facet, value))::UINTEGER AS value_id,
       (dense_rank() OVER (ORDER BY facet))::UTINYINT AS facet_id
FROM ($STATED_VALUES) WHERE $IS_KNOWN GROUP BY facet, value;

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
SELECT DISTINCT r.rowid::UINTEGER AS run_id, v.facet_id, v.value_id
FROM ($STATED_VALUES) AS s JOIN fact_value AS v ON v.facet = s.facet AND v.value = s.value
JOIN run AS r ON r.run = s.run;

CREATE OR REPLACE TEMP TABLE fact_implied AS
SELECT DISTINCT r.run_id, a.ancestor_id AS value_id
FROM fact_run_value AS r JOIN fact_ancestor AS a ON a.value_id = r.value_id;

CREATE OR REPLACE TEMP TABLE fact_specific AS
SELECT r.run_id, r.value_id FROM fact_run_value AS r ANTI JOIN fact_implied AS i
USING (run_id, value_id);

CREATE OR REPLACE TEMP TABLE fact_known AS SELECT DISTINCT run_id, facet_id FROM fact_run_value;

-- Each set of runs once: a community that is its parent carried down has the facts of its parent.
CREATE OR REPLACE TEMP TABLE fact_community AS
SELECT community, (row_number() OVER ())::UINTEGER AS community_id
FROM (SELECT DISTINCT community FROM community_member) ANTI JOIN carried USING (community);

CREATE OR REPLACE TEMP TABLE fact_member AS
SELECT c.community_id, r.rowid::UINTEGER AS run_id
FROM community_member AS m JOIN run AS r ON r.run = m.entity JOIN fact_community AS c
ON c.community = m.community;

CREATE OR REPLACE TEMP TABLE fact_count AS
WITH
    index_known AS (SELECT facet_id, count(*) AS index_known FROM fact_known GROUP BY facet_id),
    index_runs AS (SELECT value_id, count(*) AS index_runs FROM fact_specific GROUP BY value_id),
    known AS (
        SELECT m.community_id, k.facet_id, count(*) AS known
        FROM fact_member AS m JOIN fact_known AS k USING (run_id) GROUP BY ALL
    ),
    counted AS (
        SELECT m.community_id, s.value_id, count(*) AS runs
        FROM fact_member AS m JOIN fact_specific AS s USING (run_id) GROUP BY ALL
    )
SELECT m.community, v.facet, v.value, coalesce(v.curie, t.curie) AS curie, c.runs, known.known,
       index_runs.index_runs, index_known.index_known
FROM counted AS c
JOIN fact_community AS m USING (community_id)
JOIN fact_value AS v USING (value_id)
JOIN index_runs USING (value_id)
JOIN index_known ON index_known.facet_id = v.facet_id
JOIN known ON known.community_id = c.community_id AND known.facet_id = v.facet_id
LEFT JOIN fact_virus_taxon AS t USING (value_id);
