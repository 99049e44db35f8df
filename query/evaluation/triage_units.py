"""Which communities are worth reading for a question, as gold for triage.

A community is relevant where most of its runs match, or where it holds a tenth of all matching
runs. Communities are nested: relevant ones inside another count as the outermost of them, once,
so that reading a parent or its children is as good.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import duckdb

MOST_RELEVANT: Final = 10
"""Questions with more relevant communities than a cut-off at ten can hold have no recall at ten."""
DEPTH: Final = 10


@dataclass(frozen=True, slots=True)
class RankedUnits:
    """Relevant units of a question, and the units that triage reached, best first."""

    relevant: frozenset[str]
    reached: tuple[str, ...]


def rank_units(
    con: duckdb.DuckDBPyConnection, matching: str, communities: Sequence[str]
) -> RankedUnits:
    """Return the relevant units for the runs of ``matching`` and those that ``communities`` reach.

    ``matching``: a SELECT of runs. A community that is not relevant is a unit of its own.
    """
    held = con.execute(_MATCHING.format(matching=matching)).fetchall()
    parents = {community: parent for community, parent, _ in held}
    relevant = {community for community, _, is_relevant in held if is_relevant}
    units = {community: _outermost(community, parents, relevant) for community in relevant}
    reached = [units.get(community, community) for community in communities]
    distinct = dict.fromkeys(reached)
    return RankedUnits(frozenset(units.values()), tuple(distinct))


def triage_measures(ranked: Mapping[str, RankedUnits]) -> dict[str, float]:
    """Return P@1, P@5, RR@10, R@10 and AP@10 of triage over the questions of ``ranked``.

    Recall and average precision are over the questions with at most ten relevant units, and their
    number is ``questions``. Computed by ir-measures, the interface of trec_eval.
    """
    import ir_measures
    from ir_measures import AP, RR, P, R

    judged = {key: one for key, one in ranked.items() if one.relevant}
    few = {key: one for key, one in judged.items() if len(one.relevant) <= MOST_RELEVANT}
    if not few:
        return {}
    of_first = [P @ 1, P @ 5, RR @ DEPTH]
    first = ir_measures.calc_aggregate(of_first, _wanted(judged), _runs(judged))
    of_recall = [R @ DEPTH, AP @ DEPTH]
    recall = ir_measures.calc_aggregate(of_recall, _wanted(few), _runs(few))
    values = {**first, **recall}
    measured = {"questions": float(len(few))}
    for measure in [*of_first, *of_recall]:
        measured[str(measure)] = round(values[measure], 4)
    return measured


def _wanted(ranked: Mapping[str, RankedUnits]) -> dict[str, dict[str, int]]:
    wanted = {}
    for key, one in ranked.items():
        units = sorted(one.relevant)
        wanted[key] = dict.fromkeys(units, 1)
    return wanted


def _runs(ranked: Mapping[str, RankedUnits]) -> dict[str, dict[str, float]]:
    """Return a falling score for each unit reached, as trec_eval takes a ranking."""
    runs = {}
    for key, one in ranked.items():
        scores = {}
        for place, unit in enumerate(one.reached):
            scores[unit] = -float(place)
        runs[key] = scores
    return runs


def _outermost(community: str, parents: Mapping[str, str | None], relevant: set[str]) -> str:
    """Return the outermost relevant community that holds ``community``, itself where none does."""
    found = community
    above = parents.get(community)
    while above is not None:
        if above in relevant:
            found = above
        above = parents.get(above)
    return found


_MATCHING: Final = """
WITH asked AS (SELECT DISTINCT run FROM ({matching}) SEMI JOIN run USING (run)),
held AS (
    SELECT community, count(*) AS runs FROM community_member JOIN asked ON asked.run = entity
    GROUP BY community
)
SELECT c.community, c.parent,
       r.community IS NOT NULL AND h.runs >= 2
       AND (2 * h.runs >= c.runs OR 10 * h.runs >= (SELECT count(*) FROM asked))
FROM distinct_community c JOIN held h USING (community) LEFT JOIN report r USING (community)
ORDER BY c.community
"""
