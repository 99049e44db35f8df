"""Ancestors: shortest paths in graphs and lineages, circles, and which terms are covered."""

from __future__ import annotations

import igraph
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ontology_etl.closure import closure, find_circle

SCHEMA = {"subject": pl.String, "predicate": pl.String, "object": pl.String}


def edges(text: str) -> pl.DataFrame:
    rows = [line.split() for line in text.strip().split("\n") if line.strip()]
    return pl.DataFrame(rows, schema=SCHEMA, orient="row")


def ancestors(text: str, taxa: list[str] | None = None) -> list[tuple[str, str, int]]:
    wanted = None if taxa is None else pl.Series("curie", taxa, dtype=pl.String)
    rows: list[tuple[str, str, int]] = closure(edges(text), taxa=wanted).rows()
    return [row for row in rows if row[2] > 0]


def test_distance_is_that_of_the_shortest_path_over_is_a_and_part_of() -> None:
    diamond = """
    BTO:4 is_a    BTO:3
    BTO:3 is_a    BTO:2
    BTO:2 is_a    BTO:1
    BTO:4 part_of BTO:1
    """
    assert ancestors(diamond) == [
        ("BTO:2", "BTO:1", 1),
        ("BTO:3", "BTO:1", 2),
        ("BTO:3", "BTO:2", 1),
        ("BTO:4", "BTO:1", 1),
        ("BTO:4", "BTO:2", 2),
        ("BTO:4", "BTO:3", 1),
    ]


@pytest.mark.parametrize("predicate", ["develops_from", "has_material_basis_in", "contained_in"])
def test_other_predicates_are_no_way_up(predicate: str) -> None:
    assert closure(edges(f"BTO:2 {predicate} BTO:1"), taxa=None).is_empty()


TAXA = """
NCBITaxon:2     parent NCBITaxon:1
NCBITaxon:9605  parent NCBITaxon:1
NCBITaxon:9606  parent NCBITaxon:9605
NCBITaxon:63221 parent NCBITaxon:9606
"""


def test_only_wanted_taxa_and_their_ancestors_are_covered() -> None:
    assert ancestors(TAXA, ["NCBITaxon:9606"]) == [
        ("NCBITaxon:9605", "NCBITaxon:1", 1),
        ("NCBITaxon:9606", "NCBITaxon:1", 2),
        ("NCBITaxon:9606", "NCBITaxon:9605", 1),
    ]
    assert ancestors(TAXA, []) == []
    assert ancestors(TAXA) == []


def test_taxon_outside_the_taxonomy_is_its_own_only_ancestor() -> None:
    wanted = pl.Series("curie", ["NCBITaxon:999999", "NCBITaxon:2", "NCBITaxon:2", "BTO:1", None])
    assert closure(edges(TAXA), taxa=wanted).rows() == [
        ("NCBITaxon:1", "NCBITaxon:1", 0),
        ("NCBITaxon:2", "NCBITaxon:1", 1),
        ("NCBITaxon:2", "NCBITaxon:2", 0),
        ("NCBITaxon:999999", "NCBITaxon:999999", 0),
    ]


def test_live_terms_without_an_edge_are_covered_and_obsolete_ones_are_not() -> None:
    term = pl.DataFrame(
        [("BTO:7", "BTO", False), ("BTO:8", "BTO", True), ("NCBITaxon:1", "NCBITaxon", False)],
        schema=["curie", "ontology", "obsolete"],
        orient="row",
    )
    assert closure(edges(""), term, taxa=None).rows() == [("BTO:7", "BTO:7", 0)]


PAIRS = st.lists(st.tuples(st.integers(1, 12), st.integers(1, 12)), max_size=30)


@settings(max_examples=40)
@given(pairs=PAIRS)
def test_distances_of_any_graph_equal_breadth_first_search(pairs: list[tuple[int, int]]) -> None:
    table = pl.DataFrame(
        [(f"BTO:{a}", "is_a", f"BTO:{b}") for a, b in pairs], schema=SCHEMA, orient="row"
    )
    found = {(a, b): distance for a, b, distance in closure(table, taxa=None).rows()}
    graph = igraph.Graph(n=13, edges=pairs, directed=True)
    present = sorted({node for pair in pairs for node in pair})
    expected = {
        (f"BTO:{a}", f"BTO:{b}"): int(distance)
        for a in present
        for b, distance in zip(present, graph.distances(a, present)[0], strict=True)
        if distance != float("inf")
    }
    assert found == expected


@settings(max_examples=40)
@given(data=st.data(), size=st.integers(2, 40))
def test_lineages_of_any_tree_equal_those_of_the_graph_walk(data: st.DataObject, size: int) -> None:
    above = [data.draw(st.integers(1, child - 1)) for child in range(2, size + 1)]
    pairs = [(child, parent) for child, parent in enumerate(above, start=2)]
    tree = pl.DataFrame(
        [(f"NCBITaxon:{a}", "parent", f"NCBITaxon:{b}") for a, b in pairs],
        schema=SCHEMA,
        orient="row",
    )
    graph = tree.with_columns(
        pl.col("subject", "object").str.replace("NCBITaxon", "BTO"), predicate=pl.lit("is_a")
    )
    as_graph = pl.all().exclude("distance").str.replace("NCBITaxon", "BTO")
    lineages = closure(tree, taxa=tree["subject"]).with_columns(as_graph)
    assert sorted(lineages.rows()) == sorted(closure(graph, taxa=None).rows())


@settings(max_examples=40)
@given(pairs=PAIRS)
def test_circle_is_found_exactly_where_there_is_one(pairs: list[tuple[int, int]]) -> None:
    table = pl.DataFrame(
        [(f"BTO:{a}", "is_a", f"BTO:{b}") for a, b in pairs], schema=SCHEMA, orient="row"
    )
    circle = find_circle(table)
    assert bool(circle) == (not igraph.Graph(n=13, edges=pairs, directed=True).is_dag())
    steps = {(a, b) for a, _, b in table.rows()}
    assert set(zip(circle, [*circle[1:], *circle[:1]], strict=True)) <= steps
