"""The table ``virus``: each detected virus, its lineage, and what ICTV says about its species."""

from __future__ import annotations

import polars as pl

from index.annotation.virus_taxonomy import VirusTaxonomy
from index.tables import Virus
from ontology_etl.curies import ICTV, has_prefix
from ontology_etl.host_groups import HAS_HOST
from ontology_etl.sources.ictv import HAS_GENOME
from ontology_etl.tables import conform


def describe_viruses(
    viruses: pl.Series, lineage: pl.DataFrame, taxonomy: VirusTaxonomy
) -> pl.DataFrame:
    """Return the table ``virus``: each of ``viruses`` with its lineage and what ICTV says about it.

    It is named as facts and answers name it: a strain by its species, a species by what virologists
    call it (``called`` of ``lineage``). Its scientific name is the label of its term.
    """
    taxa = taxonomy.terms(viruses).select("rank", "label", virus="curie")
    placed = taxa.join(lineage, on="virus", how="left")
    listed = _ictv_species(taxonomy)
    described = placed.join(listed, on="species_curie", how="left")
    shared = [_unanimous_genome(listed, rank) for rank in ("genus", "family")]
    genome = pl.coalesce("ictv_genome", *shared)
    ranks = [pl.coalesce(rank, f"ictv_{rank}").alias(rank) for rank in ("genus", "family", "order")]
    name = pl.coalesce("called", "species", "label")
    named = described.with_columns(genome.alias("genome"), name.alias("name"), *ranks)
    return conform(named, Virus)


def _ictv_species(taxonomy: VirusTaxonomy) -> pl.DataFrame:
    """Return species_curie, ictv_name, abbreviation, ictv_genome, hosts_recorded, ictv_genus,
    ictv_family, ictv_order of the species that ICTV lists.
    """
    terms = taxonomy.term.filter(pl.col("ontology") == ICTV).select("curie", "label", "rank")
    edges = taxonomy.term_edge.filter(has_prefix(pl.col("subject"), ICTV))
    stated_columns = {
        "ictv_genome": _objects(edges, terms, HAS_GENOME),
        "hosts_recorded": _objects(edges, terms, HAS_HOST),
        "abbreviation": _abbreviations(taxonomy.synonym),
    }
    species = taxonomy.names.ictv.rename({"species": "species_curie"})
    labels = terms.select(ictv="curie", ictv_name="label")
    rows = species.join(labels, on="ictv")
    for column, stated in stated_columns.items():
        rows = rows.join(stated.rename({"text": column}), on="ictv", how="left")
    return _with_ranks_above(rows, edges, terms)


def _objects(edges: pl.DataFrame, terms: pl.DataFrame, predicate: str) -> pl.DataFrame:
    """Return ictv, text: labels that ``predicate`` joins to a species, sorted and ;-separated."""
    stated = edges.filter(pl.col("predicate") == predicate)
    labelled = stated.join(terms.select(object="curie", label="label"), on="object")
    return labelled.group_by(ictv="subject").agg(text=_listed("label"))


def _abbreviations(synonym: pl.DataFrame) -> pl.DataFrame:
    """Return ictv, text: the abbreviations of each species, sorted and ;-separated."""
    short = synonym.filter(has_prefix(pl.col("curie"), ICTV), pl.col("scope") == "RELATED")
    return short.group_by(ictv="curie").agg(text=_listed("synonym"))


def _listed(column: str) -> pl.Expr:
    distinct = pl.col(column).unique().sort()
    return distinct.str.join("; ")


def _with_ranks_above(rows: pl.DataFrame, edges: pl.DataFrame, terms: pl.DataFrame) -> pl.DataFrame:
    """Return ``rows`` with the genus, family and order that ICTV places each species in."""
    upward = edges.filter(pl.col("predicate") == "is_a")
    up = upward.select("subject", "object")
    sole = up.filter(pl.col("subject").is_unique())
    placed = rows.with_columns(at="ictv")
    for rank in ("genus", "family", "order"):
        of_rank = terms.filter(pl.col("rank") == rank)
        labels = of_rank.select(object="curie", found="label")
        above = sole.join(labels, on="object")
        met = placed.join(above, left_on="at", right_on="subject", how="left")
        named = met.with_columns(
            pl.col("found").alias(f"ictv_{rank}"),
            pl.coalesce("object", "at").alias("at"),
        )
        placed = named.drop("object", "found")
    return placed.drop("at", "ictv")


def _unanimous_genome(listed: pl.DataFrame, rank: str) -> pl.Expr:
    """Return the genome type of each row's genus or family, null where its species differ."""
    ictv_rank = f"ictv_{rank}"
    typed = listed.drop_nulls([ictv_rank, "ictv_genome"])
    genomes = pl.col("ictv_genome").unique()
    agreed = typed.group_by(ictv_rank).agg(genomes)
    sole = agreed.filter(pl.col("ictv_genome").list.len() == 1)
    pairs = sole.select(ictv_rank, pl.col("ictv_genome").list.first())

    return pl.col(rank).replace_strict(
        dict(pairs.iter_rows()),
        default=None,
        return_dtype=pl.String,
    )
