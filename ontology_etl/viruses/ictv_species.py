"""Match ICTV's species to NCBI Taxonomy: by the taxon that the list states, else by names.

Names count in this order: of the species, of its viruses, former ones. Labels of taxa count before
synonyms: the taxonomy gives the name of a species (*Orthohantavirus hantanense*) to isolates of it
as well. A term of ICTV whose names point to several species of the taxonomy is left out.
"""

from __future__ import annotations

import polars as pl

from ontology_etl.curies import ICTV, NCBI_TAXON, has_prefix
from ontology_etl.viruses.keys import KIND_OF_SCOPE, OF_TAXONOMY, keyed_names, name_key


def ictv_species(
    term: pl.DataFrame,
    synonym: pl.DataFrame,
    xref: pl.DataFrame,
    known: pl.DataFrame,
    tree: pl.DataFrame,
) -> pl.DataFrame:
    """Return species, ictv: ``known`` are the names of the taxonomy, ``tree`` its viral taxa."""
    listed = _listed_species(term)
    terms = listed.select(ictv="curie")
    stated = _stated_taxa(xref, term, tree).join(
        terms,
        on="ictv",
        how="semi",
    )
    synonyms = synonym.filter(has_prefix(pl.col("curie"), ICTV))
    names = synonyms.select("scope", ictv="curie", name="synonym")
    of_viruses = names.filter(pl.col("scope").is_in(["EXACT", "NARROW"]))
    former = names.filter(pl.col("scope") == "BROAD")
    labels = listed.select(ictv="curie", name="label")
    taxon_labels = known.filter(pl.col("kind") == "label")
    parts = [
        stated,
        _by_name(labels, taxon_labels, tree),
        _by_name(labels, known, tree),
        _by_name(of_viruses, known, tree),
        _by_name(former, known, tree),
    ]
    return _first_and_clear(parts)


def _first_and_clear(parts: list[pl.DataFrame]) -> pl.DataFrame:
    """Return species, ictv: the match in the first of ``parts`` that has one, if it is clear."""
    steps = [part.with_columns(step=pl.lit(step)) for step, part in enumerate(parts)]
    ranked = pl.concat(steps)
    first = ranked.filter(pl.col("step") == pl.col("step").min().over("ictv"))
    species = pl.col("species").n_unique().over("ictv")
    clear = first.filter(species == 1).sort("step", "ictv")
    once = clear.unique("species", keep="first", maintain_order=True)
    return once.select("species", "ictv").sort("species")


def ictv_names(term: pl.DataFrame, synonym: pl.DataFrame, ictv: pl.DataFrame) -> pl.DataFrame:
    """Return ICTV's names (key, name, virus, kind) of the species in the taxonomy."""
    labels = _listed_species(term).select(
        "curie",
        name="label",
        scope=pl.lit("EXACT"),
    )
    others = synonym.filter(has_prefix(pl.col("curie"), ICTV)).select(
        "curie",
        "scope",
        name="synonym",
    )
    names = pl.concat([labels, others.select(labels.columns)])
    named = names.join(ictv, left_on="curie", right_on="ictv")
    kind = pl.col("scope").replace_strict(KIND_OF_SCOPE, return_dtype=pl.String)
    return keyed_names(named.select("name", "scope", virus="species"), kind)


def ictv_accessions(xref: pl.DataFrame, ictv: pl.DataFrame) -> pl.DataFrame:
    """Return accession, virus of the sequences that ICTV lists for one species only."""
    sequences = xref.filter(pl.col("xref").str.contains("^(?:GenBank|RefSeq):"))
    listed = sequences.join(
        ictv,
        left_on="curie",
        right_on="ictv",
    )
    accession = pl.col("xref").str.extract(":(.+)$")
    named = listed.select(accession.alias("accession"), virus="species").unique()
    return named.filter(pl.col("accession").is_unique())


def _listed_species(term: pl.DataFrame) -> pl.DataFrame:
    return term.filter(
        pl.col("ontology") == ICTV,
        pl.col("rank") == "species",
    )


def _stated_taxa(xref: pl.DataFrame, term: pl.DataFrame, tree: pl.DataFrame) -> pl.DataFrame:
    """Return ictv, species: the taxa that the list states, merged ones as their successors."""
    stated = xref.filter(
        has_prefix(pl.col("curie"), ICTV),
        has_prefix(pl.col("xref"), NCBI_TAXON),
    )
    merged = term.filter(pl.col("obsolete")).select(xref="curie", now="replaced_by")
    moved = stated.join(
        merged,
        on="xref",
        how="left",
    )
    live = moved.select(ictv="curie", taxon=pl.coalesce("now", "xref"))
    return _of_species(live, tree)


def _by_name(names: pl.DataFrame, known: pl.DataFrame, tree: pl.DataFrame) -> pl.DataFrame:
    """Return ictv, species whose name equals a label or a long synonym of a taxon in a species."""
    keyed = names.select("ictv", name_key(pl.col("name")).alias("key"))
    of_taxonomy = known.filter(pl.col("kind").is_in(OF_TAXONOMY))
    found = keyed.join(
        of_taxonomy.select("key", taxon="virus"),
        on="key",
    )
    return _of_species(found, tree)


def _of_species(found: pl.DataFrame, tree: pl.DataFrame) -> pl.DataFrame:
    """Return distinct ictv, species of ``found`` [ictv, taxon], for taxa within a species."""
    species = tree.select(taxon="curie", species="species")
    placed = found.join(species, on="taxon").drop_nulls("species")
    return placed.select("ictv", "species").unique()
