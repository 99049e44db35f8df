"""Records and annotations -> the nodes of the graph.

A term that plays several roles is one entity; the role that stands first in ``ENTITY_KINDS`` names
its kind, so a taxon that is a host somewhere is a host even where STAT also finds its k-mers.
Ancestors that join used terms have the kind of their facet, or are taxa. A role whose relationship
has weight 0 makes no entity.
"""

from __future__ import annotations

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

VIRUS_RANKS = ("species", "family")


def build_entities(
    records: Records,
    annotation: pl.DataFrame,
    term: pl.DataFrame,
    closure: pl.DataFrame,
    *,
    config: GraphConfig,
) -> dy.DataFrame[Entity]:
    """Return every node: runs, bioprojects, sOTUs, terms in use, their branching ancestors, and
    places where weighted.

    Runs are those of the run table and those that only a detection, annotation or STAT hit names.
    ``closure`` must cover ``used_terms``. The label is the term's label, the title of a bioproject,
    the species of an sOTU, else the identifier.
    """
    terms = term_roles(records, annotation, term, config=config)
    joining = branching_terms(closure, terms["entity"].unique())
    nodes = pl.concat(
        [
            _runs(records, annotation),
            _bioprojects(records, config),
            _sotus(records, config),
            terms,
            _ancestor_roles(joining),
            _verbatim_places(annotation, config),
        ]
    )
    kind = pl.Enum(ENTITY_KINDS)
    first_role = (
        nodes.with_columns(pl.col("kind").cast(kind))
        .sort("entity", "kind")
        .unique("entity", keep="first")
    )
    named = first_role.join(
        _labels(records, annotation, term), on="entity", how="left"
    ).with_columns(pl.col("kind").cast(pl.String), pl.coalesce("label", "entity").alias("label"))
    return conform(named, Entity)


def used_terms(
    records: Records, annotation: pl.DataFrame, term: pl.DataFrame, *, config: GraphConfig
) -> pl.Series:
    """Return the CURIEs that records and annotations name, sorted: the terms a closure has to
    cover.
    """
    return term_roles(records, annotation, term, config=config)["entity"].unique().sort()


def term_roles(
    records: Records, annotation: pl.DataFrame, term: pl.DataFrame, *, config: GraphConfig
) -> pl.DataFrame:
    """Return (entity, kind), one row per ontology term and role it plays."""
    weights = config.weights
    facets = [facet for facet, kind in KIND_OF_FACET.items() if getattr(weights, f"run_{kind}") > 0]
    grounded = annotation.filter(
        pl.col("curie").is_not_null() & pl.col("facet").is_in(facets)
    ).select(
        pl.col("curie").alias("entity"),
        pl.col("facet").replace_strict(KIND_OF_FACET, return_dtype=pl.String).alias("kind"),
    )
    taxa = [
        stat_hits_kept(records.stat_hit, config=config)["curie"],
        virus_taxa(records.detection, term)["curie"]
        if weights.sotu_taxon > 0
        else pl.Series("curie", [], pl.String),
    ]
    as_taxon = pl.DataFrame({"entity": pl.concat(taxa)}).with_columns(pl.lit("taxon").alias("kind"))
    return pl.concat([grounded, as_taxon]).unique().sort("entity", "kind")


def stat_hits_kept(stat_hit: pl.DataFrame, *, config: GraphConfig) -> pl.DataFrame:
    """Return the STAT hits that make a relationship: share above ``stat_min_share``, none where
    STAT has weight 0.
    """
    return stat_hit.filter(
        (pl.col("share") > config.stat_min_share) & pl.lit(config.weights.run_stat > 0)
    )


def virus_taxa(detection: pl.DataFrame, term: pl.DataFrame) -> pl.DataFrame:
    """Return (sotu, curie, identity), the NCBI taxon of each sOTU that has one; identity in
    percent, null if unknown.

    The species as the source names it, joined to the labels of live taxa whatever their case; the
    family where no species is found. Of several species of one sOTU the one of highest identity is
    taken, then the one in more runs.
    """
    claimed = pl.concat([_claims(detection, rank) for rank in VIRUS_RANKS])
    names = claimed["name"].unique()
    taxa = (
        term.filter((pl.col("ontology") == "NCBITaxon") & ~pl.col("obsolete"))
        .select(
            "curie",
            pl.col("label").str.to_lowercase().alias("name"),
            pl.col("rank").alias("taxon_rank"),
        )
        .filter(pl.col("name").is_in(names.implode()))
    )
    return (
        claimed.join(taxa, on="name")
        .with_columns((pl.col("rank") == pl.col("taxon_rank")).fill_null(False).alias("same_rank"))
        .with_columns((pl.col("rank") == "species").alias("is_species"))
        .sort(
            ["sotu", "is_species", "identity", "runs", "same_rank", "curie"],
            descending=[False, True, True, True, True, False],
            nulls_last=True,
        )
        .unique("sotu", keep="first", maintain_order=True)
        .select("sotu", "curie", "identity")
    )


def facet_entity() -> pl.Expr:
    """Return the entity of an annotation row: its CURIE, else ``facet:value`` for a place kept
    verbatim.
    """
    return pl.coalesce("curie", pl.format("{}:{}", "facet", "value"))


def _claims(detection: pl.DataFrame, rank: str) -> pl.DataFrame:
    return (
        detection.filter(pl.col(rank).is_not_null())
        .group_by("sotu", pl.col(rank).str.to_lowercase().alias("name"))
        .agg(pl.col("identity").max(), pl.col("run").n_unique().alias("runs"))
        .with_columns(pl.lit(rank).alias("rank"))
    )


def _runs(records: Records, annotation: pl.DataFrame) -> pl.DataFrame:
    tables = (records.run, records.detection, records.stat_hit, annotation)
    runs = pl.concat([table.select(pl.col("run").unique()) for table in tables]).unique()
    return runs.select(pl.col("run").alias("entity"), pl.lit("run").alias("kind"))


def _bioprojects(records: Records, config: GraphConfig) -> pl.DataFrame:
    linked = (
        records.run.filter(pl.lit(config.weights.run_bioproject > 0))["bioproject"]
        .drop_nulls()
        .unique()
    )
    return pl.DataFrame({"entity": linked}).with_columns(pl.lit("bioproject").alias("kind"))


def _sotus(records: Records, config: GraphConfig) -> pl.DataFrame:
    columns = [records.detection["sotu"]]
    if config.weights.sotu_sotu > 0:
        columns += [records.sotu_alignment["sotu_a"], records.sotu_alignment["sotu_b"]]
    sotus = pl.concat([column.alias("entity") for column in columns]).unique()
    return pl.DataFrame({"entity": sotus}).with_columns(pl.lit("sotu").alias("kind"))


def _ancestor_roles(curies: pl.Series) -> pl.DataFrame:
    """Return (entity, kind) of terms that only join others: the kind of their facet, or a taxon."""
    kinds = {name: KIND_OF_FACET.get(facet, "taxon") for name, facet in FACET_OF_ONTOLOGY.items()}
    kind = prefix_of(pl.col("entity")).replace_strict(kinds, return_dtype=pl.String)
    return pl.DataFrame({"entity": curies}).with_columns(kind.alias("kind"))


def _verbatim_places(annotation: pl.DataFrame, config: GraphConfig) -> pl.DataFrame:
    facets = [facet for facet in VERBATIM_FACETS if getattr(config.weights, f"run_{facet}") > 0]
    places = annotation.filter(pl.col("facet").is_in(facets) & pl.col("curie").is_null())
    return places.select(facet_entity().alias("entity"), pl.col("facet").alias("kind")).unique()


def _labels(records: Records, annotation: pl.DataFrame, term: pl.DataFrame) -> pl.DataFrame:
    """Return (entity, label), one row per entity that has a name of its own."""
    titles = records.bioproject.select(
        pl.col("bioproject").alias("entity"), pl.col("title").alias("label")
    )
    species = (
        records.detection.filter(pl.col("species").is_not_null())
        .group_by("sotu", "species")
        .agg(pl.len().alias("rows"))
        .sort(["sotu", "rows", "species"], descending=[False, True, False])
        .unique("sotu", keep="first", maintain_order=True)
        .select(
            pl.col("sotu").alias("entity"), pl.format("{} ({})", "species", "sotu").alias("label")
        )
    )
    places = annotation.filter(pl.col("facet").is_in(VERBATIM_FACETS) & pl.col("curie").is_null())
    named_places = places.select(
        facet_entity().alias("entity"), pl.col("value").alias("label")
    ).unique("entity")
    terms = term.select(pl.col("curie").alias("entity"), "label")
    return (
        pl.concat([titles, species, named_places, terms])
        .drop_nulls()
        .unique("entity", keep="first")
    )
