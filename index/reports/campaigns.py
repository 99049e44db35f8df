"""Campaigns: series of bioprojects of one run or two that were registered together.

Some sequencing centres register a bioproject for each sample. Such projects are one campaign, and
count as one study, if they are of one organism and their accessions are neighbours.
"""

from __future__ import annotations

from typing import Final

from index.store.run_values import STUDY_OF_RUN

MOST_RUNS: Final = 2
"""Most runs in the index for a bioproject of a campaign."""
MOST_APART: Final = 300
"""Most accession numbers between two neighbours; about a day of registrations."""
FEWEST: Final = 10
"""Minimum number of bioprojects of a campaign."""

CAMPAIGN_OF_RUN: Final = f"""
WITH of_run AS (
    SELECT s.run, s.study, s.key, r.organism FROM ({STUDY_OF_RUN}) AS s JOIN run AS r USING (run)
),
small AS (
    SELECT study, min(organism) AS organism, regexp_extract(study, '^[A-Z]+') AS registry,
           regexp_extract(study, '[0-9]+$')::BIGINT AS number
    FROM of_run WHERE key = 'bioproject' AND regexp_matches(study, '^[A-Z]+[0-9]+$')
    GROUP BY study
    HAVING count(*) <= {MOST_RUNS} AND count(DISTINCT organism) = 1
),
placed AS (
    SELECT *, coalesce(number - lag(number) OVER series > {MOST_APART}, true)::INTEGER AS is_first
    FROM small WINDOW series AS (PARTITION BY registry, organism ORDER BY number)
),
numbered AS (
    SELECT *, sum(is_first) OVER (PARTITION BY registry, organism ORDER BY number) AS chain
    FROM placed
),
chained AS (
    SELECT study, min(study) OVER chain AS campaign, count(*) OVER chain AS projects
    FROM numbered WINDOW chain AS (PARTITION BY registry, organism, chain)
)
SELECT run, study, key, coalesce(campaign, study) AS campaign, campaign IS NOT NULL AS is_campaign
FROM of_run LEFT JOIN (FROM chained WHERE projects >= {FEWEST}) USING (study)
"""
"""SELECT of ``run, study, key`` as in ``STUDY_OF_RUN``, with ``campaign``, which replaces all its
bioprojects, and whether there is one.
"""
