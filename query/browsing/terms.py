"""How a text is grounded, by the same engine as the index, and where the term occurs in the index."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import duckdb

from ontology_etl.curies import NCBI_TAXON, normalise, ontology_of

if TYPE_CHECKING:
    from ontology_etl.grounding import Vocabulary

PREFIX: Final = 3
"""Letters by which names that may begin at a word of the text are fetched."""
_SHOWN: Final = 8


@dataclass(frozen=True, slots=True)
class Related:
    """A term beside the one found."""

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
    """What a text says about one facet. ``curie`` is None where it names no term; ``runs`` carry it
    or one below it.
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


def read_term(
    con: duckdb.DuckDBPyConnection, text: str, *, facet: str | None = None
) -> list[TermReading]:
    """Return what ``text`` says, one entry per facet and term, grounded ones first.

    An identifier in any spelling (``txid9606``, ``DOID_8778``) means its term, a retired one the
    term that replaced it.
    """
    from ontology_etl.grounding import ground_text

    asked = live_identifier(con, text) or text
    found = ground_text(asked, vocabulary_for(con, asked), facet=facet)
    readings = [_reading(con, text, row) for row in found.sort("facet", "matched").to_dicts()]
    return sorted(
        readings, key=lambda reading: (reading.curie is None, -reading.runs, reading.facet)
    )


def live_identifier(con: duckdb.DuckDBPyConnection, text: str) -> str | None:
    """Return the CURIE of the live term that ``text`` identifies, None where it is no identifier of
    the index.
    """
    curie = normalise(text)
    found = con.execute(_LIVE, [curie]).fetchall() if curie else []
    return str(found[0][0]) if found else None


def vocabulary_for(con: duckdb.DuckDBPyConnection, text: str) -> Vocabulary:
    """Return the part of the vocabulary whose names can occur in ``text``: exact, and loaded in a
    moment.

    A name that occurs begins with a word of the text, in its spelling or in the one it folds to, or
    is a reviewed name.
    """
    import polars as pl

    from ontology_etl.folding import SPELLING, fold_one
    from ontology_etl.grounding import build_vocabulary
    from ontology_etl.vocabulary import read_reviewed

    words = {*text.lower().split(), *fold_one(text).split()}
    words |= {
        word.replace(american, british) for word in words for british, american in SPELLING.items()
    }
    prefixes = sorted({word[:PREFIX] for word in words if word})
    named = [*read_reviewed("names.tsv")["curie"].unique(), text]
    term = con.sql(_TERMS, params={"prefixes": prefixes, "named": named}).pl()
    synonym = con.sql(_SYNONYMS, params={"prefixes": prefixes}).pl()
    return build_vocabulary(term, synonym, con.sql(_EDGES).pl(), texts=pl.Series([text]))


def _reading(con: duckdb.DuckDBPyConnection, text: str, row: dict[str, object]) -> TermReading:
    curie = None if row["curie"] is None else str(row["curie"])
    candidates = row["candidates"] if isinstance(row["candidates"], list) else []
    runs, occurrences, communities = _occurrences(con, curie)
    return TermReading(
        text=text,
        facet=str(row["facet"]),
        outcome=str(row["outcome"]),
        matched=str(row["matched"]),
        curie=curie,
        label=None if row["label"] is None else str(row["label"]),
        method=None if row["method"] is None else str(row["method"]),
        score=row["score"] if isinstance(row["score"], float) else None,
        ancestors=_ancestors(con, curie) if curie else (),
        synonyms=tuple(str(name) for (name,) in con.execute(_NAMES, [curie]).fetchall())
        if curie
        else (),
        candidates=_related(con, _LABELS, [candidates]) if len(candidates) > 1 else (),
        runs=runs,
        occurrences=occurrences,
        communities=communities,
    )


def _ancestors(con: duckdb.DuckDBPyConnection, curie: str) -> tuple[Related, ...]:
    """Return the terms above ``curie``, nearest first; a taxon that no run carries is not in the
    closure.
    """
    closed = _related(con, _CLOSED, [curie])
    return (
        _related(con, _ANCESTORS, [curie])
        if not closed and ontology_of(curie) == NCBI_TAXON
        else closed
    )


def _occurrences(
    con: duckdb.DuckDBPyConnection, curie: str | None
) -> tuple[int, tuple[Occurrence, ...], tuple[Related, ...]]:
    if curie is None:
        return 0, (), ()
    ((runs,),) = con.execute(f"SELECT count(DISTINCT run) FROM ({_CARRYING})", [curie]).fetchall()
    told = con.execute(f"{_OCCURRENCES} LIMIT {_SHOWN}", [curie]).fetchall()
    return (
        runs,
        tuple(Occurrence(*row) for row in told),
        _related(con, f"{_COMMUNITIES} LIMIT {_SHOWN}", [curie]),
    )


def _related(
    con: duckdb.DuckDBPyConnection, query: str, parameters: Sequence[object]
) -> tuple[Related, ...]:
    return tuple(Related(*row) for row in con.execute(query, list(parameters)).fetchall())


_TERMS: Final = f"""
SELECT * FROM term
WHERE left(lower(label), {PREFIX}) IN (SELECT unnest($prefixes::VARCHAR[])) OR (obsolete AND ontology <> 'NCBITaxon')
   OR curie IN (SELECT curie FROM synonym WHERE left(lower(synonym), {PREFIX}) IN (SELECT unnest($prefixes::VARCHAR[])))
   OR ontology <> 'NCBITaxon' OR curie IN (SELECT unnest($named::VARCHAR[]))
"""
_LIVE: Final = """
SELECT if(obsolete, replaced_by, curie) AS live FROM term WHERE curie = $1 AND live IS NOT NULL
"""
_SYNONYMS: Final = f"""
SELECT * FROM synonym WHERE left(lower(synonym), {PREFIX}) IN (SELECT unnest($prefixes::VARCHAR[]))
"""
_EDGES: Final = "SELECT * FROM term_edge WHERE predicate IN ('is_a', 'part_of', 'parent')"

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
_LABELS: Final = (
    "SELECT curie, label FROM term WHERE curie IN (SELECT unnest($1::VARCHAR[])) ORDER BY curie"
)

_CARRYING: Final = """
SELECT * FROM annotation WHERE curie = $1 OR curie IN (SELECT descendant FROM closure WHERE ancestor = $1)
"""
_OCCURRENCES: Final = f"""
SELECT facet, value, text, attribute, method, count(DISTINCT run) AS runs FROM ({_CARRYING})
GROUP BY facet, value, text, attribute, method ORDER BY runs DESC, facet, value, text, attribute
"""
_COMMUNITIES: Final = f"""
SELECT r.community, r.title FROM ({_CARRYING}) a JOIN community_member m ON m.entity = a.run
JOIN report r USING (community) JOIN community c USING (community)
GROUP BY r.community, r.title, c.runs
ORDER BY 2.0 * count(DISTINCT a.run) / (c.runs + (SELECT count(DISTINCT run) FROM ({_CARRYING}))) DESC, r.community
"""
