"""How a text is grounded, by the engine of the index, and where the term occurs in the index."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

import duckdb

from ontology_etl.curies import NCBI_TAXON, normalise, ontology_of
from ontology_etl.grounding import ground_text
from query.browsing.vocabulary import live_identifier, vocabulary_for
from query.compiler.virus_names import taxa_called

VIRUS: Final = "virus"
"""Facet of readings that say which virus a text names."""
SHOWN: Final = 8
"""Ways it is written, and communities, that a reading of a term has at most."""


_CLOSED: Final = """
SELECT t.curie, t.label FROM closure c JOIN used_term t ON t.curie = c.ancestor
WHERE c.descendant = $1 AND c.distance > 0 ORDER BY c.distance, t.label
"""
_ANCESTORS: Final = """
WITH RECURSIVE up AS (
    SELECT $1::VARCHAR AS curie, 0 AS distance
    UNION
    SELECT e.object, u.distance + 1 FROM up u JOIN term_edge e ON e.subject = u.curie
    WHERE e.predicate = 'parent' AND u.distance < 60
)
SELECT t.curie, t.label FROM up u JOIN term t USING (curie) WHERE u.distance > 0
GROUP BY t.curie, t.label ORDER BY min(u.distance), t.label
"""
_NAMES: Final = "SELECT DISTINCT synonym FROM synonym WHERE curie = $1 ORDER BY synonym"
_ALSO_MEANT: Final = """
SELECT DISTINCT t.curie, t.label FROM synonym s JOIN term t USING (curie)
JOIN term asked ON asked.curie = $1 AND asked.ontology = t.ontology
WHERE s.scope = 'EXACT' AND NOT t.obsolete AND t.curie <> $1 AND lower(s.synonym) = lower($2)
ORDER BY t.curie
"""
_LABELS: Final = (
    "SELECT curie, label FROM term WHERE curie IN (SELECT unnest($1::VARCHAR[])) ORDER BY curie"
)

_CARRYING: Final = """
SELECT * FROM annotation
WHERE curie = $1 OR curie IN (SELECT descendant FROM closure WHERE ancestor = $1)
"""
_OCCURRENCES: Final = f"""
SELECT facet, value, text, attribute, method, count(DISTINCT run) AS runs FROM ({_CARRYING})
GROUP BY facet, value, text, attribute, method ORDER BY runs DESC, facet, value, text, attribute
"""
_COMMUNITIES: Final = f"""
WITH seen AS (SELECT DISTINCT run FROM ({{carrying}}))
SELECT r.community, r.title FROM seen a JOIN community_member m ON m.entity = a.run
JOIN report r USING (community) JOIN community c USING (community)
GROUP BY r.community, r.title, c.runs
ORDER BY 2.0 * count(DISTINCT a.run) / (c.runs + (SELECT count(*) FROM seen)) DESC, r.community
LIMIT {SHOWN}
"""
_KNOWN: Final = """
SELECT 1 FROM virus_name WHERE virus = $1
UNION ALL SELECT 1 FROM closure WHERE descendant = $1 AND ancestor = 'NCBITaxon:10239'
LIMIT 1
"""
_SEEN: Final = """
SELECT run, stated, reported_name, source, identity, species FROM detection
WHERE virus = $1 OR taxon = $1
   OR virus IN (SELECT descendant FROM closure WHERE ancestor = $1)
   OR taxon IN (SELECT descendant FROM closure WHERE ancestor = $1)
"""
"""SELECT of the detections of a virus and of those below it; the parameter is its CURIE."""

_VIRUS_OCCURRENCES: Final = f"""
SELECT 'virus' AS facet, coalesce(stated, 'no species') AS label,
       coalesce(reported_name, 'no name') AS text, source AS attribute,
       CASE WHEN species IS NOT NULL THEN 'identity of 90 % and more'
            WHEN identity IS NOT NULL THEN 'identity below 90 %'
            ELSE 'identity unknown' END AS method,
       count(DISTINCT run) AS runs
FROM ({_SEEN}) GROUP BY ALL ORDER BY runs DESC, label, text, attribute
"""
_VIRUS_NAMES: Final = """
SELECT name FROM virus_name WHERE virus = $1
UNION SELECT synonym FROM synonym WHERE curie = $1 ORDER BY 1
"""


@dataclass(frozen=True, slots=True)
class Related:
    """A term related to the term found."""

    curie: str
    label: str


@dataclass(frozen=True, slots=True)
class Occurrence:
    """How runs came to have a term: what was written, where, and how it was grounded."""

    facet: str
    label: str
    text: str
    attribute: str
    method: str
    runs: int


@dataclass(frozen=True, slots=True)
class TermReading:
    """What a text says about one facet.

    ``curie`` is None if it names no term; ``runs`` have that term or one below it. ``called`` is
    the name that reports and answers use for a virus, if that is not its label. ``also_meant`` are
    terms of the same ontology that have the text as an exact synonym; the term with the text as its
    label was chosen.
    """

    text: str
    facet: str
    outcome: str
    matched: str
    curie: str | None
    label: str | None
    method: str | None
    score: float | None
    ancestors: tuple[Related, ...]
    synonyms: tuple[str, ...]
    candidates: tuple[Related, ...]
    runs: int
    occurrences: tuple[Occurrence, ...]
    communities: tuple[Related, ...]
    called: str | None = None
    also_meant: tuple[Related, ...] = ()


def read_term(
    con: duckdb.DuckDBPyConnection, text: str, *, facet: str | None = None
) -> list[TermReading]:
    """Return what ``text`` says, an entry per facet and term, grounded entries first.

    Beside the facets of grounding, ``virus`` says which virus the whole text names. An identifier
    in any spelling (``txid9606``, ``DOID_8778``) means its term, a retired one the term that
    replaced it.
    """
    asked = live_identifier(con, text) or text
    readings = []
    if facet != VIRUS:
        readings += _grounded(con, text, asked, facet)
    viruses = _viruses_called(con, asked) if facet in (None, VIRUS) else []
    if viruses or facet == VIRUS:
        readings.append(_virus_reading(con, text, viruses))
    return sorted(readings, key=lambda one: (one.curie is None, -one.runs, one.facet))


def _grounded(
    con: duckdb.DuckDBPyConnection, text: str, asked: str, facet: str | None
) -> list[TermReading]:
    found = ground_text(asked, vocabulary_for(con, asked), facet=facet)
    return [_reading(con, text, row) for row in found.sort("facet", "matched").to_dicts()]


def _viruses_called(con: duckdb.DuckDBPyConnection, text: str) -> list[str]:
    """Return the CURIEs of the viruses that the whole of ``text`` names, sorted.

    A CURIE of a viral taxon names itself.
    """
    identifier = normalise(text)
    if identifier is None:
        return sorted(taxa_called(con, text))
    known = con.execute(_KNOWN, [identifier]).fetchone()
    return [identifier] if known else []


def _virus_reading(
    con: duckdb.DuckDBPyConnection, text: str, viruses: Sequence[str]
) -> TermReading:
    """Return what ``text`` says of viruses: one, several candidates, or none that is known."""
    curie = viruses[0] if len(viruses) == 1 else None
    label = dict(con.execute(_LABELS, [[curie]]).fetchall()).get(curie)
    row = {
        "facet": VIRUS,
        "outcome": "grounded" if curie else "ambiguous" if viruses else "unknown",
        "matched": text,
        "curie": curie,
        "label": label,
        "method": "dictionary" if curie else None,
        "score": 1.0 if curie else None,
        "candidates": viruses,
    }
    reading = _reading(
        con, text, row, carrying=_SEEN, occurring=_VIRUS_OCCURRENCES, named=_VIRUS_NAMES
    )
    names = tuple(name for name in reading.synonyms if name != label)
    called = _called(con, curie, label)
    return replace(reading, synonyms=names, called=called, also_meant=())


def _called(con: duckdb.DuckDBPyConnection, curie: str | None, label: str | None) -> str | None:
    """Return what reports call the virus ``curie``, None where that is its label."""
    for (name,) in con.execute("SELECT name FROM virus WHERE virus = $1", [curie]).fetchall():
        if label is None or name.lower() != label.lower():
            return str(name)
    return None


def _reading(
    con: duckdb.DuckDBPyConnection,
    text: str,
    row: dict[str, Any],
    *,
    carrying: str = _CARRYING,
    occurring: str = _OCCURRENCES,
    named: str = _NAMES,
) -> TermReading:
    """Return a grounded ``row`` with where its term occurs.

    The queries, whose parameter is its CURIE, give the rows ``carrying`` the term, how they came to
    have it, and its other names.
    """
    curie = row["curie"]
    candidates = row["candidates"] or []
    known = [curie] if curie else []
    names = [name for one in known for (name,) in con.execute(named, [one]).fetchall()]
    runs, occurrences, communities = _seen(con, carrying, occurring, curie)
    return TermReading(
        text=text,
        facet=row["facet"],
        outcome=row["outcome"],
        matched=row["matched"],
        curie=curie,
        label=row["label"],
        method=row["method"],
        score=row["score"],
        ancestors=_ancestors(con, curie) if curie else (),
        synonyms=tuple(names),
        candidates=_related(con, _LABELS, [candidates]) if len(candidates) > 1 else (),
        runs=runs,
        occurrences=occurrences,
        communities=communities,
        also_meant=_related(con, _ALSO_MEANT, [curie, text]) if curie else (),
    )


def _ancestors(con: duckdb.DuckDBPyConnection, curie: str) -> tuple[Related, ...]:
    """Return the terms above ``curie``, nearest first.

    A taxon that no run has is not in the closure.
    """
    closed = _related(con, _CLOSED, [curie])
    if closed or ontology_of(curie) != NCBI_TAXON:
        return closed
    return _related(con, _ANCESTORS, [curie])


def _seen(
    con: duckdb.DuckDBPyConnection, carrying: str, occurring: str, curie: str | None
) -> tuple[int, tuple[Occurrence, ...], tuple[Related, ...]]:
    """Return the runs of ``curie``, how they came to have it, and its communities."""
    if curie is None:
        return 0, (), ()
    count = f"SELECT count(DISTINCT run) FROM ({carrying})"
    ((runs,),) = con.execute(count, [curie]).fetchall()
    rows = con.execute(f"{occurring} LIMIT {SHOWN}", [curie]).fetchall()
    occurrences = tuple(Occurrence(*row) for row in rows)
    return runs, occurrences, _related(con, _COMMUNITIES.format(carrying=carrying), [curie])


def _related(
    con: duckdb.DuckDBPyConnection, query: str, parameters: Sequence[object]
) -> tuple[Related, ...]:
    return tuple(Related(*row) for row in con.execute(query, list(parameters)).fetchall())
