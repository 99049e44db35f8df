"""Facts: counts of distinct runs, their significance, their rank."""

from __future__ import annotations

from math import comb

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from index.false_discovery import benjamini_hochberg
from index.reports.facts import (
    compute_facts,
    count_values,
    rank_values,
    upper_tail,
)
from tests.tiny_index import tiny_index

RUNS = """
run | bioproject
R1  | P1
R2  | P1
R3  | P1
R4  | P2
R5  | P2
R6  |
"""
MEMBERS = """
community | entity
C0-a | R1
C0-a | R2
C0-a | R3
C0-b | R4
C0-b | R5
C0-b | R6
C0-b | P2
C0-a | P1
"""


def facts_of(facet: str, **tables: str) -> list[tuple[object, ...]]:
    con = tiny_index(**{"run": RUNS, "community_member": MEMBERS, **tables})
    facts = compute_facts(con).filter(pl.col("facet") == facet)
    return facts.select(
        "community", "value", "runs", pl.col("share").round(3), pl.col("lift").round(3)
    ).rows()


def test_virus_seen_twice_in_a_run_counts_once() -> None:
    detection = """
    run | sotu | species | family
    R1 | u1 | Virus A | Aviridae
    R1 | u2 | Virus A | Aviridae
    R2 | u3 | Virus B | Aviridae
    R4 | u3 | Virus B | Aviridae
    """
    assert facts_of("species", detection=detection) == [
        ("C0-a", "Virus A", 1, 0.5, 1.5),
        ("C0-a", "Virus B", 1, 0.5, 0.75),
        ("C0-b", "Virus B", 1, 1.0, 1.5),
    ]
    assert facts_of("family", detection=detection) == [
        ("C0-a", "Aviridae", 2, 1.0, 1.0),
        ("C0-b", "Aviridae", 1, 1.0, 1.0),
    ]


def test_entities_that_are_no_runs_are_not_counted() -> None:
    assert facts_of("bioproject") == [("C0-a", "P1", 3, 1.0, 1.667), ("C0-b", "P2", 2, 1.0, 2.5)]


def test_unknown_is_no_value_and_no_denominator() -> None:
    annotation = """
    run | facet | value
    R1 | tissue | leaf
    R2 | tissue | unknown
    R2 | tissue | Not applicable
    R3 | tissue | MISSING
    R3 | tissue | n/a
    R5 | tissue | not collected
    R6 | tissue | Unclassified
    R4 | tissue | root
    """
    assert facts_of("tissue", annotation=annotation) == [
        ("C0-a", "leaf", 1, 1.0, 2.0),
        ("C0-b", "root", 1, 1.0, 2.0),
    ]


def test_run_counts_for_its_most_specific_term_only() -> None:
    annotation = """
    run | facet | value | curie
    R1 | tissue | colon | BTO:2
    R1 | tissue | intestine | BTO:1
    R2 | tissue | intestine | BTO:1
    """
    closure = """
    descendant | ancestor | distance
    BTO:1 | BTO:1 | 0
    BTO:2 | BTO:2 | 0
    BTO:2 | BTO:1 | 1
    """
    assert facts_of("tissue", annotation=annotation, closure=closure) == [
        ("C0-a", "colon", 1, 0.5, 1.0),
        ("C0-a", "intestine", 1, 0.5, 1.0),
    ]


def test_virus_name_finds_its_taxon_and_prefers_a_virus_to_its_homonym() -> None:
    con = tiny_index(
        run=RUNS,
        community_member=MEMBERS,
        detection="run | sotu | species\nR1 | u1 | Iris virus",
        term="curie | label\nNCBITaxon:11 | Iris virus\nNCBITaxon:99 | iris virus",
        closure="descendant | ancestor | distance\nNCBITaxon:99 | NCBITaxon:10239 | 3",
    )
    assert compute_facts(con).filter(pl.col("facet") == "species")["curie"].to_list() == [
        "NCBITaxon:99"
    ]


def test_parent_counts_the_runs_of_all_its_children() -> None:
    members = f"{MEMBERS.rstrip()}\n" + "\n".join(f"C1-{name} | R{name}" for name in range(1, 7))
    con = tiny_index(run=RUNS, community_member=members)
    facts = compute_facts(con).filter(pl.col("facet") == "bioproject", pl.col("value") == "P1")
    by_level = (
        facts.group_by(pl.col("community").str.slice(0, 2).alias("level"))
        .agg(pl.col("runs").sum())
        .sort("level")
    )
    assert by_level.rows() == [("C0", 3), ("C1", 3)]


CARRIED = """
community | level | parent | runs
C0-a | 0 | | 3
C0-b | 0 | | 3
C1-a | 1 | C0-a | 3
C2-a | 2 | C1-a | 3
C1-b | 1 | C0-b | 2
"""


def test_a_community_carried_down_has_the_facts_of_its_parent_and_adds_no_tests() -> None:
    down = "\n".join(f"{name} | R{n}" for name in ("C1-a", "C2-a") for n in (1, 2, 3))
    members = f"{MEMBERS.rstrip()}\n{down}\nC1-b | R4\nC1-b | R5"
    con = tiny_index(run=RUNS, community=CARRIED, community_member=members)
    assert compute_facts(con)["community"].unique().sort().to_list() == ["C0-a", "C0-b", "C1-b"]
    carried = con.sql("SELECT community, carried_from FROM carried ORDER BY ALL").fetchall()
    assert carried == [("C1-a", "C0-a"), ("C2-a", "C0-a")]
    once = con.sql("SELECT community, level, last_level FROM distinct_community ORDER BY ALL")
    assert once.fetchall() == [("C0-a", 0, 2), ("C0-b", 0, 0), ("C1-b", 1, 1)]


def test_values_of_one_run_are_counted_but_not_tested() -> None:
    annotation = """
    run | facet | value
    R1 | tissue | leaf
    R2 | tissue | leaf
    R3 | tissue | seed
    R4 | tissue | root
    R5 | tissue | root
    """
    con = tiny_index(run=RUNS, community_member=MEMBERS, annotation=annotation)
    tissue = compute_facts(con).filter(pl.col("facet") == "tissue", pl.col("community") == "C0-a")
    q_values = dict(tissue.select("value", "q_value").iter_rows())
    assert q_values["seed"] == 1.0
    leaf, root, two_projects = 3 / 10, 1 / 10, [1 / 10, 1 / 10]
    tested = benjamini_hochberg(np.array([leaf, root, *two_projects]))
    assert q_values["leaf"] == pytest.approx(tested[0])


@given(
    index_known=st.integers(1, 60),
    index_runs=st.integers(1, 60),
    known=st.integers(1, 60),
    runs=st.integers(1, 60),
)
def test_tail_equals_the_sum_over_all_draws(
    index_known: int, index_runs: int, known: int, runs: int
) -> None:
    index_runs, known = min(index_runs, index_known), min(known, index_known)
    runs = min(runs, index_runs, known)
    draws = [
        comb(index_runs, k) * comb(index_known - index_runs, known - k)
        for k in range(runs, known + 1)
    ]
    expected = sum(draws) / comb(index_known, known)
    found = upper_tail(*(np.array([number]) for number in (runs, known, index_runs, index_known)))
    assert found[0] == pytest.approx(expected, rel=1e-9)


def test_rank_is_by_evidence_then_runs_then_lift_then_name() -> None:
    tested = pl.DataFrame(
        {
            "community": ["C"] * 5,
            "facet": ["tissue"] * 5,
            "value": ["e", "d", "c", "b", "a"],
            "q_value": [0.01, 0.02, 0.02, 0.02, 0.02],
            "runs": [1, 9, 3, 3, 3],
            "lift": [1.0, 1.0, 5.0, 2.0, 2.0],
        }
    )
    assert rank_values(tested).sort("rank")["value"].to_list() == ["e", "d", "c", "a", "b"]
    assert rank_values(tested).sort("by_count")["value"].to_list()[0] == "d"


def test_frequent_value_is_kept_beside_the_strongest() -> None:
    annotation = "run | facet | value\n" + "\n".join(
        [f"R{n} | label | common" for n in range(1, 7)]
        + [f"R{n} | label | rare {n}" for n in (1, 2)]
        + [f"R{n + 1} | label | rare {n}" for n in (1, 2)]
    )
    con = tiny_index(run=RUNS, community_member=MEMBERS, annotation=annotation)
    labels = compute_facts(con, max_by_rank=1, max_by_count=1).filter(
        pl.col("facet") == "label", pl.col("community") == "C0-a"
    )
    assert labels.sort("rank").select("value", "rank").rows() == [("rare 1", 1), ("common", 3)]


def test_equal_input_in_any_order_gives_equal_facts() -> None:
    forward = tiny_index(run=RUNS, community_member=MEMBERS)
    header, *rows = RUNS.strip().splitlines()
    backward = tiny_index(run="\n".join([header, *reversed(rows)]), community_member=MEMBERS)
    assert compute_facts(forward).equals(compute_facts(backward))


def test_counting_leaves_no_table_behind() -> None:
    con = tiny_index(run=RUNS, community_member=MEMBERS)
    before = con.sql("SELECT table_name FROM duckdb_tables() ORDER BY ALL").fetchall()
    assert len(count_values(con)) == 2
    assert con.sql("SELECT table_name FROM duckdb_tables() ORDER BY ALL").fetchall() == before
