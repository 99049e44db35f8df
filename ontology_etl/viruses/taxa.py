"""Viral taxa, and which of them are one virus.

Since 2023 the taxonomy has a taxon for a species (*Simplexvirus humanalpha1*) and below it one for
its virus (*Human alphaherpesvirus 1*). Where exactly one taxon directly below has the name of the
species, or ICTV's name for a virus of it, both are that virus. So are two live taxa where a
reviewed name says so.
"""

from __future__ import annotations

from typing import Final

import numpy as np
import numpy.typing as npt
import polars as pl

from ontology_etl.closure import taxon_parents
from ontology_etl.curies import NCBI_TAXON, has_prefix, taxid_of, taxon_curie
from ontology_etl.viruses.keys import OF_TAXONOMY, name_key
from ontology_etl.vocabulary import VIRUSES, read_reviewed

_Taxids = npt.NDArray[np.int32]
_MAX_STEPS: Final = 8
"""Doublings of a path up the taxonomy: 256 parents; the deepest lineage has about 45."""


def reviewed_viruses() -> pl.DataFrame:
    """Return name, curie, label, reason: the reviewed everyday names of viruses."""
    return read_reviewed("viruses.tsv")


def viral_taxa(term: pl.DataFrame, term_edge: pl.DataFrame) -> pl.DataFrame:
    """Return curie, label, rank, parent, species of every live taxon below Viruses, and itself."""
    parent = taxon_parents(term_edge)
    live = term.filter(
        has_prefix(pl.col("curie"), NCBI_TAXON),
        ~pl.col("obsolete"),
    )
    taxid = taxid_of(pl.col("curie")).alias("taxid")
    taxa = live.select("curie", "label", "rank", taxid)
    within = taxa.filter(pl.col("taxid") < len(parent))
    is_viral = _end_of_path(parent, stops=np.array([VIRUSES])) == VIRUSES
    of_within = is_viral[within["taxid"].to_numpy()]
    viral = within.filter(pl.Series(of_within))
    return _with_species(viral, parent).drop("taxid")


def _with_species(taxa: pl.DataFrame, parent: _Taxids) -> pl.DataFrame:
    """Return ``taxa`` [taxid, rank, …] with the CURIEs of the parent and the species of each."""
    species = taxa.filter(pl.col("rank") == "species")["taxid"].to_numpy()
    is_species = np.zeros(len(parent), dtype=bool)
    is_species[species] = True
    taxid = taxa["taxid"].to_numpy()
    ends = _end_of_path(parent, stops=species)[taxid]
    numbered = taxa.with_columns(
        pl.Series("parent", parent[taxid]),
        pl.Series("species", ends),
    )
    within_species = pl.Series(is_species[ends])
    species_curie = taxon_curie(pl.col("species"))
    return numbered.with_columns(
        taxon_curie(pl.col("parent")).alias("parent"),
        pl.when(within_species).then(species_curie).alias("species"),
    )


def _end_of_path(parent: _Taxids, *, stops: npt.NDArray[np.integer]) -> _Taxids:
    """Return for each taxid the first of ``stops`` at or above it, else the root of its lineage."""
    up = parent.copy()
    inside = stops[stops < len(parent)]
    up[inside] = inside
    for _ in range(_MAX_STEPS):
        up = up[up]
    return up


def live_taxa(term: pl.DataFrame, tree: pl.DataFrame, same: pl.DataFrame) -> pl.DataFrame:
    """Return curie, virus of live viral taxa and of merged ones whose successor is live."""
    replaced = term.filter(
        pl.col("obsolete"),
        pl.col("replaced_by").is_not_null(),
    )
    merged = replaced.select("curie", virus="replaced_by")
    viral = tree.select("curie", virus="curie")
    still = merged.join(viral, on="virus", how="semi")
    every = of_one_virus(pl.concat([viral, still]), same)
    return every.unique("curie", keep="first", maintain_order=True)


def same_virus(
    tree: pl.DataFrame, known: pl.DataFrame, synonym: pl.DataFrame, ictv: pl.DataFrame
) -> pl.DataFrame:
    """Return other, virus: taxa that are another taxon's virus."""
    is_species = pl.col("rank").eq_missing("species")
    species_label = name_key(pl.col("label")).alias("key")
    own = tree.filter(is_species).select(species_label, species="curie")
    names = pl.concat([own, _viruses_listed(synonym, ictv).select(own.columns)])
    is_directly_below = pl.col("parent") == pl.col("species")
    below = tree.filter(~is_species, is_directly_below)
    of_taxonomy = known.filter(pl.col("kind").is_in(OF_TAXONOMY))
    called = of_taxonomy.join(
        below.select(virus="curie", species="species"),
        on="virus",
    )
    matching = called.join(
        names.unique(),
        on=["species", "key"],
        how="semi",
    )
    pairs = matching.select("species", "virus").unique()
    viruses = pl.col("virus").n_unique().over("species")
    sole = pairs.filter(viruses == 1).rename({"species": "other"})
    return pl.concat([sole, _renamed_taxa(tree)])


def _viruses_listed(synonym: pl.DataFrame, ictv: pl.DataFrame) -> pl.DataFrame:
    """Return species, key of ICTV's names for the viruses of each species."""
    names = synonym.filter(pl.col("scope").is_in(["EXACT", "NARROW"]))
    listed = names.join(ictv, left_on="curie", right_on="ictv")
    return listed.select("species", name_key(pl.col("synonym")).alias("key"))


def _renamed_taxa(tree: pl.DataFrame) -> pl.DataFrame:
    """Return other, virus: live taxa whose label is a reviewed name of another taxon."""
    listed = reviewed_viruses().join(tree.select("curie"), on="curie", how="semi")
    sole = listed.filter(pl.col("name").is_unique())
    labels = tree.select(other="curie", name="label")
    named = labels.join(
        sole.select("name", virus="curie"),
        on="name",
    )
    elsewhere = named.filter(pl.col("other") != pl.col("virus"))
    return elsewhere.select("other", "virus")


def of_one_virus(rows: pl.DataFrame, same: pl.DataFrame) -> pl.DataFrame:
    """Return ``rows`` with the column ``virus`` replaced by the taxon that is the same virus."""
    redirected = same.select(virus="other", taxon="virus")
    met = rows.join(
        redirected,
        on="virus",
        how="left",
        maintain_order="left",
    )
    virus = pl.coalesce("taxon", "virus").alias("virus")
    return met.with_columns(virus).drop("taxon")
