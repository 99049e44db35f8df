"""Whether a reading kept everything that a question names, or said what it did not understand."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import duckdb

from query.evaluation.conditions import Condition
from query.evaluation.questions import Asked
from query.reading.mentions import Mention
from query.reading.reading import Reading


def lost_conditions(
    con: duckdb.DuckDBPyConnection, asked: Asked, reading: Reading
) -> tuple[str, ...]:
    """Return what a question names and its reading neither holds nor calls not understood.

    A term is held by itself, a broader one or a narrower one.
    """
    if reading.not_understood or reading.proposals or reading.beyond:
        return ()
    known = _known_names(con, reading)
    lost = [one for one in _named(asked) if one.value.lower() not in known]
    return tuple(f"{one.facet}:{one.value}" for one in lost)


def _named(asked: Asked) -> Iterator[Condition]:
    """Yield the conditions of ``asked`` that are names; any virus, health and libraries are
    none.
    """
    groups = (*asked.find, *asked.among, *asked.without, *asked.against)
    for alternatives in groups:
        for one in alternatives:
            is_name = one.facet not in ("health", "genome")
            if is_name and one.value != "any":
                yield one


def _known_names(con: duckdb.DuckDBPyConnection, reading: Reading) -> frozenset[str]:
    """Return the names and CURIEs that ``reading`` holds, with all terms above and below them."""
    curies: set[str] = set()
    names: set[str] = set()
    parts = (reading.subjects, reading.each, reading.without, reading.sides, reading.absent)
    for mentions in parts:
        for mention in mentions:
            curies |= _curies(mention)
            names |= _names(mention)
    related = con.execute(_RELATED, {"curies": sorted(curies)}).fetchall()
    names |= {str(name).lower() for (name,) in related}
    return frozenset(names)


def _curies(mention: Mention) -> set[str]:
    of_senses = [one.curie for one in mention.senses]
    curies = {curie for curie in of_senses if curie}
    return curies.union(mention.curies)


def _names(mention: Mention) -> set[str]:
    """Return the words of ``mention``, its label, and the values that it means, in lower case."""
    values = {one.value for one in mention.senses}
    names = values | {mention.text, mention.label}
    return {name.lower() for name in names if name}


_RELATED: Final = """
WITH named AS (SELECT unnest($curies::VARCHAR[]) AS curie),
related AS (
    FROM named UNION SELECT descendant FROM closure WHERE ancestor IN (FROM named)
    UNION SELECT ancestor FROM closure WHERE descendant IN (FROM named)
)
SELECT curie FROM related UNION SELECT label FROM term WHERE curie IN (FROM named)
"""
