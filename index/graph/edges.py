"""Records and annotations -> weighted relationships: one small function per type, each returning
raw edges.

Raw edges are (source, target, predicate, weight) in any order and direction. ``merge_edges`` makes
relationships of them: source < target, one row per pair and predicate, the highest weight where a
pair is claimed more than once (two attributes that name the same host are one statement, not two).
Weights follow DESIGN section 4.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

import dataframely as dy
import polars as pl

from index.config import GraphConfig
from index.facets import KIND_OF_FACET, VERBATIM_FACETS
from index.graph.entities import facet_entity, stat_hits_kept, term_roles, virus_taxa
from index.graph.lineage import branching_terms, nearest_kept_ancestors
from index.records import Records
from index.tables import Relationship
from ontology_etl.tables import Rejected, conform

UNKNOWN_IDENTITY = 0.5  # weight of an sOTU-taxon pair whose source states no identity
DEGREE_QUANTILES = (0.5, 0.9, 0.99)


class Edges(NamedTuple):
    """Relationships, and the raw edges that could not become one."""

    relationship: dy.DataFrame[Relationship]
    rejected: dy.DataFrame[Rejected]


def build_relationships(
    records: Records,
    annotation: pl.DataFrame,
    term: pl.DataFrame,
    closure: pl.DataFrame,
    *,
    config: GraphConfig,
) -> Edges:
    """Return every relationship of the index; a type of weight 0 is left out. ``closure`` must
    cover ``used_terms``.
    """
    edges = merge_edges(_raw_edges(records, annotation, term, closure, config))
    return (
        edges._replace(relationship=damp_hubs(edges.relationship)) if config.hub_damping else edges
    )


def _raw_edges(
    records: Records,
    annotation: pl.DataFrame,
    term: pl.DataFrame,
    closure: pl.DataFrame,
    config: GraphConfig,
) -> Iterator[pl.DataFrame]:
    """Yield the raw edges of one type after the other, so that only one is in memory unmerged."""
    weights = config.weights
    viruses = virus_taxa(records.detection, term)
    used = term_roles(records, annotation, term, config=config)["entity"].unique()
    yield run_bioproject(records.run, weight=weights.run_bioproject)
    for facet, kind in KIND_OF_FACET.items():
        yield run_facet(annotation, facet, weight=getattr(weights, f"run_{kind}"))
    yield run_sotu(records.detection, weight=weights.run_sotu)
    yield run_stat(stat_hits_kept(records.stat_hit, config=config), factor=weights.run_stat)
    yield sotu_taxon(viruses, factor=weights.sotu_taxon)
    yield sotu_sotu(records.sotu_alignment, factor=weights.sotu_sotu)
    yield term_parent(closure, used, weight=weights.term_parent)


def run_bioproject(run: pl.DataFrame, *, weight: float) -> pl.DataFrame:
    """Return one edge per run that names its bioproject."""
    named = run.filter(pl.col("bioproject").is_not_null())
    return _edges(named, "run", "bioproject", "run-bioproject", pl.lit(weight))


def run_facet(annotation: pl.DataFrame, facet: str, *, weight: float) -> pl.DataFrame:
    """Return one edge per run and grounded value of ``facet``; places without a term count
    verbatim, others do not.
    """
    kind = KIND_OF_FACET[facet]
    values = annotation.filter(pl.col("facet") == facet).with_columns(
        facet_entity().alias("entity")
    )
    if facet not in VERBATIM_FACETS:
        values = values.filter(pl.col("curie").is_not_null())
    return _edges(values, "run", "entity", f"run-{kind}", pl.lit(weight))


def run_sotu(detection: pl.DataFrame, *, weight: float) -> pl.DataFrame:
    """Return one edge per run and sOTU seen in it, whatever the number of sources."""
    return _edges(detection, "run", "sotu", "run-sotu", pl.lit(weight))


def run_stat(stat_hit: pl.DataFrame, *, factor: float) -> pl.DataFrame:
    """Return one edge per run and STAT organism, weighted by its share of the run's k-mers (0-1)."""
    return _edges(stat_hit, "run", "curie", "run-stat", pl.col("share") * factor)


def sotu_taxon(viruses: pl.DataFrame, *, factor: float) -> pl.DataFrame:
    """Return one edge per sOTU and its taxon, weighted by identity (0-1), 0.5 where the source
    states none.
    """
    identity = (pl.col("identity") / 100).fill_null(UNKNOWN_IDENTITY)
    return _edges(viruses, "sotu", "curie", "sotu-taxon", identity * factor)


def sotu_sotu(sotu_alignment: pl.DataFrame, *, factor: float) -> pl.DataFrame:
    """Return one edge per aligned pair of sOTUs, weighted by identity (0-1)."""
    return _edges(sotu_alignment, "sotu_a", "sotu_b", "sotu-sotu", pl.col("identity") * factor)


def term_parent(closure: pl.DataFrame, used: pl.Series, *, weight: float) -> pl.DataFrame:
    """Return one edge per kept term and its nearest kept ancestor (``index.graph.lineage`` says
    which are kept).
    """
    kept = pl.concat([used, branching_terms(closure, used)])
    return _edges(
        nearest_kept_ancestors(closure, kept), "curie", "ancestor", "term-parent", pl.lit(weight)
    )


def merge_edges(parts: Iterable[pl.DataFrame]) -> Edges:
    """Return relationships, sorted by key, with unusable raw edges counted. No predicate may be in
    two parts.

    A weight of exactly 0 switches an edge off and is not an error; a self-loop, an end that is null
    and a weight that is negative, infinite or not a number are rejected.
    """
    merged, rejected = zip(*map(_merge_part, parts), strict=True)
    return Edges(conform(pl.concat(merged), Relationship), conform(pl.concat(rejected), Rejected))


def damp_hubs(relationship: pl.DataFrame) -> dy.DataFrame[Relationship]:
    """Return the relationships with each weight divided by 1 + ln(degree) of its more connected
    end.

    Degree counts relationships of all types. An entity with one relationship keeps its weight.
    """
    degree = pl.concat(
        [relationship["source"], relationship["target"].alias("source")]
    ).value_counts(name="degree")
    hub = (
        relationship.join(degree, on="source")
        .join(
            degree.select(
                pl.col("source").alias("target"), pl.col("degree").alias("target_degree")
            ),
            on="target",
        )
        .with_columns(pl.max_horizontal("degree", "target_degree").log().add(1).alias("damping"))
    )
    return conform(hub.with_columns(pl.col("weight") / pl.col("damping")), Relationship)


def relationship_report(relationship: pl.DataFrame) -> pl.DataFrame:
    """Return per predicate: relationships, total and mean weight, entities, and degree median, 90
    %, 99 %, maximum.

    Degrees count relationships of that predicate over the entities that have any; sorted by
    predicate.
    """
    weights = relationship.group_by("predicate").agg(
        pl.len().alias("relationships"),
        pl.col("weight").sum().alias("total_weight"),
        pl.col("weight").mean().alias("mean_weight"),
    )
    ends = pl.concat(
        [
            relationship.select("predicate", pl.col(end).alias("entity"))
            for end in ("source", "target")
        ]
    )
    degree = ends.group_by("predicate", "entity").agg(pl.len().alias("degree"))
    quantiles = [
        pl.col("degree")
        .quantile(q, interpolation="lower")
        .cast(pl.Int64)
        .alias(f"degree_p{q * 100:.0f}")
        for q in DEGREE_QUANTILES
    ]
    spread = degree.group_by("predicate").agg(
        pl.len().alias("entities"),
        *quantiles,
        pl.col("degree").max().cast(pl.Int64).alias("degree_max"),
    )
    return weights.join(spread, on="predicate").sort("predicate")


def _edges(
    rows: pl.DataFrame, source: str, target: str, predicate: str, weight: pl.Expr
) -> pl.DataFrame:
    return rows.select(
        pl.col(source).cast(pl.String).alias("source"),
        pl.col(target).cast(pl.String).alias("target"),
        pl.lit(predicate).alias("predicate"),
        weight.cast(pl.Float64).alias("weight"),
    )


def _merge_part(raw: pl.DataFrame) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Return the relationships and the rejected rows that raw edges make."""
    checked = raw.filter((pl.col("weight") != 0).fill_null(True)).with_columns(
        _fault().alias("fault")
    )
    ends = pl.col("source"), pl.col("target")
    oriented = checked.filter(pl.col("fault").is_null()).select(
        pl.min_horizontal(ends).alias("source"),
        pl.max_horizontal(ends).alias("target"),
        "predicate",
        "weight",
    )
    rejected = checked.filter(pl.col("fault").is_not_null()).select(
        pl.format("relationship {}", "predicate").alias("source"),
        pl.lit(None, pl.Int64).alias("row"),
        pl.col("fault").alias("reason"),
    )
    return oriented.group_by("source", "target", "predicate").agg(pl.col("weight").max()), rejected


def _fault() -> pl.Expr:
    return (
        pl.when(pl.col("source").is_null() | pl.col("target").is_null()).then(pl.lit("an end is missing"))
        .when(pl.col("source") == pl.col("target")).then(pl.lit("self-loop"))
        .when(pl.col("weight").is_null() | ~pl.col("weight").is_finite()).then(pl.lit("weight is not a number"))
        .when(pl.col("weight") < 0).then(pl.lit("weight is negative"))
    )  # fmt: skip
