"""Values of a facet in some runs, ranked by how many have them, counted by SQL of its own."""

from __future__ import annotations

from typing import Final

import duckdb

from query.evaluation.conditions import Conditions, quoted

Ranked = tuple[tuple[str, int], ...]
"""Values with their runs, most runs first."""


def ranked_values(
    con: duckdb.DuckDBPyConnection, facet: str, matching: str, find: Conditions
) -> Ranked:
    """Return the values of ``facet`` in the runs ``matching``, most runs first.

    Species and families of a question that names a virus are those of that virus only.
    """
    source = _detected(facet, find) if facet in _DETECTED else annotated_values(facet)
    query = f"""
        SELECT value, count(DISTINCT run) AS runs FROM ({source}) SEMI JOIN ({matching}) USING (run)
        WHERE value IS NOT NULL GROUP BY value ORDER BY runs DESC, value
    """
    ranked = []
    for value, runs in con.execute(query).fetchall():
        ranked.append((str(value), int(runs)))
    return tuple(ranked)


_DETECTED: Final = {"family": "family", "species": "stated"}


def _detected(facet: str, find: Conditions) -> str:
    """Return a SELECT of run and value: species that hits are like, and families."""
    named = []
    for alternatives in find:
        named += [quoted(one.value) for one in alternatives if one.facet == "family"]
    within = f" AND family IN ({', '.join(named)})" if named else ""
    column = _DETECTED[facet]
    return f"SELECT run, {column} AS value FROM detection WHERE {column} NOT LIKE '%-like'{within}"


def annotated_values(facet: str) -> str:
    """Return a SELECT of run and value: what runs state of ``facet``."""
    if facet == "bioproject":
        return "SELECT run, bioproject AS value FROM run"
    name = quoted(facet)
    country = "AND NOT contains(value, ':')" if facet == "geography" else ""
    return f"SELECT run, value FROM annotation WHERE facet = {name} {country}"


def as_asked(ranked: Ranked, facet: str, text: str) -> Ranked:
    """Return ``ranked`` as ``text`` asks for them: countries are no seas, which places are.

    >>> as_asked((("USA", 3), ("North Sea", 2)), "geography", "Which countries?")
    (('USA', 3),)
    """
    asked = text.lower()
    other_places = any(word in asked for word in ("place", "location", "sea", "ocean"))
    if facet != "geography" or "countr" not in asked or other_places:
        return ranked
    return tuple(one for one in ranked if one[0].rpartition(" ")[2] not in ("Sea", "Ocean"))
