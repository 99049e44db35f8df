"""Count the runs of each community: searched, with a virus, and by which evidence; its studies and
samples.
"""

from __future__ import annotations

from typing import Final

from index.facets import SAMPLED
from index.reports.campaigns import CAMPAIGN_OF_RUN
from index.reports.naming.named_values import SPECIES_IDENTITY
from index.store.run_values import COMMUNITY_RUNS, MOST_READ_IDENTITY

MEMBERSHIP: Final = f"""
WITH looked AS (  -- runs of a state are searched alike: one of them stands for all
    SELECT state, list_sort(list(DISTINCT s.source)) AS sources
    FROM (SELECT state, min(run) AS run FROM run GROUP BY state) JOIN searched AS s USING (run)
    GROUP BY state
),
sample AS (  -- most have one run, and are counted like runs
    SELECT biosample, count(*) > 1 AS several FROM run
    WHERE biosample IS NOT NULL GROUP BY biosample HAVING several
),
known AS (
    SELECT run, {MOST_READ_IDENTITY} AS identity FROM detection
    GROUP BY run, coalesce(stated, family, sotu)
),
confirmed AS (SELECT DISTINCT run FROM known WHERE identity >= {SPECIES_IDENTITY}),
found AS (
    SELECT run, true AS positive, run IN (FROM confirmed) AS identified,
           bool_or(identity IS NOT NULL) AS measured,
           bool_and(source IN (SELECT source FROM search_method WHERE identity IS NULL))
               FILTER (WHERE stated IS NOT NULL) AS classified
    FROM detection GROUP BY run
),
nameless AS (
    SELECT DISTINCT run, sotu FROM detection
    WHERE family IS NULL AND stated IS NULL AND virus IS NULL AND taxon IS NULL
),
everywhere AS (SELECT sotu, count(*) AS runs FROM nameless GROUP BY sotu HAVING runs > 1),
shared AS (
    SELECT m.community, sotu, count(*) AS here, any_value(e.runs) AS runs
    FROM ({COMMUNITY_RUNS}) AS m JOIN nameless USING (run) JOIN everywhere AS e USING (sotu)
    GROUP BY m.community, sotu
),
commonest AS (
    SELECT *, row_number() OVER (PARTITION BY community ORDER BY here DESC, sotu DESC) AS place
    FROM shared QUALIFY place <= 2
),
unnamed AS (
    SELECT community, max(sotu) FILTER (place = 1) AS unnamed,
           max(here) FILTER (place = 1) AS unnamed_runs,
           max(runs) FILTER (place = 1) AS unnamed_everywhere,
           max(sotu) FILTER (place = 2) AS next_unnamed, max(here) FILTER (place = 2) AS next_runs,
           max(nearest) FILTER (place = 1) AS nearest
    FROM commonest LEFT JOIN (
        SELECT sotu, min(nearest) AS nearest FROM detection WHERE nearest IS NOT NULL GROUP BY sotu
    ) USING (sotu) GROUP BY community
),
sourced AS (
    SELECT DISTINCT run, true AS sourced FROM annotation
    WHERE facet IN {SAMPLED} AND value IS NOT NULL
),
closer AS (
    SELECT run, list(DISTINCT coalesce(phylum, '')) AS phyla FROM detection
    WHERE sotu IS DISTINCT FROM phylum AND (phylum IS NOT NULL OR family IS NULL)
    GROUP BY run
),
broad AS (  -- alone: no other virus of the run is of the phylum, or of no known taxon
    SELECT DISTINCT run, phylum, NOT coalesce(list_has_any(phyla, [phylum, '']), false) AS alone
    FROM detection LEFT JOIN closer USING (run) WHERE sotu = phylum
),
of_phylum AS (
    SELECT m.community, b.phylum, count(*) AS phylum_runs,
           count(*) FILTER (alone) AS phylum_alone
    FROM ({COMMUNITY_RUNS}) AS m JOIN broad AS b USING (run)
    GROUP BY m.community, b.phylum
    QUALIFY row_number() OVER (
        PARTITION BY m.community ORDER BY count(*) DESC, b.phylum) = 1
)
SELECT m.community,
       count(r.biosample) FILTER (several IS NULL)
           + count(DISTINCT r.biosample) FILTER (several) AS biosamples,
       count(DISTINCT r.bioproject) AS bioprojects,
       count(DISTINCT nullif(o.campaign, '')) AS studies,
       count(nullif(o.study, '')) AS study_runs, min(nullif(o.study, '')) AS one_study,
       count(DISTINCT o.study) FILTER (is_campaign) AS projects,
       count(*) FILTER (sources IS NOT NULL OR positive) AS searched,
       count(*) FILTER (positive) AS positive,
       count(*) FILTER (identified) AS identified,
       count(*) FILTER (classified) AS classified,
       count(*) FILTER (measured) AS measured,
       count(*) FILTER (positive AND sourced) AS sourced,
       any_value(unnamed) AS unnamed, any_value(nearest) AS nearest,
       coalesce(any_value(unnamed_runs), 0) AS unnamed_runs,
       coalesce(any_value(unnamed_everywhere), 0) AS unnamed_everywhere,
       any_value(next_unnamed) AS next_unnamed, coalesce(any_value(next_runs), 0) AS next_runs,
       coalesce(list_sort(list_distinct(flatten(list(DISTINCT sources)))), []) AS sources,
       any_value(phylum) AS phylum,
       coalesce(any_value(phylum_runs), 0) AS phylum_runs,
       coalesce(any_value(phylum_alone), 0) AS phylum_alone
FROM ({COMMUNITY_RUNS}) AS m JOIN run AS r USING (run) JOIN ({CAMPAIGN_OF_RUN}) AS o USING (run)
LEFT JOIN looked USING (state) LEFT JOIN found USING (run) LEFT JOIN sourced USING (run)
LEFT JOIN sample USING (biosample)
LEFT JOIN unnamed AS u ON u.community = m.community
LEFT JOIN of_phylum AS p ON p.community = m.community
GROUP BY m.community
"""
"""SELECT of ``community, biosamples, bioprojects``, the fields of ``Studies`` and ``Searched``."""
