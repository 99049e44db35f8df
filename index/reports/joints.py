"""Joints: how many runs of a community carry two of its values at once.

Two marginals do not make a joint: a title or a finding that joins a virus and a host rests on the
runs that carry both.
"""

from __future__ import annotations

from typing import Final

import duckdb
import polars as pl

from index.reports.campaigns import CAMPAIGN_OF_RUN
from index.stated import VIRAL
from index.store.frames import rows_over
from index.store.run_values import COMMUNITY_RUNS, STATED_VALUES

JOINED: Final = 0.2
"""Minimum share of the rarer value's runs that carry both values for a pair to be kept."""
VALUES_PER_FACET: Final = 2
MORE_VALUES: Final = {"species": 6, "family": 3, "host": 3, "environment": 3, "virus": 3,
                      "tissue": 3, "disease": 3, "geography": 3}  # fmt: skip
"""Most values of a facet that are joined: titles choose among them."""
UNJOINED: Final = ("label", "sex")
"""Facets whose values no title or finding joins to another value."""

_VALUE: Final = ["community", "facet", "value", "runs", "known"]


def joined_values(shown: pl.DataFrame) -> pl.DataFrame:
    """Return the values of ``shown`` facts that are worth joining: the most frequent of a facet."""
    facet = pl.col("facet")
    most = facet.replace_strict(MORE_VALUES, default=VALUES_PER_FACET, return_dtype=pl.Int64)
    frequency = pl.struct(-pl.col("runs"), "value")
    place = frequency.rank("ordinal").over("community", "facet")
    usable = shown.filter(~facet.is_in(UNJOINED))
    frequent = usable.filter(place <= most)
    values = frequent.select(_VALUE)

    return values.sort("community", "facet", "value")


def count_joints(con: duckdb.DuckDBPyConnection, values: pl.DataFrame) -> pl.DataFrame:
    """Return each pair of ``values`` of a community, also with itself, and the runs with both.

    Columns: those of ``joined_values`` with suffixes ``_a`` and ``_b``, ``community`` once,
    ``together``, and the other fields of ``StudyCount``. Pairs that no run carries are absent.
    """
    numbered = values.with_row_index("id")
    pairs = rows_over(con, _JOINTS, {"joint_value": numbered})
    first = _suffixed(numbered, "_a")
    second = _suffixed(numbered, "_b").drop("community")
    named = pairs.join(first, on="id_a").join(second, on="id_b")

    return named.sort("community", "facet_a", "value_a", "facet_b", "value_b")


def _suffixed(numbered: pl.DataFrame, suffix: str) -> pl.DataFrame:
    """Return ``numbered`` with a suffix on the name of each column except ``community``."""
    suffixed = {name: f"{name}{suffix}" for name in numbered.columns}
    suffixed["community"] = "community"
    return numbered.rename(suffixed)


def is_strong(joints: pl.DataFrame) -> pl.DataFrame:
    """Return ``joints`` with ``strong``: whether a good part of the rarer value's runs carry both.

    Weak joints are left out unless one side is a virus: what it shares with others is counted.
    """
    rarer = pl.min_horizontal("runs_a", "runs_b")
    strong = joints.with_columns(strong=pl.col("together") >= JOINED * rarer)
    viral = pl.col("facet_a").is_in(VIRAL) | pl.col("facet_b").is_in(VIRAL)
    return strong.filter(pl.col("strong") | viral)


_JOINTS: Final = f"""
WITH
value AS (SELECT id, community, facet, value FROM joint_value),
member AS (FROM ({COMMUNITY_RUNS}) SEMI JOIN value USING (community)),
said AS MATERIALIZED (SELECT DISTINCT facet, value FROM value),
stated AS MATERIALIZED (
    SELECT DISTINCT run, facet, value FROM ({STATED_VALUES}) SEMI JOIN said USING (facet, value)
),
carried AS MATERIALIZED (
    SELECT v.id, m.community, m.run
    FROM member AS m JOIN stated AS s USING (run)
    JOIN value AS v ON v.community = m.community AND v.facet = s.facet AND v.value = s.value
),
of_study AS MATERIALIZED ({CAMPAIGN_OF_RUN}),
study AS MATERIALIZED (
    SELECT study, any_value(key) AS key, any_value(campaign) AS campaign,
           row_number() OVER (ORDER BY study)::INTEGER AS number
    FROM of_study GROUP BY study
),
place AS MATERIALIZED (  -- of a run in a community: pairs are counted over numbers, not over names
    SELECT community, run, any_value(number) AS study, row_number() OVER ()::INTEGER AS place
    FROM carried JOIN of_study USING (run) JOIN study AS s USING (study) GROUP BY community, run
),
placed AS MATERIALIZED (
    SELECT id::INTEGER AS id, place, study FROM carried JOIN place USING (community, run)
),
pair AS (
    SELECT a.id AS id_a, b.id AS id_b, a.study AS number, count(*) AS runs
    FROM placed AS a JOIN placed AS b ON b.place = a.place AND a.id <= b.id GROUP BY ALL
)
SELECT id_a::UINTEGER AS id_a, id_b::UINTEGER AS id_b, sum(runs)::BIGINT AS together,
       count(DISTINCT nullif(campaign, '')) AS studies,
       coalesce(arg_max(study, (runs, study)) FILTER (study <> ''), '') AS study,
       coalesce(arg_max(key, (runs, study)) FILTER (study <> ''), '') AS key,
       coalesce(max(runs) FILTER (study <> ''), 0) AS study_runs,
       coalesce(sum(runs) FILTER (study <> ''), 0)::BIGINT AS study_known
FROM pair JOIN study USING (number) GROUP BY id_a, id_b
"""
