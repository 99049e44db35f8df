"""Joints: how many runs of a community carry two of its values at once.

Two marginals do not make a joint: a title or a finding that joins a virus and a host rests on the
runs that carry both.
"""

from __future__ import annotations

from pathlib import Path
from string import Template
from typing import Final

import duckdb
import polars as pl

from index.reports.campaigns import CAMPAIGN_OF_RUN
from index.stated import VIRAL
from index.store.run_values import BROADER, STATED_VALUES

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
    template = Template(Path(__file__).with_name("joints.sql").read_text(encoding="utf-8"))
    values_of = {"STATED": STATED_VALUES, "BROADER": BROADER, "CAMPAIGN_OF_RUN": CAMPAIGN_OF_RUN}
    con.register("joint_value", numbered)
    try:
        con.execute(template.substitute(values_of))
        pairs: pl.DataFrame = con.sql(_PAIRS).pl()
    finally:
        con.unregister("joint_value")
        for name in _SCRATCH:
            con.execute(f"DROP TABLE IF EXISTS temp.joint_{name}")
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


_PAIRS: Final = """
WITH counted AS (
    SELECT id_a, id_b, sum(runs)::BIGINT AS together,
           count(*) FILTER (study <> '' AND NOT is_campaign)
               + count(DISTINCT campaign) FILTER (is_campaign) AS studies,
           max(runs::BIGINT << 32 | number::BIGINT) FILTER (study <> '') AS largest,
           coalesce(sum(runs) FILTER (study <> ''), 0)::BIGINT AS study_known
    FROM joint_pair JOIN joint_study USING (number) GROUP BY id_a, id_b
)
SELECT id_a::UINTEGER AS id_a, id_b::UINTEGER AS id_b, together, studies,
       coalesce(s.study, '') AS study, coalesce(s.key, '') AS key,
       coalesce(largest >> 32, 0) AS study_runs, study_known
FROM counted LEFT JOIN joint_study AS s ON s.number = largest & 4294967295
"""
"""The largest study is the one of most runs, and of several the last by name, as its number is."""
_SCRATCH: Final = (
    "said", "holder", "here", "member", "stated", "of_study", "study", "source", "alike",
    "placed", "pair",
)  # fmt: skip
