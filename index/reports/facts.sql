-- Counts behind the facts; the placeholders are from index/store/run_values.py. Names are numbered first:
-- tables of tens of millions of rows hold numbers alone. Runs are counted in the communities without
-- parts, and added up to those above.

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

CREATE OR REPLACE TEMP TABLE fact_ancestor AS
SELECT DISTINCT d.value_id AS value_id, a.value_id AS ancestor_id
FROM fact_value AS d
JOIN closure AS c ON c.descendant = d.curie AND c.distance > 0
JOIN fact_value AS a ON a.facet = d.facet AND a.curie = c.ancestor;

-- Each set of runs once: a community that is its parent carried down has the facts of its parent.
CREATE OR REPLACE TEMP TABLE fact_community AS
SELECT community, (row_number() OVER (ORDER BY community))::UINTEGER AS community_id
FROM (SELECT DISTINCT community FROM community_member) ANTI JOIN carried USING (community);

CREATE OR REPLACE TEMP TABLE fact_above AS
SELECT finest, (dense_rank() OVER (ORDER BY finest))::UINTEGER AS finest_id, community_id
FROM ($WITH_FINEST) LEFT JOIN fact_community USING (community);

-- A run of no community counts for the whole index.
CREATE OR REPLACE TEMP TABLE fact_member AS
SELECT r.rowid::UINTEGER AS run_id, coalesce(finest_id, 0)::UINTEGER AS finest_id
FROM run AS r
LEFT JOIN (
    SELECT run, finest_id FROM ($FINEST_RUNS)
    JOIN (SELECT DISTINCT finest, finest_id FROM fact_above) USING (finest)
) USING (run);

CREATE OR REPLACE TEMP TABLE fact_stated AS
SELECT r.rowid::UINTEGER AS run_id, v.facet_id, v.value_id
FROM ($STATED_VALUES) AS s JOIN fact_value AS v ON v.facet = s.facet AND v.value = s.value
JOIN run AS r ON r.run = s.run;

CREATE OR REPLACE TEMP TABLE fact_runs (finest_id UINTEGER, value_id UINTEGER, runs BIGINT);
CREATE OR REPLACE TEMP TABLE fact_known (finest_id UINTEGER, facet_id UTINYINT, known BIGINT);
