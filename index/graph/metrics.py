"""How good a partition is: against the graph, against the metadata, and against chance.

All measures take a ``Graph`` and a membership array (n,). Modularity is that of Reichardt and
Bornholdt 2006, conductance that of Yang and Leskovec 2015. The adjusted Rand index (Hubert and
Arabie 1985) and normalised mutual information (Danon et al. 2005) are igraph's.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import polars as pl
from numpy.typing import NDArray

from index.config import GraphConfig
from index.graph.arrays import FloatArray, Graph, IntArray, build_graph, renumber, run_mask, sum_by
from index.graph.hierarchy import fine_partition

PURITY_FACETS: Final = ("host", "tissue", "disease", "statOrganism")
REMOVED_SHARE: Final = 0.05
"""Share of the edges removed to test stability."""

REPORT_PROMPT_TOKENS: Final = 350
"""Tokens of a compact prompt of a small model, measured."""
REPORT_TOKENS: Final = 160
BATCH_TOKENS: Final = 12_000
"""Tokens of reports read per map call."""


SWEEP_COUNTS: Final = ("communities", "reports", "largest_runs", "summary_tokens")
"""Columns of ``resolution_sweep`` that are whole numbers."""


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
    """Return the weight leaving each community over the smaller volume of it and of the rest.

    It is 0 for a community without edges.
    """
    volume = sum_by(membership, graph.strength)
    is_inside = _inside(graph, membership)
    community = membership[graph.source[is_inside]]
    inside = sum_by(
        community,
        graph.weight[is_inside],
        size=len(volume),
    )
    leaving = volume - 2 * inside
    smaller = np.minimum(volume, volume.sum() - volume)
    cut = np.zeros(len(volume))
    np.divide(
        leaving,
        smaller,
        out=cut,
        where=smaller > 0,
    )
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


@dataclass(frozen=True)
class IndexTables:
    """The tables of an index that its quality is measured on."""

    entity: pl.DataFrame
    relationship: pl.DataFrame
    annotation: pl.DataFrame
    community: pl.DataFrame
    community_member: pl.DataFrame


def level_quality(tables: IndexTables, *, config: GraphConfig) -> pl.DataFrame:
    """Return (level, metric, value), one row per measure of each level, sorted.

    Medians are over the communities of ``min_runs`` runs or more, because hundreds of unlinked runs
    are communities of their own.
    """
    graph = build_graph(tables.entity, tables.relationship)
    terms = run_terms(tables.annotation, graph.nodes)
    rows: list[tuple[int, str, float]] = []
    for level in tables.community["level"].unique().sort():
        at_level = tables.community.filter(pl.col("level") == level)
        member = tables.community_member.join(
            at_level.select("community"),
            on="community",
        )
        membership = _membership(graph, at_level, member)
        measured = _graph_measures(graph, membership, config)
        measured |= _size_measures(
            graph,
            membership,
            at_level["runs"],
            config,
        )
        measured |= _purity_measures(facet_purity(membership, terms))
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
    """Return (test, ari, nmi): level 1 against itself, clustered again under two disturbances.

    The disturbances are other seeds, and 5 % of the edges removed at random. Each figure is the
    mean over ``repeats``; ``seed`` chooses the edges and the other Leiden seeds.
    """
    graph = build_graph(entity, relationship)
    is_run = run_mask(entity)
    base = fine_partition(graph, is_run, config=config)
    chance = np.random.default_rng(seed)
    seeds = chance.integers(0, 2**31, size=repeats).tolist()
    reseeded = []
    for other_seed in seeds:
        other_config = config.model_copy(update={"seed": other_seed})
        reseeded.append(fine_partition(graph, is_run, config=other_config))
    thinned = []
    for _ in range(repeats):
        kept = chance.random(len(graph.weight)) >= REMOVED_SHARE
        thinned.append(fine_partition(graph.edges_where(kept), is_run, config=config))
    rows = [
        ("other seed", *_mean_agreement(base, reseeded)),
        ("5 % of edges removed", *_mean_agreement(base, thinned)),
    ]
    schema = {"test": pl.String, "ari": pl.Float64, "nmi": pl.Float64}
    return pl.DataFrame(rows, schema=schema, orient="row")


def resolution_sweep(
    entity: pl.DataFrame,
    relationship: pl.DataFrame,
    annotation: pl.DataFrame,
    *,
    config: GraphConfig,
    resolutions: Sequence[float] = (0.5, 1, 2, 5, 10, 20, 50),
    batch_s: float,
) -> pl.DataFrame:
    """Return one row per resolution of level 1: what a finer clustering brings and what it costs.

    ``reports`` counts communities of ``min_runs`` runs or more. Summary tokens are prompt and
    completion of one report each; query seconds are for reading all of them in map batches of
    12,000 tokens at ``batch_s`` seconds a batch, the upper bound that triage then cuts.
    """
    graph = build_graph(entity, relationship)
    is_run = run_mask(entity)
    terms = run_terms(annotation, graph.nodes)
    rows = []
    for resolution in resolutions:
        at_resolution = config.model_copy(update={"resolution": resolution})
        partition = fine_partition(graph, is_run, config=at_resolution)
        sizes = sum_by(partition, is_run)
        row = {"resolution": float(resolution)}
        row |= _sweep_sizes(sizes, config.min_runs)
        row["modularity"] = modularity(graph, partition)
        row["coverage"] = coverage(graph, partition)
        row |= _by_facet(
            facet_purity(partition, terms),
            "purity",
            prefix="purity_",
        )
        row |= _reading_costs(row["reports"], batch_s)
        rows.append(row)
    return pl.DataFrame(rows).cast(dict.fromkeys(SWEEP_COUNTS, pl.Int64))


def _sweep_sizes(sizes: FloatArray, min_runs: int) -> dict[str, float]:
    reported = sizes[sizes >= min_runs]
    return {
        "communities": len(sizes),
        "reports": len(reported),
        "median_runs": _median(reported),
        "largest_runs": sizes.max(initial=0),
    }


def _reading_costs(reports: float, batch_s: float) -> dict[str, float]:
    batches = np.ceil(reports * REPORT_TOKENS / BATCH_TOKENS)
    return {
        "summary_tokens": reports * (REPORT_PROMPT_TOKENS + REPORT_TOKENS),
        "query_s": batch_s * batches,
    }


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
    cut = conductance(graph, membership)
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
    shares = _by_facet(purity, "purity", prefix="purity, ")
    return shares | _by_facet(purity, "enrichment", prefix="enrichment, ")


def _by_facet(purity: pl.DataFrame, column: str, *, prefix: str) -> dict[str, float]:
    """Return one ``column`` of ``facet_purity`` by ``prefix`` and facet."""
    values = purity.select("facet", column).iter_rows()
    return {f"{prefix}{facet}": value for facet, value in values}


def _median(values: FloatArray | IntArray) -> float:
    return float(np.median(values)) if len(values) else 0.0


def _membership(graph: Graph, at_level: pl.DataFrame, member: pl.DataFrame) -> IntArray:
    number = at_level.select("community").with_row_index("label")
    labelled = member.join(number, on="community").select("entity", "label")
    nodes = pl.DataFrame({"entity": graph.nodes})
    placed = nodes.join(
        labelled,
        on="entity",
        how="left",
        maintain_order="left",
    )
    return placed["label"].to_numpy().astype(np.int64)


def _inside(graph: Graph, membership: IntArray) -> NDArray[np.bool_]:
    return np.equal(membership[graph.source], membership[graph.target])


def _weight_inside(graph: Graph, membership: IntArray) -> float:
    return float(graph.weight[_inside(graph, membership)].sum())


def _commonest(values: pl.DataFrame, within: list[str]) -> pl.DataFrame:
    counted = values.group_by([*within, "term"]).agg(pl.len().alias("runs"))
    return counted.group_by(within).agg(pl.col("runs").max())


def _mean_agreement(base: IntArray, others: list[IntArray]) -> tuple[float, float]:
    pairs = np.array([agreement(base, other) for other in others])
    rand, information = pairs.mean(axis=0)
    return float(rand), float(information)
