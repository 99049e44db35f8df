"""K-mer profiles: at a rank, from partial lists, and what graph they make."""

from __future__ import annotations

from collections.abc import Iterator

import duckdb
import polars as pl
import pytest

from flows.stages.tables import read_association_records, read_graph_tables
from index.annotation.kmers import profile_runs
from index.claims import OtherOrganism
from index.config import GraphConfig, IndexConfig, MwasConfig
from index.mwas.associate import associate
from index.reports.other_by_kmers import find_other_by_kmers
from index.stated import KMER_BASED
from index.store.build import open_index
from index.store.schema import create_schema
from index.tables import Annotation
from query.reading.reader import read
from query.request.saying import say
from tests.conftest import BuiltIndex

TERMS = {
    "131567": ("no rank", None),
    "10": ("order", "131567"),
    "11": ("family", "10"),
    "12": ("genus", "11"),
    "13": ("species", "12"),
    "14": ("species", "12"),
    "20": ("order", "131567"),
    "21": ("family", "20"),
}
"""Taxon: its rank and its parent."""


def taxon(number: str) -> str:
    return f"NCBITaxon:{number}"


@pytest.fixture(scope="module")
def terms() -> duckdb.DuckDBPyConnection:
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


@pytest.fixture
def index(terms: duckdb.DuckDBPyConnection) -> Iterator[duckdb.DuckDBPyConnection]:
    """Yield an index with ``TERMS``; what a test stores in it is taken back."""
    terms.begin()
    yield terms
    terms.rollback()


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
        ({"10": 0.8, "13": 0.3, "131567": 1.0}, "", {"131567": 1.0, "10": 0.8, "13": 0.3}),
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


def store_run(con: duckdb.DuckDBPyConnection, run: str, **stated: str) -> None:
    con.execute(
        "INSERT INTO run (run, biosample, bioproject, state) VALUES (?, ?, 'SYNP1', 0)",
        [run, f"S{run}"],
    )
    for facet, number in stated.items():
        con.execute(
            "INSERT INTO annotation (run, facet, value, curie, text, attribute, method, score) "
            "VALUES (?, ?, ?, ?, '', '', 'dictionary', 1)",
            [run, facet, f"taxon {number}", taxon(number)],
        )


def test_a_graph_of_profiles_is_said_by_its_name_and_has_a_rank() -> None:
    graph = IndexConfig.model_validate({"graph": "stat"}).graph
    assert (graph.of, graph.stat_rank) == ("stat", "order")
    assert IndexConfig().graph.stat_rank == ""


def test_a_graph_of_profiles_has_runs_with_profiles_and_no_viruses(
    index: duckdb.DuckDBPyConnection,
) -> None:
    store_run(index, "SYNR1", host="13")
    store_run(index, "SYNR2", host="14")
    store_hits(index, {"10": 0.8})
    index.execute("INSERT INTO detection (run, sotu, source) VALUES ('SYNR1', 'u1', 'palm')")
    tables = read_graph_tables(index, config=GraphConfig(of="stat"))
    assert tables.records.run["run"].to_list() == ["SYNR1"]
    assert tables.records.detection.is_empty()
    assert set(tables.annotation["curie"]) == {taxon("13")}


def test_associations_of_profiles_compare_k_mers_per_million(
    index: duckdb.DuckDBPyConnection,
) -> None:
    for number in range(12):
        store_run(index, f"SYNR{number}")
        is_ill = number % 2
        index.execute("INSERT INTO biosample_attribute VALUES (?, 'treatment', ?)",
                      [f"SSYNR{number}", "infected" if is_ill else "control"])  # fmt: skip
        index.execute("INSERT INTO stat_hit VALUES (?, ?, ?)",
                      [f"SYNR{number}", taxon("10"), 0.5 if is_ill else 0.1])  # fmt: skip
    index.execute("INSERT INTO kmer_profile FROM stat_hit")
    records = read_association_records(index, of="stat")
    tested = associate(records, Annotation.create_empty(), config=MwasConfig()).association
    (row,) = tested.filter(value="infected").to_dicts()
    assert (row["family"], row["mean_rpm_true"], row["mean_rpm_false"]) == ("taxon 10", 5e5, 1e5)
    assert KMER_BASED in row["flag"]


@pytest.mark.parametrize(
    ("listed", "stated", "is_other"),
    [
        ({"20": 0.6}, {"host": "13"}, True),
        ({"20": 0.5}, {"host": "13"}, False),  # not over half
        ({"10": 0.6}, {"host": "13"}, False),  # the order of the host
        ({"14": 0.9}, {"host": "13"}, False),  # a relative of the same order
        ({"20": 0.6}, {"host": "13", "label": "21"}, False),  # a worm from a mouse
        ({"20": 0.6}, {"host": "13", "environment": "131567"}, False),  # a metagenome
        ({"20": 0.6}, {}, False),  # no host is stated
    ],
)
def test_a_run_mostly_of_another_order_than_it_states_is_noted(
    index: duckdb.DuckDBPyConnection,
    listed: dict[str, float],
    stated: dict[str, str],
    is_other: bool,
) -> None:
    store_run(index, "SYNR1", **stated)
    store_hits(index, listed)
    found = find_other_by_kmers(index)
    assert found["organism"].to_list() == [taxon("20")] * is_other


def test_a_set_of_runs_says_how_many_are_of_another_organism() -> None:
    claim = OtherOrganism.of_rows([("Aedes", "Homo sapiens", 3, 3, 12)])
    assert claim.sentence() == (
        "In 3 of the 12 runs whose k-mers were counted, "
        "most k-mers are from Aedes, not Homo sapiens."
    )


def test_k_mers_of_a_taxon_are_asked_for(sample_index: BuiltIndex) -> None:
    with open_index(sample_index.path) as con:
        reading = read(con, "How many runs are more than half Diptera by k-mers?")
    (request,) = reading.requests or reading.choices[0]
    asked = "have Diptera as organism by k-mers with a share above 50 percent"
    assert say(request) == f"How many runs {asked}?"
