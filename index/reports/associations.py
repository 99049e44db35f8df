"""Associations that are findings of a community: tested there, sound, and not due to design.

A test compares the biosamples of a whole study. It says something about a community if most of
these are in it; if the community has three of three thousand, the test is about others. A field
that records handling (batch-like) or that the experiment set itself (design of the study) only says
how samples were made.
"""

from __future__ import annotations

from typing import Final

from index.claims.phrases import SIGNIFICANT_Q
from index.store.run_values import COMMUNITY_RUNS
from index.tables import BATCH_LIKE, DESIGN

_PLACES: Final = (
    "county", "geo_loc_name", "lat_lon", "location", "sampling station", "site", "state", "station",
)  # fmt: skip
"""Attributes of sites: libraries of one site were often made alike."""
LEAST_NEGATIVE: Final = 0.1
"""Minimum share of a study's samples without a virus for presence to be compared."""


def community_associations(communities: str) -> str:
    """Return a SELECT of ``community``, ``key`` (what cites the study: ``bioproject`` or
    ``study``) and the columns of ``association``: the findings of ``communities`` (a relation
    with a column of that name), significant ones only. A run without a BioSample is a sample.

    Runs of the community carry the family, or k-mers of the taxon. An index does not say which
    biosamples were tested, only how many; those of the project that were not tested are assumed to
    be in this community. Presence is compared only if the index has samples without a virus: an
    index of what was found says nothing about what was not.
    """
    return _COMMUNITY_ASSOCIATIONS.format(communities=communities)


_COMMUNITY_ASSOCIATIONS: Final = f"""
WITH
sound AS (
    FROM association
    WHERE q_value < {SIGNIFICANT_Q} AND NOT contains(coalesce(flag, ''), '{BATCH_LIKE}')
      AND NOT contains(coalesce(flag, ''), '{DESIGN}') AND lower(attribute) NOT IN {_PLACES}
),
placed AS (
    SELECT run, coalesce(bioproject, study) AS bioproject, coalesce(biosample, run) AS sample,
           if(bioproject IS NULL, 'study', 'bioproject') AS key
    FROM run
),
sample AS (FROM placed SEMI JOIN sound USING (bioproject)),
project AS (
    SELECT bioproject, min(key) AS key, count(DISTINCT sample) AS samples,
           count(DISTINCT sample) FILTER (run IN (SELECT run FROM detection)) AS positive
    FROM sample GROUP BY bioproject
),
member AS (
    SELECT m.community, s.run, s.bioproject, s.sample
    FROM ({COMMUNITY_RUNS}) AS m JOIN sample AS s USING (run)
    SEMI JOIN {{communities}} AS c ON c.community = m.community
),
own AS (
    SELECT community, bioproject, count(DISTINCT sample) AS own
    FROM member GROUP BY community, bioproject
),
carrying AS (
    SELECT DISTINCT m.community, m.bioproject, d.family
    FROM member AS m JOIN (
        SELECT run, family FROM detection
        UNION ALL
        SELECT run, label FROM kmer_profile JOIN term USING (curie)
    ) AS d USING (run)
),
tested AS (
    SELECT o.community, p.key, o.own,
           p.samples, p.positive, a.num_true + a.num_false AS tested, a.*
    FROM sound AS a JOIN project AS p USING (bioproject) JOIN own AS o USING (bioproject)
    SEMI JOIN carrying AS c
    ON c.community = o.community AND c.bioproject = a.bioproject AND c.family = a.family
)
SELECT * EXCLUDE (own, samples, positive, tested) FROM tested
WHERE (found_true IS NULL OR positive <= (1 - {LEAST_NEGATIVE}) * samples)
  AND 2 * (own - greatest(0, samples - tested)) > tested
"""
