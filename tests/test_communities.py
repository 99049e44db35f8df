"""Communities: invariants on a zoo of small graphs, determinism, engines, and identifiers that
survive re-indexing.
"""

from __future__ import annotations

import random
import re
import sys
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from index.config import GraphConfig, read_config
from index.errors import EngineMissingError
from index.graph import engines
from index.graph.arrays import (
    Graph,
    build_clustered_graph,
    build_graph,
    build_layers,
    renumber,
    run_mask,
)
from index.graph.communities import Communities, detect_communities, summarise_changes
from index.graph.hierarchy import fine_partition, nested_partitions
from index.graph.identical_runs import merge_identical_runs
from index.graph.metrics import agreement, modularity
from index.graph.stable_ids import content_digests, name_communities
from ontology_etl.errors import ContractError, ManifestError
from tests.graph_zoo import ZOO, Link, clique, graph_tables, numbered, random_links, star

CONFIG = GraphConfig(max_runs=10)
zoo = pytest.mark.parametrize("name", ZOO)


def find(tables: tuple[pl.DataFrame, pl.DataFrame], **options: object) -> Communities:
    return detect_communities(*tables, config=CONFIG, **options)  # type: ignore[arg-type]


def named(found: Communities, level: int) -> set[frozenset[str]]:
    """Return the communities of a level as sets of entities."""
    at_level = found.community.filter(pl.col("level") == level).select("community")
    grouped = (
        found.community_member.join(at_level, on="community").group_by("community").agg("entity")
    )
    return {frozenset(members) for members in grouped["entity"]}


def shuffled(
    tables: tuple[pl.DataFrame, pl.DataFrame], seed: int
) -> tuple[pl.DataFrame, pl.DataFrame]:
    entity, relationship = (frame.sample(fraction=1, shuffle=True, seed=seed) for frame in tables)
    return entity, relationship


# --- invariants -----------------------------------------------------------------------------------


@zoo
def test_each_level_places_every_linked_entity_once_and_is_a_partition_of_the_one_above(
    name: str,
) -> None:
    entity, relationship = ZOO[name]
    linked = set(relationship["source"]) | set(relationship["target"])
    found = find(ZOO[name])
    members = found.community_member.join(found.community, on="community")
    placed = members.group_by("level").agg("entity")
    assert linked <= set(entity["entity"])
    assert all(sorted(of_level) == sorted(linked) for of_level in placed["entity"])
    assert placed.height >= 2 or not linked
    for community, level in found.community.select("community", "level").iter_rows():
        assert re.fullmatch(rf"C{level}-[0-9a-f]{{8}}", community)
    held = dict(members.group_by("community").agg("entity").iter_rows())
    children = (
        found.community.filter(pl.col("parent").is_not_null()).group_by("parent").agg("community")
    )
    for parent, parts in children.iter_rows():
        assert sorted(held[parent]) == sorted(entity for part in parts for entity in held[part])
    with_children = found.community.filter(pl.col("level") < pl.col("level").max())["community"]
    assert set(with_children) == set(children["parent"])


@zoo
def test_every_community_is_connected_when_identical_runs_count_as_one(name: str) -> None:
    entity, relationship = ZOO[name]
    graph, is_run = build_graph(entity, relationship), run_mask(entity)
    merged = merge_identical_runs(graph, is_run)
    first = np.unique(merged.place, return_index=True)[1]
    levels = nested_partitions(graph, is_run, config=CONFIG)
    assert len(levels) > 0 or entity.is_empty()
    for level in levels:
        partition = level[first]
        inside = merged.graph.edges_where(
            partition[merged.graph.source] == partition[merged.graph.target]
        )
        edges = coo_array(
            (inside.weight, (inside.source, inside.target)), shape=(inside.n, inside.n)
        )
        assert connected_components(edges, directed=False)[0] == len(np.unique(partition))


@given(
    st.lists(
        st.tuples(st.integers(0, 14), st.integers(0, 9), st.sampled_from([0.01, 0.5, 1.0])),
        max_size=50,
    ),
    st.integers(0, 4),
)
@settings(max_examples=30)
def test_levels_of_any_graph_nest_and_number_from_zero(
    drawn: list[tuple[int, int, float]], isolated: int
) -> None:
    weights = {(f"r{a}", f"v{b}"): weight for a, b, weight in drawn}
    tables = graph_tables(
        [(*pair, weight) for pair, weight in weights.items()], alone=numbered("r9", isolated)
    )
    graph = build_graph(*tables)
    levels = nested_partitions(
        graph, run_mask(tables[0]), config=CONFIG.model_copy(update={"max_runs": 3})
    )
    assert len(levels) > 0 or tables[0].is_empty()
    for partition in levels:
        assert np.array_equal(partition, renumber(partition))
    for coarse, fine in pairwise(levels):
        assert len(np.unique(np.column_stack([coarse, fine]), axis=0)) == len(np.unique(fine))


# --- what is found --------------------------------------------------------------------------------


def test_runs_that_nothing_distinguishes_stay_together() -> None:
    found = find(ZOO["stars that share a hub"])
    together = set()
    for level in found.community["level"].unique():
        for members in named(found, level):
            for letter in ("ra", "rb"):
                identical = {member for member in members if member.startswith(letter)}
                assert len(identical) in (0, 30)
                together |= {letter} if identical else set()
    assert together == {"ra", "rb"}


@pytest.mark.parametrize(("study_edges", "joined"), [(False, set()), (True, {"p1", "r1", "r2"})])
def test_runs_that_only_a_study_joins_are_set_aside_unless_studies_count(
    study_edges: bool, joined: set[str]
) -> None:
    tables = graph_tables(star("p1", ["r1", "r2"]), predicate="run-bioproject")
    config = GraphConfig(study_edges=study_edges)
    found = detect_communities(*tables, config=config)
    assert set(found.community_member["entity"]) == joined
    numbered_ends = tables[1].with_columns(
        pl.col("source", "target").replace_strict({"p1": 0, "r1": 1, "r2": 2})
    )
    again = detect_communities(tables[0], numbered_ends, config=config)
    assert again.community.equals(found.community)


def test_a_community_below_the_minimum_joins_its_best_neighbour() -> None:
    links = [*clique([*numbered("r", 6), "v1"]), ("r900", "v1", 0.1), ("r900", "v2", 0.9)]
    communities = named(find(graph_tables(links)), 1)
    runs = [sum(member.startswith("r") for member in members) for members in communities]
    assert sum(runs) == 7
    assert min(runs) >= 2


def blocks(*sizes: int, prefix: str = "r") -> list[Link]:
    return [
        link
        for block, size in enumerate(sizes)
        for link in clique([*numbered(f"{prefix}{block}_", size), f"v{prefix}{block}"])
    ]


def bridged(*more: Link, alone: Sequence[str] = ()) -> Communities:
    """Return communities of four blocks of eight runs, with a weak link from each to the next."""
    bridges = [(f"r{block}_000", f"r{block + 1}_000", 0.4) for block in range(3)]
    tables = graph_tables([*blocks(8, 8, 8, 8), *bridges, *more], alone=alone)
    return detect_communities(*tables, config=CONFIG.model_copy(update={"resolution": 0.01}))


def test_a_large_community_is_split_and_others_are_carried_down_with_their_digits() -> None:
    found = bridged(*clique(["r800", "r801", "v800"]))
    runs = {
        level: sorted(found.community.filter(pl.col("level") == level)["runs"])
        for level in found.community["level"]
    }
    assert runs == {0: [2, 32], 1: [2, 32], 2: [2, 8, 8, 8, 8]}
    carried = found.community.filter(pl.col("runs") == 2).sort("level")["community"].str.slice(3)
    assert carried.n_unique() == 1


def test_entities_without_a_link_do_not_keep_a_large_community_whole() -> None:
    found = bridged(alone=numbered("x", 500))
    assert sorted(found.community.filter(pl.col("level") == 2)["runs"]) == [8, 8, 8, 8]


def test_the_global_random_state_is_left_alone() -> None:
    def is_left_alone() -> bool:
        random.seed(5)
        expected = random.random()
        random.seed(5)
        find(ZOO["a random cohort"])
        return random.random() == expected

    # threads that earlier tests left behind may draw once in a while
    assert any(is_left_alone() for _ in range(3))


def test_another_thread_may_draw_random_numbers_meanwhile(monkeypatch: pytest.MonkeyPatch) -> None:
    """Prefect's threads do, between the steps of a stage."""
    tables = graph_tables(random_links(runs=300, viruses=60, links=900, seed=3))
    alone = find(tables)
    make = engines._igraph_graph

    def make_while_another_draws(graph: Graph) -> object:
        random.random()
        return make(graph)

    monkeypatch.setattr(engines, "_igraph_graph", make_while_another_draws)
    assert find(tables).community_member.equals(alone.community_member)


def test_merging_identical_runs_keeps_modularity() -> None:
    tables = graph_tables(random_links(runs=120, viruses=6, links=150, seed=3))
    graph, is_run = build_graph(*tables), run_mask(tables[0])
    merged = merge_identical_runs(graph, is_run)
    partition = np.arange(merged.graph.n) % 5
    assert merged.graph.n < graph.n
    assert merged.runs.sum() == is_run.sum()
    assert modularity(merged.graph, partition) == pytest.approx(
        modularity(graph, partition[merged.place])
    )


def test_identical_runs_have_equal_neighbours_and_weights() -> None:
    links = [
        ("r1", "v1", 0.5),
        ("r2", "v1", 0.5),
        ("r3", "v1", 0.7),
        ("r4", "v2", 0.5),
        ("r5", "v1", 0.5),
    ]
    tables = graph_tables([*links, ("r5", "v2", 0.5)], alone=["r6", "r7"])
    graph = build_graph(*tables)
    place = merge_identical_runs(graph, run_mask(tables[0])).place
    together = pl.DataFrame({"node": graph.nodes, "place": place}).group_by("place").agg("node")
    assert {frozenset(nodes) for nodes in together["node"] if len(nodes) > 1} == {
        frozenset({"r1", "r2"})
    }


# --- bad input ------------------------------------------------------------------------------------


ENTITY, RELATIONSHIP = ZOO["a project with one run"]


@pytest.mark.parametrize("weight", [0.0, -1.0, float("nan"), float("inf"), None])
def test_a_weight_that_is_not_above_zero_is_refused(weight: float | None) -> None:
    broken = RELATIONSHIP.with_columns(pl.lit(weight, pl.Float64).alias("weight"))
    with pytest.raises(ContractError, match=r"weight is not a number above 0: 1 row"):
        detect_communities(ENTITY, broken, config=CONFIG)


@pytest.mark.parametrize(
    ("entity", "fault"),
    [
        (ENTITY.head(1), "names an unknown entity: 1 row"),
        (pl.concat([ENTITY, ENTITY]), "names an entity twice: 2 row"),
    ],
)
def test_an_entity_is_there_once(entity: pl.DataFrame, fault: str) -> None:
    with pytest.raises(ContractError, match=fault):
        detect_communities(entity, RELATIONSHIP, config=CONFIG)


def test_self_loops_and_duplicate_rows_do_not_change_communities() -> None:
    entity, relationship = ZOO["two cliques and a bridge"]
    loop = relationship.head(1).with_columns(pl.col("source").alias("target"))
    noisy = pl.concat([relationship, relationship, loop])
    assert find((entity, noisy)).community.equals(find((entity, relationship)).community)


# --- engines --------------------------------------------------------------------------------------


def planted_cohort() -> tuple[pl.DataFrame, pl.DataFrame]:
    """Return 8 planted groups of 40 runs over 10 viruses each, a tenth of the links astray."""
    chance = np.random.default_rng(11)
    links = {}
    for run in range(320):
        for _ in range(4):
            group = run // 40 if chance.random() < 0.9 else int(chance.integers(8))
            links[f"r{run:03d}", f"v{group * 10 + int(chance.integers(10)):02d}"] = float(
                chance.uniform(0.2, 1)
            )
    return graph_tables([(*pair, weight) for pair, weight in links.items()])


@pytest.mark.parametrize(("engine", "resolution"), [("leidenalg", 5.0), ("networkit", 1.0)])
def test_engines_agree_in_modularity_within_one_percent(engine: str, resolution: float) -> None:
    if engine == "networkit":
        pytest.importorskip("networkit", reason="the optional engine networkit is not installed")
    tables = planted_cohort()
    graph, is_run = build_graph(*tables), run_mask(tables[0])
    quality = {}
    for name in ("igraph", engine):
        config = GraphConfig(engine=name, resolution=resolution, iterations=5)
        quality[name] = modularity(
            graph, fine_partition(graph, is_run, config=config), resolution=resolution
        )
    assert quality[engine] == pytest.approx(quality["igraph"], rel=0.01)


def test_an_engine_that_is_not_installed_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "networkit", None)
    with pytest.raises(
        EngineMissingError, match="engine networkit: not installed\n  -> pip install"
    ) as raised:
        detect_communities(*planted_cohort(), config=GraphConfig(engine="networkit"))
    assert raised.value.exit_code == 3


@pytest.mark.parametrize("engine", ["igraph", "leidenalg", "networkit"])
def test_engines_are_deterministic(engine: str) -> None:
    if engine == "networkit":
        pytest.importorskip("networkit", reason="the optional engine networkit is not installed")
    config = GraphConfig(engine=engine, max_runs=20)
    first, second = (
        detect_communities(*shuffled(planted_cohort(), seed), config=config) for seed in (1, 2)
    )
    assert first.community.equals(second.community)
    assert first.community_member.equals(second.community_member)


def two_layers() -> tuple[pl.DataFrame, pl.DataFrame]:
    """Return 12 runs that tissues part in halves and bioprojects in thirds."""
    halves = [(f"r{run:02d}", f"t{run % 2}", 1.0) for run in range(12)]
    thirds = [(f"r{run:02d}", f"p{run % 3}", 1.0) for run in range(12)]
    entity, _ = graph_tables([*halves, *thirds])
    layers = [
        graph_tables(halves, predicate="run-tissue"),
        graph_tables(thirds, predicate="run-bioproject"),
    ]
    return entity, pl.concat([relationship for _, relationship in layers])


@pytest.mark.parametrize(
    ("heavy", "light", "parts"),
    [("run-tissue", "run-bioproject", 2), ("run-bioproject", "run-tissue", 3)],
)
def test_the_heavier_layer_decides(heavy: str, light: str, parts: int) -> None:
    config = GraphConfig(layers={heavy: 10.0, light: 0.1}, resolution=1.0, study_edges=True)
    found = detect_communities(*two_layers(), config=config)
    runs = [{entity for entity in members if entity.startswith("r")} for members in named(found, 1)]
    planted = [{f"r{run:02d}" for run in range(first, 12, parts)} for first in range(parts)]
    assert sorted(filter(None, runs), key=min) == planted


def test_one_layer_of_everything_is_the_graph() -> None:
    entity, relationship = planted_cohort()
    config = GraphConfig(layers={"run-sotu": 1.0}, resolution=1.0, iterations=5)
    graph = build_clustered_graph(entity, relationship, config=config)
    is_run = run_mask(entity)
    [(layer, weight)] = build_layers(entity, relationship, config=config)
    assert weight == 1.0
    layered = nested_partitions(graph, is_run, config=config, layers=[(layer, weight)])[1]
    plain = fine_partition(graph, is_run, config=config)
    assert modularity(graph, layered) == pytest.approx(modularity(graph, plain), rel=0.01)


def test_a_size_holds_for_level_1() -> None:
    tables = graph_tables(clique(numbered("r", 30)))
    sizes = {}
    for limit in (0, 10):
        found = detect_communities(*tables, config=GraphConfig(max_entities=limit, resolution=1.0))
        sizes[limit] = max(map(len, named(found, 1)))
    assert sizes[10] <= 10 < sizes[0] == 30


def test_an_unknown_layer_is_named(tmp_path: Path) -> None:
    path = tmp_path / "index.toml"
    path.write_text("[graph.layers]\nrun-organ = 2.0\n")
    with pytest.raises(
        ManifestError,
        match=r"graph.layers: .*run-organ: no relationship type; there are run-bioproject",
    ):
        read_config(path)


def test_planted_groups_are_found() -> None:
    tables = planted_cohort()
    graph = build_graph(*tables)
    level0 = nested_partitions(graph, run_mask(tables[0]), config=GraphConfig(resolution=1))[0]
    runs = pl.DataFrame({"entity": graph.nodes, "found": level0}).filter(
        pl.col("entity").str.starts_with("r")
    )
    groups = (runs["entity"].str.slice(1).cast(pl.Int64) // 40).to_numpy()
    assert agreement(groups, runs["found"].to_numpy())[1] > 0.95


# --- identifiers ----------------------------------------------------------------------------------


def reindex(before: list[Link], after: list[Link]) -> tuple[Communities, Communities]:
    old = find(graph_tables(before))
    new = find(graph_tables(after), previous=(old.community, old.community_member))
    return old, new


def test_an_equal_graph_keeps_the_origins_of_its_communities() -> None:
    _, grown = reindex(blocks(5, 6), blocks(5, 8))
    assert grown.community["previous"].null_count() == 0
    again = find(graph_tables(blocks(5, 8)), previous=(grown.community, grown.community_member))
    assert again.community.equals(grown.community)


@pytest.mark.parametrize(
    ("before", "after", "changes"),
    [
        ((5, 6), (5, 8), "1 changed, 1 same"),
        ((5,), (5, 6), "1 new, 1 same"),
        ((5, 6), (5,), "1 gone, 1 same"),
    ],
)
def test_communities_keep_their_ids_while_others_come_and_go(
    before: tuple[int, ...], after: tuple[int, ...], changes: str
) -> None:
    old, new = reindex(blocks(*before), blocks(*after))
    listed = new.changes.filter(level=0)
    assert summarise_changes(listed) == changes
    earlier, later = (set(found.community.filter(level=0)["community"]) for found in (old, new))
    assert set(listed.filter(change="new")["community"]) == later - earlier
    assert set(listed.filter(change="gone")["community"]) == earlier - later


WHOLE = clique([*numbered("r", 8), "v1"])
PARTS = [*clique([*numbered("r", 8)[:5], "v1"]), *clique([*numbered("r", 8)[5:], "v2"])]


def test_a_split_names_its_origin_and_one_part_keeps_the_id() -> None:
    old, new = reindex(WHOLE, PARTS)
    assert summarise_changes(new.changes.filter(level=0)) == "2 split"
    [origin] = old.community.filter(level=0)["community"]
    level0 = new.community.filter(level=0)
    assert level0["previous"].to_list() == [origin, origin]
    assert level0.filter(community=origin)["runs"].to_list() == [5]


def test_a_merger_names_all_origins_largest_first() -> None:
    old, new = reindex(PARTS, WHOLE)
    assert summarise_changes(new.changes.filter(level=0)) == "1 merged"
    level0 = old.community.filter(level=0).sort("runs", descending=True)["community"].to_list()
    merged = new.community.filter(level=0)
    assert merged["previous"].to_list() == [",".join(level0)]
    assert merged["community"].to_list() == level0[:1]


def test_a_digest_depends_on_content_not_on_order_or_label() -> None:
    content = pl.DataFrame({"label": [0, 0, 1], "entity": ["a", "b", "c"]})
    renamed = pl.DataFrame({"label": [8, 9, 9], "entity": ["c", "b", "a"]})
    assert sorted(content_digests(content)["digest"]) == sorted(content_digests(renamed)["digest"])


def test_a_fresh_id_that_is_taken_grows_longer() -> None:
    content = pl.DataFrame({"label": [0, 1], "entity": ["a", "b"]})
    [short, _] = content_digests(content)["digest"].str.head(8)
    overlap = pl.DataFrame({"label": [1], "old": [f"C0-{short}"], "jaccard": [0.9]})
    ids = name_communities(content, overlap, level=0)["community"].to_list()
    assert ids[1] == f"C0-{short}"
    assert re.fullmatch(rf"C0-{short}[0-9a-f]{{8}}", ids[0])
