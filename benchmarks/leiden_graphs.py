"""Graphs with planted communities for benchmarks of clustering."""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np
import polars as pl

from index.graph.arrays import Graph, IntArray, renumber, sum_by

NODES_PER_FINE: Final = 100
FINE_PER_COARSE: Final = 20
EDGES_PER_NODE: Final = 10


class PlantedGraph(NamedTuple):
    """A graph with two nested levels of blocks, and the block of each node at both."""

    graph: Graph
    fine: IntArray
    coarse: IntArray


def planted_graph(
    n_edges: int, *, fine_share: float = 0.35, coarse_share: float = 0.25, seed: int
) -> PlantedGraph:
    """Return a graph of about ``n_edges`` edges: shares of them inside fine blocks, inside coarse
    ones, and anywhere.

    Blocks have lognormal sizes, weights are lognormal, ten edges a node; parallel edges are summed.
    """
    chance = np.random.default_rng(seed)
    n = max(n_edges // EDGES_PER_NODE, 4 * NODES_PER_FINE)
    fines = n // NODES_PER_FINE
    sizes = chance.lognormal(0.0, 0.8, fines)
    fine = renumber(np.sort(chance.choice(fines, n, p=sizes / sizes.sum())))
    coarse = fine // FINE_PER_COARSE
    source = chance.integers(0, n, n_edges)
    where = chance.random(n_edges)
    target = np.select(
        [where < fine_share, where < fine_share + coarse_share],
        [_same_block(fine, source, chance), _same_block(coarse, source, chance)],
        chance.integers(0, n, n_edges),
    )
    linked = source != target
    low, high = np.minimum(source, target)[linked], np.maximum(source, target)[linked]
    pair, place = np.unique(low * n + high, return_inverse=True)
    weight = sum_by(place, chance.lognormal(-0.7, 0.5, len(low)))
    nodes = pl.Series("entity", np.arange(n)).cast(pl.String).str.zfill(9)
    return PlantedGraph(Graph(nodes, pair // n, pair % n, weight), fine, coarse)


def _same_block(block: IntArray, source: IntArray, chance: np.random.Generator) -> IntArray:
    """Return a random node of the block of each source; ``block`` is sorted."""
    start = np.searchsorted(block, block[source], side="left")
    end = np.searchsorted(block, block[source], side="right")
    drawn: IntArray = start + (chance.random(len(source)) * (end - start)).astype(np.int64)
    return drawn
