"""How a text is grounded, by the engine of the index, and where the term occurs in the index."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

import duckdb
import polars as pl

from ontology_etl.curies import NCBI_TAXON, normalise, ontology_of
from ontology_etl.grounding import ground_text
from ontology_etl.name_rules import BARE, DERIVED, EXACT, LABEL, NUMBER, OTHER, REVIEWED
from ontology_etl.places import SEVERAL, UNLISTED, clean_places, read_places
from ontology_etl.vocabulary import Vocabulary
from query.browsing.vocabulary import live_identifier, vocabulary_for
from query.compiler.virus_names import names_reported, taxa_as_written

VIRUS: Final = "virus"
"""Facet of readings that say which virus a text names."""
PLACE: Final = "geography"
"""Facet of readings that say which country or sea a text names."""
SHOWN: Final = 8
"""Ways it is written, and communities, that a reading of a term has at most."""


GROUNDED: Final = "grounded"
_BECAUSE: Final = {
    REVIEWED: "name on a reviewed list",
    LABEL: "label",
    EXACT: "exact synonym",
    OTHER: "synonym",
    DERIVED: "name without the word for what it is",
    BARE: "name without the word for what it is",
    NUMBER: "number of a cell bank",
}
_BECAUSE_WORDS: Final = "words of its name in another order or form"
_BECAUSE_PLACE: Final = "name on the list of countries and seas"
_WHY_NOT: Final = {
    "ungrounded": "no name known",
    "ambiguous": "several terms have this name",
    "negated": "denies what it names, or says healthy",
    "generic": "too general",
    "other": "ruled out by its words",
    "too long": "more than 2,000 characters",
    "null": "no value",
    SEVERAL: "names more than one country",
    UNLISTED: "no country or sea of the INSDC list",
}
"""Why a text of each outcome is not grounded (docs/grounding.md)."""

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
_OCCURRENCES: Final = """
SELECT facet, value, text, attribute, method, count(DISTINCT run) AS runs FROM ({carrying})
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
_PLACED: Final = """
SELECT * FROM annotation WHERE facet = 'geography' AND (value = $1 OR starts_with(value, $1 || ':'))
"""
_SEEN: Final = """
SELECT run, stated, reported_name, source, identity, species FROM detection
WHERE virus = $1 OR taxon = $1
   OR virus IN (SELECT descendant FROM closure WHERE ancestor = $1)
   OR taxon IN (SELECT descendant FROM closure WHERE ancestor = $1)
"""
"""SELECT of the detections of a virus and of those below it; the parameter is its CURIE."""

_VIRUS_OCCURRENCES: Final = """
SELECT 'virus' AS facet, coalesce(stated, 'no species') AS label,
       coalesce(reported_name, 'no name') AS text, source AS attribute,
       CASE WHEN species IS NOT NULL THEN 'identity of 90 % and more'
            WHEN identity IS NOT NULL THEN 'identity below 90 %'
            ELSE 'identity unknown' END AS method,
       count(DISTINCT run) AS runs
FROM ({carrying}) GROUP BY ALL ORDER BY runs DESC, label, text, attribute
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
    label was chosen. ``because`` says what kind of name matched, or why none counts.
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
    because: str = ""


def read_term(
    con: duckdb.DuckDBPyConnection, text: str, *, facet: str | None = None
) -> list[TermReading]:
    """Return what ``text`` says, an entry per facet and term, grounded entries first.

    In addition to the facets of grounding, ``virus`` says which virus the whole text names, and
    ``geography`` which country or sea (a place has no CURIE). An identifier in any spelling
    (``txid9606``, ``DOID_8778``) means its term, a retired one the term that replaced it.
    """
    sought = live_identifier(con, text) or text
    readings = []
    if facet not in (VIRUS, PLACE):
        readings += _grounded(con, text, sought, facet)
    named, viruses = _viruses_called(con, sought) if facet in (None, VIRUS) else ("", [])
    if viruses or facet == VIRUS:
        readings.append(_virus_reading(con, text, named, viruses))
    if facet in (None, PLACE):
        readings += _placed(con, text, is_asked=facet == PLACE)
    return sorted(
        readings, key=lambda reading: (reading.outcome != GROUNDED, -reading.runs, reading.facet)
    )


def _placed(con: duckdb.DuckDBPyConnection, text: str, *, is_asked: bool) -> list[TermReading]:
    """Return the places that ``text`` names: regions rather than their countries, and seas.

    If it names none, return none, or why if it ``is_asked`` for a place.
    """
    outcomes = read_places(pl.Series([text]))["outcome"].to_list()
    values = clean_places(pl.Series([text]))["value"].to_list()
    finest = [
        place for place in values if not any(other.startswith(f"{place}:") for other in values)
    ]
    found = [(GROUNDED, value, _BECAUSE_PLACE) for value in finest]
    missed = [(outcome, None, _WHY_NOT[outcome]) for outcome in outcomes if not values]
    said = found or [place for place in missed if is_asked or place[0] != UNLISTED]
    return [_place_reading(con, text, *place) for place in said]


def _place_reading(
    con: duckdb.DuckDBPyConnection, text: str, outcome: str, value: str | None, because: str
) -> TermReading:
    row: dict[str, Any] = {
        "facet": PLACE,
        "outcome": outcome,
        "matched": text if value else "",
        "curie": None,
        "label": value,
        "method": "verbatim" if value else None,
        "score": 1.0 if value else None,
        "candidates": [],
    }
    return replace(_reading(con, text, row, carrying=_PLACED, seen=value), because=because)


def _grounded(
    con: duckdb.DuckDBPyConnection, text: str, asked: str, facet: str | None
) -> list[TermReading]:
    vocabulary = vocabulary_for(con, asked)
    found = ground_text(asked, vocabulary, facet=facet).sort("facet", "matched")
    return [
        replace(_reading(con, text, row), because=_because(row, asked, vocabulary))
        for row in found.to_dicts()
    ]


def _because(row: Mapping[str, Any], asked: str, vocabulary: Vocabulary) -> str:
    """Return what kind of name a grounded ``row`` matched, or why it is not grounded."""
    if row["outcome"] != GROUNDED:
        return _WHY_NOT[row["outcome"]]
    if row["matched"] == row["curie"]:
        is_own = normalise(asked) is not None or asked.strip().isdigit()
        return "identifier" if is_own else "its cross-reference in the ontology"
    if row["method"] != "dictionary":
        return _BECAUSE_WORDS
    is_name = (pl.col("folded") == row["matched"]) & (pl.col("curie") == row["curie"])
    priorities = vocabulary.names.filter(is_name)["priority"]
    return _BECAUSE[priorities[0]] if len(priorities) else _BECAUSE[DERIVED]


def _viruses_called(con: duckdb.DuckDBPyConnection, text: str) -> tuple[str, list[str]]:
    """Return the part of ``text`` that names viruses, and their CURIEs, sorted.

    A CURIE of a viral taxon names itself.
    """
    identifier = normalise(text)
    if identifier is None:
        named, taxa = taxa_as_written(con, text)
        return named, sorted(taxa)
    known = con.execute(_KNOWN, [identifier]).fetchone()
    return text, [identifier] if known else []


def _virus_reading(
    con: duckdb.DuckDBPyConnection, text: str, named: str, viruses: Sequence[str]
) -> TermReading:
    """Return what ``text`` says of viruses: one, several candidates, or none that is known.

    ``named`` is the part of it that is their name.
    """
    curie = viruses[0] if len(viruses) == 1 else None
    label = dict(con.execute(_LABELS, [[curie]]).fetchall()).get(curie)
    row = {
        "facet": VIRUS,
        "outcome": "grounded" if curie else "ambiguous" if viruses else "unknown",
        "matched": named,
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
    whole = "name of a virus"
    part = f"name of a virus, followed by {text.removeprefix(named).strip()!r}"
    if not viruses:
        is_reported = text.lower() in names_reported(con)
        whole = "name that only a source uses" if is_reported else _WHY_NOT["ungrounded"]
    because = whole if named == text else part
    return replace(reading, synonyms=names, called=called, also_meant=(), because=because)


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
    seen: str | None = None,
) -> TermReading:
    """Return a grounded ``row`` with where its term occurs.

    The queries, whose parameter is its CURIE (``seen`` if it has none), give the rows ``carrying``
    the term, how they came to have it, and its other names.
    """
    curie = row["curie"]
    candidates = row["candidates"] or []
    known = [curie] if curie else []
    names = [name for one in known for (name,) in con.execute(named, [one]).fetchall()]
    runs, occurrences, communities = _seen(con, carrying, occurring, curie or seen)
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
    """Return the runs of ``curie`` (or a place), how they came to have it, and its communities."""
    if curie is None:
        return 0, (), ()
    count = f"SELECT count(DISTINCT run) FROM ({carrying})"
    ((runs,),) = con.execute(count, [curie]).fetchall()
    listed = f"{occurring.format(carrying=carrying)} LIMIT {SHOWN}"
    rows = con.execute(listed, [curie]).fetchall()
    occurrences = tuple(Occurrence(*row) for row in rows)
    return runs, occurrences, _related(con, _COMMUNITIES.format(carrying=carrying), [curie])


def _related(
    con: duckdb.DuckDBPyConnection, query: str, parameters: Sequence[object]
) -> tuple[Related, ...]:
    return tuple(Related(*row) for row in con.execute(query, list(parameters)).fetchall())
