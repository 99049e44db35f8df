"""Terms that runs carry: how many are annotated with a term or below it, and which viruses of it
were found.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import duckdb

from index.store.same_for_all import same_for_all
from query.reading.held.values import found_names
from query.reading.names.labels import LABELS
from query.reading.senses import VIRUS_FACETS, Sense

_VIRUSES: Final = "NCBITaxon:10239"
Term = tuple[str, str]
"""CURIE and label of a term."""


def term_senses(con: duckdb.DuckDBPyConnection, terms: Sequence[Term]) -> dict[str, list[Sense]]:
    """Return the senses of each of ``terms`` that at least one run carries."""
    distinct = sorted(set(terms))
    if not distinct:
        return {}
    rows = con.execute(_ANNOTATED, _listed(distinct)).fetchall()
    viral = [term for term in distinct if term[0] in _viral_terms(con)]
    for curie, label in viral:
        rows += [(curie, label, *found) for found in _found(con, curie)]
    senses: dict[str, list[Sense]] = {}
    for curie, label, facet, value, runs in sorted(rows, key=_order):
        # Detections carry names, so a virus is looked for by the names of the taxa below the term.
        anchor = None if facet in VIRUS_FACETS else curie
        sense = Sense(facet, label, runs, curie=anchor, value=value)
        listed = senses.setdefault(curie, [])
        listed.append(sense)
    return senses


def _found(con: duckdb.DuckDBPyConnection, curie: str) -> list[tuple[str, str, int]]:
    """Return as (facet, value, runs) what detections state of the viruses of a term: names that a
    taxon of it has, and what is stated of hits that resolve to one.
    """
    below = {str(one) for (one,) in con.execute(_VIRUSES_BELOW, [curie]).fetchall()}
    below = (below | {curie}) & _viral_terms(con)
    named = {name for taxon in below for name in _names_of_taxa(con).get(taxon, ())}
    columns = {facet: [value for of, value in named if of == facet] for facet in VIRUS_FACETS}
    asked = {**columns, "below": sorted(below)}
    return con.execute(_FOUND, asked).fetchall()


def is_carried(con: duckdb.DuckDBPyConnection, curie: str) -> bool:
    """Return whether some run carries the term ``curie``, or one below it."""
    return bool(con.execute(_IS_CARRIED, [curie]).fetchall())


def is_below(con: duckdb.DuckDBPyConnection, curies: Sequence[str], above: Sequence[str]) -> bool:
    """Return whether one of the terms ``curies`` is below one of those ``above``."""
    asked = {"curies": list(curies), "above": list(above)}
    return bool(con.execute(_IS_BELOW, asked).fetchall())


def _listed(terms: Sequence[Term]) -> dict[str, list[str]]:
    return {
        "curies": [curie for curie, _ in terms],
        "labels": [label for _, label in terms],
    }


def _order(row: tuple[str, str, str, str | None, int]) -> tuple[str, str, str, bool, str]:
    """Return what rows are sorted by; one without a value comes last."""
    curie, label, facet, value, _ = row
    return curie, label, facet, value is None, value or ""


@same_for_all
def _viral_terms(con: duckdb.DuckDBPyConnection) -> frozenset[str]:
    """Return the viruses that runs carry, and the taxa above all viruses."""
    rows = con.execute(_VIRAL_TERMS, [_VIRUSES]).fetchall()
    return frozenset(curie for (curie,) in rows)


@same_for_all
def _names_of_taxa(con: duckdb.DuckDBPyConnection) -> dict[str, list[tuple[str, str]]]:
    """Return the names of the viruses found as (facet, value), by the taxon that has the name."""
    query = _VIRUS_TAXA.format(labels=LABELS)
    names: dict[str, list[tuple[str, str]]] = {}
    for taxon, facet, value in con.execute(query, found_names(con)).fetchall():
        names.setdefault(str(taxon), []).append((str(facet), str(value)))
    return names


_IS_CARRIED: Final = "SELECT 1 FROM closure WHERE ancestor = $1 LIMIT 1"
_IS_BELOW: Final = """
SELECT 1 FROM closure
WHERE list_contains($curies::VARCHAR[], descendant) AND list_contains($above::VARCHAR[], ancestor)
  AND descendant <> ancestor
LIMIT 1
"""
_VIRAL_TERMS: Final = """
SELECT descendant FROM closure WHERE ancestor = $1
UNION SELECT ancestor FROM closure WHERE descendant = $1
"""
_VIRUS_TAXA: Final = """
SELECT DISTINCT t.curie, v.facet, v.value
FROM (SELECT unnest($facets::VARCHAR[]) AS facet, unnest($names::VARCHAR[]) AS value) v
JOIN ({labels}) t ON lower(t.label) = lower(v.value)
"""
_BELOW: Final = """
wanted AS (SELECT unnest($curies::VARCHAR[]) AS curie, unnest($labels::VARCHAR[]) AS label),
below AS (
    SELECT w.curie, w.label, c.descendant FROM wanted w JOIN closure c ON c.ancestor = w.curie
    UNION SELECT curie, label, curie FROM wanted
)
"""
_ANNOTATED: Final = f"""
WITH {_BELOW}
SELECT b.curie, b.label, a.facet, NULL AS value, count(DISTINCT a.run) AS runs
FROM below b JOIN annotation a ON a.curie = b.descendant GROUP BY b.curie, b.label, a.facet
"""
_VIRUSES_BELOW: Final = "SELECT descendant FROM closure WHERE ancestor = $1"
_FOUND: Final = """
WITH found AS (
    SELECT run, stated, family, phylum,
        list_contains($below::VARCHAR[], taxon) OR list_contains($below::VARCHAR[], virus)
        AND (species IS NOT NULL OR identity IS NULL) AS is_below
    FROM detection
)
SELECT 'species', stated, count(DISTINCT run) FROM found
WHERE stated IS NOT NULL AND (is_below OR list_contains($species::VARCHAR[], stated))
GROUP BY stated
UNION ALL
SELECT 'family', family, count(DISTINCT run) FROM found
WHERE list_contains($family::VARCHAR[], family) GROUP BY family
UNION ALL
SELECT 'phylum', phylum, count(DISTINCT run) FROM found
WHERE list_contains($phylum::VARCHAR[], phylum) GROUP BY phylum
"""
