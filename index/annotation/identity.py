"""What may be said of each detected virus: its lineage, its name, and how far identity supports it.

Whether an identity supports a species is decided only here (``state_viruses``) and stored in
``detection.stated`` and ``detection.taxon``; facts, graph and answers read these columns.
Thresholds are those of palmprints (Babaian & Edgar 2022, doi:10.7717/peerj.14055): 90 % amino-acid
identity within a species, 70 % within a genus. Nucleotides vary more than that within a species:
hepatitis C virus, enterovirus A and Mayaro virus go down to 80 %. Reads aligned to genomes are
therefore of the nearest species from 80 % on, if all such hits of their genus in the run are
nearest to it.
"""

from __future__ import annotations

from typing import Final

import polars as pl

from index.annotation.congeners import find_congeners
from index.annotation.virus_taxonomy import VirusTaxonomy
from index.stated import CLOSEST, EXPLAINED, LIKE, REPORTED
from ontology_etl.viruses.keys import NAMELESS, name_key

SPECIES_IDENTITY: Final = 90.0
"""Percent identity from which the species of the reference is the species of the hit."""
ALIGNED_IDENTITY: Final = 80.0
"""The same for aligned reads that are nearest to one species of their genus."""
GENUS_IDENTITY: Final = 70.0
"""Percent identity from which the hit is called like the genus of the reference, not its family."""

RANKS: Final = ("species", "genus", "family", "order", "phylum", "realm")
HIGHER_RANKS: Final = ("family", "phylum")
"""What a source may say of a virus if it names no species, or one that is on no list."""


def virus_lineage(viruses: pl.Series, taxonomy: VirusTaxonomy) -> pl.DataFrame:
    """Return a row for each virus and each taxon above it: virus, and the name and CURIE of each
    rank of ``RANKS`` (``family``, ``family_curie``).
    """
    above = taxonomy.above(viruses)
    stated = above.join(_ranked_taxa(taxonomy.terms(above["ancestor"])), on="ancestor")

    columns = []
    for rank in RANKS:
        of_rank = pl.col("rank") == rank
        name = pl.col("label").filter(of_rank).first()
        curie = pl.col("ancestor").filter(of_rank).first()
        columns += [name.alias(rank), curie.alias(f"{rank}_curie")]
    lineages = stated.group_by(virus="descendant").agg(columns)
    every = above.select(virus="descendant").unique()
    return every.join(lineages, on="virus", how="left").sort("virus")


def _ranked_taxa(taxa: pl.DataFrame) -> pl.DataFrame:
    """Return label, rank, ancestor of the ``taxa`` (rows of ``term``) with a rank of ``RANKS``."""
    is_realm = (pl.col("rank") == "clade") & pl.col("label").str.ends_with("viria")
    rank = pl.when(is_realm).then(pl.lit("realm")).otherwise("rank")
    ranked = taxa.select("label", rank.alias("rank"), ancestor="curie")
    return ranked.filter(pl.col("rank").is_in(RANKS))


def state_viruses(detection: pl.DataFrame, lineage: pl.DataFrame) -> pl.DataFrame:
    """Fill in species, family and phylum, and what may be stated of each hit, in the words of
    virologists.

    The species is stated from 90 % identity on, for reads that are near only one species, and for a
    sOTU that is named by its evidence (``by_evidence``). Below 90 %, the genus (from 70 %) or the
    family is stated, with "-like". If the identity is unknown, the hit is "reported as" the
    species. If a congener in the run has more than twenty times the reads, the genus is stated,
    with what the reads are ``closest`` to. No virus above species is stated, unless its source
    names a virus that no list has.
    """
    placed = _with_lineage(detection, lineage)
    hits = _with_congeners(placed)
    is_explained = (pl.col("congener_ratio") > EXPLAINED).fill_null(False)
    is_supported = pl.col("is_alike") & ~is_explained
    stated = (
        pl.when(is_explained)
        .then(pl.col("its_genus") + CLOSEST + pl.col("called"))
        .when(pl.col("is_alike") | pl.col("is_near") | pl.col("by_evidence"))
        .then("called")
        .when(pl.col("is_below"))
        .then(_like("") + LIKE)
        .when(pl.col("identity").is_null())
        .then(REPORTED + pl.col("called"))
    )
    species = pl.coalesce("its_species_curie", "virus")
    taxon = (
        pl.when(is_explained)
        .then("its_genus_curie")
        .when(pl.col("is_below") & ~pl.col("is_near"))
        .then(_like("_curie"))
        .otherwise(species)
    )
    return hits.with_columns(
        pl.when(is_supported).then("named").alias("species"),
        pl.when(is_explained).then("virus").alias("closest"),
        stated.alias("stated"),
        taxon.alias("taxon"),
        pl.col("its_family").alias("family"),
        pl.coalesce("its_phylum", "phylum").alias("phylum"),
    )


def _with_lineage(detection: pl.DataFrame, lineage: pl.DataFrame) -> pl.DataFrame:
    """Return ``detection`` with the ranks of its virus as ``its_`` columns, how it is ``named`` and
    ``called``, and whether its identity supports that (``is_alike``), does not (``is_below``), or
    leaves no other species of its genus (``is_near``).
    """
    of_lineage = pl.all().exclude("virus").name.prefix("its_")
    own = lineage.select("virus", of_lineage)
    placed = detection.join(own, on="virus", how="left").with_columns(
        _named(detection["reported_name"]).alias("named"),
        _family().alias("its_family"),
    )
    is_alike = (pl.col("identity") >= SPECIES_IDENTITY).fill_null(False)
    is_unlike = (pl.col("identity") < SPECIES_IDENTITY).fill_null(False)
    called = placed.with_columns(
        called=pl.coalesce("its_called", "named"),
        is_alike=is_alike,
        is_below=is_unlike & pl.col("named").is_not_null(),
    )
    below = pl.when(pl.col("is_below") & _is_aligned()).then("called")
    species = below.drop_nulls().n_unique().over("run", "source", "its_genus_curie")
    is_enough = pl.col("identity") >= ALIGNED_IDENTITY
    return called.with_columns(is_near=below.is_not_null() & is_enough & (species == 1))


def _is_aligned() -> pl.Expr:
    """Return whether a hit counts reads that align to a genome: contigs have a coverage."""
    return (pl.col("reads") > 0).fill_null(False) & pl.col("coverage").is_null()


def _with_congeners(hits: pl.DataFrame) -> pl.DataFrame:
    """Return ``hits`` with the congener that has more reads in the run, and the ratio of reads."""
    compared = hits.with_columns(
        genus="its_genus_curie",
        name=pl.when(_is_aligned()).then("called"),
    )
    congeners = find_congeners(compared)
    uncompared = compared.drop("congener", "congener_ratio")
    return uncompared.join(congeners, on=["run", "source", "genus", "name"], how="left")


def _named(reported_names: pl.Series) -> pl.Expr:
    """Return the species of the lineage, else the reported name of a virus that no list has.

    "Uncultured virus" is not a name but what nameless viruses are called.
    """
    reported_name = pl.col("reported_name")
    distinct = reported_names.unique().to_frame("reported_name")
    nameless = distinct.filter(name_key(reported_name).is_in(NAMELESS)).to_series()
    is_unlisted = pl.col("virus").is_null() | pl.col("way").is_in(HIGHER_RANKS)
    is_name = ~reported_name.is_in(nameless.implode())
    reported = pl.when(is_unlisted & is_name).then("reported_name")
    return pl.coalesce("its_species", reported)


def _family() -> pl.Expr:
    """Return the family of the lineage, else the reported family if no virus was resolved."""
    is_unresolved = pl.col("virus").is_null()
    reported = pl.when(is_unresolved).then("family")
    return pl.coalesce("its_family", reported)


def _like(suffix: str) -> pl.Expr:
    """Return what a hit below ``SPECIES_IDENTITY`` is like: columns of the lineage by suffix."""
    is_near = pl.col("identity") >= GENUS_IDENTITY
    genus = pl.when(is_near).then(f"its_genus{suffix}")
    above = [f"its_{rank}{suffix}" for rank in ("family", "order", "phylum")]
    return pl.coalesce(genus, *above)
