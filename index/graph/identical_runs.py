"""Runs with exactly the same neighbours, merged into one node.

Runs of one study often have the same neighbours and weights: same project, host, tissue and
viruses. Runs are never linked to each other, so merging them and summing their weights leaves the
modularity of every partition that keeps them together unchanged. It makes the graph several times
smaller and keeps Leiden from scattering equal runs over communities at random.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from index.graph.arrays import BoolArray, FloatArray, Graph, IntArray, aggregate, renumber, sum_by
from index.splitmix64 import HashArray, next_output


@dataclass(frozen=True)
class MergedRuns:
    """A graph in which identical runs are one node.

    ``place`` is the node of ``graph`` that each original node went to; ``runs`` is the number of
    runs in each node of ``graph``.
    """

    graph: Graph
    place: IntArray
    runs: FloatArray


def merge_identical_runs(graph: Graph, is_run: BoolArray) -> MergedRuns:
    """Return ``graph`` with each set of runs of equal neighbours and weights as one node.

    ``is_run`` has shape (n,). Runs without relationships stay separate. Neighbourhoods are compared
    by a 128-bit fingerprint.
    """
    place = renumber(_group_labels(graph, is_run))
    nodes = int(place.max()) + 1 if graph.n else 0
    smaller = graph if nodes == graph.n else aggregate(graph, place)
    return MergedRuns(smaller, place, sum_by(place, is_run))


def keep_all_runs(graph: Graph, is_run: BoolArray) -> MergedRuns:
    """Return ``graph`` as it is, in the shape that ``merge_identical_runs`` returns."""
    return MergedRuns(graph, np.arange(graph.n, dtype=np.int64), is_run.astype(np.float64))


def _group_labels(graph: Graph, is_run: BoolArray) -> IntArray:
    """Return a label per node, equal for identical runs only: the first of them in sorted order."""
    labels = np.arange(graph.n, dtype=np.int64)
    runs = np.flatnonzero(is_run & (graph.strength > 0))
    if not len(runs):
        return labels
    first_half = _fingerprint(graph, salt=1)[runs]
    second_half = _fingerprint(graph, salt=2)[runs]
    order = np.lexsort((first_half, second_half))
    begins_group = differs_from_previous(first_half[order])
    begins_group |= differs_from_previous(second_half[order])
    starts = np.flatnonzero(begins_group)
    sizes = np.diff(starts, append=len(runs))
    ordered = runs[order]
    labels[ordered] = np.repeat(ordered[starts], sizes)
    return labels


def differs_from_previous(values: NDArray[np.generic]) -> BoolArray:
    """Return whether each value differs from the one before it; the first value does."""
    differs = np.ones(len(values), dtype=bool)
    differs[1:] = values[1:] != values[:-1]
    return differs


def _fingerprint(graph: Graph, *, salt: int) -> HashArray:
    """Return 64 bits per node that depend on its neighbours and weights, not on their order.

    It is the sum, modulo 2^64, of a hash of each (neighbour, weight).
    """
    bits = graph.weight.view(np.uint64)
    weight = next_output(bits ^ np.uint64(salt))
    prints = np.zeros(graph.n, dtype=np.uint64)
    for own, other in ((graph.source, graph.target), (graph.target, graph.source)):
        neighbour = next_output(other.astype(np.uint64))
        np.add.at(prints, own, next_output(weight + neighbour))
    return prints
