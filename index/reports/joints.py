"""Joints: how many runs of a community carry two of its values at once, and which viruses keep
company.

Two marginals are not a joint: a title or a finding that joins a virus and a host rests on the runs
that carry both. Two viruses keep company where more runs carry both than chance would give, by the
upper tail of the hypergeometric distribution among the runs of the community that name a virus;
q-values are Benjamini-Hochberg over all pairs tested. What holds only because the runs are of
different hosts or studies is dropped.
"""

from __future__ import annotations

from typing import Final

import duckdb
import polars as pl

from index.false_discovery import benjamini_hochberg
from index.reports.campaigns import CAMPAIGN_OF_RUN
from index.reports.facts import upper_tail
from index.reports.phrases import SIGNIFICANT_Q
from index.stated import CLOSEST, LIKE, VIRAL
from index.store.frames import rows_over
from index.store.run_values import COMMUNITY_RUNS, STATED_VALUES, STUDY_OF_RUN

JOINED: Final = 0.2
"""Share of the runs of the rarer of two values that carry both, from which a pair is kept."""
OFTEN: Final = 1.5
"""Times the runs of chance from which company is worth a word."""
MIN_TOGETHER: Final = 10
"""Runs that carry two viruses before their company is tested."""
LEAST_TOGETHER: Final = 0.05
"""Share of the runs that name a virus which company is of, before it is worth a word."""
VALUES_PER_FACET: Final = 2
MORE_VALUES: Final = {"species": 6, "family": 3, "host": 3, "environment": 3, "virus": 3,
                      "tissue": 3, "disease": 3, "geography": 3}  # fmt: skip
"""Most values of a facet that are joined: viruses keep company, and titles choose among hosts."""
UNJOINED: Final = ("label", "sex")
"""Facets whose values no title and no finding joins to another."""
_ROUNDING: Final = 1e-9

_VALUE: Final = ["community", "facet", "value", "runs", "known"]


def joined_values(shown: pl.DataFrame) -> pl.DataFrame:
    """Return the values of ``shown`` facts that are worth joining: the most frequent of each
    facet.
    """
    facet = pl.col("facet")
    most = facet.replace_strict(MORE_VALUES, default=VALUES_PER_FACET, return_dtype=pl.Int64)
    frequency = pl.struct(-pl.col("runs"), "value")
    place = frequency.rank("ordinal").over("community", "facet")
    usable = shown.filter(~facet.is_in(UNJOINED))
    frequent = usable.filter(place <= most)
    values = frequent.select(_VALUE)

    return values.sort("community", "facet", "value")


def count_joints(con: duckdb.DuckDBPyConnection, values: pl.DataFrame) -> pl.DataFrame:
    """Return each pair of ``values`` of a community with the runs that carry both, and each value
    with itself.

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
    """Return ``numbered`` with a suffix at the name of each column but ``community``."""
    suffixed = {name: f"{name}{suffix}" for name in numbered.columns}
    suffixed["community"] = "community"
    return numbered.rename(suffixed)


def is_strong(joints: pl.DataFrame) -> pl.DataFrame:
    """Return ``joints`` with ``strong``: whether a good part of the runs of the rarer value carry
    both. Weak ones are left out unless one side is a virus: what it shares with others is counted.
    """
    rarer = pl.min_horizontal("runs_a", "runs_b")
    strong = joints.with_columns(strong=pl.col("together") >= JOINED * rarer)
    viral = pl.col("facet_a").is_in(VIRAL) | pl.col("facet_b").is_in(VIRAL)
    return strong.filter(pl.col("strong") | viral)


def find_company(joints: pl.DataFrame) -> pl.DataFrame:
    """Return ``community, first, second, together, known, expected, q_value`` of viruses found
    together more often than by chance, strongest first.

    Pairs of fewer than ``MIN_TOGETHER`` runs are not tested, nor is what is only like a virus:
    Rotavirus-like is found beside Rotavirus A because it is of the same virus.
    """
    both = (pl.col("facet_a") == "species") & (pl.col("facet_b") == "species")
    is_species = _is_species("value_a") & _is_species("value_b")
    are_two = pl.col("value_a") != pl.col("value_b")
    tested = joints.filter(both, are_two, is_species, pl.col("together") >= MIN_TOGETHER)
    counts = ["together", "runs_b", "runs_a", "known_a"]
    p_value = upper_tail(*(tested[name].cast(pl.Int64).to_numpy() for name in counts))
    q_value = pl.Series("q_value", benjamini_hochberg(p_value), pl.Float64)
    expected = pl.col("runs_a") * pl.col("runs_b") / pl.col("known_a")
    found = tested.with_columns(q_value).select(
        "community",
        "together",
        "q_value",
        first="value_a",
        second="value_b",
        known="known_a",
        expected=expected,
    )
    often = pl.col("together") >= OFTEN * pl.col("expected")
    many = pl.col("together") >= LEAST_TOGETHER * pl.col("known")
    telling = found.filter(often, many, pl.col("q_value") < SIGNIFICANT_Q)

    return telling.sort(
        "community", "q_value", "together", "first", descending=[False, False, True, False]
    )


def company_within(con: duckdb.DuckDBPyConnection, company: pl.DataFrame) -> pl.DataFrame:
    """Return the rows of ``company`` that hold within hosts and within studies, in their order,
    with the runs that chance would give there as ``expected`` and what it was counted ``within``.

    Two viruses of one host are found together in a community of many hosts, and two that one study
    looked for in one of many studies. Chance is counted in each host, and in each study, and
    summed; the larger sum decides. Runs that state none are a stratum of their own.
    """
    counted = rows_over(con, _WITHIN, {"met_company": company})
    apart = pl.max_horizontal("by_host", "by_study")
    is_host = pl.col("by_host") >= pl.col("by_study")
    is_pooled = apart <= pl.col("expected") * (1 + _ROUNDING)
    stratum = pl.when(is_host).then(pl.lit("host")).otherwise(pl.lit("study"))
    key = ["community", "first", "second"]
    met = company.join(counted, on=key, how="left", maintain_order="left").with_columns(
        within=pl.when(is_pooled).then(pl.lit("")).otherwise(stratum),
        expected=pl.max_horizontal("expected", apart),
    )
    holding = met.filter(pl.col("together") >= OFTEN * pl.col("expected"))
    return holding.drop("by_host", "by_study")


def _is_species(value: str) -> pl.Expr:
    """Return whether a statement says more than what a virus resembles."""
    stated = pl.col(value).str
    return ~(stated.ends_with(LIKE) | stated.contains(CLOSEST, literal=True))


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
of_study AS MATERIALIZED ({CAMPAIGN_OF_RUN})
SELECT id_a, id_b, sum(runs)::BIGINT AS together, count(DISTINCT nullif(campaign, '')) AS studies,
       coalesce(arg_max(study, (runs, study)) FILTER (study <> ''), '') AS study,
       coalesce(arg_max(key, (runs, study)) FILTER (study <> ''), '') AS key,
       coalesce(max(runs) FILTER (study <> ''), 0) AS study_runs,
       coalesce(sum(runs) FILTER (study <> ''), 0)::BIGINT AS study_known
FROM (
    SELECT a.id AS id_a, b.id AS id_b, s.study, any_value(s.key) AS key,
           any_value(s.campaign) AS campaign, count(*) AS runs
    FROM carried AS a JOIN carried AS b
    ON b.community = a.community AND b.run = a.run AND a.id <= b.id
    JOIN of_study AS s ON s.run = a.run
    GROUP BY a.id, b.id, s.study
) GROUP BY id_a, id_b
"""
_WITHIN: Final = f"""
WITH pair AS (SELECT community, first, second FROM met_company),
named AS (SELECT DISTINCT run, stated FROM detection WHERE stated IS NOT NULL),
host AS (SELECT run, min(value) AS host FROM annotation WHERE facet = 'host' GROUP BY run),
member AS (
    SELECT m.community, r.run, coalesce(h.host, '') AS host,
           r.study
    FROM ({COMMUNITY_RUNS}) AS m SEMI JOIN pair USING (community) SEMI JOIN named USING (run)
    JOIN ({STUDY_OF_RUN}) AS r USING (run) LEFT JOIN host AS h USING (run)
),
carried AS (
    SELECT p.community, p.first, p.second, m.host, m.study, a.run IS NOT NULL AS has_first,
           b.run IS NOT NULL AS has_second
    FROM pair AS p JOIN member AS m USING (community)
    LEFT JOIN named AS a ON a.run = m.run AND a.stated = p.first
    LEFT JOIN named AS b ON b.run = m.run AND b.stated = p.second
),
by_stratum AS (
    SELECT community, first, second, GROUPING(host) AS is_study,
           count_if(has_first) * count_if(has_second) / count(*) AS expected
    FROM carried
    GROUP BY GROUPING SETS ((community, first, second, host), (community, first, second, study))
)
SELECT community, first, second, sum(expected) FILTER (is_study = 0) AS by_host,
       sum(expected) FILTER (is_study = 1) AS by_study
FROM by_stratum GROUP BY ALL ORDER BY ALL
"""
