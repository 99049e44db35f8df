"""Measures of partitions against values worked out by hand or by another library."""

from __future__ import annotations

import igraph
import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.resolution import resolution_sweep
from index.config import GraphConfig
from index.graph.arrays import Graph, build_graph
from index.graph.communities import detect_communities
from index.graph.metrics import (
    agreement,
    conductance,
    coverage,
    facet_purity,
    modularity,
    run_terms,
)
from index.graph.quality import IndexTables, level_quality, stability
from index.tables import Annotation
from tests.graph_zoo import ZOO, graph_tables, table

TWO_CLIQUES = ZOO["two cliques and a bridge"]
HALVES = np.array([0, 0, 1, 1, 0, 0, 1, 1])  # r1 r2 | r3 r4 | v1 v2 | v3 v4

HOSTS = table(
    """
    run facet value  curie            text   attribute method     score
    r1  host  bat    NCBITaxon:9397   bat    organism  dictionary 1
    r2  host  bat    NCBITaxon:9397   bat    organism  dictionary 1
    r3  host  mouse  NCBITaxon:10090  mouse  organism  dictionary 1
    r4  host  bat    NCBITaxon:9397   bat    organism  dictionary 1
    r4  host  bat    NCBITaxon:9397   bats   host      dictionary 1
    r4  sex   female .                female sex       verbatim   1
    """,
    Annotation,
)


def reference(graph: Graph) -> igraph.Graph:
    built = igraph.Graph(
        n=graph.n, edges=zip(graph.source.tolist(), graph.target.tolist(), strict=True)
    )
    built.es["weight"] = graph.weight.tolist()
    return built


@pytest.mark.parametrize(
    "name", [name for name, (_, relationship) in ZOO.items() if len(relationship)]
)
@pytest.mark.parametrize("resolution", [1.0, 5.0])
def test_modularity_is_that_of_igraph(name: str, resolution: float) -> None:
    graph = build_graph(*ZOO[name])
    membership = np.arange(graph.n) % 3
    expected = reference(graph).modularity(
        membership.tolist(), weights="weight", resolution=resolution
    )
    assert modularity(graph, membership, resolution=resolution) == pytest.approx(expected)


def test_a_graph_without_edges_has_no_quality() -> None:
    graph = build_graph(*ZOO["isolated runs only"])
    assert modularity(graph, np.arange(5)) == 0
    assert coverage(graph, np.arange(5)) == 0
    assert conductance(graph, np.arange(5)).tolist() == [0, 0, 0, 0, 0]


def test_coverage_and_conductance_of_two_cliques() -> None:
    graph = build_graph(*TWO_CLIQUES)
    assert coverage(graph, HALVES) == pytest.approx(6.0 / 6.1)
    assert conductance(graph, HALVES) == pytest.approx([0.1 / 6.1, 0.1 / 6.1])


@pytest.mark.parametrize(
    ("left", "right", "ari", "nmi"),
    [
        ([0, 0, 1, 1], [1, 1, 0, 0], 1.0, 1.0),
        ([0, 0, 1, 1], [0, 1, 0, 1], -0.5, 0.0),
        ([0, 0, 0, 1], [0, 0, 1, 1], 0.0, 0.343711),
        ([0, 0, 0, 0], [0, 0, 0, 0], 1.0, 1.0),
        ([], [], 1.0, 1.0),
    ],
)
def test_agreement_of_two_partitions(
    left: list[int], right: list[int], ari: float, nmi: float
) -> None:
    found = agreement(np.array(left, dtype=np.int64), np.array(right, dtype=np.int64))
    assert found == pytest.approx((ari, nmi), abs=1e-6)


@given(st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)), max_size=40))
def test_agreement_is_symmetric_and_highest_with_itself(pairs: list[tuple[int, int]]) -> None:
    left = np.array([pair[0] for pair in pairs], dtype=np.int64)
    right = np.array([pair[1] for pair in pairs], dtype=np.int64)
    found = agreement(left, right)
    assert found == pytest.approx(agreement(right, left))
    assert agreement(left, left) == pytest.approx((1.0, 1.0))
    assert max(found) <= 1 + 1e-9


def test_purity_counts_a_run_once_and_grounded_values_only() -> None:
    terms = run_terms(HOSTS, pl.Series(["r1", "r2", "r3", "r4"]))
    [row] = facet_purity(np.array([0, 0, 1, 1]), terms).to_dicts()
    assert row == {"facet": "host", "purity": 0.75, "background": 0.75, "enrichment": 1.0}
    assert facet_purity(np.array([0, 0, 1, 2]), terms)["purity"].to_list() == [1.0]


def test_every_level_has_every_measure() -> None:
    config = GraphConfig(hub_damping=False)
    found = detect_communities(*TWO_CLIQUES, config=config)
    terms = run_terms(HOSTS, TWO_CLIQUES[0]["entity"].sort())
    tables = IndexTables(*TWO_CLIQUES, terms, found.community, found.community_member)
    quality = level_quality(tables, config=config)
    assert quality["level"].value_counts()["count"].n_unique() == 1
    level0 = dict(quality.filter(pl.col("level") == 0).select("metric", "value").iter_rows())
    assert level0["communities"] == 2
    assert level0["runs in communities below 2"] == 0
    assert level0["purity, host"] == 0.75
    assert level0["coverage"] == pytest.approx(6.0 / 6.1)


def test_clear_communities_are_stable_and_the_seed_decides_the_figures() -> None:
    links = [
        (f"r{run:02d}", f"v{run // 10}{virus}", 0.5) for run in range(40) for virus in range(6)
    ]
    tables = graph_tables(links)
    config = GraphConfig(resolution=1)
    figures = stability(*tables, config=config, seed=3)
    assert figures["test"].to_list() == ["other seed", "5 % of edges removed"]
    assert (figures["ari"] > 0.95).all()
    assert figures.equals(stability(*tables, config=config, seed=3))


def test_a_finer_resolution_costs_more_reports() -> None:
    sweep = resolution_sweep(
        *ZOO["a ring of runs and viruses"],
        HOSTS,
        config=GraphConfig(),
        resolutions=(0.1, 1, 5),
        batch_s=20,
    )
    assert sweep["reports"].is_sorted()
    assert sweep["reports"][-1] > sweep["reports"][0]
    assert (sweep["summary_tokens"] == sweep["reports"] * 510).all()
    assert sweep["query_s"].to_list() == [20.0, 20.0, 20.0]
