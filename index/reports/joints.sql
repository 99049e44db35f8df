-- Pairs of values that runs of a community carry. Communities, values, runs and studies are numbers: a
-- name takes several times the memory. Each statement makes one large table, and tables that are not
-- needed any more are dropped.
CREATE TEMP TABLE joint_said AS
SELECT facet, value, (row_number() OVER ())::UINTEGER AS said
FROM (SELECT DISTINCT facet, value FROM joint_value);

CREATE TEMP TABLE joint_holder AS
SELECT community, (row_number() OVER ())::UINTEGER AS holder
FROM (SELECT DISTINCT community FROM joint_value);

CREATE TEMP TABLE joint_here AS
SELECT id::INTEGER AS id, holder, said
FROM joint_value JOIN joint_holder USING (community) JOIN joint_said USING (facet, value);

CREATE TEMP TABLE joint_member AS
SELECT holder, r.rowid::UINTEGER AS member
FROM community_member AS m JOIN joint_holder USING (community) JOIN run AS r ON r.run = m.entity;

CREATE TEMP TABLE joint_stated AS
SELECT DISTINCT r.rowid::UINTEGER AS member, said
FROM ($STATED) JOIN joint_said USING (facet, value)
ANTI JOIN ($BROADER) USING (run, facet, value) JOIN run AS r USING (run);

CREATE TEMP TABLE joint_of_study AS
SELECT run, study, key, if(is_campaign, campaign, NULL) AS campaign FROM ($CAMPAIGN_OF_RUN);

CREATE TEMP TABLE joint_study AS
SELECT study, any_value(key) AS key,
       (dense_rank() OVER (ORDER BY any_value(campaign)))::UINTEGER AS campaign,
       any_value(campaign) IS NOT NULL AS is_campaign,
       (row_number() OVER (ORDER BY study))::UINTEGER AS number
FROM joint_of_study GROUP BY study;

CREATE TEMP TABLE joint_source AS
SELECT r.rowid::UINTEGER AS member, number
FROM joint_of_study JOIN joint_study USING (study) JOIN run AS r USING (run);
DROP TABLE joint_of_study;

-- Runs of a study that are in the same communities and state the same values are counted as one.
CREATE TEMP TABLE joint_alike AS
SELECT min(member) AS member, number, count(*)::UINTEGER AS runs
FROM joint_source
JOIN (SELECT member, bit_xor(hash(said)) AS saying FROM joint_stated GROUP BY member) USING (member)
JOIN (SELECT member, bit_xor(hash(holder)) AS held FROM joint_member GROUP BY member) USING (member)
GROUP BY number, saying, held;
DROP TABLE joint_source;

CREATE TEMP TABLE joint_placed AS
SELECT id, holder, member, number, runs
FROM joint_member JOIN joint_alike USING (member)
JOIN joint_stated USING (member) JOIN joint_here USING (holder, said);
DROP TABLE joint_member;
DROP TABLE joint_stated;
DROP TABLE joint_alike;

CREATE TEMP TABLE joint_pair AS
SELECT a.id AS id_a, b.id AS id_b, a.number, sum(a.runs)::UINTEGER AS runs
FROM joint_placed AS a JOIN joint_placed AS b
ON b.holder = a.holder AND b.member = a.member AND a.id <= b.id
GROUP BY ALL;
