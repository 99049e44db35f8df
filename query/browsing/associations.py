"""Associations of a virus family with metadata, as the index stores them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

import duckdb
import polars as pl

from query.answer import Association, Combined
from query.browsing.lookup import nearest_names
from query.errors import UnknownFamilyError
from query.global_search.associations import ASSOCIATION_COLUMNS, WITH_COMBINED, combined_of


@dataclass(frozen=True, slots=True)
class CombinedEffect:
    """The effect of one ontology term over projects."""

    attribute: str
    value: str
    curie: str
    combined: Combined


@dataclass(frozen=True, slots=True)
class ListedAssociation(Association):
    """An association with the value that it was tested ``against``.

    That is None if the attribute has more than two values. With two, the test is the same from
    either side, with the opposite sign.
    """

    against: str | None = None


@dataclass(frozen=True, slots=True)
class Associations:
    """Associations asked for, strongest first, and their combined effects over projects.

    The totals count all there are and those that are significant.
    """

    shown: tuple[ListedAssociation, ...]
    total: int
    significant: int
    combined: tuple[CombinedEffect, ...]
    combined_total: int
    combined_significant: int


def find_associations(
    con: duckdb.DuckDBPyConnection,
    family: str,
    *,
    term: str | None = None,
    bioproject: str | None = None,
    limit: int = 50,
    both_sides: bool = True,
) -> Associations:
    """Return the associations of ``family``: significant first, unflagged first, then by q-value.

    ``term`` keeps those whose attribute or value is the term or contains it as a word, whose
    attribute describes the facet of that name (``tissue``), or whose value is grounded to the term
    or below it (``gastrointestinal tract`` finds colon). ``limit`` applies to the rows of projects
    and to the combined effects separately. Without ``both_sides``, a test of one value against
    another is one row and counted once: the row of the value with more of the family.

    Raises ``UnknownFamilyError`` if no association is of the family.
    """
    _check_family(con, family)
    parameters = {"family": family, "term": term, "bioproject": bioproject}
    listed = _SIDED if both_sides else _ONE_SIDED
    count = "SELECT count(*), count(*) FILTER ({q} <= 0.05) FROM ({rows})"
    tested = count.format(q="q_value", rows=listed)
    ((total, significant),) = con.execute(tested, parameters).fetchall()
    strongest = f"SELECT {ASSOCIATION_COLUMNS}, against FROM ({listed}) {_ORDER} LIMIT {int(limit)}"
    rows = con.execute(strongest, parameters).fetchall()
    over_projects = count.format(q="m_q_value", rows=_COMBINED)
    ((combined_total, combined_significant),) = con.execute(over_projects, parameters).fetchall()
    effects = con.execute(f"{_COMBINED} LIMIT {int(limit)}", parameters).fetchall()
    return Associations(
        shown=tuple(
            replace(ListedAssociation(*row[:12]), combined=combined_of(row), against=row[-1])
            for row in rows
        ),
        total=total,
        significant=significant,
        combined=tuple(
            CombinedEffect(attribute, value, curie, Combined(*numbers))
            for attribute, value, curie, *numbers in effects
        ),
        combined_total=combined_total,
        combined_significant=combined_significant,
    )


def associations_table(
    con: duckdb.DuckDBPyConnection,
    family: str,
    *,
    term: str | None = None,
    bioproject: str | None = None,
) -> pl.DataFrame:
    """Return all associations of ``family`` with every column of the index.

    The columns ``m_*`` are those of their combined effect.

    Raises ``UnknownFamilyError`` where no association names the family.
    """
    _check_family(con, family)
    parameters = {"family": family, "term": term, "bioproject": bioproject}
    found: pl.DataFrame = con.sql(
        f"{_FOUND} ORDER BY bioproject, attribute, value, source", params=parameters
    ).pl()
    return found


def _check_family(con: duckdb.DuckDBPyConnection, family: str) -> None:
    ((known,),) = con.execute(
        "SELECT count(*) FROM association WHERE lower(family) = lower($1)", [family]
    ).fetchall()
    if not known:
        families = "SELECT DISTINCT family AS name FROM association"
        raise UnknownFamilyError(family, nearest=nearest_names(con, families, family, most=5))


_FOUND: Final = f"""
WITH term_below AS (
    SELECT c.descendant AS curie FROM term t JOIN closure c ON c.ancestor = t.curie
    WHERE lower(t.label) = lower($term)
    UNION
    SELECT c.descendant FROM synonym s JOIN closure c ON c.ancestor = s.curie
    WHERE lower(s.synonym) = lower($term)
),
grounded AS (
    SELECT DISTINCT lower(attribute) AS attribute, lower(text) AS text FROM annotation
    WHERE $term::VARCHAR IS NOT NULL AND (curie IN (FROM term_below) OR facet = lower($term))
)
SELECT * FROM ({WITH_COMBINED})
WHERE lower(family) = lower($family)
  AND ($bioproject::VARCHAR IS NULL OR lower(bioproject) = lower($bioproject))
  AND ($term::VARCHAR IS NULL
       OR regexp_matches(lower(concat_ws(' ', replace(attribute, '_', ' '), value)),
                         concat('\\b', regexp_escape(lower($term)), '\\b'))
       OR (lower(attribute), lower(value)) IN (SELECT attribute, text FROM grounded)
       OR lower(value) IN (SELECT lower(label) FROM term WHERE curie IN (FROM term_below)))
"""

_OTHER_SIDE: Final = """
SELECT a.bioproject, a.family, a.attribute, a.source, a.value, min(b.value) AS against
FROM association a JOIN association b USING (bioproject, family, attribute, source)
WHERE lower(a.family) = lower($family) AND a.value <> b.value
  AND a.num_true = b.num_false AND a.num_false = b.num_true AND a.split IS NOT DISTINCT FROM b.split
  AND a.p_value IS NOT DISTINCT FROM b.p_value AND abs(a.fold_change + b.fold_change) < 1e-6
GROUP BY ALL
"""
"""Values whose true group is the false group of another value of the attribute, and that value."""

_SIDED: Final = f"""
SELECT f.*, o.against
FROM ({_FOUND}) f LEFT JOIN ({_OTHER_SIDE}) o USING (bioproject, family, attribute, source, value)
"""

_ONE_SIDED: Final = f"""
WITH sided AS ({_SIDED})
SELECT * FROM sided a
WHERE NOT EXISTS (
    SELECT 1 FROM sided b
    WHERE b.bioproject = a.bioproject AND b.family = a.family
      AND b.attribute = a.attribute AND b.source = a.source AND b.value = a.against
      AND (b.fold_change > a.fold_change
           OR b.fold_change = a.fold_change AND b.value < a.value)
)
"""
"""The same without the sides on which the family is the rarer, where the other side is there."""

_ORDER: Final = """
ORDER BY coalesce(q_value <= 0.05, false) DESC, flag IS NOT NULL,
         q_value NULLS LAST, p_value NULLS LAST, abs(fold_change) DESC NULLS LAST,
         bioproject, attribute, value
"""

_COMBINED: Final = f"""
SELECT attribute, min(value) AS value, curie, m_projects, m_agreeing,
       m_effect, m_ci_low, m_ci_high, m_i_squared, m_q_value
FROM ({_FOUND}) WHERE m_projects IS NOT NULL AND source = 'computed'
GROUP BY ALL
ORDER BY m_q_value, m_projects DESC, attribute, value
"""
