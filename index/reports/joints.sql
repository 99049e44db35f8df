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
FROM ($STATED) JOIN joint_said USING (facet, value) JOIN run AS r USING (run);

CREATE TEMP TABLE joint_carried AS
SELECT id, holder, member
FROM joint_member JOIN joint_stated USING (member) JOIN joint_here USING (holder, said);
DROP TABLE joint_member;
DROP TABLE joint_stated;

CREATE TEMP TABLE joint_of_study AS SELECT run, study, key, campaign FROM ($CAMPAIGN_OF_RUN);

CREATE TEMP TABLE joint_study AS
SELECT study, any_value(key) AS key, any_value(campaign) AS campaign,
       row_number() OVER (ORDER BY study)::INTEGER AS number
FROM joint_of_study GROUP BY study;

CREATE TEMP TABLE joint_source AS
SELECT r.rowid::UINTEGER AS member, number
FROM joint_of_study JOIN joint_study USING (study) JOIN run AS r USING (run);
DROP TABLE joint_of_study;

CREATE TEMP TABLE joint_placed AS
SELECT id, holder, member, number FROM joint_carried JOIN joint_source USING (member);
DROP TABLE joint_carried;
DROP TABLE joint_source;

CREATE TEMP TABLE joint_pair AS
SELECT a.id AS id_a, b.id AS id_b, a.number, count(*) AS runs
FROM joint_placed AS a JOIN joint_placed AS b
ON b.holder = a.holder AND b.member = a.member AND a.id <= b.id
GROUP BY ALL;
