"""What may be said of each detected virus: its lineage, its name, and how far identity supports it.

How much of a species an identity supports is decided here alone (``state_viruses``) and stored in
``detection.stated`` and ``detection.taxon``; facts, graph and answers read those. Thresholds are
those of palmprints (Babaian & Edgar 2022, doi:10.7717/peerj.14055): 90 % amino-acid identity
within a species, 70 % within a genus. Nucleotide hits are judged alike, which is strict.
"""

from __future__ import annotations

from typing import Final

import polars as pl

from ontology_etl.closure import PARENT, taxon_closure
from ontology_etl.viruses.keys import name_key
from ontology_etl.viruses.names import VirusNames

SPECIES_IDENTITY: Final = 90.0
"""Percent identity from which the species of the reference is the species of the hit."""
GENUS_IDENTITY: Final = 70.0
"""Percent identity from which the hit is called like the genus of the reference, not its family."""

RANKS: Final = ("species", "genus", "family", "order", "phylum", "realm")
_BINOMIAL: Final = r"^\p{Lu}\p{Ll}+(?:virus|viroid|satellite) \p{Ll}\S*$"
_TYPE: Final = r"(?i)\s+(?:genotype|serotype|subtype|type)\s+\S+$"


def virus_lineage(viruses: pl.Series, term: pl.DataFrame, term_edge: pl.DataFrame) -> pl.DataFrame:
    """Return virus, and per rank of ``RANKS`` its name and CURIE (``family``, ``family_curie``):
    one row per virus and per taxon above one.
    """
    edges = term_edge.filter(pl.col("predicate") == PARENT)
    above = taxon_closure(edges, viruses.drop_nulls().unique().sort())
    stated = above.join(_ranked_taxa(above["ancestor"], term), on="ancestor")

    columns = []
    for rank in RANKS:
        of_rank = pl.col("rank") == rank
        name = pl.col("label").filter(of_rank).first()
        curie = pl.col("ancestor").filter(of_rank).first()
        columns += [name.alias(rank), curie.alias(f"{rank}_curie")]
    lineages = stated.group_by(virus="descendant").agg(columns)
    every = above.select(virus="descendant").unique()
    return every.join(
        lineages,
        on="virus",
        how="left",
    ).sort("virus")


def _ranked_taxa(taxa: pl.Series, term: pl.DataFrame) -> pl.DataFrame:
    """Return label, rank, ancestor of those of ``taxa`` that have a rank of ``RANKS``."""
    wanted = term.filter(pl.col("curie").is_in(taxa.unique().implode()))
    is_realm = (pl.col("rank") == "clade") & pl.col("label").str.ends_with("viria")
    rank = pl.when(is_realm).then(pl.lit("realm")).otherwise("rank")
    ranked = wanted.select("label", rank.alias("rank"), ancestor="curie")
    return ranked.filter(pl.col("rank").is_in(RANKS))


def with_called(
    lineage: pl.DataFrame, names: VirusNames, *, term: pl.DataFrame, synonym: pl.DataFrame
) -> pl.DataFrame:
    """Return ``lineage`` with what virologists call its species, null where that is its own name.

    A species has a binomial (*Simplexvirus humanalpha1*), the virus that it is another name (Human
    alphaherpesvirus 1), and papers use the latter. Where the taxonomy has no taxon for that virus,
    ICTV's name of the exemplar takes the place of a binomial (Lassa virus for *Mammarenavirus
    lassaense*); the exemplar itself has its own name (Human papillomavirus 16, of
    *Alphapapillomavirus 9*). The name of another isolate (Dandenong virus, of the species of
    lymphocytic choriomeningitis virus) does not speak for the species.
    """
    spoken = _names_of_taxa(names, term=term, synonym=synonym)
    exemplars = _names_of_exemplars(names, synonym)
    named = lineage.join(
        spoken,
        on="species_curie",
        how="left",
    )
    met = named.join(
        exemplars,
        on="species_curie",
        how="left",
    )
    labels = term.select(virus="curie", own="label")
    labelled = met.join(
        labels,
        on="virus",
        how="left",
    )
    is_exemplar = pl.col("exemplar_keys").list.contains(name_key(pl.col("own")))
    own = pl.when(is_exemplar).then("own")
    is_binomial = pl.col("species").str.contains(_BINOMIAL)
    exemplar = pl.when(is_binomial).then("exemplar")
    called = pl.coalesce("called", own, exemplar)
    return labelled.with_columns(called=called).drop("exemplar", "exemplar_keys", "own")


def _names_of_taxa(names: VirusNames, *, term: pl.DataFrame, synonym: pl.DataFrame) -> pl.DataFrame:
    """Return species_curie, called: the label of another taxon that is the virus of the species."""
    taxa = names.live.select(species_curie="curie", called_curie="virus")
    other = taxa.filter(pl.col("species_curie") != pl.col("called_curie"))
    labels = term.select(called_curie="curie", called="label")
    called = other.join(labels, on="called_curie")
    keyed = called.with_columns(key=name_key(pl.col("called")))
    spoken = keyed.join(
        _names_of_species(names, synonym),
        on=["species_curie", "key"],
        how="semi",
    )
    return spoken.select("species_curie", "called")


def _names_of_species(names: VirusNames, synonym: pl.DataFrame) -> pl.DataFrame:
    """Return species_curie, key of ICTV's exemplar viruses and former species, and reviewed
    names.
    """
    listed = synonym.filter(pl.col("scope").is_in(["EXACT", "BROAD"]))
    named = listed.join(
        names.ictv,
        left_on="curie",
        right_on="ictv",
    )
    of_ictv = named.select(
        species_curie="species",
        key=name_key(pl.col("synonym")),
    )
    everyday = names.names.filter(pl.col("kind") == "everyday")
    taxa = names.live.select(species_curie="curie", virus="virus")
    reviewed = everyday.join(taxa, on="virus")
    return pl.concat([of_ictv, reviewed.select("species_curie", "key")]).unique()


def _names_of_exemplars(names: VirusNames, synonym: pl.DataFrame) -> pl.DataFrame:
    """Return species_curie, exemplar, exemplar_keys: what ICTV calls the exemplar of each species.

    A type (*hepatitis C virus genotype 1a*) is one of several: its species is called by the name
    before it. Of several names one that says "virus" comes first.
    """
    listed = synonym.filter(pl.col("scope") == "EXACT")
    named = listed.join(
        names.ictv,
        left_on="curie",
        right_on="ictv",
    )
    untyped = pl.col("synonym").str.replace(_TYPE, "")
    first_letter = untyped.str.slice(0, 1).str.to_uppercase()
    spelled = named.select(
        species_curie="species",
        exemplar=first_letter + untyped.str.slice(1),
        key=name_key(pl.col("synonym")),
    )
    says_virus = pl.col("exemplar").str.contains(r"virus\b")
    ordered = spelled.sort("species_curie", ~says_virus, "exemplar")
    return ordered.group_by("species_curie", maintain_order=True).agg(
        pl.col("exemplar").first(),
        exemplar_keys=pl.col("key"),
    )


def state_viruses(detection: pl.DataFrame, lineage: pl.DataFrame) -> pl.DataFrame:
    """Return ``detection`` with species, family and phylum of the lineage of its virus (else of its
    source), and what its identity lets one state, by the name that virologists use.

    Of 90 % and more the species; below, its genus (from 70 %) or family and "-like"; where the
    identity is unknown "reported as" the species. Of a virus above species nothing is stated.
    """
    of_lineage = pl.all().exclude("virus").name.prefix("its_")
    own = lineage.select("virus", of_lineage)
    met = detection.join(own, on="virus", how="left").with_columns(
        _named().alias("named"),
        _family().alias("its_family"),
    )
    identity = pl.col("identity")
    is_supported = identity >= SPECIES_IDENTITY
    is_below = identity.is_not_null() & pl.col("named").is_not_null() & ~is_supported
    called = pl.coalesce("its_called", "named")
    stated = (
        pl.when(identity.is_null())
        .then("reported as " + called)
        .when(is_supported)
        .then(called)
        .when(is_below)
        .then(_like("") + "-like")
    )
    species = pl.coalesce("its_species_curie", "virus")
    taxon = pl.when(is_below).then(_like("_curie")).otherwise(species)
    return met.with_columns(
        pl.when(is_supported).then("named").alias("species"),
        stated.alias("stated"),
        taxon.alias("taxon"),
        pl.col("its_family").alias("family"),
        pl.coalesce("its_phylum", "phylum").alias("phylum"),
    )


def _named() -> pl.Expr:
    """Return the species of the lineage, else the reported name of what resolved to no virus."""
    is_unresolved = pl.col("virus").is_null()
    reported = pl.when(is_unresolved).then("reported_name")
    return pl.coalesce("its_species", reported)


def _family() -> pl.Expr:
    """Return the family of the lineage, else the reported one of what resolved to no virus."""
    is_unresolved = pl.col("virus").is_null()
    reported = pl.when(is_unresolved).then("family")
    return pl.coalesce("its_family", reported)


def _like(suffix: str) -> pl.Expr:
    """Return what a hit below ``SPECIES_IDENTITY`` is like: columns of the lineage by suffix."""
    is_near = pl.col("identity") >= GENUS_IDENTITY
    genus = pl.when(is_near).then(f"its_genus{suffix}")
    above = [f"its_{rank}{suffix}" for rank in ("family", "order", "phylum")]
    return pl.coalesce(genus, *above)
