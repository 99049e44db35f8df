"""Viral taxa, and which of them are the same virus.

Since 2023 the taxonomy has a taxon for a species (*Simplexvirus humanalpha1*) and below it one for
its virus (*Human alphaherpesvirus 1*). Both are one virus if exactly one taxon directly below has
the name of the species or of ICTV's exemplar virus; another isolate (*Dandenong virus*) is not. So
are two live taxa if a reviewed name says so. A species that a reviewed name means (*Murine leukemia
virus*) stays separate, with all viruses below it.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import polars as pl

from ontology_etl.closure import path_ends
from ontology_etl.curies import NCBI_TAXON, has_prefix, taxid_of, taxon_curie
from ontology_etl.reviewed_lists import names_in_languages, read_reviewed
from ontology_etl.viruses.keys import OF_TAXONOMY, name_key
from ontology_etl.vocabulary import VIRUSES, successors_of

_Taxids = npt.NDArray[np.int32]


def reviewed_viruses() -> pl.DataFrame:
    """Return name, curie, label, reason of the reviewed everyday names of viruses."""
    return read_reviewed("viruses.tsv")


def everyday_names() -> pl.DataFrame:
    """Return name, curie of everyday names: reviewed ones, then those in seven languages."""
    own = reviewed_viruses().select("name", "curie")
    listed = names_in_languages("virus").select("name", "curie")
    folded = pl.col("name").str.to_lowercase()
    others = listed.join(own.select(folded), left_on=folded, right_on="name", how="anti")
    return pl.concat([own, others.select("name", "curie")])


def viral_taxa(term: pl.DataFrame, parent: _Taxids) -> pl.DataFrame:
    """Return curie, label, rank, parent, species, family of Viruses and all live taxa below.

    ``parent`` is the parent of each taxid (``closure.taxon_parents``).
    """
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
    return _with_lineage(viral, parent).drop("taxid")


def _with_lineage(taxa: pl.DataFrame, parent: _Taxids) -> pl.DataFrame:
    """Return ``taxa`` [taxid, rank, …] with the CURIEs of parent, species and family of each."""
    taxid = taxa["taxid"].to_numpy()
    above = pl.Series("parent", parent[taxid])
    ranks = [_of_rank(taxa, parent, rank) for rank in ("species", "family")]
    placed = taxa.with_columns(above, *ranks)
    parent_curie = taxon_curie(pl.col("parent"))
    return placed.with_columns(parent=parent_curie)


def _of_rank(taxa: pl.DataFrame, parent: _Taxids, rank: str) -> pl.Series:
    """Return the CURIE of the taxon of ``rank`` at or above each of ``taxa``, else null."""
    ranked = taxa.filter(pl.col("rank") == rank)["taxid"].to_numpy()
    is_ranked = np.zeros(len(parent), dtype=bool)
    is_ranked[ranked] = True
    ends = _end_of_path(parent, stops=ranked)[taxa["taxid"].to_numpy()]
    found = pl.DataFrame({"end": ends, "is_ranked": is_ranked[ends]})
    curie = pl.when("is_ranked").then(taxon_curie(pl.col("end")))
    return found.select(curie.alias(rank)).to_series()


def _end_of_path(parent: _Taxids, *, stops: npt.NDArray[np.integer]) -> _Taxids:
    """Return for each taxid the first of ``stops`` at or above it, else the root of its lineage."""
    up = parent.copy()
    inside = stops[stops < len(parent)]
    up[inside] = inside
    return path_ends(up)


def live_taxa(term: pl.DataFrame, tree: pl.DataFrame, same: pl.DataFrame) -> pl.DataFrame:
    """Return curie, virus of live viral taxa, and of merged taxa with a live successor."""
    merged = successors_of(term).rename({"successor": "virus"})
    viral = tree.select("curie", virus="curie")
    still = merged.join(
        viral,
        on="virus",
        how="semi",
    )
    every = of_one_virus(pl.concat([viral, still]), same)
    return every.unique("curie", keep="first", maintain_order=True)


def same_virus(
    tree: pl.DataFrame, known: pl.DataFrame, synonym: pl.DataFrame, ictv: pl.DataFrame
) -> pl.DataFrame:
    """Return other, virus: taxa that are the same virus as another taxon."""
    is_species = pl.col("rank").eq_missing("species")
    is_directly_below = pl.col("parent") == pl.col("species")
    below = tree.filter(~is_species, is_directly_below)
    names = _names_of_viruses(known, tree.filter(is_species), synonym, ictv)
    of_taxonomy = known.filter(pl.col("kind").is_in(OF_TAXONOMY))
    called = of_taxonomy.join(
        below.select(virus="curie", species="species"),
        on="virus",
    )
    matching = called.join(names, on=["species", "key"])
    is_label = pl.col("kind") == "label"
    is_isolate = is_label & ~pl.col("exemplar")
    pairs = matching.group_by("species", "virus").agg(
        pl.col("exemplar").any(),
        is_isolate.any().alias("isolate"),
    )
    is_sole = pl.col("virus").n_unique().over("species") == 1
    is_named = pl.col("species").is_in(reviewed_viruses()["curie"].implode())
    same = pairs.filter(
        is_sole,
        pl.col("exemplar"),
        ~pl.col("isolate"),
        ~is_named,
    )
    return pl.concat([same.select("virus", other="species"), _renamed_taxa(tree)])


def _names_of_viruses(
    known: pl.DataFrame, species: pl.DataFrame, synonym: pl.DataFrame, ictv: pl.DataFrame
) -> pl.DataFrame:
    """Return species, key, exemplar: labels of each species and ICTV's names for its viruses."""
    listed = known.filter(pl.col("kind") == "label").rename({"virus": "species"})
    of_species = listed.join(species.select(species="curie"), on="species", how="semi")
    labels = of_species.select("species", "key", exemplar=pl.lit(True))
    synonyms = synonym.filter(pl.col("scope").is_in(["EXACT", "NARROW"]))
    of_ictv = synonyms.join(ictv, left_on="curie", right_on="ictv")
    viruses = of_ictv.select(
        "species",
        key=name_key(pl.col("synonym")),
        exemplar=pl.col("scope") == "EXACT",
    )
    every = pl.concat([labels, viruses])
    return every.group_by("species", "key").agg(pl.col("exemplar").any())


def _renamed_taxa(tree: pl.DataFrame) -> pl.DataFrame:
    """Return other, virus: live taxa whose label is a reviewed name of another taxon."""
    listed = reviewed_viruses().join(
        tree.select("curie"),
        on="curie",
        how="semi",
    )
    sole = listed.filter(pl.col("name").is_unique())
    labels = tree.select(other="curie", name="label")
    named = labels.join(
        sole.select("name", virus="curie"),
        on="name",
    )
    elsewhere = named.filter(pl.col("other") != pl.col("virus"))
    return elsewhere.select("virus", "other")


def of_one_virus(rows: pl.DataFrame, same: pl.DataFrame) -> pl.DataFrame:
    """Return ``rows`` with ``virus`` replaced by the taxon that represents the same virus."""
    redirected = same.select(virus="other", taxon="virus")
    met = rows.join(
        redirected,
        on="virus",
        how="left",
        maintain_order="left",
    )
    virus = pl.coalesce("taxon", "virus").alias("virus")
    return met.with_columns(virus).drop("taxon")
