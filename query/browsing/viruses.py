"""Which virus a text names, from the names that the index holds, and the runs it is seen in."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from ontology_etl.curies import normalise
from query.compiler.virus_names import taxa_called

if TYPE_CHECKING:
    import duckdb


class NamedVirus(NamedTuple):
    """The virus a text names: ``curie`` is None where ``candidates`` are several."""

    curie: str | None
    candidates: tuple[str, ...]


def find_virus(con: duckdb.DuckDBPyConnection, text: str) -> NamedVirus | None:
    """Return the virus that the whole of ``text`` names, None if it names none.

    A CURIE of a viral taxon names itself. A name of several viruses has candidates and no CURIE.
    """
    identifier = normalise(text)
    if identifier is not None:
        known = con.execute(_KNOWN, [identifier]).fetchone()
        return NamedVirus(identifier, ()) if known else None
    taxa = sorted(taxa_called(con, text))
    if len(taxa) == 1:
        return NamedVirus(taxa[0], ())
    return NamedVirus(None, tuple(taxa)) if taxa else None


_KNOWN: Final = """
SELECT 1 FROM virus_name WHERE virus = $1
UNION ALL SELECT 1 FROM closure WHERE descendant = $1 AND ancestor = 'NCBITaxon:10239'
LIMIT 1
"""
SEEN: Final = """
SELECT run, stated, reported_name, source, identity, species FROM detection
WHERE virus = $1 OR taxon = $1
   OR virus IN (SELECT descendant FROM closure WHERE ancestor = $1)
   OR taxon IN (SELECT descendant FROM closure WHERE ancestor = $1)
"""
"""SELECT of the detections of a virus and of those below it; the parameter is its CURIE."""

OCCURRENCES: Final = f"""
SELECT 'virus' AS facet, coalesce(stated, 'no species') AS label,
       coalesce(reported_name, 'no name') AS text, source AS attribute,
       CASE WHEN species IS NOT NULL THEN 'identity of 90 % and more'
            WHEN identity IS NOT NULL THEN 'identity below 90 %'
            ELSE 'identity unknown' END AS method,
       count(DISTINCT run) AS runs
FROM ({SEEN}) GROUP BY ALL ORDER BY runs DESC, label, text, attribute
"""
COMMUNITIES: Final = f"""
WITH seen AS (SELECT DISTINCT run FROM ({SEEN}))
SELECT r.community, r.title FROM seen a JOIN community_member m ON m.entity = a.run
JOIN report r USING (community) JOIN community c USING (community)
GROUP BY r.community, r.title, c.runs
ORDER BY 2.0 * count(DISTINCT a.run) / (c.runs + (SELECT count(*) FROM seen)) DESC, r.community
"""
NAMES: Final = """
SELECT name FROM virus_name WHERE virus = $1
UNION SELECT synonym FROM synonym WHERE curie = $1 ORDER BY 1
"""
