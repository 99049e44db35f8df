"""The associations (MWAS) of the virus families of a request, in the projects of its runs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Final

import duckdb

from index.store.same_for_all import same_for_all
from query.answer import Association, Combined
from query.global_search.matched import MatchedRuns


def related_associations(
    matched: MatchedRuns, communities: Sequence[str], *, limit: int
) -> tuple[Association, ...]:
    """Return the associations of the families found, in the projects of the matching runs of
    ``communities``.

    Significant and unflagged ones come first, then significant but flagged ones, then one row for
    each effect that is significant only when combined over projects; others only if none is
    significant. Of all rows of a project and family that compare the same groups (the two sides of
    a split, duplicate attributes, an imported row next to the computed one), one is shown.
    """
    tested = _tested_families(matched.connection)
    families = [family for family in matched.families() if family.lower() in tested]
    if not communities or not families:
        return ()
    parameters = {"communities": sorted(communities), "families": families, "limit": limit}
    rows = matched.rows(_RELATED, parameters)
    return tuple(replace(read_association(row), communities=tuple(row[-1])) for row in rows)


@same_for_all
def _tested_families(con: duckdb.DuckDBPyConnection) -> frozenset[str]:
    """Return the virus families that some association is of, in lower case."""
    rows = con.execute("SELECT DISTINCT lower(family) FROM association").fetchall()
    return frozenset(family for (family,) in rows)


def read_association(row: Sequence[Any]) -> Association:
    """Return the association of a row of ``ASSOCIATION_COLUMNS``, whatever follows them."""
    return replace(Association(*row[:12]), combined=combined_of(row))


def combined_of(row: Sequence[Any]) -> Combined | None:
    """Return the effect over projects of a row of ``ASSOCIATION_COLUMNS``, where there is one."""
    return None if row[12] is None else Combined(*row[12:19])


ASSOCIATION_COLUMNS: Final = """
bioproject, family, attribute, value, num_true, num_false, fold_change, test, p_value, q_value,
    flag, source,
m_projects, m_agreeing, m_effect, m_ci_low, m_ci_high, m_i_squared, m_q_value
"""
"""Columns of ``WITH_COMBINED`` that ``read_association`` reads."""
_COMBINED: Final = """
SELECT a.*, m.projects AS m_projects, m.projects_agreeing AS m_agreeing, m.effect AS m_effect,
    m.ci_low AS m_ci_low,
       m.ci_high AS m_ci_high, m.i_squared AS m_i_squared, m.q_value AS m_q_value
FROM {associations} a LEFT JOIN meta_association m USING (family, attribute, curie)
"""
WITH_COMBINED: Final = _COMBINED.format(associations="association")
"""Associations with the effect of their family and term over projects; an imported row has none."""

COMPARED: Final = """
    bioproject, family, least(num_true, num_false), greatest(num_true, num_false),
    coalesce(round(abs(fold_change), 3)::VARCHAR, split, attribute || value)
"""
"""What rows that compare the same groups of a project have in common."""
AS_NUMBER: Final = "regexp_full_match(value, '[0-9]+')"
"""Whether a value is an identifier, which says less than the name that another field has."""
_PROJECTS: Final = """
    SELECT r.bioproject, list(DISTINCT m.community ORDER BY m.community) AS communities
    FROM member m JOIN run r USING (run)
    WHERE m.community IN (SELECT unnest($communities::VARCHAR[]))
    GROUP BY r.bioproject
"""
"""SELECT of the projects of the matching runs of communities, with these communities."""
_SHOWN: Final = _COMBINED.format(
    associations="(FROM association SEMI JOIN shown ON number = association.rowid)"
)
_RELATED: Final = f"""
WITH
project AS MATERIALIZED ({_PROJECTS}),
shown AS MATERIALIZED (
    SELECT number FROM (
        SELECT rowid AS number, * FROM association SEMI JOIN project USING (bioproject)
        WHERE lower(family) IN (SELECT lower(unnest($families::VARCHAR[])))
    )
    QUALIFY row_number() OVER (
        PARTITION BY {COMPARED}
        ORDER BY contains(coalesce(flag, ''), 'duplicate'), flag IS NOT NULL,
            source <> 'computed', fold_change < 0,
                 {AS_NUMBER}, len(value), attribute, value
    ) = 1
),
related AS (
    SELECT a.*, p.communities, coalesce(a.q_value <= 0.05, false) AS significant
    FROM ({_SHOWN}) a JOIN project p USING (bioproject)
),
held AS (
    SELECT *, NOT significant AND m_q_value <= 0.05 AND row_number() OVER (
        PARTITION BY family, attribute, curie ORDER BY NOT significant, p_value NULLS LAST,
            bioproject, value
    ) = 1 AS held_by_all
    FROM related
)
SELECT {ASSOCIATION_COLUMNS}, communities
FROM held
WHERE significant OR held_by_all OR NOT (SELECT coalesce(bool_or(significant OR held_by_all),
    false) FROM held)
ORDER BY NOT significant, NOT coalesce(held_by_all, false), flag IS NOT NULL, q_value NULLS LAST,
    p_value,
         abs(fold_change) DESC NULLS LAST, bioproject, family, attribute, value
LIMIT CASE WHEN (SELECT bool_or(significant OR held_by_all) FROM held) THEN $limit
    ELSE least($limit, 3) END
"""
