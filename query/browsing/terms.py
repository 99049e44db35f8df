"""How a text is grounded, by the engine of the index, and where the term occurs in the index."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import duckdb

from ontology_etl.curies import NCBI_TAXON, ontology_of
from query.browsing.viruses import (
    COMMUNITIES,
    NAMES,
    OCCURRENCES,
    SEEN,
    NamedVirus,
    find_virus,
)
from query.browsing.vocabulary import live_identifier, vocabulary_for

VIRUS: Final = "virus"
"""Facet of readings that say which virus a text names."""
SHOWN: Final = 8
"""Ways it is written, and communities, that a reading of a term has at most."""


@dataclass(frozen=True, slots=True)
class Related:
    """A term related to the term found."""

    curie: str
    label: str


@dataclass(frozen=True, slots=True)
class Occurrence:
    """How the runs of a term come by it: what was written, where, and how it was grounded."""

    facet: str
    label: str
    text: str
    attribute: str
    method: str
    runs: int


@dataclass(frozen=True, slots=True)
class TermReading:
    """What a text says about one facet.

    ``curie`` is None where it names no term; ``runs`` have that term or a term below it. ``called``
    is what reports and answers call a virus whose label is another name, ``also_meant`` are terms
    of the same ontology that have the text as an exact synonym: the label's term was chosen.
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
    virus = None
    if facet in (None, VIRUS):
        virus = find_virus(con, asked)
    if virus is not None or facet == VIRUS:
        readings.append(_virus_reading(con, text, virus))
    return sorted(readings, key=_most_runs_first)


def _most_runs_first(reading: TermReading) -> tuple[bool, int, str]:
    """Return the key that sorts grounded readings first, then by runs."""
    return (
        reading.curie is None,
        -reading.runs,
        reading.facet,
    )


def _grounded(
    con: duckdb.DuckDBPyConnection, text: str, asked: str, facet: str | None
) -> list[TermReading]:
    from ontology_etl.grounding import ground_text

    vocabulary = vocabulary_for(con, asked)
    found = ground_text(asked, vocabulary, facet=facet)
    ordered = found.sort("facet", "matched")
    return [_reading(con, text, row) for row in ordered.to_dicts()]


def _virus_reading(
    con: duckdb.DuckDBPyConnection, text: str, virus: NamedVirus | None
) -> TermReading:
    """Return what ``text`` says of viruses: one, several candidates, or none that is known."""
    curie = virus.curie if virus else None
    one_of = virus.candidates if virus and curie is None else ()
    labelled = con.execute(_LABELS, [[curie]]).fetchall()
    label = dict(labelled).get(curie)
    count = f"SELECT count(DISTINCT run) FROM ({SEEN})"
    ((runs,),) = con.execute(count, [curie]).fetchall()
    most_frequent = f"{OCCURRENCES} LIMIT {SHOWN}"
    frequent = con.execute(most_frequent, [curie]).fetchall()
    names = con.execute(NAMES, [curie]).fetchall()
    fullest = f"{COMMUNITIES} LIMIT {SHOWN}"
    return TermReading(
        text=text,
        facet=VIRUS,
        outcome=_outcome(curie, one_of),
        matched=text,
        curie=curie,
        label=label,
        method="dictionary" if curie else None,
        score=1.0 if curie else None,
        ancestors=_ancestors(con, curie) if curie else (),
        synonyms=tuple(str(name) for (name,) in names if name != label),
        candidates=_related(con, _LABELS, [list(one_of)]),
        runs=runs,
        occurrences=tuple(Occurrence(*row) for row in frequent),
        communities=_related(con, fullest, [curie]),
        called=_called(con, curie, label),
    )


def _called(con: duckdb.DuckDBPyConnection, curie: str | None, label: str | None) -> str | None:
    """Return what reports call the virus ``curie``, None where that is its label."""
    for (name,) in con.execute("SELECT name FROM virus WHERE virus = $1", [curie]).fetchall():
        if label is None or name.lower() != label.lower():
            return str(name)
    return None


def _outcome(curie: str | None, candidates: Sequence[str]) -> str:
    """Return in a word whether a text names one term, one of several, or none."""
    if curie:
        return "grounded"
    if candidates:
        return "ambiguous"
    return "unknown"


def _reading(con: duckdb.DuckDBPyConnection, text: str, row: dict[str, object]) -> TermReading:
    curie = _text_or_none(row["curie"])
    score = row["score"]
    runs, occurrences, communities = _occurrences(con, curie)
    return TermReading(
        text=text,
        facet=str(row["facet"]),
        outcome=str(row["outcome"]),
        matched=str(row["matched"]),
        curie=curie,
        label=_text_or_none(row["label"]),
        method=_text_or_none(row["method"]),
        score=score if isinstance(score, float) else None,
        ancestors=_ancestors(con, curie) if curie else (),
        synonyms=_synonyms(con, curie) if curie else (),
        candidates=_candidates(con, row["candidates"]),
        runs=runs,
        occurrences=occurrences,
        communities=communities,
        also_meant=_related(con, _ALSO_MEANT, [curie, text]) if curie else (),
    )


def _text_or_none(cell: object) -> str | None:
    if cell is None:
        return None
    return str(cell)


def _synonyms(con: duckdb.DuckDBPyConnection, curie: str) -> tuple[str, ...]:
    rows = con.execute(_NAMES, [curie]).fetchall()
    return tuple(str(name) for (name,) in rows)


def _candidates(con: duckdb.DuckDBPyConnection, curies: object) -> tuple[Related, ...]:
    """Return the terms that a text may mean, where there are several."""
    if not isinstance(curies, list) or len(curies) < 2:
        return ()
    return _related(con, _LABELS, [curies])


def _ancestors(con: duckdb.DuckDBPyConnection, curie: str) -> tuple[Related, ...]:
    """Return the terms above ``curie``, nearest first.

    A taxon that no run has is not in the closure.
    """
    closed = _related(con, _CLOSED, [curie])
    if closed or ontology_of(curie) != NCBI_TAXON:
        return closed
    return _related(con, _ANCESTORS, [curie])


def _occurrences(
    con: duckdb.DuckDBPyConnection, curie: str | None
) -> tuple[int, tuple[Occurrence, ...], tuple[Related, ...]]:
    """Return the runs of ``curie``, how they come by it, and its communities."""
    if curie is None:
        return 0, (), ()
    count = f"SELECT count(DISTINCT run) FROM ({_CARRYING})"
    ((runs,),) = con.execute(count, [curie]).fetchall()
    most_frequent = f"{_OCCURRENCES} LIMIT {SHOWN}"
    rows = con.execute(most_frequent, [curie]).fetchall()
    occurrences = [Occurrence(*row) for row in rows]
    fullest = f"{_COMMUNITIES} LIMIT {SHOWN}"
    communities = _related(con, fullest, [curie])
    return runs, tuple(occurrences), communities


def _related(
    con: duckdb.DuckDBPyConnection, query: str, parameters: Sequence[object]
) -> tuple[Related, ...]:
    asked = list(parameters)
    rows = con.execute(query, asked).fetchall()
    related = [Related(*row) for row in rows]
    return tuple(related)


_CLOSED: Final = """
SELECT t.curie, t.label FROM closure c JOIN term t ON t.curie = c.ancestor
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
SELECT r.community, r.title FROM ({_CARRYING}) a JOIN community_member m ON m.entity = a.run
JOIN report r USING (community) JOIN community c USING (community)
GROUP BY r.community, r.title, c.runs
ORDER BY 2.0 * count(DISTINCT a.run)
         / (c.runs + (SELECT count(DISTINCT run) FROM ({_CARRYING}))) DESC,
         r.community
"""
