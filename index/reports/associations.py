"""Associations that are findings of a community: tested there, sound, and no matter of design.

A test compares the biosamples of a whole bioproject. It says something of a community where most of
these are its own; where it holds three of three thousand, the test is about others. A field that
records handling (batch-like) or that the experiment set itself (a spike-in, a dilution, the dose of
an inoculum: ``ontology_etl/reviewed/design_attributes.tsv``) tells how samples were made.
"""

from __future__ import annotations

from functools import cache
from typing import Final

from index.reports.phrases import SIGNIFICANT_Q
from index.store.run_values import COMMUNITY_RUNS
from index.tables import BATCH_LIKE
from ontology_etl.reviewed_lists import read_reviewed


def community_associations(communities: str) -> str:
    """Return a SELECT of ``community`` and the columns of ``association``: the findings of
    ``communities`` (a relation with a column of that name), significant ones only.

    Runs of the community carry the family. An index does not say which biosamples were tested, only
    how many: those of the project that were not are taken to be in this community.
    """
    return _COMMUNITY_ASSOCIATIONS.format(communities=communities, design=_design_words())


@cache
def _design_words() -> str:
    """Return the reviewed words of attributes of the design as a list of lists in SQL."""
    rows = read_reviewed("design_attributes.tsv")["words"]
    return str([words.split() for words in rows])


_COMMUNITY_ASSOCIATIONS: Final = f"""
WITH
sound AS (
    SELECT *, regexp_split_to_array(lower(attribute), '[^a-z0-9]+') AS words FROM association
    WHERE q_value < {SIGNIFICANT_Q} AND NOT contains(coalesce(flag, ''), '{BATCH_LIKE}')
),
undesigned AS (
    SELECT * EXCLUDE words FROM sound
    WHERE len(list_filter({{design}}, lambda design: list_has_all(words, design))) = 0
),
sample AS (
    SELECT run, bioproject, coalesce(biosample, run) AS sample
    FROM run SEMI JOIN undesigned USING (bioproject)
),
project AS (
    SELECT bioproject, count(DISTINCT sample) AS samples FROM sample GROUP BY bioproject
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
    FROM member AS m JOIN detection AS d USING (run)
),
tested AS (
    SELECT o.community, o.own, p.samples, a.num_true + a.num_false AS tested, a.*
    FROM undesigned AS a JOIN project AS p USING (bioproject) JOIN own AS o USING (bioproject)
    SEMI JOIN carrying AS c
    ON c.community = o.community AND c.bioproject = a.bioproject AND c.family = a.family
)
SELECT * EXCLUDE (own, samples, tested) FROM tested
WHERE 2 * (own - greatest(0, samples - tested)) > tested
"""
