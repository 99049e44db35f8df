"""Records and annotations -> weighted relationships: one small function per type.

Each returns raw edges: (source, target, predicate, weight) in any order and direction.
``merge_edges`` makes relationships of them: source < target, one row per pair and predicate, the
highest weight where a pair is claimed more than once (two attributes that name the same host are
one statement, not two). Weights follow DESIGN section 4. Types are made one after another, because
together they are the largest table of an index.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final, NamedTuple

import dataframely as dy
import polars as pl

from index.config import GraphConfig
from index.facets import KIND_OF_FACET, VERBATIM_FACETS
from index.graph.entities import facet_entity, studied_runs, virus_taxa
from index.graph.lineage import branching_terms, nearest_kept_ancestors
from index.records import Records
from index.tables import Relationship
from ontology_etl.tables import Rejected, conform

UNKNOWN_IDENTITY: Final = 0.5
"""Weight of an sOTU–taxon pair whose source states no identity."""
DEGREE_QUANTILES: Final = (0.5, 0.9, 0.99)
ACCESSION: Final = r"^[A-Z]{1,2}_?\d{5,}(?:\.\d+)?$"
"""An sOTU that is a genome, or a segment of one."""


class Edges(NamedTuple):
    """Relationships that are not validated yet, and the raw edges that were rejected."""

    relationship: pl.DataFrame
    rejected: dy.DataFrame[Rejected]


def weigh_types(
    records: Records,
    annotation_of: Callable[[str], pl.DataFrame],
    closure: pl.DataFrame,
    *,
    used: pl.Series,
    config: GraphConfig,
) -> Iterator[Edges]:
    """Yield the relationships of each type that has a weight above 0.

    ``annotation_of`` returns the annotations of a facet. ``used`` are the terms of ``term_roles``;
    ``closure`` must cover them.
    """
    for raw in _raw_edges(records, annotation_of, closure, used=used, config=config):
        yield merge_edges(raw)


def _raw_edges(
    records: Records,
    annotation_of: Callable[[str], pl.DataFrame],
    closure: pl.DataFrame,
    *,
    used: pl.Series,
    config: GraphConfig,
) -> Iterator[pl.DataFrame]:
    weights = config.weights
    yield run_bioproject(records.run, weight=weights.run_bioproject)
    yield run_study(records.run, weight=weights.run_study)
    for facet, kind in KIND_OF_FACET.items():
        weight = getattr(weights, f"run_{kind}")
        if weight > 0:
            yield run_facet(annotation_of(facet), facet, weight=weight)
    yield run_sotu(records.detection, weight=weights.run_sotu)
    yield run_stat(records.kmer_profile, factor=weights.run_stat)
    yield sotu_taxon(virus_taxa(records.detection), factor=weights.sotu_taxon)
    yield sotu_sotu(records.sotu_alignment, factor=weights.sotu_sotu)
    yield term_parent(closure, used, weight=weights.term_parent)


def run_bioproject(run: pl.DataFrame, *, weight: float) -> pl.DataFrame:
    """Return one edge per run that names its bioproject."""
    named = run.filter(pl.col("bioproject").is_not_null())
    return _edges(named, "run", "bioproject", "run-bioproject", pl.lit(weight))


def run_study(run: pl.DataFrame, *, weight: float) -> pl.DataFrame:
    """Return one edge per run that names its study and no bioproject."""
    return _edges(studied_runs(run), "run", "study", "run-study", pl.lit(weight))


def run_facet(annotation: pl.DataFrame, facet: str, *, weight: float) -> pl.DataFrame:
    """Return one edge per run and grounded value of ``facet``.

    A place without a term counts by its text; a value of another facet without a term does not.
    """
    of_facet = annotation.filter(pl.col("facet") == facet)
    if facet not in VERBATIM_FACETS:
        of_facet = of_facet.filter(pl.col("curie").is_not_null())
    values = of_facet.with_columns(facet_entity().alias("entity"))
    predicate = f"run-{KIND_OF_FACET[facet]}"
    return _edges(values, "run", "entity", predicate, pl.lit(weight))


def run_sotu(detection: pl.DataFrame, *, weight: float) -> pl.DataFrame:
    """Return one edge per run and sOTU seen in it, whatever the number of sources.

    Genomes that are segments of one virus share its weight in a run, so that it weighs once. If a
    congener explains the reads of a genome, its weight is divided by the ratio of their reads.
    """
    genome = pl.col("sotu").str.contains(ACCESSION) & pl.col("virus").is_not_null()
    segments = pl.when(genome).then(pl.col("sotu").n_unique().over("run", "virus", genome))
    explained = pl.when(pl.col("closest").is_not_null()).then("congener_ratio")
    share = weight / segments.fill_null(1) / explained.fill_null(1)
    return _edges(detection, "run", "sotu", "run-sotu", share)


def run_stat(kmer_profile: pl.DataFrame, *, factor: float) -> pl.DataFrame:
    """Return one edge per run and STAT organism, weighted by its k-mer share (0-1)."""
    return _edges(kmer_profile, "run", "curie", "run-stat", pl.col("share") * factor)


def sotu_taxon(viruses: pl.DataFrame, *, factor: float) -> pl.DataFrame:
    """Return one edge per sOTU and its taxon, weighted by identity (0-1), 0.5 where unknown."""
    identity = (pl.col("identity") / 100).fill_null(UNKNOWN_IDENTITY)
    return _edges(viruses, "sotu", "curie", "sotu-taxon", identity * factor)


def sotu_sotu(sotu_alignment: pl.DataFrame, *, factor: float) -> pl.DataFrame:
    """Return one edge per aligned pair of sOTUs, weighted by identity (0-1)."""
    weight = pl.col("identity") * factor
    return _edges(sotu_alignment, "sotu_a", "sotu_b", "sotu-sotu", weight)


def term_parent(closure: pl.DataFrame, used: pl.Series, *, weight: float) -> pl.DataFrame:
    """Return one edge per term to its nearest ancestor in the graph (``graph.lineage``)."""
    terms = pl.concat([used, branching_terms(closure, used)])
    pairs = nearest_kept_ancestors(closure, terms)
    return _edges(pairs, "curie", "ancestor", "term-parent", pl.lit(weight))


def merge_edges(raw: pl.DataFrame) -> Edges:
    """Return relationships, sorted by key, with unusable raw edges rejected.

    A weight of exactly 0 switches an edge off and is not an error; a self-loop, an end that is null
    and a weight that is negative, infinite or not a number are rejected.
    """
    switched_on = raw.lazy().filter((pl.col("weight") != 0).fill_null(True))
    checked = switched_on.with_columns(_fault().alias("fault"))
    is_usable = pl.col("fault").is_null()
    # streaming: no step in between is in memory as a whole
    merged = _one_per_pair(checked.filter(is_usable)).sort(Relationship.primary_key())
    rejected = checked.filter(~is_usable).select(
        source=pl.format("relationship {}", "predicate"), row=pl.lit(None, pl.Int64), reason="fault"
    )
    return Edges(
        merged.collect(engine="streaming"),
        conform(rejected.collect(engine="streaming"), Rejected),
    )


def relationship_report(relationship: pl.DataFrame) -> pl.DataFrame:
    """Return size, weights, entities and degree quantiles of each predicate, sorted by predicate.

    Degrees count relationships of that predicate over the entities that have any.
    """
    weights = relationship.group_by("predicate").agg(
        relationships=pl.len(),
        total_weight=pl.col("weight").sum(),
        mean_weight=pl.col("weight").mean(),
    )
    degrees = [pl.DataFrame(schema={"predicate": pl.String, "degree": pl.UInt32})]
    for predicate in weights["predicate"]:
        edges = relationship.lazy().filter(pl.col("predicate") == predicate)
        ends = pl.concat([edges.select(entity=end) for end in ("source", "target")])
        degree = ends.group_by("entity").agg(degree=pl.len())  # one key: a third of the time of two
        degrees.append(degree.select(pl.lit(predicate).alias("predicate"), "degree").collect())
    spread = (
        pl.concat(degrees)
        .group_by("predicate")
        .agg(
            pl.len().alias("entities"),
            *(_degree_quantile(share) for share in DEGREE_QUANTILES),
            pl.col("degree").max().cast(pl.Int64).alias("degree_max"),
        )
    )
    return weights.join(spread, on="predicate").sort("predicate")


def _degree_quantile(share: float) -> pl.Expr:
    quantile = pl.col("degree").quantile(share, interpolation="lower")
    return quantile.cast(pl.Int64).alias(f"degree_p{share * 100:.0f}")


def _edges(
    rows: pl.DataFrame, source: str, target: str, predicate: str, weight: pl.Expr
) -> pl.DataFrame:
    return rows.select(
        source=pl.col(source).cast(pl.String),
        target=pl.col(target).cast(pl.String),
        predicate=pl.lit(predicate),
        weight=weight.cast(pl.Float64),
    )


def _one_per_pair(usable: pl.LazyFrame) -> pl.LazyFrame:
    """Return one row per pair and predicate, the highest weight, the lower end as source."""
    ends = pl.col("source"), pl.col("target")
    oriented = usable.select(
        pl.min_horizontal(ends).alias("source"),
        pl.max_horizontal(ends).alias("target"),
        "predicate",
        "weight",
    )
    return oriented.group_by("source", "target", "predicate").agg(pl.col("weight").max())


def _fault() -> pl.Expr:
    """Return why a raw edge cannot be used, or null."""
    source = pl.col("source")
    target = pl.col("target")
    weight = pl.col("weight")
    return (
        pl.when(source.is_null() | target.is_null())
        .then(pl.lit("an end is missing"))
        .when(source == target)
        .then(pl.lit("self-loop"))
        .when(weight.is_null() | ~weight.is_finite())
        .then(pl.lit("weight is not a number"))
        .when(weight < 0)
        .then(pl.lit("weight is negative"))
    )
