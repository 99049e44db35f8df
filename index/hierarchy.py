"""A graph -> a tree of partitions, coarse to fine, that nest exactly.

Level 1 is the clustering the configuration names: modularity at resolution gamma (5.0). Level 0 is coarser: Leiden at
resolution 1 over the communities of level 1, so every one of them lies in exactly one parent. From level 2 on a
community with more than ``max_runs`` runs is split by the modularity of its own inside; the others are carried down
unchanged, so each level covers every node once. Levels end when splitting gives hardly any new community: what is left
above the limit then is one study or one virus whose runs nothing tells apart.

A level costs one engine call whatever the number of parents: edges between parents are cut, and the null model of each
parent is written into the mass of its nodes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from index.config import GraphConfig
from index.engines import find_partition, modularity_mass
from index.graph import FloatArray, Graph, IntArray, renumber, sum_by

COARSE_RESOLUTION = 1.0
MIN_GROWTH = 1.05  # a level with fewer than a twentieth more communities than the one above is not worth its reports
Progress = Callable[[str], None]


def nested_partitions(
    graph: Graph, is_run: NDArray[np.bool_], *, config: GraphConfig, on_progress: Progress | None = None
) -> list[IntArray]:
    """Return the community of each node per level, coarse to fine: two levels at least, ``max_levels`` at most.

    ``is_run`` says which nodes count towards ``min_runs`` and ``max_runs``. Each array has shape (n,) and numbers its
    communities from 0 by first member.
    """
    tell = on_progress or _silent
    tell(f"clustering {graph.n:,} entities and {len(graph.weight):,} edges at resolution {config.resolution:g}")
    fine = fine_partition(graph, is_run, config=config)
    tell(f"level 1: {_count(fine):,} communities; joining them into level 0")
    levels = [coarsen(graph, fine, is_run, config=config), fine]
    tell(f"level 0: {_count(levels[0]):,} communities")
    for level, partition in enumerate(_splits(graph, fine, is_run, config), start=2):
        levels.append(partition)
        tell(f"level {level}: {_count(partition):,} communities")
    return levels


def fine_partition(graph: Graph, is_run: NDArray[np.bool_], *, config: GraphConfig) -> IntArray:
    """Return level 1: Leiden on modularity at the configured resolution, small communities joined to a neighbour."""
    return _cluster(graph, modularity_mass(graph, config.resolution), is_run, config)


def coarsen(graph: Graph, fine: IntArray, is_run: NDArray[np.bool_], *, config: GraphConfig) -> IntArray:
    """Return a partition whose communities are unions of those of ``fine``: Leiden at resolution 1 over them."""
    resolution = min(COARSE_RESOLUTION, config.resolution)
    mass = sum_by(fine, modularity_mass(graph, resolution))
    communities = aggregate(graph, fine)
    runs = sum_by(fine, is_run)
    coarse = find_partition(communities, mass, config=config)
    coarse = absorb_small(communities, coarse, mass, runs, min_runs=config.min_runs)
    return renumber(coarse[fine])


def split_large(graph: Graph, partition: IntArray, is_run: NDArray[np.bool_], *, config: GraphConfig) -> IntArray:
    """Return ``partition`` with each community of more than ``max_runs`` runs split by its own modularity."""
    large = sum_by(partition, is_run) > config.max_runs
    inside = (partition[graph.source] == partition[graph.target]) & large[partition[graph.source]]
    parts = graph.edges_where(inside)
    strength = parts.strength()
    total = sum_by(partition, strength)
    mass = np.divide(strength, np.sqrt(total)[partition], out=np.zeros(graph.n), where=large[partition])
    split = _cluster(parts, mass, is_run, config)
    whole = graph.n + partition
    return renumber(np.where(large[partition], split, whole))


def aggregate(graph: Graph, partition: IntArray) -> Graph:
    """Return the graph whose nodes are the communities of ``partition``; edges inside a community are left out."""
    source, target = partition[graph.source], partition[graph.target]
    between = source != target
    size = _count(partition)
    low = np.minimum(source, target)[between]
    high = np.maximum(source, target)[between]
    pair, place = np.unique(low * size + high, return_inverse=True)
    weight = sum_by(place, graph.weight[between])
    nodes = graph.nodes.clear().extend_constant("", size)
    return Graph(nodes, pair // max(size, 1), pair % max(size, 1), weight)


def absorb_small(graph: Graph, partition: IntArray, mass: FloatArray, runs: FloatArray, *, min_runs: int) -> IntArray:
    """Return ``partition`` with each community of fewer than ``min_runs`` runs joined to the neighbour it costs least.

    At a high resolution modularity sheds the runs of a large project one by one; alone they say nothing to a reader.
    Cost least means the highest gain of quality; ties go to the lower number. A community without neighbours stays.
    """
    while True:
        small = sum_by(partition, runs) < min_runs
        links = aggregate(graph, partition)
        chosen = _best_neighbour(links, sum_by(partition, mass), small)
        if not len(chosen[0]):
            return partition
        size = _count(partition)
        joins = coo_array((np.ones(len(chosen[0])), chosen), shape=(size, size))
        _, group = connected_components(joins, directed=False)
        partition = renumber(group.astype(np.int64)[partition])


def _best_neighbour(links: Graph, mass: FloatArray, small: NDArray[np.bool_]) -> tuple[IntArray, IntArray]:
    """Return (community, neighbour), one pair per small community that has a neighbour."""
    own = np.concatenate([links.source, links.target])
    other = np.concatenate([links.target, links.source])
    gain = np.tile(links.weight, 2) - mass[own] * mass[other]
    wanted = small[own]
    own, other, gain = own[wanted], other[wanted], gain[wanted]
    order = np.lexsort((other, -gain, own))
    own, other = own[order], other[order]
    first = np.ones(len(own), dtype=bool)
    first[1:] = own[1:] != own[:-1]
    return own[first], other[first]


def _splits(graph: Graph, fine: IntArray, is_run: NDArray[np.bool_], config: GraphConfig) -> Iterator[IntArray]:
    partition = fine
    for _ in range(2, config.max_levels):
        finer = split_large(graph, partition, is_run, config=config)
        if _count(finer) < MIN_GROWTH * _count(partition):
            return
        yield finer
        partition = finer


def _cluster(graph: Graph, mass: FloatArray, is_run: NDArray[np.bool_], config: GraphConfig) -> IntArray:
    partition = find_partition(graph, mass, config=config)
    return absorb_small(graph, partition, mass, is_run.astype(np.float64), min_runs=config.min_runs)


def _count(partition: IntArray) -> int:
    return int(partition.max()) + 1 if len(partition) else 0


def _silent(_: str) -> None:
    return None
