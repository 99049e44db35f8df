-- Views for analysts over the tables of index/tables.py. Each has a comment and an example to copy.
-- A column is commented here where a view computes it; a column that a view takes over from a table
-- keeps the comment of that table (index/store/build.py).

-- One row per community that has a report, with everything a reader wants first.
-- Example: SELECT title, runs, rating FROM summaries WHERE level = 1 ORDER BY rating DESC LIMIT 10;
CREATE VIEW summaries AS
SELECT r.community, c.level, c.parent, c.runs,
       r.title, r.label, r.summary, r.rating, r.risk_group, r.method, r.model,
       (SELECT count(*) FROM finding f WHERE f.community = r.community) AS findings
FROM report r JOIN community c USING (community);
COMMENT ON VIEW summaries IS 'One row per reported community: title, summary, rating and size.';
COMMENT ON COLUMN summaries.findings IS 'number of findings of the report';

-- Every community, reported or not, with its strongest virus species, host and tissue.
-- Example: SELECT * FROM community_overview WHERE host ILIKE '%rhinolophus%' ORDER BY runs DESC;
CREATE VIEW community_overview AS
SELECT c.community, c.level, c.parent, c.runs, c.entities, r.title,
       max(f.value) FILTER (f.facet = 'species' AND f.rank = 1) AS species,
       max(f.value) FILTER (f.facet = 'family' AND f.rank = 1) AS family,
       max(f.value) FILTER (f.facet = 'host' AND f.rank = 1) AS host,
       max(f.value) FILTER (f.facet = 'tissue' AND f.rank = 1) AS tissue,
       max(f.value) FILTER (f.facet = 'disease' AND f.rank = 1) AS disease
FROM community c LEFT JOIN report r USING (community) LEFT JOIN fact f USING (community)
GROUP BY ALL;
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
    'Effects of a family and a term combined over projects; significant from q_value <= 0.05.';
COMMENT ON COLUMN combined_associations.bioprojects IS 'projects that are combined, sorted';

-- Every citation beside the sentence it is part of.
-- Example: SELECT count(*) FILTER (NOT verified) AS unverified, count(*) AS citations
--          FROM report_citations;
CREATE VIEW report_citations AS
SELECT k.community, k.ordinal, k.key, k.value, k.runs, k.verified, r.title,
       CASE WHEN k.ordinal = 0 THEN r.summary
            ELSE concat_ws(' ', f.summary, nullif(f.explanation, '')) END AS stands_in
FROM citation k JOIN report r USING (community) LEFT JOIN finding f USING (community, ordinal);
COMMENT ON VIEW report_citations IS 'Every citation beside the text it is part of.';
COMMENT ON COLUMN report_citations.stands_in IS
    'text the citation is part of: the summary, or the explanation of the finding';

-- What part of the runs each level of the hierarchy reports on.
-- Example: SELECT * FROM coverage;
CREATE VIEW coverage AS
SELECT c.level, count(*) AS communities, count(r.community) AS reports, sum(c.runs) AS runs,
       coalesce(sum(c.runs) FILTER (r.community IS NOT NULL), 0) AS runs_reported,
       runs_reported / greatest(sum(c.runs), 1) AS share_reported
FROM community c LEFT JOIN report r USING (community)
GROUP BY c.level ORDER BY c.level;
COMMENT ON VIEW coverage IS 'Communities, reports and share of runs reported, per level.';
COMMENT ON COLUMN coverage.communities IS 'communities of the level';
COMMENT ON COLUMN coverage.reports IS 'communities of the level that have a report';
COMMENT ON COLUMN coverage.runs IS 'distinct runs of the level';
COMMENT ON COLUMN coverage.runs_reported IS 'runs in communities that have a report';
COMMENT ON COLUMN coverage.share_reported IS 'runs_reported / runs';
