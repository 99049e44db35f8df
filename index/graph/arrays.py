"""Tables <-> arrays: nodes in sorted order, so that a seed means the same whatever the order of the
rows.

The graph is four numpy arrays; igraph sees it only inside an engine. Parallel relationships (a
taxon that is host and STAT organism of the same run) are summed.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import polars as pl
from numpy.typing import NDArray
from scipy.sparse import coo_array

from ontology_etl.errors import ContractError

IntArray = NDArray[np.int64]
FloatArray = NDArray[np.float64]


@dataclass(frozen=True)
class Graph:
    """An undirected weighted graph; node i is ``nodes[i]``, edge j joins ``source[j] < target[j]``."""

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
        return sum_by(self.source, self.weight, size=self.n) + sum_by(
            self.target, self.weight, size=self.n
        )

    def edges_where(self, mask: NDArray[np.bool_]) -> Graph:
        """Return the graph with all its nodes and the edges of ``mask`` only."""
        return Graph(self.nodes, self.source[mask], self.target[mask], self.weight[mask])


def build_graph(entity: pl.DataFrame, relationship: pl.DataFrame) -> Graph:
    """Return the graph of all entities, edges sorted by (source, target), parallel ones summed,
    self-loops left out.

    Raises ``ContractError`` where a relationship names an unknown entity or its weight is not a
    number above 0.
    """
    nodes = entity["entity"].sort()
    index = pl.DataFrame({"entity": nodes}).with_row_index("node")
    if nodes.n_unique() < len(nodes):
        raise ContractError("Entity", {"names an entity twice": len(nodes) - nodes.n_unique()})
    joined = relationship.select("source", "target", "weight")
    for end in ("source", "target"):
        joined = (
            joined.join(index, left_on=end, right_on="entity", how="left")
            .drop(end)
            .rename({"node": end})
        )
    _check(joined)
    ends = pl.col("source"), pl.col("target")
    edges = (
        joined.filter(pl.col("source") != pl.col("target"))
        .select(
            pl.min_horizontal(ends).alias("source"),
            pl.max_horizontal(ends).alias("target"),
            "weight",
        )
        .sort("source", "target", "weight")
        .group_by("source", "target", maintain_order=True)
        .agg(pl.col("weight").sum())
    )
    source, target = (edges[end].to_numpy().astype(np.int64) for end in ("source", "target"))
    return Graph(nodes, source, target, edges["weight"].to_numpy().astype(np.float64))


def build_layers(
    entity: pl.DataFrame, relationship: pl.DataFrame, weights: Mapping[str, float]
) -> list[tuple[Graph, float]]:
    """Return graphs of all entities with their weights: one per relationship type in ``weights``,
    one of the rest.

    The rest weighs 1. ``relationship`` has a column ``predicate``. A type without edges makes no
    layer. Raises as ``build_graph`` does.
    """
    rest = relationship.filter(~pl.col("predicate").is_in(list(weights)))
    parts = [
        (relationship.filter(pl.col("predicate") == name), weight)
        for name, weight in weights.items()
    ]
    return [
        (build_graph(entity, part), weight) for part, weight in [*parts, (rest, 1.0)] if len(part)
    ]


def aggregate(graph: Graph, partition: IntArray) -> Graph:
    """Return the graph whose nodes are the parts of ``partition``, named by first member, without
    edges inside a part.

    ``partition`` numbers its parts from 0 without gaps, shape (n,).
    """
    first = _first_places(partition)
    source, target = partition[graph.source], partition[graph.target]
    between = source != target
    ends = np.minimum(source, target)[between], np.maximum(source, target)[between]
    summed = (
        coo_array((graph.weight[between], ends), shape=(len(first), len(first))).tocsr().tocoo()
    )
    low, high = (end.astype(np.int64) for end in summed.coords)
    return Graph(graph.nodes.gather(first), low, high, summed.data)


def run_mask(entity: pl.DataFrame) -> NDArray[np.bool_]:
    """Return which nodes of ``build_graph(entity, ...)`` are runs, shape (n,)."""
    return np.asarray(entity.sort("entity")["kind"] == "run", dtype=bool)


def renumber(labels: IntArray) -> IntArray:
    """Return ``labels`` as 0..k-1 in order of first appearance, so that equal partitions are equal
    arrays.

    Labels are 0 or more and not much larger than their number: an array has a place for each.

    >>> renumber(np.array([7, 7, 3, 7, 0])).tolist()
    [0, 0, 1, 0, 2]
    """
    first = _first_places(labels)
    order = np.empty(len(first), dtype=np.int64)
    order[np.argsort(first)] = np.arange(len(first))
    return order[labels]


def sum_by(labels: IntArray, values: NDArray[np.generic], *, size: int = 0) -> FloatArray:
    """Return the sum of ``values`` per label, shape (highest label + 1,) or (size,) where that is
    more.

    >>> sum_by(np.array([0, 2, 0]), np.array([1.0, 2.0, 3.0])).tolist()
    [4.0, 0.0, 2.0]
    """
    return np.bincount(labels, weights=values, minlength=size).astype(np.float64)


def _first_places(labels: IntArray) -> IntArray:
    """Return where each label from 0 on stands first in ``labels``; their number for one that does
    not.
    """
    first = np.full(int(labels.max()) + 1 if len(labels) else 0, len(labels), dtype=np.int64)
    first[labels[::-1]] = np.arange(len(labels) - 1, -1, -1)
    return first


def _check(joined: pl.DataFrame) -> None:
    usable = pl.col("weight").is_finite() & (pl.col("weight") > 0)
    violations = {
        "names an unknown entity": joined.filter(
            pl.col("source").is_null() | pl.col("target").is_null()
        ).height,
        "weight is not a number above 0": joined.filter(~usable.fill_null(False)).height,
    }
    found = {rule: count for rule, count in violations.items() if count}
    if found:
        raise ContractError("Relationship", found)
