"""Records and annotations -> the nodes of the graph.

A term that plays several roles is one entity; the first of its roles in ``ENTITY_KINDS`` names its
kind, so a taxon that is a host somewhere is a host even where STAT also finds its k-mers. Ancestors
that join used terms have the kind of their facet, or are taxa. A role whose relationship has weight
0 makes no entity.
"""

from __future__ import annotations

from collections.abc import Sequence

import dataframely as dy
import polars as pl

from index.config import GraphConfig
from index.facets import KIND_OF_FACET, VERBATIM_FACETS
from index.graph.lineage import branching_terms
from index.records import Records
from index.tables import ENTITY_KINDS, Entity
from ontology_etl.curies import prefix_of
from ontology_etl.facets import FACET_OF_ONTOLOGY
from ontology_etl.tables import conform


def build_entities(
    records: Records,
    annotation: pl.DataFrame,
    term: pl.DataFrame,
    closure: pl.DataFrame,
    *,
    config: GraphConfig,
) -> dy.DataFrame[Entity]:
    """Return every node: runs, bioprojects, studies, sOTUs, terms and their branching ancestors,
    places.

    Runs are those of the run table and those that only a detection, annotation or STAT hit names.
    Places are nodes where their relationship has a weight. ``closure`` must cover ``used_terms``.
    The label is that of the term, the title of a bioproject or study, or what is stated of an sOTU;
    if there is none, it is the identifier.
    """
    terms = term_roles(records, annotation, config=config)
    joining = branching_terms(closure, terms["entity"].unique())
    projects = records.run["bioproject"].drop_nulls().unique()
    studies = studied_runs(records.run)["study"].unique()
    roles = [
        _runs(records, annotation),
        _as_kind(projects, "bioproject", weight=config.weights.run_bioproject),
        _as_kind(studies, "study", weight=config.weights.run_study),
        _sotus(records, config),
        terms,
        _ancestor_roles(joining),
        _verbatim_places(annotation, config),
    ]
    nodes = pl.concat(roles).with_columns(pl.col("kind").cast(pl.Enum(ENTITY_KINDS)))
    first_role = nodes.sort("entity", "kind").unique("entity", keep="first")
    labels = _labels(records, annotation, term)
    labelled = first_role.join(labels, on="entity", how="left").with_columns(
        pl.col("kind").cast(pl.String),
        pl.coalesce("label", "entity").alias("label"),
    )
    return conform(labelled, Entity)


def used_terms(records: Records, annotation: pl.DataFrame, *, config: GraphConfig) -> pl.Series:
    """Return the CURIEs that records and annotations name, sorted.

    These are the terms a closure has to cover. Viruses that detections resolve to are among them,
    whatever their identity supports.
    """
    roles = term_roles(records, annotation, config=config)["entity"]
    viruses = records.detection["virus"].drop_nulls().alias("entity")
    return pl.concat([roles, viruses]).unique().sort()


def term_roles(records: Records, annotation: pl.DataFrame, *, config: GraphConfig) -> pl.DataFrame:
    """Return (entity, kind), one row per ontology term and role it plays, sorted."""
    facets = _weighted_facets(tuple(KIND_OF_FACET), config)
    in_facets = pl.col("facet").is_in(facets)
    grounded = annotation.filter(in_facets & pl.col("curie").is_not_null()).select(
        entity="curie",
        kind=pl.col("facet").replace_strict(KIND_OF_FACET, return_dtype=pl.String),
    )
    kmers, weights = records.kmer_profile["curie"].unique(), config.weights
    viruses = virus_taxa(records.detection)["curie"]
    taxa = [_as_kind(kmers, "taxon", weight=weights.run_stat),
            _as_kind(viruses, "taxon", weight=weights.sotu_taxon)]  # fmt: skip
    return pl.concat([grounded, *taxa]).unique().sort("entity", "kind")


def virus_taxa(detection: pl.DataFrame) -> pl.DataFrame:
    """Return (sotu, curie, identity): the taxon that the detections of each sOTU support.

    ``identity`` is in percent, null if unknown. The taxon is the species, genus or family of
    ``detection.taxon``. If an sOTU has several, the one with the highest identity is taken, then
    the one in more runs.
    """
    supported = detection.filter(pl.col("taxon").is_not_null())
    claims = supported.group_by("sotu", pl.col("taxon").alias("curie")).agg(
        pl.col("identity").max(), pl.col("run").n_unique().alias("runs")
    )
    best_first = claims.sort(
        ["sotu", "identity", "runs", "curie"],
        descending=[False, True, True, False],
        nulls_last=True,
    )
    best = best_first.unique("sotu", keep="first", maintain_order=True)
    return best.select("sotu", "curie", "identity")


def facet_entity() -> pl.Expr:
    """Return the entity of an annotation row: its CURIE, else ``facet:value`` for a place."""
    return pl.coalesce("curie", pl.format("{}:{}", "facet", "value"))


def _as_kind(entities: pl.Series, kind: str, *, weight: float = 1.0) -> pl.DataFrame:
    """Return (entity, kind) of ``entities``; empty where their relationship has no ``weight``."""
    weighing = entities if weight > 0 else entities.clear()
    return pl.DataFrame({"entity": weighing}).with_columns(kind=pl.lit(kind))


def _weighted_facets(facets: tuple[str, ...], config: GraphConfig) -> list[str]:
    """Return the ``facets`` whose relationship has a weight above 0."""
    weights = config.weights
    return [facet for facet in facets if getattr(weights, f"run_{KIND_OF_FACET[facet]}") > 0]


def _runs(records: Records, annotation: pl.DataFrame) -> pl.DataFrame:
    tables = (records.run, records.detection, records.kmer_profile, annotation)
    named = [table["run"].unique() for table in tables]
    return _as_kind(pl.concat(named).unique(), "run")


def studied_runs(run: pl.DataFrame) -> pl.DataFrame:
    """Return the rows of ``run`` with a study and no bioproject: the study joins these runs."""
    return run.filter(pl.col("study").is_not_null() & pl.col("bioproject").is_null())


def _sotus(records: Records, config: GraphConfig) -> pl.DataFrame:
    columns = [records.detection["sotu"]]
    if config.weights.sotu_sotu > 0:
        aligned = records.sotu_alignment
        columns += [aligned["sotu_a"], aligned["sotu_b"]]
    return _as_kind(pl.concat(columns).unique(), "sotu")


def _ancestor_roles(curies: pl.Series) -> pl.DataFrame:
    """Return (entity, kind) of terms that only join others: the kind of their facet, or a taxon."""
    kinds = {name: KIND_OF_FACET.get(facet, "taxon") for name, facet in FACET_OF_ONTOLOGY.items()}
    kind = prefix_of(pl.col("entity")).replace_strict(kinds, return_dtype=pl.String)
    return pl.DataFrame({"entity": curies}).with_columns(kind.alias("kind"))


def _verbatim_places(annotation: pl.DataFrame, config: GraphConfig) -> pl.DataFrame:
    weighing = _places(annotation, _weighted_facets(VERBATIM_FACETS, config))
    return weighing.select("entity", kind="facet").unique()


def _labels(records: Records, annotation: pl.DataFrame, term: pl.DataFrame) -> pl.DataFrame:
    """Return (entity, label), one row per entity that has a name of its own."""
    titles = records.bioproject.select(entity="bioproject", label="title")
    terms = term.select("label", entity="curie").select("entity", "label")
    studies = records.study.select(entity="study", label="title")
    places = _places(annotation, VERBATIM_FACETS).select("entity", label="value").unique("entity")
    named = pl.concat([titles, studies, _sotu_labels(records), places, terms])
    return named.drop_nulls().unique("entity", keep="first")


def _sotu_labels(records: Records) -> pl.DataFrame:
    """Return (entity, label): each sOTU with what is stated of it in most of its rows."""
    named = records.detection.filter(pl.col("stated").is_not_null())
    counted = named.group_by("sotu", "stated").agg(pl.len().alias("rows"))
    ordered = counted.sort(["sotu", "rows", "stated"], descending=[False, True, False])
    commonest = ordered.unique("sotu", keep="first", maintain_order=True)
    return commonest.select(entity="sotu", label=pl.format("{} ({})", "stated", "sotu"))


def _places(annotation: pl.DataFrame, facets: Sequence[str]) -> pl.DataFrame:
    """Return the annotations of ``facets`` that name no term, with their ``entity``."""
    without_term = annotation.filter(pl.col("facet").is_in(facets) & pl.col("curie").is_null())
    return without_term.with_columns(facet_entity().alias("entity"))
