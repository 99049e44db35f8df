"""K-mer profiles: at a rank, from partial lists, and what graph they make."""

from __future__ import annotations

import duckdb
import polars as pl
import pytest

from index.annotation.kmers import profile_runs
from index.store.schema import create_schema

TERMS = {
    "1": ("root", None),
    "10": ("order", "1"),
    "11": ("family", "10"),
    "12": ("genus", "11"),
    "13": ("species", "12"),
    "14": ("species", "12"),
    "20": ("order", "1"),
    "21": ("family", "20"),
}
"""Taxon: its rank and its parent."""


def taxon(number: str) -> str:
    return f"NCBITaxon:{number}"


@pytest.fixture
def index() -> duckdb.DuckDBPyConnection:
    con = duckdb.connect()
    create_schema(con)
    for number, (rank, parent) in TERMS.items():
        con.execute(
            "INSERT INTO term (curie, label, ontology, rank, obsolete) "
            "VALUES (?, ?, 'NCBITaxon', ?, false)",
            [taxon(number), f"taxon {number}", rank],
        )
        if parent:
            con.execute(
                "INSERT INTO term_edge VALUES (?, 'parent', ?)", [taxon(number), taxon(parent)]
            )
    return con


def store_hits(con: duckdb.DuckDBPyConnection, hits: dict[str, float]) -> None:
    for number, share in hits.items():
        con.execute("INSERT INTO stat_hit VALUES ('SYNR1', ?, ?)", [taxon(number), share])


@pytest.mark.parametrize(
    ("listed", "rank", "expected"),
    [
        ({"10": 0.8, "11": 0.7, "13": 0.3, "20": 0.1}, "order", {"10": 0.8, "20": 0.1}),
        ({"13": 0.3, "14": 0.2}, "order", {"10": 0.5}),  # species only: they add up
        ({"12": 0.4, "13": 0.3, "14": 0.1}, "order", {"10": 0.4}),  # a genus holds its species
        ({"10": 0.8}, "family", {}),  # an order says nothing of its families
        ({"10": 0.8, "21": 0.005}, "order", {"10": 0.8}),  # not above the share
        ({"10": 0.8, "13": 0.3, "1": 1.0}, "", {"1": 1.0, "10": 0.8, "13": 0.3}),
    ],
)
def test_a_profile_is_summed_up_to_a_rank(
    index: duckdb.DuckDBPyConnection,
    listed: dict[str, float],
    rank: str,
    expected: dict[str, float],
) -> None:
    store_hits(index, listed)
    profile = profile_runs(index, rank=rank, min_share=0.01)
    found = dict(profile.select("curie", pl.col("share").round(6)).iter_rows())
    assert found == {taxon(number): share for number, share in expected.items()}
