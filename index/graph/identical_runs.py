"""Runs that nothing tells apart -> one node.

Runs of one study often have exactly the same neighbours and weights: same project, host, tissue and
viruses. Runs are never linked to each other, so putting such twins into one node with summed
weights leaves the modularity of every partition that keeps them together unchanged, makes the graph
several times smaller, and keeps Leiden from scattering equal runs over communities at random.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from index.graph.arrays import FloatArray, Graph, IntArray, aggregate, renumber, sum_by

HashArray = NDArray[np.uint64]
_GOLDEN: Final = np.uint64(0x9E3779B97F4A7C15)


@dataclass(frozen=True)
class MergedTwins:
    """The smaller graph, the node of it each original node went to, and the number of runs in each
    of its nodes.
    """

    graph: Graph
    place: IntArray
    runs: FloatArray


def merge_twins(graph: Graph, is_run: NDArray[np.bool_]) -> MergedTwins:
    """Return ``graph`` with each set of runs of equal neighbours and weights as one node;
    ``is_run`` is of shape (n,).

    Runs without relationships are left apart. Neighbourhoods are compared by a 128-bit fingerprint.
    """
    place = renumber(_twin_labels(graph, is_run))
    alone = graph.n == 0 or int(place.max()) + 1 == graph.n
    return MergedTwins(graph if alone else aggregate(graph, place), place, sum_by(place, is_run))


def leave_twins(graph: Graph, is_run: NDArray[np.bool_]) -> MergedTwins:
    """Return ``graph`` as it is, in the shape that ``merge_twins`` returns."""
    return MergedTwins(graph, np.arange(graph.n, dtype=np.int64), is_run.astype(np.float64))


def _twin_labels(graph: Graph, is_run: NDArray[np.bool_]) -> IntArray:
    """Return a label per node, equal for twins only."""
    labels = np.arange(graph.n, dtype=np.int64)
    runs = np.flatnonzero(is_run & (graph.strength > 0))
    prints = [_fingerprint(graph, salt)[runs] for salt in (1, 2)]
    order = np.lexsort(prints)
    differs = [print_[order][1:] != print_[order][:-1] for print_ in prints]
    starts = np.flatnonzero(
        np.concatenate([np.ones(min(1, len(runs)), dtype=bool), differs[0] | differs[1]])
    )
    labels[runs[order]] = np.repeat(runs[order][starts], np.diff(starts, append=len(runs)))
    return labels


def _fingerprint(graph: Graph, salt: int) -> HashArray:
    """Return per node the sum, modulo 2^64, of a hash of each (neighbour, weight): independent of
    their order.
    """
    weight = _scramble(graph.weight.view(np.uint64) ^ np.uint64(salt))
    prints = np.zeros(graph.n, dtype=np.uint64)
    for own, other in ((graph.source, graph.target), (graph.target, graph.source)):
        np.add.at(prints, own, _scramble(weight + _scramble(other.astype(np.uint64))))
    return prints


def _scramble(values: HashArray) -> HashArray:
    """Return the splitmix64 finaliser of each value (Steele, Lea and Flood 2014)."""
    mixed = values + _GOLDEN
    mixed = (mixed ^ (mixed >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return mixed ^ (mixed >> np.uint64(31))
