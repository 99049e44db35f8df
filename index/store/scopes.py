"""Which searches look for a virus, and which runs they looked at: the one place that says so.

A run is searched for a virus where a search of it (table ``searched``) has the virus in its scope
(table ``source_scope``): the taxon itself, something below it, or a taxon above of which all is
searched for. Runs and taxa are never combined row by row; the searches of a virus are few.
"""

from __future__ import annotations

from typing import Final

LINEAGE: Final = "SELECT ancestor FROM closure WHERE descendant IN ({taxa})"
BELOW: Final = "SELECT descendant FROM closure WHERE ancestor IN ({taxa})"
SEARCHES_FOR: Final = f"""
SELECT DISTINCT source, search FROM source_scope
WHERE virus IN ({{taxa}}) OR virus IN ({BELOW}) OR (below AND virus IN ({LINEAGE}))"""
"""SELECT of the searches that look for any of ``taxa``, a SELECT of CURIEs."""
SEARCHES_OF_FAMILIES: Final = """
WITH named AS (
    SELECT DISTINCT family, coalesce(taxon, virus) AS taxon FROM detection WHERE family IS NOT NULL
)
SELECT DISTINCT family, source, search FROM source_scope WHERE family IS NOT NULL
UNION
SELECT DISTINCT n.family, s.source, s.search
FROM named n JOIN closure c ON c.descendant = n.taxon
JOIN source_scope s ON s.virus = c.ancestor AND s.below
ORDER BY ALL
"""
"""SELECT of ``family, source, search``: the searches that look for each virus family."""

SEARCHES_OF_VIRUSES: Final = """
WITH meant AS (
    SELECT DISTINCT stated, coalesce(taxon, virus) AS taxon FROM detection
    WHERE stated IS NOT NULL AND coalesce(taxon, virus) IS NOT NULL
)
SELECT DISTINCT m.stated, s.source, s.search
FROM meant m JOIN closure c ON c.descendant = m.taxon
JOIN source_scope s ON s.virus = c.ancestor AND (s.below OR c.ancestor = m.taxon)
UNION
SELECT DISTINCT m.stated, s.source, s.search
FROM meant m JOIN closure c ON c.ancestor = m.taxon JOIN source_scope s ON s.virus = c.descendant
"""
"""SELECT of ``stated, source, search``: the searches that look for each virus as it is stated."""


def searched_for(taxa: str) -> str:
    """Return a SELECT of ``run``, ``source`` and ``search`` of the runs that were searched for any
    of ``taxa``, a SELECT of CURIEs.

    >>> "SEMI JOIN" in searched_for("SELECT 'NCBITaxon:10376'")
    True
    """
    searches = SEARCHES_FOR.format(taxa=taxa)
    return f"SELECT run, source, search FROM searched SEMI JOIN ({searches}) USING (source, search)"
