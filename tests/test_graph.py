"""Tables to arrays and back: node order, parallel relationships, sums and quotients."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from index.config import GraphConfig
from index.graph.arrays import (
    Graph,
    aggregate,
    build_clustered_graph,
    build_graph,
    damp_hubs,
    renumber,
    run_mask,
    sum_by,
)
from index.tables import Relationship
from ontology_etl.tables import conform
from tests.graph_zoo import ZOO, graph_tables, star, table


def edges_of(graph: Graph) -> list[tuple[str, str, float]]:
    names = graph.nodes.to_list()
    triples = zip(graph.source.tolist(), graph.target.tolist(), graph.weight.tolist(), strict=True)
    return [(names[source], names[target], weight) for source, target, weight in triples]


def test_nodes_are_sorted_and_parallel_relationships_summed() -> None:
    entity, _ = graph_tables([("r1", "t1", 1.0)], alone=["r0"])
    relationship = table(
        """
        source target predicate weight
        r1     t1     run-host  0.5
        r1     t1     run-stat  0.25
        """,
        Relationship,
    )
    graph = build_graph(entity, relationship)
    assert graph.nodes.to_list() == ["r0", "r1", "t1"]
    assert edges_of(graph) == [("r1", "t1", 0.75)]


@pytest.mark.parametrize("name", ZOO)
def test_strength_counts_every_edge_at_both_ends(name: str) -> None:
    graph = build_graph(*ZOO[name])
    assert graph.strength.shape == (graph.n,)
    assert graph.strength.sum() == pytest.approx(2 * graph.weight.sum())
    assert (graph.source < graph.target).all()


def test_hub_damping_divides_by_one_plus_log_degree_of_the_hub() -> None:
    star = damp_hubs(build_graph(*ZOO["a star of twins"]))
    assert star.weight.tolist() == pytest.approx([0.5 / (1 + np.log(60))] * 60)
    pair = build_graph(*ZOO["a project with one run"])
    assert damp_hubs(pair).weight.tolist() == pair.weight.tolist()


@pytest.mark.parametrize(
    ("study_edges", "hub_damping", "weights"),
    [(False, False, [0.5, 0.5]), (True, False, [0.5, 0.5, 0.5]), (False, True, [0.2953, 0.2953])],
)
def test_relationships_of_studies_and_hub_damping_are_switches(
    study_edges: bool, hub_damping: bool, weights: list[float]
) -> None:
    entity, of_virus = graph_tables(star("v1", ["r1", "r2"]), alone=["p1"])
    _, of_study = graph_tables([("r1", "p1", 0.5)], predicate="run-bioproject")
    config = GraphConfig(study_edges=study_edges, hub_damping=hub_damping)
    graph = build_clustered_graph(entity, pl.concat([of_virus, of_study]), config=config)
    assert graph.weight.round(4).tolist() == weights


def test_runs_are_marked_in_node_order() -> None:
    entity, _ = graph_tables([("v1", "r2", 0.5), ("r1", "v1", 0.5)])
    assert run_mask(entity.sample(fraction=1, shuffle=True, seed=1)).tolist() == [True, True, False]


def test_a_quotient_sums_weights_between_parts_and_drops_those_inside() -> None:
    graph = build_graph(
        *graph_tables([("a", "b", 1.0), ("a", "c", 2.0), ("b", "c", 4.0), ("c", "d", 8.0)])
    )
    quotient = aggregate(graph, np.array([0, 0, 1, 1]))
    assert edges_of(quotient) == [("a", "c", 6.0)]


@given(st.lists(st.integers(0, 12), max_size=30))
def test_renumbering_keeps_the_partition_and_is_idempotent(labels: list[int]) -> None:
    numbers = renumber(np.array(labels, dtype=np.int64))
    assert (
        len({*zip(labels, numbers.tolist(), strict=True)})
        == len(set(labels))
        == len(set(numbers.tolist()))
    )
    assert renumber(numbers).tolist() == numbers.tolist()
    firsts = [int(number) for i, number in enumerate(numbers) if number not in numbers[:i]]
    assert firsts == list(range(len(firsts)))


def test_sums_have_a_place_for_labels_that_do_not_occur() -> None:
    assert sum_by(np.array([1, 1]), np.array([0.5, 0.25]), size=3).tolist() == [0.0, 0.75, 0.0]


def test_weights_are_summed_in_a_fixed_order() -> None:
    entity, _ = graph_tables([("r1", "t1", 1.0)])
    rows = [("r1", "t1", f"p{i}", weight) for i, weight in enumerate([0.1, 0.2, 0.3, 1e16, 0.7])]
    frame = pl.DataFrame(rows, schema=Relationship.column_names(), orient="row")
    sums = {
        float(
            build_graph(
                entity, conform(frame, Relationship).sample(fraction=1, shuffle=True, seed=seed)
            ).weight[0]
        )
        for seed in range(5)
    }
    assert len(sums) == 1
