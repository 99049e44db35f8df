"""How good the communities of an index are: each level, and their stability."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
import polars as pl

from index.config import GraphConfig
from index.graph.arrays import FloatArray, Graph, IntArray, build_clustered_graph, run_mask
from index.graph.hierarchy import fine_partition
from index.graph.metrics import agreement, conductance, coverage, facet_purity, modularity

REMOVED_SHARE: Final = 0.05
"""Share of the edges removed to test stability."""


@dataclass(frozen=True)
class IndexTables:
    """The tables on which the quality of an index is measured; ``terms`` are from ``run_terms``."""

    entity: pl.DataFrame
    relationship: pl.DataFrame
    terms: pl.DataFrame
    community: pl.DataFrame
    community_member: pl.DataFrame


def level_quality(tables: IndexTables, *, config: GraphConfig) -> pl.DataFrame:
    """Return (level, metric, value), one row per measure of each level, sorted.

    Medians are over the communities of ``min_runs`` runs or more.
    """
    graph = build_clustered_graph(tables.entity, tables.relationship, config=config)
    rows: list[tuple[int, str, float]] = []
    for level in tables.community["level"].unique().sort():
        at_level = tables.community.filter(pl.col("level") == level)
        member = tables.community_member.join(at_level.select("community"), on="community")
        membership = _membership(graph, at_level, member)
        measured = _graph_measures(graph, membership, config)
        measured |= _size_measures(graph, membership, at_level["runs"], config)
        measured |= _purity_measures(facet_purity(membership, tables.terms))
        rows += [(level, metric, value) for metric, value in measured.items()]
    schema = {"level": pl.Int32, "metric": pl.String, "value": pl.Float64}
    return pl.DataFrame(rows, schema=schema, orient="row").sort("level", "metric")


def stability(
    entity: pl.DataFrame,
    relationship: pl.DataFrame,
    *,
    config: GraphConfig,
    repeats: int = 3,
    seed: int,
) -> pl.DataFrame:
    """Return (test, ari, nmi): how well level 1 agrees with clusterings after two disturbances.

    The disturbances are other seeds, and 5 % of the edges removed at random. Each figure is the
    mean over ``repeats``; ``seed`` chooses the edges and the other Leiden seeds.
    """
    graph = build_clustered_graph(entity, relationship, config=config)
    is_run = run_mask(entity)
    base = fine_partition(graph, is_run, config=config)
    chance = np.random.default_rng(seed)
    seeds = chance.integers(0, 2**31, size=repeats).tolist()
    others = [config.model_copy(update={"seed": seed}) for seed in seeds]
    reseeded = [fine_partition(graph, is_run, config=other) for other in others]
    thinned = []
    for _ in range(repeats):
        remaining = chance.random(len(graph.weight)) >= REMOVED_SHARE
        thinned.append(fine_partition(graph.edges_where(remaining), is_run, config=config))
    rows = [
        ("other seed", *_mean_agreement(base, reseeded)),
        ("5 % of edges removed", *_mean_agreement(base, thinned)),
    ]
    schema = {"test": pl.String, "ari": pl.Float64, "nmi": pl.Float64}
    return pl.DataFrame(rows, schema=schema, orient="row")


def _graph_measures(graph: Graph, membership: IntArray, config: GraphConfig) -> dict[str, float]:
    gamma = config.resolution
    return {
        "modularity": modularity(graph, membership),
        f"modularity at {gamma:g}": modularity(graph, membership, resolution=gamma),
        "coverage": coverage(graph, membership),
    }


def _size_measures(
    graph: Graph, membership: IntArray, runs_of_communities: pl.Series, config: GraphConfig
) -> dict[str, float]:
    runs = runs_of_communities.to_numpy()
    is_reported = runs >= config.min_runs
    cut = conductance(graph, membership)[: len(runs)]
    above = runs > config.max_runs
    return {
        "communities": float(len(runs)),
        "conductance, median": _median(cut[is_reported]),
        "runs, median": _median(runs[is_reported]),
        "runs, largest": float(runs.max(initial=0)),
        f"communities below {config.min_runs} runs": float((~is_reported).sum()),
        f"runs in communities below {config.min_runs}": float(runs[~is_reported].sum()),
        f"communities above {config.max_runs} runs": float(above.sum()),
    }


def _purity_measures(purity: pl.DataFrame) -> dict[str, float]:
    """Return two columns of ``facet_purity``, each by its name and the facet."""
    return {
        f"{column}, {facet}": value
        for column in ("purity", "enrichment")
        for facet, value in purity.select("facet", column).iter_rows()
    }


def _median(values: FloatArray | IntArray) -> float:
    return float(np.median(values)) if len(values) else 0.0


def _membership(graph: Graph, at_level: pl.DataFrame, member: pl.DataFrame) -> IntArray:
    """Return the place in ``at_level`` of each node's community; numbers after these for others."""
    number = at_level.select("community").with_row_index("label")
    labelled = member.join(number, on="community").select("entity", "label")
    nodes = pl.DataFrame({"entity": graph.nodes})
    placed = nodes.join(labelled, on="entity", how="left", maintain_order="left")
    alone = len(at_level) + pl.int_range(pl.len())
    return placed.select(pl.coalesce("label", alone).cast(pl.Int64)).to_series().to_numpy()


def _mean_agreement(base: IntArray, others: list[IntArray]) -> tuple[float, float]:
    pairs = np.array([agreement(base, other) for other in others])
    rand, information = pairs.mean(axis=0)
    return float(rand), float(information)
