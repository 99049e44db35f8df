-- Views for analysts over the tables of index/tables.py. Each has a comment and an example to copy.
-- A column is commented here where a view computes it; a column that a view takes over from a table
-- keeps the comment of that table (index/store/build.py).

-- The runs that were searched for a virus (a CURIE): a search of them has the taxon in its scope, something
-- below it, or all of what is above. What a share of runs with the virus is of.
-- Example: SELECT count(*) FROM searched_for('NCBITaxon:10376');
CREATE MACRO searched_for(taxon) AS TABLE
WITH RECURSIVE above AS (
    SELECT taxon::VARCHAR AS curie
    UNION SELECT e.object FROM above a JOIN term_edge e ON e.subject = a.curie
    WHERE e.predicate = 'parent'
)
SELECT DISTINCT run FROM searched SEMI JOIN (
    SELECT source, search FROM source_scope
    WHERE virus = taxon
       OR virus IN (SELECT c.descendant FROM closure c WHERE c.ancestor = taxon)
       OR (below AND virus IN (
           SELECT curie FROM above UNION SELECT c.ancestor FROM closure c WHERE c.descendant = taxon
       ))
) USING (source, search);

-- What is stated of each run as submitted: attributes of its sample and of the run itself. What of it
-- is understood (host, tissue, disease, sex, ...) is in the table annotation, from both as well.
-- Example: SELECT value, count(DISTINCT run) AS runs FROM stated_attribute
--          WHERE attribute = 'tissue' GROUP BY value ORDER BY runs DESC, value LIMIT 10;
CREATE VIEW stated_attribute AS
SELECT r.run, b.attribute, b.value, 'biosample' AS stated_of
FROM run r JOIN biosample_attribute b USING (biosample)
UNION ALL
SELECT run, attribute, value, 'run' FROM run_attribute;
COMMENT ON VIEW stated_attribute IS
    'One attribute of a run or of its sample, as submitted.';
COMMENT ON COLUMN stated_attribute.stated_of IS 'whether biosample or run states it';

-- Communities that are their parent once more: the same runs one level further down. They have no
-- report, no label and no facts of their own; those of carried_from, the first community with these
-- runs, are theirs.
-- Example: SELECT * FROM carried WHERE carried_from = 'C0-1a2b3c4d';
CREATE VIEW carried AS
WITH RECURSIVE same AS (
    SELECT c.community, c.level, c.parent
    FROM community c JOIN community p ON p.community = c.parent AND p.runs = c.runs
    WHERE c.runs > 0
),
origin AS (
    SELECT community, level, parent AS carried_from
    FROM same WHERE parent NOT IN (SELECT community FROM same)
    UNION ALL
    SELECT s.community, s.level, o.carried_from
    FROM origin o JOIN same s ON s.parent = o.community
)
SELECT community, level, carried_from FROM origin;
COMMENT ON VIEW carried IS
    'Communities with the same runs as their parent, and the community whose report they share.';
COMMENT ON COLUMN carried.carried_from IS 'first community with these runs; they share its report';

-- Communities with each set of runs once: level is where they first are, last_level how far they
-- are carried down, parent the next larger set of runs.
-- Example: SELECT community, runs FROM distinct_community WHERE 2 BETWEEN level AND last_level;
CREATE VIEW distinct_community AS
WITH again AS MATERIALIZED (FROM carried)
SELECT c.community, c.level, coalesce(down.last_level, c.level) AS last_level,
       coalesce(up.carried_from, c.parent) AS parent, c.runs, c.entities
FROM community c
LEFT JOIN (SELECT carried_from, max(level) AS last_level FROM again GROUP BY carried_from) down
    ON down.carried_from = c.community
LEFT JOIN again up ON up.community = c.parent
WHERE c.community NOT IN (SELECT community FROM again);
COMMENT ON VIEW distinct_community IS
    'Communities, one row per distinct set of runs, spanning level to last_level.';
COMMENT ON COLUMN distinct_community.last_level IS 'finest level it is carried down to';
COMMENT ON COLUMN distinct_community.parent IS 'community with the next larger set of runs';

-- Communities that have a report: parent is the nearest community above that has one as well.
-- Example: SELECT community, runs FROM reported_community WHERE parent = 'C0-1a2b3c4d';
CREATE VIEW reported_community AS
WITH RECURSIVE every AS MATERIALIZED (FROM distinct_community),
above AS (
    SELECT community, parent FROM every WHERE community IN (SELECT community FROM report)
    UNION ALL
    SELECT a.community, e.parent
    FROM above a JOIN every e ON e.community = a.parent
    WHERE a.parent NOT IN (SELECT community FROM report)
)
SELECT c.community, c.level, c.last_level, a.parent, c.runs
FROM above a JOIN every c USING (community)
WHERE a.parent IS NULL OR a.parent IN (SELECT community FROM report);
COMMENT ON VIEW reported_community IS 'Communities that have a report, with their position in the hierarchy.';
COMMENT ON COLUMN reported_community.last_level IS 'finest level it is carried down to';
COMMENT ON COLUMN reported_community.parent IS
    'nearest community above that has a report; null where there is none';

-- One row per community that has a report, with everything a reader wants first.
-- Example: SELECT title, runs, rating FROM summaries WHERE level = 1 ORDER BY rating DESC LIMIT 10;
CREATE VIEW summaries AS
SELECT r.community, c.level, c.last_level, c.parent, c.runs,
       r.title, r.label, r.summary, r.rating, r.risk_group, r.interpretation, r.model,
       (SELECT count(*) FROM finding f WHERE f.community = r.community) AS findings
FROM report r JOIN reported_community c USING (community);
COMMENT ON COLUMN summaries.last_level IS 'finest level it is carried down to';
COMMENT ON COLUMN summaries.parent IS
    'nearest community above that has a report; null where there is none';
COMMENT ON VIEW summaries IS 'One row per reported community: title, summary, rating and size.';
COMMENT ON COLUMN summaries.findings IS 'number of findings of the report';

-- Every community, reported or not, with its strongest virus species, host and tissue; carried_from
-- names the community whose report and facts these are where it only carries down the same runs.
-- Example: SELECT * FROM community_overview WHERE host ILIKE '%rhinolophus%' ORDER BY runs DESC;
CREATE VIEW community_overview AS
SELECT c.community, c.level, c.parent, c.runs, c.entities, k.carried_from, r.title,
       max(f.value) FILTER (f.facet = 'species' AND f.rank = 1) AS species,
       max(f.value) FILTER (f.facet = 'family' AND f.rank = 1) AS family,
       max(f.value) FILTER (f.facet = 'host' AND f.rank = 1) AS host,
       max(f.value) FILTER (f.facet = 'tissue' AND f.rank = 1) AS tissue,
       max(f.value) FILTER (f.facet = 'disease' AND f.rank = 1) AS disease
FROM community c LEFT JOIN carried k USING (community)
LEFT JOIN report r ON r.community = coalesce(k.carried_from, c.community)
LEFT JOIN fact f ON f.community = coalesce(k.carried_from, c.community)
GROUP BY ALL;
COMMENT ON COLUMN community_overview.carried_from IS
    'community whose runs, report and facts it shares; null if it is the first with them';
COMMENT ON VIEW community_overview IS
    'Every community with its strongest species, family, host, tissue and disease.';
COMMENT ON COLUMN community_overview.title IS 'title of its report; null where it has none';
COMMENT ON COLUMN community_overview.species IS 'strongest virus species; null where it has none';
COMMENT ON COLUMN community_overview.family IS 'strongest virus family; null where it has none';
COMMENT ON COLUMN community_overview.host IS 'strongest host; null where it has none';
COMMENT ON COLUMN community_overview.tissue IS 'strongest tissue; null where it has none';
COMMENT ON COLUMN community_overview.disease IS 'strongest disease; null where it has none';

-- The five strongest values of every facet of every community.
-- Example: SELECT value, runs, lift, q_value FROM top_facts
--          WHERE facet = 'species' AND q_value < 0.01 ORDER BY lift DESC;
CREATE VIEW top_facts AS
SELECT f.*, c.level, c.runs AS community_runs
FROM fact f JOIN community c USING (community)
WHERE f.rank <= 5;
COMMENT ON VIEW top_facts IS 'The five strongest values of every facet of every community.';
COMMENT ON COLUMN top_facts.community_runs IS 'distinct runs of the community';

-- Associations that hold after correction over the whole index; read the flags too.
-- Example: SELECT family, attribute, value, fold_change, q_value FROM significant_associations
--          WHERE flag IS NULL;
CREATE VIEW significant_associations AS
SELECT * FROM association WHERE q_value <= 0.05;
COMMENT ON VIEW significant_associations IS
    'Associations with q <= 0.05; read the flag column too.';

-- The species of each run, once each: virus holds a taxon for the species, its virus and its strains,
-- and sources may each report a hit.
-- Example: SELECT name, count(*) AS runs FROM run_species GROUP BY name ORDER BY runs DESC LIMIT 10;
CREATE VIEW run_species AS
SELECT d.run, d.species, min(coalesce(v.name, d.species)) AS name, max(d.identity) AS best_identity,
       max(d.reads) AS most_reads, count(DISTINCT d.source) AS sources
FROM detection d LEFT JOIN virus v USING (virus)
WHERE d.species IS NOT NULL
GROUP BY d.run, d.species;
COMMENT ON VIEW run_species IS 'Virus species of each run, one row each: count rows for runs per species.';
COMMENT ON COLUMN run_species.species IS 'scientific name of the species';
COMMENT ON COLUMN run_species.name IS 'what virologists call it';
COMMENT ON COLUMN run_species.best_identity IS 'highest identity of its hits in the run, percent';
COMMENT ON COLUMN run_species.most_reads IS 'reads of its strongest hit; null where no source counts reads';
COMMENT ON COLUMN run_species.sources IS 'sources that found it';

-- The country of each run. Annotations of geography also name regions (USA: California), so a count
-- over them counts such runs twice.
-- Example: SELECT country, count(*) AS runs FROM run_country GROUP BY country ORDER BY runs DESC;
CREATE VIEW run_country AS
SELECT DISTINCT run, value AS country
FROM annotation
WHERE facet = 'geography' AND NOT contains(value, ':');
COMMENT ON VIEW run_country IS 'Country of each run that states one; regions are left out.';
COMMENT ON COLUMN run_country.country IS 'country as stated, or from the coordinates';

-- One row per association test. Two values of an attribute may divide the samples alike, and then
-- are one test with the sign changed; split is null for imported rows, each of which counts.
-- Example: SELECT count(*) FROM distinct_association WHERE q_value <= 0.05 AND flag IS NULL;
CREATE VIEW distinct_association AS
SELECT * FROM association
QUALIFY row_number() OVER (
    PARTITION BY source, bioproject, family, coalesce(split, concat(attribute, chr(31), value))
    ORDER BY fold_change DESC NULLS LAST, attribute, value
) = 1;
COMMENT ON VIEW distinct_association IS
    'Association tests, one row each: of values that split the samples identically, the one with more reads.';

-- Effects of a family and a term combined over several projects, standardised (Hedges' g).
-- Example: SELECT family, value, projects, projects_agreeing, effect, ci_low, ci_high
--          FROM combined_associations WHERE q_value <= 0.05;
CREATE VIEW combined_associations AS
SELECT m.*, (
    SELECT list(a.bioproject ORDER BY a.bioproject)
    FROM association a
    WHERE a.family = m.family AND a.attribute = m.attribute AND a.curie = m.curie
      AND a.source = 'computed' AND a.num_true > 1 AND a.num_false > 1
      AND a.sd_rpm_true + a.sd_rpm_false > 0
) AS bioprojects
FROM meta_association m
ORDER BY m.q_value, abs(m.effect) DESC, m.family, m.attribute, m.curie;
COMMENT ON VIEW combined_associations IS
    'Effects of a family and a term combined over projects; significant if q_value <= 0.05.';
COMMENT ON COLUMN combined_associations.bioprojects IS 'projects that are combined, sorted';

-- Every citation beside the sentence it is part of.
-- Example: SELECT count(*) FILTER (NOT verified) AS unverified, count(*) AS citations
--          FROM report_citations;
CREATE VIEW report_citations AS
SELECT k.community, k.ordinal, k.key, k.value, k.runs, k.verified, r.title,
       CASE WHEN k.ordinal = 0 THEN r.summary
            ELSE concat_ws(' ', f.summary, nullif(f.explanation, '')) END AS stands_in
FROM citation k JOIN report r USING (community) LEFT JOIN finding f USING (community, ordinal);
COMMENT ON VIEW report_citations IS 'Every citation with the text it is part of.';
COMMENT ON COLUMN report_citations.stands_in IS
    'text the citation is part of: the summary, or the explanation of the finding';

-- What part of the runs each level of the hierarchy reports on; a community carried down is
-- reported where it first is.
-- Example: SELECT * FROM coverage;
CREATE VIEW coverage AS
SELECT c.level, count(*) AS communities, count(r.community) AS reports, sum(c.runs) AS runs,
       coalesce(sum(c.runs) FILTER (r.community IS NOT NULL), 0) AS runs_reported,
       runs_reported / greatest(sum(c.runs), 1) AS share_reported
FROM community c LEFT JOIN carried k USING (community)
LEFT JOIN report r ON r.community = coalesce(k.carried_from, c.community)
GROUP BY c.level ORDER BY c.level;
COMMENT ON VIEW coverage IS 'Communities, reports and share of runs reported, per level.';
COMMENT ON COLUMN coverage.communities IS 'communities of the level';
COMMENT ON COLUMN coverage.reports IS 'communities of the level that have a report';
COMMENT ON COLUMN coverage.runs IS 'distinct runs of the level';
COMMENT ON COLUMN coverage.runs_reported IS 'runs in communities that have a report';
COMMENT ON COLUMN coverage.share_reported IS 'runs_reported / runs';
