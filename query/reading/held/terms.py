"""Terms that runs carry: how many are annotated with a term or below it, and which viruses of it
were found.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import duckdb

from index.store.same_for_all import same_for_all
from query.reading.held.values import found_names
from query.reading.labels import labels_query
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
    if viral:
        rows += con.execute(_FOUND, _listed(viral) | _virus_taxa(con)).fetchall()
    senses: dict[str, list[Sense]] = {}
    for curie, label, facet, value, runs in sorted(rows, key=_order):
        # Detections carry names, so a virus is looked for by the names of the taxa below the term.
        anchor = None if facet in VIRUS_FACETS else curie
        sense = Sense(facet, label, runs, curie=anchor, value=value)
        listed = senses.setdefault(curie, [])
        listed.append(sense)
    return senses


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
def _virus_taxa(con: duckdb.DuckDBPyConnection) -> dict[str, list[str]]:
    """Return the names of the viruses found, with the taxa that have them, as columns."""
    query = _VIRUS_TAXA.format(labels=labels_query(con))
    rows = con.execute(query, found_names(con)).fetchall()
    return {
        "taxa": [taxon for taxon, _, _ in rows],
        "facets": [facet for _, facet, _ in rows],
        "values": [value for _, _, value in rows],
    }


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
_FACETS_OF_VIRUSES: Final = """
SELECT run, 'species' AS facet, stated AS value FROM detection
UNION ALL SELECT run, 'family', family FROM detection
UNION ALL SELECT run, 'phylum', phylum FROM detection
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
_FOUND: Final = f"""
WITH {_BELOW},
virus_below AS (
    SELECT b.* FROM below b JOIN closure v ON v.descendant = b.descendant
    WHERE v.ancestor = '{_VIRUSES}'
),
taxon_of AS (
    SELECT unnest($taxa::VARCHAR[]) AS taxon, unnest($facets::VARCHAR[]) AS facet,
           unnest($values::VARCHAR[]) AS value
),
named AS (
    SELECT b.curie, b.label, t.facet, t.value
    FROM virus_below b JOIN taxon_of t ON t.taxon = b.descendant
),
found AS ({_FACETS_OF_VIRUSES}),
virus AS (
    SELECT n.curie, n.label, facet, value, v.run FROM named n JOIN found v USING (facet, value)
    UNION
    SELECT b.curie, b.label, 'species', d.stated, d.run
    FROM virus_below b JOIN detection d ON d.taxon = b.descendant WHERE d.stated IS NOT NULL
    UNION
    SELECT b.curie, b.label, 'species', d.stated, d.run
    FROM virus_below b JOIN detection d ON d.virus = b.descendant
    WHERE d.stated IS NOT NULL AND (d.species IS NOT NULL OR d.identity IS NULL)
)
SELECT curie, label, facet, value, count(DISTINCT run) AS runs FROM virus
GROUP BY curie, label, facet, value
"""
