"""How good a partition is: against the graph, against the metadata, and against chance.

All measures take a ``Graph`` and a membership array (n,). Modularity after Reichardt and Bornholdt
2006, conductance after Yang and Leskovec 2015, adjusted Rand index after Hubert and Arabie 1985,
normalised mutual information with the arithmetic mean of the entropies.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import polars as pl
from numpy.typing import NDArray

from index.config import GraphConfig
from index.graph.arrays import FloatArray, Graph, IntArray, build_graph, run_mask, sum_by
from index.graph.hierarchy import fine_partition

PURITY_FACETS = ("host", "tissue", "disease", "statOrganism")
REMOVED_SHARE = 0.05  # edges taken out to test stability
REPORT_PROMPT_TOKENS = 350  # measured on compact prompts of small models
REPORT_TOKENS = 160
BATCH_TOKENS = 12_000  # reports read per map call


def modularity(graph: Graph, membership: IntArray, *, resolution: float = 1.0) -> float:
    """Return modularity at ``resolution``; 0 for a graph without edges."""
    total = graph.weight.sum()
    if not total:
        return 0.0
    inside = graph.weight[_inside(graph, membership)].sum() / total
    share = sum_by(membership, graph.strength) / (2 * total)
    return float(inside - resolution * np.square(share).sum())


def coverage(graph: Graph, membership: IntArray) -> float:
    """Return the share of edge weight inside communities, 0-1; 0 for a graph without edges."""
    total = graph.weight.sum()
    return float(graph.weight[_inside(graph, membership)].sum() / total) if total else 0.0


def conductance(graph: Graph, membership: IntArray) -> FloatArray:
    """Return per community the weight leaving it / the smaller volume of it and of the rest, 0
    where it has no edge.
    """
    volume = sum_by(membership, graph.strength)
    inner = _inside(graph, membership)
    inside = sum_by(membership[graph.source[inner]], graph.weight[inner], size=len(volume))
    smaller = np.minimum(volume, volume.sum() - volume)
    cut = np.zeros(len(volume))
    np.divide(volume - 2 * inside, smaller, out=cut, where=smaller > 0)
    return cut


def agreement(left: IntArray, right: IntArray) -> tuple[float, float]:
    """Return (adjusted Rand index, normalised mutual information) of two partitions of the same
    nodes.

    >>> agreement(np.array([0, 0, 1, 1]), np.array([5, 5, 3, 3]))
    (1.0, 1.0)
    """
    n = len(left)
    size = int(right.max(initial=0)) + 1
    pair, rows, columns = (
        np.unique(key, return_counts=True)[1] for key in (left * size + right, left, right)
    )
    return _adjusted_rand(pair, rows, columns, n), _mutual_information(pair, rows, columns, n)


def run_terms(annotation: pl.DataFrame, nodes: pl.Series) -> pl.DataFrame:
    """Return (facet, node, term), the terms of each run in the facets that purity is measured by,
    each once.

    ``node`` is the place of the run in ``nodes``, ``term`` a number that stands for the CURIE.
    """
    place = pl.DataFrame({"run": nodes}).with_row_index("node")
    termed = annotation.filter(pl.col("facet").is_in(PURITY_FACETS) & pl.col("curie").is_not_null())
    term = pl.col("curie").cast(pl.Categorical).to_physical().alias("term")
    return (
        termed.join(place, on="run")
        .select(pl.col("facet").cast(pl.Enum(PURITY_FACETS)), "node", term)
        .unique()
    )


def facet_purity(membership: IntArray, terms: pl.DataFrame) -> pl.DataFrame:
    """Return (facet, purity, background, enrichment) of the runs; ``terms`` is what ``run_terms``
    returns.

    Purity is the chance that a run that has a value of the facet has the commonest value of its
    community; background is the same with all runs in one community; enrichment is their ratio.
    """
    values = terms.with_columns(pl.Series("community", membership[terms["node"].to_numpy()]))
    with_value = values.group_by("facet").agg(pl.col("node").n_unique().alias("runs"))
    inside = (
        _commonest(values, ["facet", "community"])
        .group_by("facet")
        .agg(pl.col("runs").sum().alias("inside"))
    )
    overall = _commonest(values, ["facet"]).rename({"runs": "overall"})
    joined = with_value.join(inside, on="facet").join(overall, on="facet")
    shares = joined.select(
        pl.col("facet").cast(pl.String),
        (pl.col("inside") / pl.col("runs")).alias("purity"),
        (pl.col("overall") / pl.col("runs")).alias("background"),
    )
    return shares.with_columns((pl.col("purity") / pl.col("background")).alias("enrichment")).sort(
        "facet"
    )


def level_quality(
    entity: pl.DataFrame,
    relationship: pl.DataFrame,
    annotation: pl.DataFrame,
    community: pl.DataFrame,
    community_member: pl.DataFrame,
    *,
    config: GraphConfig,
) -> pl.DataFrame:
    """Return (level, metric, value), one row per measure of each level, sorted: what the build
    table stores.

    Medians are over the communities of ``min_runs`` runs or more: runs that nothing links stand
    alone in hundreds.
    """
    graph = build_graph(entity, relationship)
    terms = run_terms(annotation, graph.nodes)
    rows: list[tuple[int, str, float]] = []
    for level in community["level"].unique().sort():
        at_level = community.filter(pl.col("level") == level)
        member = community_member.join(at_level.select("community"), on="community")
        measured = _measure(graph, at_level, member, terms, config)
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
    """Return (test, ari, nmi): level 1 against itself under other seeds and with 5 % of the edges
    taken out at random.

    Each figure is the mean over ``repeats``; ``seed`` chooses the edges and the other Leiden seeds.
    """
    graph, is_run = build_graph(entity, relationship), run_mask(entity)
    base = fine_partition(graph, is_run, config=config)
    chance = np.random.default_rng(seed)
    seeds = chance.integers(0, 2**31, size=repeats).tolist()
    reseeded = [
        fine_partition(graph, is_run, config=config.model_copy(update={"seed": other}))
        for other in seeds
    ]
    kept = [chance.random(len(graph.weight)) >= REMOVED_SHARE for _ in range(repeats)]
    thinned = [fine_partition(graph.edges_where(mask), is_run, config=config) for mask in kept]
    rows = [
        ("other seed", *_mean_agreement(base, reseeded)),
        ("5 % of edges removed", *_mean_agreement(base, thinned)),
    ]
    return pl.DataFrame(
        rows, schema={"test": pl.String, "ari": pl.Float64, "nmi": pl.Float64}, orient="row"
    )


def resolution_sweep(
    entity: pl.DataFrame,
    relationship: pl.DataFrame,
    annotation: pl.DataFrame,
    *,
    config: GraphConfig,
    resolutions: Sequence[float] = (0.5, 1, 2, 5, 10, 20, 50),
    batch_s: float,
) -> pl.DataFrame:
    """Return one row per resolution of level 1: what a finer clustering gains in purity and costs
    in tokens and time.

    ``reports`` counts communities of ``min_runs`` runs or more. Summary tokens are prompt and
    completion of one report each; query seconds are for reading all of them in map batches of
    12,000 tokens at ``batch_s`` seconds a batch, the upper bound that triage then cuts.
    """
    graph, is_run = build_graph(entity, relationship), run_mask(entity)
    terms = run_terms(annotation, graph.nodes)
    rows = []
    for resolution in resolutions:
        partition = fine_partition(
            graph, is_run, config=config.model_copy(update={"resolution": resolution})
        )
        runs = sum_by(partition, is_run)
        reports = int((runs >= config.min_runs).sum())
        purity = facet_purity(partition, terms)
        rows.append(
            {
                "resolution": float(resolution),
                "communities": len(runs),
                "reports": reports,
                "median_runs": float(np.median(runs[runs >= config.min_runs])) if reports else 0.0,
                "largest_runs": int(runs.max(initial=0)),
                "modularity": modularity(graph, partition),
                "coverage": coverage(graph, partition),
                **{
                    f"purity_{facet}": value
                    for facet, value in purity.select("facet", "purity").iter_rows()
                },
                "summary_tokens": reports * (REPORT_PROMPT_TOKENS + REPORT_TOKENS),
                "query_s": batch_s * np.ceil(reports * REPORT_TOKENS / BATCH_TOKENS),
            }
        )
    return pl.DataFrame(rows)


def _measure(
    graph: Graph,
    at_level: pl.DataFrame,
    member: pl.DataFrame,
    terms: pl.DataFrame,
    config: GraphConfig,
) -> dict[str, float]:
    membership = _membership(graph, at_level, member)
    runs = at_level["runs"].to_numpy()
    told = runs >= config.min_runs
    cut = conductance(graph, membership)[told]
    purity = facet_purity(membership, terms)
    return {
        "communities": float(len(at_level)),
        "modularity": modularity(graph, membership),
        f"modularity at {config.resolution:g}": modularity(
            graph, membership, resolution=config.resolution
        ),
        "coverage": coverage(graph, membership),
        "conductance, median": float(np.median(cut)) if told.any() else 0.0,
        "runs, median": float(np.median(runs[told])) if told.any() else 0.0,
        "runs, largest": float(runs.max(initial=0)),
        f"communities below {config.min_runs} runs": float((runs < config.min_runs).sum()),
        f"runs in communities below {config.min_runs}": float(runs[runs < config.min_runs].sum()),
        f"communities above {config.max_runs} runs": float((runs > config.max_runs).sum()),
        **{
            f"purity, {facet}": share
            for facet, share in purity.select("facet", "purity").iter_rows()
        },
        **{
            f"enrichment, {facet}": lift
            for facet, lift in purity.select("facet", "enrichment").iter_rows()
        },
    }


def _membership(graph: Graph, at_level: pl.DataFrame, member: pl.DataFrame) -> IntArray:
    number = at_level.select("community").with_row_index("label")
    labelled = member.join(number, on="community").select("entity", "label")
    nodes = pl.DataFrame({"entity": graph.nodes}).join(
        labelled, on="entity", how="left", maintain_order="left"
    )
    return nodes["label"].to_numpy().astype(np.int64)


def _inside(graph: Graph, membership: IntArray) -> NDArray[np.bool_]:
    return np.equal(membership[graph.source], membership[graph.target])


def _commonest(values: pl.DataFrame, within: list[str]) -> pl.DataFrame:
    counted = values.group_by([*within, "term"]).agg(pl.len().alias("runs"))
    return counted.group_by(within).agg(pl.col("runs").max())


def _mean_agreement(base: IntArray, others: list[IntArray]) -> tuple[float, float]:
    ari, nmi = zip(*(agreement(base, other) for other in others), strict=True)
    return float(np.mean(ari)), float(np.mean(nmi))


def _adjusted_rand(pair: IntArray, rows: IntArray, columns: IntArray, n: int) -> float:
    together, in_rows, in_columns = (
        float((counts * (counts - 1.0)).sum()) for counts in (pair, rows, columns)
    )
    possible = n * (n - 1.0)
    expected = in_rows * in_columns / possible if possible > 0 else 0.0
    highest = (in_rows + in_columns) / 2
    return 1.0 if highest == expected else (together - expected) / (highest - expected)


def _mutual_information(pair: IntArray, rows: IntArray, columns: IntArray, n: int) -> float:
    of_rows, of_columns, joint = (_entropy(counts, n) for counts in (rows, columns, pair))
    mean = (of_rows + of_columns) / 2
    return 1.0 if mean == 0 else (of_rows + of_columns - joint) / mean


def _entropy(counts: IntArray, n: int) -> float:
    share = counts / max(n, 1)
    return float(-(share * np.log(share)).sum())
