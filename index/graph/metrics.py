"""How good a partition is: against the graph, against the metadata, and against chance.

All measures take a ``Graph`` and a membership array (n,). Modularity is that of Reichardt and
Bornholdt 2006, conductance that of Yang and Leskovec 2015. The adjusted Rand index (Hubert and
Arabie 1985) and normalised mutual information (Danon et al. 2005) are igraph's.
"""

from __future__ import annotations

from typing import Final

import numpy as np
import polars as pl
from numpy.typing import NDArray

from index.graph.arrays import FloatArray, Graph, IntArray, renumber, sum_by

PURITY_FACETS: Final = ("host", "tissue", "disease", "statOrganism")


def modularity(graph: Graph, membership: IntArray, *, resolution: float = 1.0) -> float:
    """Return modularity at ``resolution``; 0 for a graph without edges."""
    total = graph.weight.sum()
    if not total:
        return 0.0
    inside = _weight_inside(graph, membership) / total
    share = sum_by(membership, graph.strength) / (2 * total)
    expected = np.square(share).sum()
    return float(inside - resolution * expected)


def coverage(graph: Graph, membership: IntArray) -> float:
    """Return the share of edge weight inside communities, 0-1; 0 for a graph without edges."""
    total = graph.weight.sum()
    if not total:
        return 0.0
    return float(_weight_inside(graph, membership) / total)


def conductance(graph: Graph, membership: IntArray) -> FloatArray:
    """Return the weight that leaves each community, divided by its volume or that of the rest.

    The smaller of the two volumes is used. A community without edges has 0.
    """
    volume = sum_by(membership, graph.strength)
    is_inside = _inside(graph, membership)
    community = membership[graph.source[is_inside]]
    inside = sum_by(community, graph.weight[is_inside], size=len(volume))
    leaving = volume - 2 * inside
    smaller = np.minimum(volume, volume.sum() - volume)
    cut = np.zeros(len(volume))
    np.divide(leaving, smaller, out=cut, where=smaller > 0)
    return cut


def agreement(left: IntArray, right: IntArray) -> tuple[float, float]:
    """Return (adjusted Rand index, normalised mutual information) of two partitions of the nodes.

    Both are 1 where the partitions are equal, also where igraph leaves them undefined.

    >>> agreement(np.array([0, 0, 1, 1]), np.array([5, 5, 3, 3]))
    (1.0, 1.0)
    """
    import igraph

    left = renumber(left)
    right = renumber(right)
    if np.array_equal(left, right):
        return 1.0, 1.0
    sides = left.tolist(), right.tolist()
    rand = igraph.compare_communities(*sides, method="adjusted_rand")
    information = igraph.compare_communities(*sides, method="nmi")
    return float(rand), float(information)


def run_terms(annotation: pl.DataFrame, nodes: pl.Series) -> pl.DataFrame:
    """Return (facet, node, term), each term of each run once, in the facets of purity.

    ``node`` is the place of the run in ``nodes``, ``term`` a number in place of the CURIE.
    """
    place = pl.DataFrame({"run": nodes}).with_row_index("node")
    measured = pl.col("facet").is_in(PURITY_FACETS)
    termed = annotation.filter(measured & pl.col("curie").is_not_null())
    term = pl.col("curie").cast(pl.Categorical).to_physical().alias("term")
    facet = pl.col("facet").cast(pl.Enum(PURITY_FACETS))
    return termed.join(place, on="run").select(facet, "node", term).unique()


def facet_purity(membership: IntArray, terms: pl.DataFrame) -> pl.DataFrame:
    """Return (facet, purity, background, enrichment); ``terms`` is what ``run_terms`` returns.

    Purity is the chance that a run that has a value of the facet has the commonest value of its
    community; background is the same with all runs in one community; enrichment is their ratio.
    """
    community = pl.Series("community", membership[terms["node"].to_numpy()])
    values = terms.with_columns(community)
    with_value = values.group_by("facet").agg(pl.col("node").n_unique().alias("runs"))
    of_communities = _commonest(values, ["facet", "community"])
    inside = of_communities.group_by("facet").agg(pl.col("runs").sum().alias("inside"))
    overall = _commonest(values, ["facet"]).rename({"runs": "overall"})
    joined = with_value.join(inside, on="facet").join(overall, on="facet")
    shares = joined.select(
        pl.col("facet").cast(pl.String),
        purity=pl.col("inside") / pl.col("runs"),
        background=pl.col("overall") / pl.col("runs"),
    )
    enrichment = pl.col("purity") / pl.col("background")
    return shares.with_columns(enrichment=enrichment).sort("facet")


def _inside(graph: Graph, membership: IntArray) -> NDArray[np.bool_]:
    return np.equal(membership[graph.source], membership[graph.target])


def _weight_inside(graph: Graph, membership: IntArray) -> float:
    return float(graph.weight[_inside(graph, membership)].sum())


def _commonest(values: pl.DataFrame, within: list[str]) -> pl.DataFrame:
    counted = values.group_by([*within, "term"]).agg(pl.len().alias("runs"))
    return counted.group_by(within).agg(pl.col("runs").max())
