"""Associations of a virus family with metadata, as the index stores them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import duckdb

from query.answer import Association
from query.errors import UnknownFamilyError
from query.nearest import nearest_families


@dataclass(frozen=True, slots=True)
class Associations:
    """Associations asked for, strongest first, and how many there are and hold."""

    shown: tuple[Association, ...]
    total: int
    significant: int


def find_associations(
    con: duckdb.DuckDBPyConnection,
    family: str,
    *,
    term: str | None = None,
    bioproject: str | None = None,
    limit: int = 50,
) -> Associations:
    """Return the associations of ``family``: significant first, unflagged first, then by q-value.

    ``term`` keeps those whose attribute or value is the term or holds it as a word, whose attribute describes the facet
    of that name (``tissue``), or whose value grounds in the term or below it (``gastrointestinal tract`` finds colon).

    Raises ``UnknownFamilyError`` where no association names the family.
    """
    parameters = {"family": family, "term": term, "bioproject": bioproject}
    ((known,),) = con.execute("SELECT count(*) FROM association WHERE lower(family) = lower($1)", [family]).fetchall()
    if not known:
        raise UnknownFamilyError(family, nearest=nearest_families(con, family))
    count = f"SELECT count(*), count(*) FILTER (q_value <= 0.05) FROM ({_FOUND})"
    ((total, significant),) = con.execute(count, parameters).fetchall()
    rows = con.execute(f"{_FOUND} {_ORDER} LIMIT {int(limit)}", parameters).fetchall()
    return Associations(tuple(Association(*row) for row in rows), total, significant)


_FOUND: Final = """
WITH term_below AS (
    SELECT c.descendant AS curie FROM term t JOIN closure c ON c.ancestor = t.curie WHERE lower(t.label) = lower($term)
    UNION
    SELECT c.descendant FROM synonym s JOIN closure c ON c.ancestor = s.curie WHERE lower(s.synonym) = lower($term)
),
grounded AS (
    SELECT DISTINCT lower(attribute) AS attribute, lower(text) AS text FROM annotation
    WHERE $term::VARCHAR IS NOT NULL AND (curie IN (FROM term_below) OR facet = lower($term))
)
SELECT bioproject, family, attribute, value, num_true, num_false, fold_change, test, p_value, q_value, flag, source
FROM association
WHERE lower(family) = lower($family)
  AND ($bioproject::VARCHAR IS NULL OR lower(bioproject) = lower($bioproject))
  AND ($term::VARCHAR IS NULL
       OR regexp_matches(lower(concat_ws(' ', replace(attribute, '_', ' '), value)),
                         concat('\\b', regexp_escape(lower($term)), '\\b'))
       OR (lower(attribute), lower(value)) IN (SELECT attribute, text FROM grounded)
       OR lower(value) IN (SELECT lower(label) FROM term WHERE curie IN (FROM term_below)))
"""

_ORDER: Final = """
ORDER BY coalesce(q_value <= 0.05, false) DESC, flag IS NOT NULL, q_value NULLS LAST, p_value NULLS LAST,
         abs(fold_change) DESC NULLS LAST, bioproject, attribute, value
"""
