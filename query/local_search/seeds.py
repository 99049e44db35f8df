"""The entities that a question is about: those it names, else the nearest by meaning."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

import duckdb

from index.store.run_values import RUN_VALUES
from query.global_search.carrying import found_condition, runs_carrying
from query.local_search.seed import Seed
from query.local_search.vectors import Embed, cosines
from query.reading.mentions import GROUP_OF_FACET
from query.reading.question import Question
from query.reading.senses import Sense

NEAREST: Final = 5
"""Entities taken where the question names none."""
GRAPH_WORDS: Final = frozenset({
    "adjacent", "away", "chain", "chains", "closest", "connection", "connections", "direct",
    "directly", "edge", "edges", "entities", "entity", "expand", "graph", "hop", "hops",
    "intermediate", "intermediates", "mutual", "neighbor", "neighborhood", "neighbors",
    "neighbour", "neighbourhood", "neighbours", "node", "nodes", "one", "one-hop", "path",
    "paths", "relation", "relations", "route", "shortest", "step", "steps", "surroundings",
    "trace", "triple", "triples", "two", "two-hop", "walk",
})  # fmt: skip
"""Words for ways through a graph: the surroundings of a name answer them without knowing them."""
_CANDIDATES: Final = 400
"""Values, those of most runs first, that are compared with a question that names none."""


def as_asked_of_graph(question: Question) -> Question:
    """Return ``question`` with words for the graph among those that only word it.

    As it is where it names nothing: then they may be what is asked about.
    """
    if not question.mentions:
        return question
    reading = question.reading
    moved = [word for word in reading.not_understood if word.lower() in GRAPH_WORDS]
    changed = replace(
        reading,
        only_wording=(*reading.only_wording, *moved),
        not_understood=_others(reading.not_understood),
        unanswerable=_others(reading.unanswerable),
        proposals=tuple(pair for pair in reading.proposals if pair[0].lower() not in GRAPH_WORDS),
    )
    return replace(question, reading=changed)


def _others(words: Sequence[str]) -> tuple[str, ...]:
    """Return those of ``words`` that are not of the graph."""
    return tuple(word for word in words if word.lower() not in GRAPH_WORDS)


def named_seeds(question: Question) -> list[Seed]:
    """Return the entities that ``question`` names and that runs carry, in its order."""
    seeds = []
    for one in question.mentions:
        facets = {sense.facet for sense in one.senses}
        own = ""
        if one.group == "virus":
            own = found_condition(one.senses)
        seed = Seed(
            name=one.name,
            group=one.group,
            runs=runs_carrying(one.senses),
            own=own,
            facets=tuple(sorted(facets)),
            curies=one.curies,
        )
        seeds.append(seed)
    return seeds


def nearest_seeds(con: duckdb.DuckDBPyConnection, text: str, embed: Embed) -> list[Seed]:
    """Return the entities whose names mean most nearly what ``text`` says, nearest first.

    Names are those that most runs carry; a vector knows no Latin, so they are proposals.
    """
    rows = con.execute(_FREQUENT, [_CANDIDATES]).fetchall()
    if not rows:
        return []
    names = [str(value) for _, value in rows]
    scores = cosines(embed, text, names)
    scored = zip(scores, names, rows, strict=True)
    ranked = sorted(scored, key=_highest_first)
    nearest = ranked[:NEAREST]
    return [_nearest(*row) for _, _, row in nearest]


def _highest_first(scored: tuple[float, str, tuple[str, str]]) -> tuple[float, str]:
    score, name, _ = scored
    return -score, name


def _nearest(facet: str, value: str) -> Seed:
    sense = Sense(facet, value, 0, value=value)
    group = GROUP_OF_FACET.get(facet, facet)
    own = found_condition([sense])
    runs = runs_carrying([sense])
    return Seed(value, group, runs, own, nearest=True, facets=(facet,))


_FREQUENT: Final = f"""
SELECT facet, value FROM ({RUN_VALUES})
WHERE facet IN ('species', 'family', 'host', 'environment', 'tissue', 'disease', 'geography')
GROUP BY facet, value ORDER BY count(DISTINCT run) DESC, facet, value LIMIT $1
"""
