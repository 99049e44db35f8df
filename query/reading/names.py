"""Names of ontology terms in a question: labels, synonyms and the reviewed names of grounding.

The terms that some run carries, with all their ancestors, are a hundredth of the taxonomy: they are
looked up first, and the whole taxonomy only for words that name nothing among them.
"""

from __future__ import annotations

import csv
from collections.abc import Collection, Iterable
from importlib import resources
from typing import Final, NamedTuple

import duckdb

from ontology_etl.curies import ontology_of
from ontology_etl.facets import ONTOLOGIES_OF_FACET

STANDS_FOR: Final = dict.fromkeys(
    ("gut", "guts", "enteric", "gastrointestinal", "gastrointestinal tract"),
    ("BTO:0000545", "BTO:0000511", "BTO:0000440"),
)
"""What people ask for by one word and ontologies keep apart: BTO's gut is the invertebrate one, and
gut viruses are looked for in the gastrointestinal tract and in feces.
"""
_REFUSED: Final = "-"
_WHOLE: Final = "whole"
_MAX_ACRONYM: Final = 5


class Named(NamedTuple):
    """A name, in lower case, and the term it stands for."""

    name: str
    curie: str
    label: str


def collect_used_terms(con: duckdb.DuckDBPyConnection) -> None:
    """Fill ``used_term(curie, label)``: live terms that runs carry, those above them, and BTO and
    DO.
    """
    con.execute(_USED_TERM)


def used_names(
    con: duckdb.DuckDBPyConnection, names: Collection[str], *, words: Collection[str]
) -> list[Named]:
    """Return what ``names`` (lower case) stand for in ``used_term``; ``words``: the question as
    written.

    A reviewed name outranks the others of its ontology, and a refused one hides them. An acronym
    must be written in capitals: AIDS is a disease, aids are not.
    """
    rows = con.execute(_USED_NAMES, {"names": sorted(names)}).fetchall()
    generic = {row["curie"] for row in _read_reviewed("generic.tsv")}
    reviewed = _reviewed_names()
    settled = {(ontology, name) for ontology, name, _, _ in reviewed if name in names}
    ours = [
        (name, curie)
        for _, name, written, curie in reviewed
        if name in names and _is_written(written, words)
    ]
    ours += [
        (name, curie) for name, curies in STANDS_FOR.items() if name in names for curie in curies
    ]
    curies = sorted({curie for _, curie in ours if curie})
    labels = dict(con.execute(_LABELS, {"curies": curies}).fetchall()) if curies else {}
    listed = [
        Named(written.lower(), curie, label)
        for written, curie, label in rows
        if _is_written(written, words)
        and curie not in generic
        and (ontology_of(curie), written.lower()) not in settled
    ]
    return _distinct(
        [
            *listed,
            *(
                Named(name, curie, labels[curie])
                for name, curie in ours
                if curie is not None and curie in labels
            ),
        ]
    )


def known_names(
    con: duckdb.DuckDBPyConnection, names: Collection[str], *, words: Collection[str]
) -> list[Named]:
    """Return what ``names`` stand for among all live terms, used or not."""
    spelled = sorted(
        {form for name in names for form in (name, name.capitalize(), name.title(), name.upper())}
    )
    rows = con.execute(_KNOWN_NAMES, {"names": sorted(names), "spelled": spelled}).fetchall()
    return _distinct(
        Named(written.lower(), curie, label)
        for written, curie, label in rows
        if _is_written(written, words)
    )


def _reviewed_names() -> list[tuple[str, str, str, str | None]]:
    """Return (ontology, name in lower case, name as listed, CURIE) of reviewed names; no CURIE
    where it is refused.
    """
    return [
        (
            ONTOLOGIES_OF_FACET[row["facet"]][0],
            row["name"].lower(),
            row["name"],
            curie if curie != _REFUSED else None,
        )
        for row in _read_reviewed("names.tsv")
        if (curie := row["curie"]) != _WHOLE
    ]


def _read_reviewed(name: str) -> list[dict[str, str]]:
    path = resources.files("ontology_etl") / "reviewed" / name
    with path.open(encoding="utf-8") as file:
        return list(
            csv.DictReader((line for line in file if not line.startswith("#")), delimiter="\t")
        )


def _is_written(name: str, words: Collection[str]) -> bool:
    acronym = name.isupper() and len(name) <= _MAX_ACRONYM
    return not acronym or name in words


def _distinct(named: Iterable[Named]) -> list[Named]:
    return sorted(set(named))


_USED_TERM: Final = """
CREATE OR REPLACE TEMP TABLE used_term AS
SELECT curie, label FROM term SEMI JOIN (
    SELECT ancestor AS curie FROM closure UNION SELECT curie FROM annotation
) USING (curie) WHERE NOT obsolete
"""

_USED_NAMES: Final = """
WITH wanted AS (SELECT DISTINCT unnest($names::VARCHAR[]) AS name)
SELECT u.label, u.curie, u.label FROM used_term u SEMI JOIN wanted w ON lower(u.label) = w.name
UNION
SELECT s.synonym, s.curie, u.label
FROM (FROM synonym SEMI JOIN wanted ON lower(synonym) = name WHERE scope <> 'BROAD') s JOIN used_term u USING (curie)
"""

_LABELS: Final = (
    "SELECT curie, label FROM used_term WHERE curie IN (SELECT unnest($curies::VARCHAR[]))"
)

# Labels are compared as spelled: folding the case of millions of names takes three times as long.
_KNOWN_NAMES: Final = """
WITH wanted AS (SELECT DISTINCT unnest($names::VARCHAR[]) AS name),
alias AS (FROM synonym SEMI JOIN wanted ON lower(synonym) = name WHERE scope <> 'BROAD')
SELECT label, curie, label FROM term WHERE NOT obsolete AND label IN (SELECT unnest($spelled::VARCHAR[]))
UNION
SELECT a.synonym, t.curie, t.label FROM alias a JOIN term t USING (curie) WHERE NOT t.obsolete
"""
