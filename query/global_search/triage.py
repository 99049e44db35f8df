"""Decide without a model which communities to read for a request.

Four signals, fused by weighted reciprocal ranks (Cormack, Clarke and Buettcher 2009, RRF):

overlap   F-measure of the community as an answer: the share of its runs that match against the
          share of matching runs
lexical   BM25 of the request's names over the report and its findings
dense     cosine of the text and the report, where the index holds vectors
evidence  significant associations within the community's matching projects

The walk goes down from level 0 and stops at a community where most runs match, or of whose matching
runs children with a report hold less than half: its report says it all. If every run of the index
matches, counts cannot distinguish communities: reports of all levels are ranked by what they say
about the text, and only the best of a community and those within it is read.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import duckdb
import polars as pl

from index.store.same_for_all import same_for_all
from query.global_search.lexical import rank_reports
from query.global_search.matched import MatchedRuns

_WEIGHTS: Final = {"overlap": 3.0, "lexical": 1.0, "dense": 1.0, "evidence": 0.5}
"""Weights of the signals in the fusion."""
_RRF_K: Final = 10
_HOMOGENEOUS: Final = 0.8
"""Share of matching runs from which a community is read as a whole, not by its children."""
_LEAST_COSINE: Final = 0.3
_ALONE: Final = 0.42
"""Cosine from which a report that has none of the words is read (``query.search.hybrid``)."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """A community worth reading; ``score`` is 0-100, 100 for one that leads every signal."""

    community: str
    runs: int
    matching: int
    score: float
    title: str


@dataclass(frozen=True, slots=True)
class Triage:
    """Communities to read, best first, and the numbers of all communities of each kind."""

    candidates: tuple[Candidate, ...]
    communities: int
    unreported: int
    """Communities of the walked levels that hold matching runs and have no report."""


def rank_communities(
    matched: MatchedRuns,
    words: Sequence[str],
    *,
    vector: Sequence[float] | None = None,
    level: int | None = None,
) -> Triage:
    """Return the communities to read for the ``matched`` runs and the ``words``."""
    con = matched.connection
    con.register("once", _once(con))
    con.register("tested", _tested(con))
    lexical = rank_reports(con, words)
    by_text = matched.is_open and level is None and bool(lexical or vector)
    # overlap is size alone where every run matches
    weights = _WEIGHTS | ({"overlap": 0.0} if by_text else {})
    parameters: dict[str, object] = {
        "matched": matched.runs,
        "ids": [community for community, _ in lexical],
        "scores": [score for _, score in lexical],
        "names": list(weights),
        "weights": list(weights.values()),
        "k": _RRF_K,
    }
    dense = ""
    if vector is not None:
        dense = _DENSE
        least = _ALONE if by_text else _LEAST_COSINE
        parameters |= {"vector": list(vector), "least": least}
    chosen = _WALK
    if level is not None:
        chosen = _ONE_LEVEL
        parameters["level"] = level
    elif by_text:
        chosen = _SAYING_SO
    else:
        parameters["share"] = _HOMOGENEOUS
    rows = con.execute(_RANKED.format(dense=dense, chosen=chosen), parameters).fetchall()
    candidates = [Candidate(*row) for reported, *row in rows if reported]
    unreported = len(rows) - len(candidates)
    if by_text and not candidates:
        return rank_communities(matched, ())
    if by_text:
        parents = dict(con.execute("SELECT community, parent FROM once").fetchall())
        candidates = _apart(candidates, parents)
    ((communities,),) = con.execute("SELECT count(*) FROM once").fetchall()
    return Triage(tuple(candidates), communities, unreported)


def _apart(ranked: Sequence[Candidate], parents: dict[str, str | None]) -> list[Candidate]:
    """Return the best of ``ranked`` such that none contains another."""
    chosen: list[Candidate] = []
    covered: set[str] = set()
    above_taken: set[str] = set()
    for candidate in ranked:
        line = _line(candidate.community, parents)
        if candidate.community not in above_taken and covered.isdisjoint(line):
            chosen.append(candidate)
            covered.add(candidate.community)
            above_taken.update(line)
    return chosen


def _line(community: str, parents: dict[str, str | None]) -> list[str]:
    """Return the communities that ``community`` is in, including itself."""
    line = [community]
    above = parents.get(community)
    while above is not None:
        line.append(above)
        above = parents.get(above)
    return line


@same_for_all
def _once(con: duckdb.DuckDBPyConnection) -> pl.DataFrame:
    """Return the communities, one for each set of runs; the view of them is slow to plan."""
    rows: pl.DataFrame = con.sql("FROM distinct_community").pl()
    return rows


@same_for_all
def _tested(con: duckdb.DuckDBPyConnection) -> pl.DataFrame:
    """Return the projects with associations that hold, and how many each has."""
    rows: pl.DataFrame = con.sql(_TESTED).pl()
    return rows


_TESTED: Final = """
SELECT bioproject, count(*) AS tests FROM association
WHERE q_value <= 0.05 AND flag IS NULL GROUP BY bioproject
"""
_DENSE: Final = """
UNION ALL
SELECT id, 'dense', array_inner_product(vector, $vector::FLOAT[384])
FROM embedding WHERE kind = 'report' AND array_inner_product(vector, $vector::FLOAT[384]) >= $least
"""
_WALK: Final = """
stop AS MATERIALIZED (
    SELECT o.*, o.matching >= $share * o.runs OR 2 * coalesce((
        SELECT sum(child.matching) FROM overlap child
        WHERE child.parent = o.community AND child.reported
    ), 0) < o.matching AS stops
    FROM overlap o
),
walk AS (
    SELECT * FROM stop WHERE level = (SELECT min(level) FROM overlap)
    UNION ALL
    SELECT s.* FROM walk w JOIN stop s ON s.parent = w.community WHERE NOT w.stops
),
chosen AS (FROM walk WHERE stops)
"""
_SAYING_SO: Final = """
chosen AS (
    FROM overlap
    WHERE community IN (SELECT community FROM signal WHERE name IN ('lexical', 'dense'))
)
"""
_ONE_LEVEL: Final = "chosen AS (FROM overlap WHERE $level BETWEEN level AND last_level)"
_RANKED: Final = """
WITH RECURSIVE
overlap AS MATERIALIZED (
    SELECT c.community, c.level, c.last_level, c.parent, c.runs, m.matching,
           r.title, r.community IS NOT NULL AS reported
    FROM once c
    JOIN (
        SELECT community, count(*) AS matching FROM member GROUP BY community
    ) m USING (community)
    LEFT JOIN report r USING (community)
),
evidence AS (
    SELECT DISTINCT m.community, t.bioproject, t.tests
    FROM member m JOIN run USING (run) JOIN tested t USING (bioproject)
),
signal AS (
    SELECT community, 'overlap' AS name, 2.0 * matching / (runs + $matched) AS value FROM overlap
    UNION ALL
    SELECT unnest($ids::VARCHAR[]), 'lexical', unnest($scores::DOUBLE[])
    UNION ALL
    SELECT community, 'evidence', sum(tests) FROM evidence GROUP BY community
    {dense}
),
weight AS (SELECT unnest($names::VARCHAR[]) AS name, unnest($weights::DOUBLE[]) AS weight),
ranked AS MATERIALIZED (
    SELECT s.community, s.name, rank() OVER (PARTITION BY s.name ORDER BY s.value DESC) AS place
    FROM signal s SEMI JOIN report USING (community)
),
best AS (
    SELECT sum(weight / ($k + 1.0)) AS most FROM weight WHERE name IN (SELECT name FROM ranked)
),
fused AS (
    SELECT community,
           round(100 * sum(weight / ($k + place) ORDER BY name) / any_value(most), 1) AS score
    FROM ranked JOIN weight USING (name) CROSS JOIN best GROUP BY community
),
{chosen}
SELECT reported, community, runs, matching, coalesce(score, 0) AS score, title
FROM chosen LEFT JOIN fused USING (community)
ORDER BY coalesce(fused.score, 0) DESC, matching DESC, community
"""
"""The chosen communities, best first, and whether each has a report."""
