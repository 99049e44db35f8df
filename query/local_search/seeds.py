"""The entities that a question is about: those it names, else the nearest by meaning."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import duckdb

from index.store.run_values import RUN_VALUES
from query.global_search.carrying import found_condition, runs_carrying
from query.local_search.vectors import Embed, cosines
from query.reading.mentions import GROUP_OF_FACET
from query.reading.question import Question
from query.reading.senses import Sense

NEAREST: Final = 5
"""Entities taken where the question names none."""
_CANDIDATES: Final = 400
"""Values, those of most runs first, that are compared with a question that names none."""


@dataclass(frozen=True, slots=True)
class Seed:
    """An entity of the question: its name, its group, and the SELECT of its runs.

    ``own`` is the condition on a detection that is of the entity itself, empty where it is no
    virus; ``nearest`` is True where the question does not name it.
    """

    name: str
    group: str
    runs: str
    own: str = ""
    nearest: bool = False
    facets: tuple[str, ...] = ()
    curies: tuple[str, ...] = ()


def named_seeds(question: Question) -> list[Seed]:
    """Return the entities that ``question`` names and that runs carry, in its order."""
    seeds = []
    for one in question.mentions:
        facets = tuple(sorted({sense.facet for sense in one.senses}))
        own = found_condition(one.senses) if one.group == "virus" else ""
        runs = runs_carrying(one.senses)
        seeds.append(Seed(one.name, one.group, runs, own, False, facets, one.curies))
    return seeds


def nearest_seeds(con: duckdb.DuckDBPyConnection, text: str, embed: Embed) -> list[Seed]:
    """Return the entities whose names mean most nearly what ``text`` says, nearest first.

    Names are those that most runs carry; a vector knows no Latin, so they are proposals.
    """
    rows = con.execute(_FREQUENT, [_CANDIDATES]).fetchall()
    if not rows:
        return []
    scores = cosines(embed, text, [str(value) for _, value in rows])
    ranked = sorted(range(len(rows)), key=lambda place: (-scores[place], rows[place][1]))
    return [_nearest(*rows[place]) for place in ranked[:NEAREST]]


def _nearest(facet: str, value: str) -> Seed:
    sense = Sense(facet, value, 0, value=value)
    group = GROUP_OF_FACET.get(facet, facet)
    own = found_condition([sense])
    return Seed(value, group, runs_carrying([sense]), own, True, (facet,))


_FREQUENT: Final = f"""
SELECT facet, value FROM ({RUN_VALUES})
WHERE facet IN ('species', 'family', 'host', 'environment', 'tissue', 'disease', 'geography')
GROUP BY facet, value ORDER BY count(DISTINCT run) DESC, facet, value LIMIT $1
"""
