"""Tables <-> arrays: nodes in sorted order, so that a seed means the same for any row order.

The graph is four numpy arrays; igraph sees it only inside an engine. Parallel relationships (a
taxon that is host and STAT organism of the same run) are summed.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Final

import numpy as np
import polars as pl
from numpy.typing import NDArray
from scipy.sparse import coo_array

from index.config import GraphConfig
from ontology_etl.errors import ContractError

STUDY_EDGES: Final = ("run-bioproject", "run-study")
"""Relationships that join a run to its study."""

IntArray = NDArray[np.int64]
FloatArray = NDArray[np.float64]
BoolArray = NDArray[np.bool_]


@dataclass(frozen=True)
class Graph:
    """An undirected weighted graph.

    Node i is ``nodes[i]``; edge j joins node ``source[j]`` to node ``target[j]``, the lower first.
    """

    nodes: pl.Series
    source: IntArray
    target: IntArray
    weight: FloatArray

    @property
    def n(self) -> int:
        """Number of nodes."""
        return len(self.nodes)

    @cached_property
    def strength(self) -> FloatArray:
        """Total edge weight at each node, shape (n,)."""
        at_source = sum_by(self.source, self.weight, size=self.n)
        return at_source + sum_by(self.target, self.weight, size=self.n)

    def edges_where(self, mask: BoolArray) -> Graph:
        """Return the graph with all its nodes and the edges of ``mask`` only."""
        return Graph(self.nodes, self.source[mask], self.target[mask], self.weight[mask])


def build_graph(entity: pl.DataFrame, relationship: pl.DataFrame) -> Graph:
    """Return the graph of all entities, its edges sorted by (source, target).

    Parallel edges are summed, self-loops left out. The ends of relationships are names, or whole
    numbers: the places of the entities in sorted order.

    Raises ``ContractError`` where a relationship names an unknown entity or its weight is not a
    number above 0.
    """
    nodes = in_order(entity["entity"])
    repeated = len(nodes) - nodes.n_unique()
    if repeated:
        raise ContractError("Entity", {"names an entity twice": repeated})
    is_numbered = relationship["source"].dtype.is_integer()
    numbered = relationship if is_numbered else _number_ends(relationship, nodes)
    _check(numbered)
    return _merge_parallel(numbered, nodes)


def build_clustered_graph(
    entity: pl.DataFrame, relationship: pl.DataFrame, *, config: GraphConfig
) -> Graph:
    """Return the graph that communities are found in: without the relationships of studies and with
    the weights of hubs damped, unless ``config`` says otherwise.

    Relationships of studies are known by the column ``predicate``; without it there are none.
    Raises as ``build_graph`` does.
    """
    graph = build_graph(entity, clustered_relationships(relationship, config=config))
    return damp_hubs(graph) if config.hub_damping else graph


def clustered_relationships(relationship: pl.DataFrame, *, config: GraphConfig) -> pl.DataFrame:
    """Return the relationships that communities are found from."""
    if config.study_edges or "predicate" not in relationship.columns:
        return relationship
    return relationship.filter(~pl.col("predicate").is_in(STUDY_EDGES))


def damp_hubs(graph: Graph) -> Graph:
    """Return the graph with weights divided by 1 + ln(degree) of the more connected end."""
    degree = np.bincount(graph.source, minlength=graph.n)
    degree += np.bincount(graph.target, minlength=graph.n)
    hub = np.maximum(degree[graph.source], degree[graph.target])
    weight = graph.weight / (1 + np.log(hub))
    return Graph(graph.nodes, graph.source, graph.target, weight)


def build_layers(
    entity: pl.DataFrame, relationship: pl.DataFrame, *, config: GraphConfig
) -> list[tuple[Graph, float]]:
    """Return graphs of all entities with their weights: one per relationship type in
    ``config.layers``.

    The last graph has the relationships of all other types, and weight 1. ``relationship`` has a
    column ``predicate``. A type without edges makes no layer. Raises as ``build_graph`` does.
    """
    predicate = pl.col("predicate")
    weights = config.layers
    parts = [(relationship.filter(predicate == name), weights[name]) for name in weights]
    rest = relationship.filter(~predicate.is_in(list(weights)))
    parts.append((rest, 1.0))
    return [
        (build_clustered_graph(entity, part, config=config), weight)
        for part, weight in parts
        if len(part)
    ]


def aggregate(graph: Graph, partition: IntArray) -> Graph:
    """Return the graph whose nodes are the parts of ``partition``, named by first member.

    Edges inside a part are left out. ``partition`` numbers its parts from 0 without gaps, shape
    (n,).
    """
    first = _first_places(partition)
    source = partition[graph.source]
    target = partition[graph.target]
    is_between = source != target
    low = np.minimum(source, target)[is_between]
    high = np.maximum(source, target)[is_between]
    weight = graph.weight[is_between]
    matrix = coo_array((weight, (low, high)), shape=(len(first), len(first)))
    summed = matrix.tocsr().tocoo()
    low, high = (end.astype(np.int64) for end in summed.coords)
    return Graph(graph.nodes.gather(first), low, high, summed.data)


def in_order(names: pl.Series) -> pl.Series:
    """Return ``names`` sorted; the same object if they are already sorted."""
    return names if names.is_sorted() else names.sort()


def linked_mask(nodes: pl.Series, relationship: pl.DataFrame) -> BoolArray:
    """Return which of ``nodes``, sorted, have a relationship to another node, shape (n,).

    Ends are names or places in ``nodes``, as for ``build_graph``.
    """
    joins = relationship.filter(pl.col("source") != pl.col("target"))
    mask = np.zeros(len(nodes), dtype=bool)
    for end in (joins["source"], joins["target"]):
        if end.dtype.is_integer():
            mask[end.to_numpy()] = True
        else:
            mask |= nodes.is_in(end.unique().implode()).to_numpy()
    return mask


def run_mask(entity: pl.DataFrame) -> BoolArray:
    """Return which nodes of ``build_graph(entity, ...)`` are runs, shape (n,)."""
    ordered = entity if entity["entity"].is_sorted() else entity.sort("entity")
    return np.asarray(ordered["kind"] == "run", dtype=bool)


def renumber(labels: IntArray) -> IntArray:
    """Return ``labels`` as 0..k-1 in order of first appearance: equal partitions, equal arrays.

    Labels are 0 or more, and not much larger than the number of labels: an array has a place for
    each.

    >>> renumber(np.array([7, 7, 3, 7, 0])).tolist()
    [0, 0, 1, 0, 2]
    """
    first = _first_places(labels)
    order = np.empty(len(first), dtype=np.int64)
    order[np.argsort(first)] = np.arange(len(first))
    return order[labels]


def sum_by(labels: IntArray, values: NDArray[np.generic], *, size: int = 0) -> FloatArray:
    """Return the sum of ``values`` per label.

    The shape is (highest label + 1,), or (size,) where that is more.

    >>> sum_by(np.array([0, 2, 0]), np.array([1.0, 2.0, 3.0])).tolist()
    [4.0, 0.0, 2.0]
    """
    return np.bincount(labels, weights=values, minlength=size).astype(np.float64)


def _first_places(labels: IntArray) -> IntArray:
    """Return the first place of each label from 0 on; ``len(labels)`` for an absent label."""
    size = int(labels.max()) + 1 if len(labels) else 0
    first = np.full(size, len(labels), dtype=np.int64)
    first[labels[::-1]] = np.arange(len(labels))[::-1]
    return first


def _number_ends(relationship: pl.DataFrame, nodes: pl.Series) -> pl.DataFrame:
    """Return (weight, source, target) with nodes as numbers, null for an unknown entity."""
    number = pl.DataFrame({"entity": nodes}).with_row_index("node")
    numbered = relationship.select("source", "target", "weight")
    for end in ("source", "target"):
        joined = numbered.join(number, left_on=end, right_on="entity", how="left")
        numbered = joined.drop(end).rename({"node": end})
    return numbered


def _merge_parallel(numbered: pl.DataFrame, nodes: pl.Series) -> Graph:
    """Return the graph of the numbered edges, each pair of nodes once.

    The weights of a pair are summed from the lowest up, whatever the order of the rows.
    """
    pair, weight = _ordered_pairs(numbered, len(nodes))
    first = np.flatnonzero(np.diff(pair, prepend=-1))
    if not len(first):
        return Graph(nodes, pair, pair, weight)
    if len(first) < len(pair):
        sizes = np.diff(first, append=len(pair))
        several = np.flatnonzero(np.repeat(sizes > 1, sizes))
        upwards = np.lexsort((weight[several], pair[several]))
        weight[several] = weight[several][upwards]
        weight, pair = np.add.reduceat(weight, first), pair[first]
    return Graph(nodes, *np.divmod(pair, len(nodes)), weight)


def _ordered_pairs(numbered: pl.DataFrame, size: int) -> tuple[IntArray, FloatArray]:
    """Return each edge between two nodes of ``size`` as one number, in order, and its weight.

    Tables are stored in the order of the graph: then nothing is sorted.
    """
    edges = numbered.filter(pl.col("source") != pl.col("target"))
    ends = pl.col("source").cast(pl.Int64), pl.col("target").cast(pl.Int64)
    number = pl.min_horizontal(ends) * size + pl.max_horizontal(ends)
    pair: IntArray = edges.select(number).to_series().to_numpy()
    weight = edges["weight"].cast(pl.Float64).to_numpy()
    if bool((pair[1:] >= pair[:-1]).all()):
        return pair, weight.copy()
    order = np.argsort(pair, kind="stable")
    return pair[order], weight[order]


def _check(numbered: pl.DataFrame) -> None:
    unknown = pl.any_horizontal(pl.col("source", "target").is_null())
    weight = pl.col("weight")
    usable = (weight.is_finite() & (weight > 0)).fill_null(False)
    violations = {
        "names an unknown entity": numbered.filter(unknown).height,
        "weight is not a number above 0": numbered.filter(~usable).height,
    }
    found = {rule: count for rule, count in violations.items() if count}
    if found:
        raise ContractError("Relationship", found)
