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
    con.execute(_OVERLAP)
    con.execute(_SIGNAL_TABLE)
    con.execute(_OVERLAP_SIGNAL)
    lexical = rank_reports(con, words)
    con.execute(
        _GIVEN_SIGNAL,
        {"name": "lexical", "ids": [c for c, _ in lexical], "values": [s for _, s in lexical]},
    )
    if question_vector is not None:
        con.execute(
            _DENSE_SIGNAL, {"vector": list(question_vector), "least": config.min_dense_cosine}
        )
    con.execute(_EVIDENCE_SIGNAL)
    weights = {
        "names": list(SIGNALS),
        "weights": [config.weight(name) for name in SIGNALS],
        "k": config.rrf_k,
    }
    con.execute(_FUSE, weights)
    con.execute(
        _WALK if level is None else _ONE_LEVEL,
        {"share": config.homogeneous_share} if level is None else [level],
    )
    rows = con.execute(_CANDIDATES).fetchall()
    ((communities, unreported),) = con.execute(_LEDGER).fetchall()
    return Triage(tuple(Candidate(*row) for row in rows), communities, unreported)


@same_for_all
def _once(con: duckdb.DuckDBPyConnection) -> pl.DataFrame:
    """Return the communities with each set of runs once; the view of them is costly to plan."""
    rows: pl.DataFrame = con.sql("FROM distinct_community").pl()
    return rows


_OVERLAP: Final = """
CREATE OR REPLACE TEMP TABLE overlap AS
SELECT c.community, c.level, c.last_level, c.parent, c.runs, m.matching,
       r.community IS NOT NULL AS reported
FROM once c
JOIN (
    SELECT community, count(*) AS matching FROM member GROUP BY community
) m USING (community)
LEFT JOIN report r USING (community)
"""

_SIGNAL_TABLE: Final = (
    "CREATE OR REPLACE TEMP TABLE signal (community VARCHAR, name VARCHAR, value DOUBLE)"
)

_OVERLAP_SIGNAL: Final = """
INSERT INTO signal SELECT community, 'overlap', 2.0 * matching / (runs + (SELECT count(*)
    FROM matched)) FROM overlap
"""

_GIVEN_SIGNAL: Final = (
    "INSERT INTO signal SELECT unnest($ids::VARCHAR[]), $name, unnest($values::DOUBLE[])"
)

_DENSE_SIGNAL: Final = """
INSERT INTO signal
SELECT id, 'dense', array_inner_product(vector, $vector::FLOAT[384]) AS cosine
FROM embedding WHERE kind = 'report' AND array_inner_product(vector, $vector::FLOAT[384]) >= $least
"""

_EVIDENCE_SIGNAL: Final = """
INSERT INTO signal
WITH significant AS (
    SELECT bioproject, count(*) AS n FROM association WHERE q_value <= 0.05 AND flag IS NULL
        GROUP BY bioproject
),
tested AS (
    SELECT r.run, r.bioproject, s.n
    FROM run r SEMI JOIN matched USING (run) JOIN significant s USING (bioproject)
),
project AS (SELECT DISTINCT m.community, t.bioproject, t.n FROM member m JOIN tested t USING (run))
SELECT community, 'evidence', sum(n) FROM project GROUP BY community
"""

_FUSE: Final = """
CREATE OR REPLACE TEMP TABLE fused AS
WITH weight AS (SELECT unnest($names::VARCHAR[]) AS name, unnest($weights::DOUBLE[]) AS weight),
ranked AS (
    SELECT s.community, s.name, rank() OVER (PARTITION BY s.name ORDER BY s.value DESC) AS place
    FROM signal s SEMI JOIN report USING (community)
),
best AS (SELECT sum(weight / ($k + 1.0)) AS most FROM weight WHERE name IN (SELECT name
    FROM ranked))
SELECT community,
       round(100 * sum(weight / ($k + place) ORDER BY name) / any_value(most), 1) AS score
FROM ranked JOIN weight USING (name) CROSS JOIN best GROUP BY community
"""

_WALK: Final = """
CREATE OR REPLACE TEMP TABLE chosen AS
WITH RECURSIVE stop AS (
    SELECT o.community, o.level, o.parent, o.reported, o.matching >= $share * o.runs OR NOT EXISTS (
        FROM overlap child WHERE child.parent = o.community AND child.reported
    ) AS stops
    FROM overlap o
),
walk AS (
    SELECT community, reported, stops FROM stop WHERE level = (SELECT min(level) FROM overlap)
    UNION ALL
    SELECT s.community, s.reported, s.stops FROM walk w JOIN stop s ON s.parent = w.community
        WHERE NOT w.stops
)
SELECT community, reported FROM walk WHERE stops
"""

_ONE_LEVEL: Final = """
CREATE OR REPLACE TEMP TABLE chosen AS SELECT community, reported FROM overlap
WHERE ? BETWEEN level AND last_level
"""

_CANDIDATES: Final = """
SELECT o.community, o.level, o.runs, o.matching, coalesce(f.score, 0) AS score, r.title,
    r.risk_group
FROM chosen JOIN overlap o USING (community) JOIN report r USING (community) LEFT
    JOIN fused f USING (community)
ORDER BY score DESC, o.matching DESC, o.community
"""

_LEDGER: Final = """
SELECT (SELECT count(*) FROM once), (SELECT count(*) FROM chosen WHERE NOT reported)
"""
