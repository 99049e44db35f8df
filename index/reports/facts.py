"""Facts: what is over-represented in each community, counted over distinct runs (SQL in
``facts.sql``).

A value of a facet is tested in each community that has it: ``runs`` of the ``known`` runs of the
community (those that state any value of the facet) against ``index_runs`` of ``index_known`` in the
whole index, by the upper tail of the hypergeometric distribution (the one-sided Fisher test).
q-values are Benjamini-Hochberg over every test of the index, all facets and levels together. They
say how much a community differs from a random set of runs. Communities are found from some of the
same metadata, so a small q-value describes a community; it is not an independent discovery.

Tests are made where they can say something: for values that at least two runs of the index have, in
communities where at least two runs state the facet. Each set of runs is tested once. Both
conditions look at totals and never at the count under test, so they leave the p-values of the
others as they are (independent filtering: Bourgon, Gentleman and Huber 2010). A value of a single
run of the community is tested but never found (decision 131): its p-value is 1, which can only be
too large, so the others stay valid. Values that are not tested have q-value 1.
"""

from __future__ import annotations

import logging
from pathlib import Path
from string import Template
from typing import Final, TypeAlias

import dataframely as dy
import duckdb
import numpy as np
import numpy.typing as npt
import polars as pl
import scipy

from index.false_discovery import benjamini_hochberg
from index.store.run_values import FINEST_RUNS, IS_KNOWN, STATED_VALUES, WITH_FINEST
from index.tables import Fact
from ontology_etl.tables import conform

MAX_BY_RANK: Final = 25
MAX_BY_COUNT: Final = 5
MIN_TESTED: Final = 2
"""Minimum number of runs: one run is not a pattern."""

Integers: TypeAlias = npt.NDArray[np.int64]
Floats: TypeAlias = npt.NDArray[np.float64]

_log = logging.getLogger(__name__)
_SCRATCH: Final = (
    "value", "virus_taxon", "ancestor", "community", "above", "member", "stated", "run_value",
    "runs", "known",
)  # fmt: skip
_COUNTS: Final = ["runs", "known", "index_runs", "index_known"]
_OF_FACET: Final = """
CREATE OR REPLACE TEMP TABLE fact_run_value AS
SELECT DISTINCT run_id, value_id FROM fact_stated WHERE facet_id = {facet};

-- A run counts for its most specific terms only: 'intestine' is not reported beside 'colon' of the
-- same run.
INSERT INTO fact_runs
SELECT finest_id, value_id, count(*)
FROM fact_run_value ANTI JOIN (
    SELECT run_id, ancestor_id AS value_id FROM fact_run_value JOIN fact_ancestor USING (value_id)
) USING (run_id, value_id)
JOIN fact_member USING (run_id) GROUP BY ALL;

INSERT INTO fact_known
SELECT finest_id, {facet}, count(*)
FROM (SELECT DISTINCT run_id FROM fact_run_value) JOIN fact_member USING (run_id) GROUP BY ALL;
"""
_COUNTED: Final = """
WITH
index_known AS (SELECT facet_id, sum(known)::BIGINT AS index_known FROM fact_known GROUP BY ALL),
index_runs AS (SELECT value_id, sum(runs)::BIGINT AS index_runs FROM fact_runs GROUP BY ALL),
known AS (
    SELECT community_id, facet_id, sum(known)::BIGINT AS known
    FROM fact_known JOIN fact_above USING (finest_id) GROUP BY ALL
),
counted AS (
    SELECT community_id, value_id, sum(runs)::BIGINT AS runs
    FROM fact_runs JOIN fact_above USING (finest_id) GROUP BY ALL
)
SELECT m.community, v.facet, v.value, coalesce(v.curie, t.curie) AS curie, c.runs, known.known,
       index_runs.index_runs, index_known.index_known
FROM counted AS c
JOIN fact_community AS m USING (community_id)
JOIN fact_value AS v USING (value_id)
JOIN index_runs USING (value_id)
JOIN index_known ON index_known.facet_id = v.facet_id
JOIN known ON known.community_id = c.community_id AND known.facet_id = v.facet_id
LEFT JOIN fact_virus_taxon AS t USING (value_id)
"""


def compute_facts(
    con: duckdb.DuckDBPyConnection,
    *,
    max_by_rank: int = MAX_BY_RANK,
    max_by_count: int = MAX_BY_COUNT,
) -> dy.DataFrame[Fact]:
    """Return the facts of every community of every level.

    Reads ``run, annotation, detection, term, closure, carried, community_member`` from ``con``
    and leaves no table behind. For each community and facet the ``max_by_rank`` strongest and the
    ``max_by_count`` most frequent values are kept; the numbers counted, tested and kept are logged.
    A community carried down from its parent has no facts of its own: those of its parent are its
    facts.
    """
    counts = count_values(con)
    ranked = rank_values(weigh_counts(counts))
    strong = pl.col("rank") <= max_by_rank
    frequent = pl.col("by_count") <= max_by_count
    kept = ranked.filter(strong | frequent)
    tested = len(counts.filter(is_tested()))
    _log.info(
        "facts: %d values counted, %d tested, %d kept",
        len(counts),
        tested,
        len(kept),
    )
    return conform(kept, Fact)


def is_tested() -> pl.Expr:
    """Return whether a count is tested: ``MIN_TESTED`` runs or more state value and facet."""
    value_of_several = pl.col("index_runs") >= MIN_TESTED
    facet_of_several = pl.col("known") >= MIN_TESTED
    return value_of_several & facet_of_several


def count_values(con: duckdb.DuckDBPyConnection) -> pl.DataFrame:
    """Return ``community, facet, value, curie, runs, known, index_runs, index_known``, one row per
    value seen. Values are counted facet by facet: together they would take too much memory.
    """
    path = Path(__file__).with_name("facts.sql")
    template = Template(path.read_text(encoding="utf-8"))
    script = template.substitute(
        STATED_VALUES=STATED_VALUES,
        IS_KNOWN=IS_KNOWN,
        FINEST_RUNS=FINEST_RUNS,
        WITH_FINEST=WITH_FINEST,
    )
    try:
        con.execute(script)
        facets = con.sql("SELECT DISTINCT facet_id FROM fact_value ORDER BY ALL").fetchall()
        for (facet,) in facets:
            con.execute(_OF_FACET.format(facet=facet))
        counts: pl.DataFrame = con.sql(_COUNTED).pl()
    finally:
        for name in _SCRATCH:
            con.execute(f"DROP TABLE IF EXISTS temp.fact_{name}")
    return counts


def weigh_counts(counts: pl.DataFrame) -> pl.DataFrame:
    """Return ``counts`` with ``share, background_share, lift, q_value`` (1 where not tested, and
    where a single run has the value).

    Equal counts are tested once: communities share most of their small numbers, and the tail is
    expensive.
    """
    tested = counts.filter(is_tested()).select(_COUNTS)
    distinct = tested.unique(maintain_order=True)
    several = distinct.filter(pl.col("runs") >= MIN_TESTED)
    arguments = [several[name].to_numpy() for name in _COUNTS]
    p_value = pl.Series("p_value", upper_tail(*arguments))
    by_counts = several.with_columns(p_value)

    spread = tested.join(by_counts, on=_COUNTS, how="left", maintain_order="left")
    p_values = spread["p_value"].fill_null(1.0)
    corrected = benjamini_hochberg(p_values.to_numpy())
    q_value = pl.Series("q_value", corrected, pl.Float64)
    q_values = tested.with_columns(q_value).unique(_COUNTS)

    share = pl.col("runs") / pl.col("known")
    background = pl.col("index_runs") / pl.col("index_known")
    weighed = counts.join(q_values, on=_COUNTS, how="left")
    return weighed.with_columns(
        pl.col("q_value").fill_null(1.0),
        share=share,
        background_share=background,
        lift=share / background,
    )


def upper_tail(
    runs: Integers,
    known: Integers,
    index_runs: Integers,
    index_known: Integers,
) -> Floats:
    """Return P(X >= ``runs``) when ``known`` of ``index_known`` runs are drawn and ``index_runs``
    have the value.
    """
    at_most = runs - 1
    tail: Floats = scipy.stats.hypergeom.sf(at_most, index_known, index_runs, known)
    return np.clip(tail, 0.0, 1.0)


def rank_values(tested: pl.DataFrame) -> pl.DataFrame:
    """Return ``tested`` with ``rank`` (by evidence) and ``by_count`` (by runs) within community and
    facet, from 1.

    Evidence: smallest q-value, then most runs, then largest lift, then name.
    """
    facet = ["community", "facet"]
    order = pl.int_range(1, pl.len() + 1, dtype=pl.Int32).over(facet)
    by_count = tested.sort("runs", "q_value", "value", descending=[True, False, False])
    counted = by_count.with_columns(order.alias("by_count"))
    return counted.sort(
        "q_value",
        "runs",
        "lift",
        "value",
        descending=[False, True, True, False],
    ).with_columns(order.alias("rank"))
