-- Views for analysts over the tables of index/tables.py. Each has a comment and an example to copy.

-- One row per community that has a report, with everything a reader wants first.
-- Example: SELECT title, runs, rating FROM summaries WHERE level = 1 ORDER BY rating DESC LIMIT 10;
CREATE VIEW summaries AS
SELECT r.community, c.level, c.parent, c.runs, r.title, r.label, r.summary, r.rating, r.risk_group, r.method, r.model,
       (SELECT count(*) FROM finding f WHERE f.community = r.community) AS findings
FROM report r JOIN community c USING (community);

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

-- The five strongest values of every facet of every community.
-- Example: SELECT value, runs, lift, q_value FROM top_facts WHERE facet = 'species' AND q_value < 0.01 ORDER BY lift DESC;
CREATE VIEW top_facts AS
SELECT f.*, c.level, c.runs AS community_runs FROM fact f JOIN community c USING (community) WHERE f.rank <= 5;

-- Associations that hold after correction over the whole index; flags still say what to be careful about.
-- Example: SELECT family, attribute, value, fold_change, q_value FROM significant_associations WHERE flag IS NULL;
CREATE VIEW significant_associations AS
SELECT * FROM association WHERE q_value <= 0.05;

-- Effects that hold in several projects: the family goes with the term wherever the two meet, standardised (Hedges' g).
-- Example: SELECT family, value, projects, projects_agreeing, effect, ci_low, ci_high FROM combined_associations WHERE q_value <= 0.05;
CREATE VIEW combined_associations AS
SELECT m.*, (SELECT list(a.bioproject ORDER BY a.bioproject) FROM association a
             WHERE a.family = m.family AND a.attribute = m.attribute AND a.curie = m.curie AND a.source = 'computed'
               AND a.num_true > 1 AND a.num_false > 1 AND a.sd_rpm_true + a.sd_rpm_false > 0) AS bioprojects
FROM meta_association m
ORDER BY m.q_value, abs(m.effect) DESC, m.family, m.attribute, m.curie;

-- Every citation beside the sentence it stands in.
-- Example: SELECT count(*) FILTER (NOT verified) AS unverified, count(*) AS citations FROM report_citations;
CREATE VIEW report_citations AS
SELECT k.community, k.ordinal, k.key, k.value, k.runs, k.verified, r.title,
       CASE WHEN k.ordinal = 0 THEN r.summary
            ELSE concat_ws(' ', f.summary, nullif(f.explanation, '')) END AS stands_in
FROM citation k JOIN report r USING (community) LEFT JOIN finding f USING (community, ordinal);

-- What part of the runs each level of the hierarchy reports on.
-- Example: SELECT * FROM coverage;
CREATE VIEW coverage AS
SELECT c.level, count(*) AS communities, count(r.community) AS reports, sum(c.runs) AS runs,
       coalesce(sum(c.runs) FILTER (r.community IS NOT NULL), 0) AS runs_reported,
       coalesce(sum(c.runs) FILTER (r.community IS NOT NULL), 0) / greatest(sum(c.runs), 1) AS share_reported
FROM community c LEFT JOIN report r USING (community)
GROUP BY c.level ORDER BY c.level;

COMMENT ON VIEW summaries IS 'One row per reported community with title, summary, rating and size.';
COMMENT ON VIEW community_overview IS 'Every community with its strongest species, family, host label, tissue and disease.';
COMMENT ON VIEW top_facts IS 'The five strongest values of every facet of every community.';
COMMENT ON VIEW significant_associations IS 'Associations with q <= 0.05; read the flag column too.';
COMMENT ON VIEW combined_associations IS 'Effects of a family and a term combined over projects, with the projects; q_value <= 0.05 holds.';
COMMENT ON VIEW report_citations IS 'Every citation beside the sentence it stands in.';
COMMENT ON VIEW coverage IS 'Communities, reports and share of runs reported, per level.';
