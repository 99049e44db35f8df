"""Which virus a text names, from the names that the index holds, and the runs it is seen in."""

from __future__ import annotations

from typing import Final

import duckdb

from ontology_etl.curies import normalise
from query.compiler.virus_names import taxa_called


def viruses_called(con: duckdb.DuckDBPyConnection, text: str) -> list[str]:
    """Return the CURIEs of the viruses that the whole of ``text`` names, sorted.

    A CURIE of a viral taxon names itself.
    """
    identifier = normalise(text)
    if identifier is None:
        return sorted(taxa_called(con, text))
    known = con.execute(_KNOWN, [identifier]).fetchone()
    return [identifier] if known else []


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
NAMES: Final = """
SELECT name FROM virus_name WHERE virus = $1
UNION SELECT synonym FROM synonym WHERE curie = $1 ORDER BY 1
"""
