"""Find the name that virologists use for the species of each virus, rather than the binomial."""

from __future__ import annotations

from typing import Final

import polars as pl

from index.annotation.virus_taxonomy import VirusTaxonomy
from ontology_etl.viruses.keys import name_key

_BINOMIAL: Final = r"^\p{Lu}\p{Ll}+(?:virus|viroid|satellite) \p{Ll}\S*$"
_TYPE: Final = r"(?i)\s+(?:genotype|serotype|subtype|type)\s+\S+$"


def with_called(lineage: pl.DataFrame, taxonomy: VirusTaxonomy) -> pl.DataFrame:
    """Add virologists' name for the species of each virus; null where the virus itself has it.

    A species has a binomial (*Simplexvirus humanalpha1*), and its virus has another name (Human
    alphaherpesvirus 1), which papers use. If the taxonomy has no taxon for that virus, ICTV's name
    of the exemplar replaces the binomial (Lassa virus for *Mammarenavirus lassaense*); the exemplar
    itself has its own name (Human papillomavirus 16, of *Alphapapillomavirus 9*). No virus lends
    its name to another of its species: Dandenong virus is not lymphocytic choriomeningitis virus,
    adeno-associated virus 8 not the exemplar 2, and feline infectious peritonitis virus not
    transmissible gastroenteritis virus.
    """
    spoken = _names_of_taxa(taxonomy)
    below = _below(spoken, taxonomy.above(lineage["virus"]))
    named = lineage.join(below, on=["species_curie", "virus"], how="left")
    with_exemplars = named.join(_names_of_exemplars(taxonomy), on="species_curie", how="left")
    labels = taxonomy.terms(with_exemplars["virus"]).select(virus="curie", own="label")
    labelled = with_exemplars.join(labels, on="virus", how="left")
    is_exemplar = pl.col("exemplar_keys").list.contains(name_key(pl.col("own")))
    own = pl.when(is_exemplar).then("own")
    is_binomial = pl.col("species").str.contains(_BINOMIAL)
    speaks = _is_of_exemplar().fill_null(True)
    exemplar = pl.when(is_binomial).then(pl.when(speaks).then("exemplar").otherwise("own"))
    is_of_another = pl.col("species_curie").is_in(spoken["species_curie"].implode())
    other = pl.when(is_of_another).then("own")
    called = pl.coalesce("called", own, other, exemplar)
    return labelled.with_columns(called=called).drop("exemplar", "exemplar_keys", "own")


def _is_of_exemplar() -> pl.Expr:
    """Return whether a virus is the species itself, or a strain or type of its exemplar.

    A number after the name of the exemplar makes it another virus: SARS coronavirus 2.
    """
    own, exemplar = (pl.col(name).str.to_lowercase() for name in ("own", "exemplar"))
    more = own.str.strip_prefix(exemplar)
    is_numbered = more.str.contains(r"^\W*\w{1,2}$")
    is_species = pl.col("virus") == pl.col("species_curie")
    return is_species | (own.str.starts_with(exemplar) & ~is_numbered)


def _names_of_taxa(taxonomy: VirusTaxonomy) -> pl.DataFrame:
    """Return species_curie, called: the label of the taxon that is the virus of the species."""
    taxa = taxonomy.names.live.select(species_curie="curie", called_curie="virus")
    other = taxa.filter(pl.col("species_curie") != pl.col("called_curie"))
    labels = taxonomy.terms(other["called_curie"]).select(called_curie="curie", called="label")
    called = other.join(labels, on="called_curie")
    keyed = called.with_columns(key=name_key(pl.col("called")))
    spoken = keyed.join(_names_of_species(taxonomy), on=["species_curie", "key"], how="semi")
    return spoken.select("species_curie", "called_curie", "called")


def _below(spoken: pl.DataFrame, above: pl.DataFrame) -> pl.DataFrame:
    """Return species_curie, virus, called: the descendants in ``above`` that ``spoken`` names.

    These are the taxa at and below the virus that gives the name, and the species itself.
    """
    lines = above.select(virus="descendant", called_curie="ancestor")
    members = spoken.join(lines, on="called_curie")
    species = spoken.with_columns(virus="species_curie")
    columns = ["species_curie", "virus", "called"]
    return pl.concat([members.select(columns), species.select(columns)]).unique()


def _synonyms_of_ictv(taxonomy: VirusTaxonomy, *scopes: str) -> pl.DataFrame:
    """Return the synonyms of ``scopes`` that ICTV lists, each with its ``species``."""
    listed = taxonomy.synonym.filter(pl.col("scope").is_in(scopes))
    return listed.join(taxonomy.names.ictv, left_on="curie", right_on="ictv")


def _names_of_species(taxonomy: VirusTaxonomy) -> pl.DataFrame:
    """Return species_curie, key of ICTV's exemplars and former species, and of reviewed names."""
    named = _synonyms_of_ictv(taxonomy, "EXACT", "BROAD")
    of_ictv = named.select(species_curie="species", key=name_key(pl.col("synonym")))
    names = taxonomy.names
    everyday = names.names.filter(pl.col("kind") == "everyday")
    taxa = names.live.select(species_curie="curie", virus="virus")
    reviewed = everyday.join(taxa, on="virus")
    return pl.concat([of_ictv, reviewed.select("species_curie", "key")]).unique()


def _names_of_exemplars(taxonomy: VirusTaxonomy) -> pl.DataFrame:
    """Return species_curie, exemplar, exemplar_keys: what ICTV calls the exemplar of each species.

    A type (*hepatitis C virus genotype 1a*) is one of several: its species is called by the name
    before it. Among several names, one that contains "virus" comes first.
    """
    named = _synonyms_of_ictv(taxonomy, "EXACT")
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
