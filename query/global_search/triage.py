"""Which communities to read for a question, decided without a model.

Four signals, fused by weighted reciprocal ranks (Cormack, Clarke and Buettcher 2009, RRF):

overlap   F-measure of the community as an answer: the share of its runs that match against the
share of matching runs
lexical   BM25 of the question's telling words over the report and its findings
dense     cosine of the question and the report, where the index holds vectors and the caller
embeds the question evidence  significant associations within the community's matching projects

The rank of a community is taken over all levels. The walk goes down from level 0 and stops at a
community where most runs match, or that has no reported child: its report says it all. A question
whose terms some run carries reads only communities that hold such runs.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import duckdb

from index.store.same_for_all import same_for_all
from query.config import SIGNALS, TriageConfig
from query.global_search.lexical import rank_reports
from query.global_search.matched_runs import MatchedRuns

if TYPE_CHECKING:
    import polars as pl


@dataclass(frozen=True, slots=True)
class Candidate:
    """A community worth reading; ``score`` is 0-100, 100 for one that leads every signal."""

    community: str
    level: int
    runs: int
    matching: int
    score: float
    title: str
    risk_group: str


@dataclass(frozen=True, slots=True)
class Triage:
    """Communities to read, best first, and how many of each kind there are."""

    candidates: tuple[Candidate, ...]
    communities: int
    unreported: int
    """Communities of the walked levels that hold matching runs and have no report."""


def rank_communities(
    matched: MatchedRuns,
    words: Sequence[str],
    *,
    config: TriageConfig,
    question_vector: Sequence[float] | None = None,
    level: int | None = None,
) -> Triage:
    """Return the communities to read for the ``matched`` runs and the ``words``."""
    con = matched.connection
    matched.join_communities()
    con.register("once", _once(con))
    con.register("tested", _tested(con))
    lexical = rank_reports(con, words)
    asked: dict[str, object] = {
        "matched": matched.runs,
        "ids": [community for community, _ in lexical],
        "scores": [score for _, score in lexical],
        "names": list(SIGNALS),
        "weights": [config.weight(name) for name in SIGNALS],
        "k": config.rrf_k,
    }
    dense = ""
    if question_vector is not None:
        dense = _DENSE
        asked |= {"vector": list(question_vector), "least": config.min_dense_cosine}
    if level is None:
        asked["share"] = config.homogeneous_share
    else:
        asked["level"] = level
    query = _RANKED.format(dense=dense, chosen=_WALK if level is None else _ONE_LEVEL)
    rows = con.execute(query, asked).fetchall()
    candidates = tuple(Candidate(*row) for reported, *row in rows if reported)
    ((communities,),) = con.execute("SELECT count(*) FROM once").fetchall()
    return Triage(candidates, communities, len(rows) - len(candidates))


@same_for_all
def _once(con: duckdb.DuckDBPyConnection) -> pl.DataFrame:
    """Return the communities with each set of runs once; the view of them is costly to plan."""
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
    SELECT o.*, o.matching >= $share * o.runs OR NOT EXISTS (
        FROM overlap child WHERE child.parent = o.community AND child.reported
    ) AS stops
    FROM overlap o
),
walk AS (
    SELECT * FROM stop WHERE level = (SELECT min(level) FROM overlap)
    UNION ALL
    SELECT s.* FROM walk w JOIN stop s ON s.parent = w.community WHERE NOT w.stops
),
chosen AS (FROM walk WHERE stops)
"""
_ONE_LEVEL: Final = "chosen AS (FROM overlap WHERE $level BETWEEN level AND last_level)"
_RANKED: Final = """
WITH RECURSIVE
overlap AS MATERIALIZED (
    SELECT c.community, c.level, c.last_level, c.parent, c.runs, m.matching,
           r.title, r.risk_group, r.community IS NOT NULL AS reported
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
SELECT reported, community, level, runs, matching, coalesce(score, 0) AS score, title, risk_group
FROM chosen LEFT JOIN fused USING (community)
ORDER BY coalesce(fused.score, 0) DESC, matching DESC, community
"""
"""The chosen communities, best first, and whether each has a report."""
