"""What backs a point: its citations resolved against the runs of its community, and the
associations beside it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Final

import duckdb

from index.store.run_values import RUN_VALUES
from query.answer import Association, Citation, Combined, Point

Cited = tuple[str, str, str]
"""community, key, value"""


def resolve_citations(
    con: duckdb.DuckDBPyConnection, cited: Sequence[Cited]
) -> dict[Cited, Citation]:
    """Return every citation with the distinct runs of its community that have the value; verified
    where there are any.

    Values are compared without regard to case; a CURIE may stand for the value it grounds.
    """
    distinct = sorted(set(cited))
    if not distinct:
        return {}
    columns = dict(
        zip(("communities", "keys", "values"), map(list, zip(*distinct, strict=True)), strict=True)
    )
    counts = {
        (community, key, value): runs
        for community, key, value, runs in con.execute(_RESOLVE, columns).fetchall()
    }
    return {
        one: Citation(one[1], one[2], counts.get(one, 0), counts.get(one, 0) > 0)
        for one in distinct
    }


def related_associations(
    con: duckdb.DuckDBPyConnection, points: Sequence[Point], families: Sequence[str], *, limit: int
) -> tuple[Association, ...]:
    """Return the associations of ``families`` in the projects of the matching runs of the cited
    communities.

    Significant and unflagged ones come first, then significant but flagged ones, then one row of
    each effect that holds only when combined over projects; others only where none is significant.
    Per project and family one row stands for all that compare the same groups: the two sides of a
    split, attributes that duplicate one another, and an imported row beside the computed one.
    """
    communities = sorted({point.community for point in points})
    if not communities or not families:
        return ()
    parameters = {"communities": communities, "families": list(families), "limit": limit}
    rows = con.execute(_RELATED, parameters).fetchall()
    return tuple(replace(read_association(row), communities=tuple(row[-1])) for row in rows)


def read_association(row: Sequence[Any]) -> Association:
    """Return the association of a row of ``ASSOCIATION_COLUMNS``, whatever stands after them."""
    combined = row[12:19]
    return replace(
        Association(*row[:12]), combined=None if combined[0] is None else Combined(*combined)
    )


ASSOCIATION_COLUMNS: Final = """
bioproject, family, attribute, value, num_true, num_false, fold_change, test, p_value, q_value, flag, source,
m_projects, m_agreeing, m_effect, m_ci_low, m_ci_high, m_i_squared, m_q_value
"""
"""Columns of ``WITH_COMBINED`` that ``read_association`` reads."""
WITH_COMBINED: Final = """
SELECT a.*, m.projects AS m_projects, m.projects_agreeing AS m_agreeing, m.effect AS m_effect, m.ci_low AS m_ci_low,
       m.ci_high AS m_ci_high, m.i_squared AS m_i_squared, m.q_value AS m_q_value
FROM association a LEFT JOIN meta_association m USING (family, attribute, curie)
"""
"""Associations with the effect of their family and term over projects; an imported row has none."""

_RESOLVE: Final = f"""
WITH
wanted AS (
    SELECT unnest($communities::VARCHAR[]) AS community, unnest($keys::VARCHAR[]) AS key,
           unnest($values::VARCHAR[]) AS value
),
member AS (
    SELECT DISTINCT m.community, m.entity AS run FROM community_member m
    WHERE m.community IN (SELECT community FROM wanted) AND m.entity IN (SELECT run FROM run)
),
stated AS (
    SELECT run, facet AS key, lower(value) AS value, lower(curie) AS curie
    FROM ({RUN_VALUES}) SEMI JOIN (SELECT DISTINCT run FROM member) USING (run)
    WHERE facet IN (SELECT key FROM wanted)
    UNION ALL SELECT run, 'runId', lower(run), NULL FROM run WHERE 'runId' IN (SELECT key FROM wanted)
    UNION ALL SELECT run, 'biosample', lower(biosample), NULL FROM run WHERE 'biosample' IN (SELECT key FROM wanted)
    UNION ALL SELECT run, 'community', lower(community), NULL FROM member WHERE 'community' IN (SELECT key FROM wanted)
)
SELECT w.community, w.key, w.value, count(DISTINCT m.run) AS runs
FROM wanted w
JOIN member m USING (community)
JOIN stated s ON s.run = m.run AND s.key = w.key AND (s.value = lower(w.value) OR s.curie = lower(w.value))
GROUP BY ALL
"""

_RELATED: Final = f"""
WITH
project AS (
    SELECT r.bioproject, list(DISTINCT m.community ORDER BY m.community) AS communities
    FROM community_member m JOIN matched ON matched.run = m.entity JOIN run r ON r.run = m.entity
    WHERE m.community IN (SELECT unnest($communities::VARCHAR[]))
    GROUP BY r.bioproject
),
related AS (
    SELECT a.*, p.communities, coalesce(a.q_value <= 0.05, false) AS significant
    FROM ({WITH_COMBINED}) a JOIN project p USING (bioproject)
    WHERE lower(a.family) IN (SELECT lower(unnest($families::VARCHAR[])))
    QUALIFY row_number() OVER (
        PARTITION BY bioproject, family, least(num_true, num_false), greatest(num_true, num_false),
                     coalesce(round(abs(fold_change), 3)::VARCHAR, split, attribute || value)
        ORDER BY contains(coalesce(flag, ''), 'duplicate'), flag IS NOT NULL, source <> 'computed', fold_change < 0,
                 len(value), attribute, value
    ) = 1
),
held AS (
    SELECT *, NOT significant AND m_q_value <= 0.05 AND row_number() OVER (
        PARTITION BY family, attribute, curie ORDER BY NOT significant, p_value NULLS LAST, bioproject, value
    ) = 1 AS held_by_all
    FROM related
)
SELECT {ASSOCIATION_COLUMNS}, communities
FROM held
WHERE significant OR held_by_all OR NOT (SELECT coalesce(bool_or(significant OR held_by_all), false) FROM held)
ORDER BY NOT significant, NOT coalesce(held_by_all, false), flag IS NOT NULL, q_value NULLS LAST, p_value,
         abs(fold_change) DESC NULLS LAST, bioproject, family, attribute, value
LIMIT CASE WHEN (SELECT bool_or(significant OR held_by_all) FROM held) THEN $limit ELSE least($limit, 3) END
"""
