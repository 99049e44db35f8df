"""Triples gathered around the entities of a question, and tested together.

One hop leads from the entity to a value of its runs. Two hops lead on to what all runs with that
value state or carry. A count joins two values only if runs have both. A virus is counted among the
runs that were searched for it, other facets among the runs that state them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

import duckdb
import numpy as np
import scipy

from index.facets import FACET
from index.false_discovery import benjamini_hochberg
from index.store.run_values import RUN_VALUES
from index.store.scopes import SEARCHES_OF_FAMILIES, SEARCHES_OF_VIRUSES
from query.local_search.chains import HopChain
from query.local_search.named import Seed
from query.local_search.triples import Triple

TRIPLE_FACETS: Final = (
    "family", "species", "host", "environment", "tissue", "disease", "geography", "sex",
)  # fmt: skip
"""Facets of triples; a project is provenance, and its accession means nothing to a vector."""
_PER_FACET: Final = 12
"""Values of each facet around an entity, those of most runs first."""
_BRIDGES: Final = 6
"""Values around an entity whose own surroundings are a second hop."""
_MOST_LIFT: Final = 10.0
"""A higher lift does not make a value more characteristic."""
_AS_REPORTED: Final = "reported as "
"""What a virus is called that its source names and no identity supports."""
_PER_BRIDGE: Final = 4
"""Values of each facet on the second hop."""
_PER_ASKED: Final = 150
"""Values of a facet in the question, on either hop: as many as a context holds."""


def gather_triples(
    con: duckdb.DuckDBPyConnection,
    seeds: Sequence[Seed],
    *,
    asked: Sequence[str] = (),
    chain: HopChain | None = None,
) -> list[Triple]:
    """Return the triples around ``seeds`` of one and two hops, tested and corrected together.

    Of facets that are ``asked`` for, more values are taken. For a ``chain``, all bridges around
    each entity are followed. ``con`` is a separate connection, on which temporary tables are made.
    """
    for statement in (_VALUES, _SEARCHES, _SCOPES, _LOOKED, _BACKGROUND, _SIZES):
        con.execute(statement)
    found: list[Triple] = []
    many = asked if chain is None else (*asked, chain.bridge)
    for seed in seeds:
        near = _around(con, seed, many)
        found += near
        found += _beyond(con, seed, _bridges(seed, near))
        if chain is not None:
            bridges = [triple for triple in near if triple.facet == chain.bridge]
            found += _beyond(con, seed, bridges, facets=chain.asked, most=_PER_ASKED)
    return _tested(list(dict.fromkeys(found)))


def _around(con: duckdb.DuckDBPyConnection, seed: Seed, asked: Sequence[str]) -> list[Triple]:
    con.execute(_OF_SEED.format(runs=seed.runs), {"name": seed.name})
    triples = _values_of_subjects(con, seed, hops=1, most=_PER_FACET, asked=asked)
    families = own_families(con, seed)
    marked = [
        replace(triple, within=_is_kind_of(seed, triple))
        for triple in triples
        if triple.facet != "family" or triple.value not in families
    ]
    return _about_others(seed, marked)


def own_families(con: duckdb.DuckDBPyConnection, seed: Seed) -> set[str]:
    """Return the families of the virus ``seed``: that they are found together says nothing."""
    if not seed.own:
        return set()
    rows = con.execute(f"SELECT DISTINCT family FROM detection d WHERE {seed.own}").fetchall()
    return {str(family) for (family,) in rows if family is not None}


def _is_kind_of(seed: Seed, triple: Triple) -> bool:
    """Return whether the value of ``triple`` is a kind of ``seed``: all its runs are runs of it."""
    return FACET[triple.facet].group == seed.group and triple.runs == triple.index_runs


def _about_others(seed: Seed, triples: Sequence[Triple]) -> list[Triple]:
    """Return ``triples`` whose value is not part of the name of ``seed``."""
    name = seed.name.lower()
    return [
        triple for triple in triples if triple.value.lower().removeprefix(_AS_REPORTED) not in name
    ]


def _bridges(seed: Seed, near: Sequence[Triple]) -> list[Triple]:
    """Return the most characteristic values around ``seed``, from which a second hop starts."""
    others = [
        triple for triple in near if triple.runs > 1 and FACET[triple.facet].group != seed.group
    ]
    return sorted(others, key=_most_its_own)[:_BRIDGES]


def _most_its_own(triple: Triple) -> tuple[float, str, str]:
    """Return the key that sorts values of many runs and a high lift first."""
    return -triple.runs * min(triple.lift, _MOST_LIFT), triple.facet, triple.value


def _beyond(
    con: duckdb.DuckDBPyConnection,
    seed: Seed,
    bridges: Sequence[Triple],
    *,
    facets: Sequence[str] = TRIPLE_FACETS,
    most: int = _PER_BRIDGE,
) -> list[Triple]:
    if not bridges:
        return []
    subjects = {
        "facets": [bridge.facet for bridge in bridges],
        "values": [bridge.value for bridge in bridges],
    }
    con.execute(_OF_BRIDGES, subjects)
    triples = _values_of_subjects(con, seed, hops=2, facets=facets, most=most)
    return _about_others(seed, triples)


def _values_of_subjects(
    con: duckdb.DuckDBPyConnection,
    seed: Seed,
    *,
    hops: int,
    most: int,
    facets: Sequence[str] = TRIPLE_FACETS,
    asked: Sequence[str] = (),
) -> list[Triple]:
    """Return the values in the runs of each subject, ``most`` of a facet; more if ``asked`` for."""
    wanted = {"facets": list(facets), "most": most, "asked": list(asked), "most_asked": _PER_ASKED}
    return [
        replace(Triple(seed.name, subject, *row), hops=hops, subject_facet=facet)
        for facet, subject, *row in con.execute(_VALUES_OF_SUBJECTS, wanted).fetchall()
    ]


def _tested(triples: Sequence[Triple]) -> list[Triple]:
    """Return ``triples`` with p and q, for the chance of so many runs with the value."""
    if not triples:
        return []
    counts = ("runs", "known", "index_runs", "index_known")
    runs, known, index_runs, index_known = (
        np.array([getattr(triple, name) for triple in triples]) for name in counts
    )
    whole = np.maximum(index_known, known)
    tails = scipy.stats.hypergeom.sf(runs - 1, whole, np.minimum(index_runs, whole), known)
    of_hits_only = np.array([triple.is_of_hits_only for triple in triples])
    p_values = np.where(of_hits_only, 1.0, np.clip(tails, 0.0, 1.0))
    tested = zip(triples, p_values, benjamini_hochberg(p_values), strict=True)
    return [replace(triple, p=float(p), q=float(q)) for triple, p, q in tested]


_VALUES: Final = f"""
CREATE OR REPLACE TEMP TABLE run_value AS
SELECT DISTINCT run, facet, value FROM ({RUN_VALUES})
WHERE NOT (facet = 'geography' AND contains(value, ':'))
"""
_SEARCHES: Final = f"""
CREATE OR REPLACE TEMP TABLE value_search AS
SELECT 'species' AS facet, stated AS value, source, search FROM ({SEARCHES_OF_VIRUSES})
UNION SELECT 'family', family, source, search FROM ({SEARCHES_OF_FAMILIES})
"""
_SCOPES: Final = """
CREATE OR REPLACE TEMP TABLE value_scope AS
SELECT facet, value, hash(list(source || ' ' || search ORDER BY ALL)) AS scope
FROM value_search GROUP BY facet, value
"""
"""Viruses that the same searches look for have the same scope: there are few of these."""
_LOOKED: Final = """
CREATE OR REPLACE TEMP TABLE looked AS
SELECT run, scope FROM searched JOIN (
    SELECT DISTINCT scope, source, search FROM value_scope JOIN value_search USING (facet, value)
) USING (source, search)
UNION
SELECT run, scope FROM run_value LEFT JOIN value_scope USING (facet, value)
WHERE facet IN ('family', 'species')
"""
"""A run and a scope that it was searched for, or that it holds something of.

The scope of viruses that no search names is null; only runs that hold one count as searched.
"""
_BACKGROUND: Final = """
CREATE OR REPLACE TEMP TABLE background AS
SELECT facet, value, count(*) AS index_runs FROM run_value GROUP BY facet, value
"""
_SIZES: Final = """
CREATE OR REPLACE TEMP TABLE size AS
SELECT NULL AS facet, scope, count(*) AS index_known FROM looked GROUP BY scope
UNION ALL
SELECT facet, NULL, count(DISTINCT run) FROM run_value
WHERE facet NOT IN ('family', 'species') GROUP BY facet
"""
_OF_SEED: Final = """
CREATE OR REPLACE TEMP TABLE subject_run AS
SELECT '' AS subject_facet, $name::VARCHAR AS subject, run FROM ({runs})
"""
_OF_BRIDGES: Final = """
CREATE OR REPLACE TEMP TABLE subject_run AS
SELECT facet AS subject_facet, value AS subject, run FROM run_value
JOIN (SELECT unnest($facets::VARCHAR[]) AS facet, unnest($values::VARCHAR[]) AS value)
USING (facet, value)
"""
"""Runs of the subjects of triples: the entity itself, or values around it."""
_VALUES_OF_SUBJECTS: Final = """
WITH whole AS (SELECT subject_facet, subject, count(*) AS whole FROM subject_run GROUP BY ALL),
held AS (
    SELECT h.subject_facet, h.subject, v.facet, v.value, v.run, s.scope,
           CASE WHEN v.facet NOT IN ('family', 'species') THEN v.facet END AS stating
    FROM subject_run h JOIN run_value v USING (run) LEFT JOIN value_scope s
    ON s.facet = v.facet AND s.value = v.value
    WHERE v.facet <> h.subject_facet AND list_contains($facets::VARCHAR[], v.facet)
),
known AS (
    SELECT subject_facet, subject, NULL AS stating, scope, count(*) AS known
    FROM subject_run JOIN looked USING (run) GROUP BY ALL
    UNION ALL
    SELECT subject_facet, subject, stating, NULL, count(DISTINCT run)
    FROM held WHERE stating IS NOT NULL GROUP BY ALL
)
SELECT h.subject_facet, h.subject, h.facet, h.value, count(*) AS runs,
       any_value(k.known), any_value(b.index_runs), any_value(s.index_known),
       count(DISTINCT coalesce(r.bioproject, r.study)), min(h.run),
       count(*) OVER (PARTITION BY h.subject_facet, h.subject, h.facet) AS siblings,
       any_value(w.whole)
FROM held h JOIN whole w USING (subject_facet, subject)
JOIN known k ON k.subject_facet = h.subject_facet AND k.subject = h.subject
    AND k.stating IS NOT DISTINCT FROM h.stating AND k.scope IS NOT DISTINCT FROM h.scope
JOIN background b USING (facet, value)
JOIN size s ON s.facet IS NOT DISTINCT FROM h.stating AND s.scope IS NOT DISTINCT FROM h.scope
JOIN run r USING (run)
GROUP BY h.subject_facet, h.subject, h.facet, h.value
QUALIFY row_number() OVER (
    PARTITION BY h.subject_facet, h.subject, h.facet ORDER BY runs DESC, h.value)
    <= CASE WHEN list_contains($asked::VARCHAR[], h.facet) THEN $most_asked ELSE $most END
ORDER BY h.subject_facet, h.subject, h.facet, runs DESC, h.value
"""
