"""Which virus a name, an identifier or an accession means.

A virus is a taxon of NCBI Taxonomy below Viruses. Its names are those of the taxonomy, ICTV's
(species, viruses, former species, abbreviations) and reviewed everyday names
(``reviewed/viruses.tsv``). Names are compared folded and without blanks, so ``HSV-1``, ``HSV1`` and
``hsv 1`` are one. A name that means several viruses is ambiguous: its candidates are kept and none
is chosen. Names of one species (a species and its strains) mean the species.

Taxa that are one virus: since 2023 the taxonomy has a taxon for a species (*Simplexvirus
humanalpha1*) and below it one for its virus (*Human alphaherpesvirus 1*). Where exactly one taxon
directly below bears the name of the species, or ICTV's name for a virus of it, both are that
virus.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt
import polars as pl

from ontology_etl.closure import taxon_parents
from ontology_etl.curies import ICTV, NCBI_TAXON, has_prefix, taxid_of, taxon_curie
from ontology_etl.folding import fold, separate
from ontology_etl.vocabulary import VIRUSES, read_reviewed

EVERYDAY, LABEL, SYNONYM, ICTV_NAME, FORMER, ABBREVIATION = range(6)
"""What a name is, from the most trusted to the least; only the most trusted meanings count."""

KINDS: Final = {
    "everyday": EVERYDAY,
    "label": LABEL,
    "synonym": SYNONYM,
    "name": ICTV_NAME,
    "former": FORMER,
    "abbreviation": ABBREVIATION,
}
_KIND_OF_SCOPE: Final = {
    "EXACT": "name",
    "NARROW": "name",
    "BROAD": "former",
    "RELATED": "abbreviation",
}
_ACRONYM: Final = r"^\S{1,10}$"
_MAX_STEPS: Final = 8
"""Doublings of a path up the taxonomy: 256 parents; the deepest lineage has about 45."""


@dataclass(frozen=True)
class VirusNames:
    """All that names a virus.

    ``names``       key, name, virus, kind: every name of every viral taxon; ``moved`` where the
                    taxonomy gives the name to another taxon that is the same virus
    ``accessions``  accession (no version), virus
    ``live``        curie, virus: every viral taxon, live or merged, and the virus it is
    ``species``     virus, species: the species a taxon belongs to; higher taxa have no row
    ``ictv``        species, ictv: the term of ICTV for a species of the taxonomy
    """

    names: pl.DataFrame
    accessions: pl.DataFrame
    live: pl.DataFrame
    species: pl.DataFrame
    ictv: pl.DataFrame


def read_virus_names(
    term: pl.DataFrame, synonym: pl.DataFrame, term_edge: pl.DataFrame, xref: pl.DataFrame
) -> VirusNames:
    """Return the names of all viruses that the ontology tables hold; ICTV's may be absent."""
    tree = _viral_taxa(term, term_edge)
    known = pl.concat([_labels(tree), _synonyms(synonym, tree), _everyday(tree)])
    ictv = _ictv_species(term, synonym, xref, known, tree)
    same = _same_virus(tree, known, synonym, ictv)
    live = _live_taxa(term, tree, same)
    found = pl.concat([known, _ictv_names(term, synonym, ictv)])
    moved = pl.col("virus").is_in(same["other"].implode()).alias("moved")
    names = _of_one_virus(found.with_columns(moved), same)
    species = _of_one_virus(tree.select(virus="curie", species="species"), same).drop_nulls()
    return VirusNames(
        names=names.unique().sort("key", "kind", "virus", "name", "moved"),
        accessions=_of_one_virus(_accessions(xref, ictv), same),
        live=live,
        species=species.unique("virus", keep="first", maintain_order=True),
        ictv=ictv,
    )


def settle_names(asked: pl.Series, named: pl.DataFrame, species: pl.DataFrame) -> pl.DataFrame:
    """Return name, virus, candidates: one row per distinct name of ``asked`` that means a virus.

    ``virus`` is null where ``candidates`` are several. Of names of one kind those spelled as asked
    come first (``Ebola virus`` is not the genus Ebolavirus). ``named`` has key, name, virus, kind;
    ``species`` has virus, species.
    """
    wanted = pl.DataFrame({"name": asked.drop_nulls().unique().sort()})
    keyed = wanted.with_columns(name_key(pl.col("name")).alias("key"))
    met = keyed.join(named.select("key", "virus", "kind", spelling="name"), on="key")
    respelled = pl.col("spelling").str.to_lowercase() != pl.col("name").str.to_lowercase()
    tier = pl.col("kind").replace_strict(KINDS, return_dtype=pl.Int32) * 2 + respelled
    ranked = met.with_columns(tier.alias("tier"))
    best = ranked.filter(pl.col("tier") == pl.col("tier").min().over("name"))
    within = best.join(species, on="virus", how="left")
    meant = within.group_by("name").agg(
        pl.col("virus").unique().sort().alias("candidates"),
        pl.coalesce("species", "virus").n_unique().alias("viruses"),
        pl.col("species").first(),
    )
    alone = pl.col("candidates").list.len() == 1
    chosen = (
        pl.when(alone)
        .then(pl.col("candidates").list.first())
        .when(pl.col("viruses") == 1)
        .then(pl.col("species"))
    )
    return meant.select("name", chosen.alias("virus"), "candidates").sort("name")


def name_key(name: pl.Expr) -> pl.Expr:
    """Return what names are compared by: folded, without blanks and punctuation."""
    return fold(separate(name)).str.replace_all(" ", "", literal=True)


def reviewed_viruses() -> pl.DataFrame:
    """Return name, curie, label, reason: the reviewed everyday names of viruses."""
    return read_reviewed("viruses.tsv")


def own_names(names: pl.DataFrame) -> pl.DataFrame:
    """Return the rows of ``names`` that the taxonomy does not tell by itself: names of ICTV and
    reviewed ones, abbreviations, and its own where they name another taxon that is the virus.
    """
    told = pl.col("kind").is_in(["label", "synonym"]) & ~pl.col("moved")
    return names.filter(~told).drop("moved").unique().sort("key", "kind", "virus", "name")


# --- the taxonomy of viruses ----------------------------------------------------------------------


def _viral_taxa(term: pl.DataFrame, term_edge: pl.DataFrame) -> pl.DataFrame:
    """Return curie, label, rank, parent, species of every live taxon below Viruses, and itself."""
    parent = taxon_parents(term_edge)
    taxa = term.filter(has_prefix(pl.col("curie"), NCBI_TAXON), ~pl.col("obsolete")).select(
        "curie", "label", "rank", taxid_of(pl.col("curie")).alias("taxid")
    )
    within = taxa.filter(pl.col("taxid") < len(parent))
    viral = _end_of_path(parent, stops=np.array([VIRUSES])) == VIRUSES
    kept = within.filter(pl.Series(viral[within["taxid"].to_numpy()]))
    species = kept.filter(pl.col("rank") == "species")["taxid"].to_numpy()
    ends = _end_of_path(parent, stops=species)
    is_species = np.zeros(len(parent), dtype=bool)
    is_species[species] = True
    above = ends[kept["taxid"].to_numpy()]
    numbered = kept.with_columns(
        pl.Series("parent", parent[kept["taxid"].to_numpy()]), pl.Series("species", above)
    )
    return numbered.with_columns(
        taxon_curie(pl.col("parent")).alias("parent"),
        pl.when(pl.Series(is_species[above])).then(taxon_curie(pl.col("species"))).alias("species"),
    )


def _end_of_path(
    parent: npt.NDArray[np.int32], *, stops: npt.NDArray[np.integer]
) -> npt.NDArray[np.int32]:
    """Return for each taxid the first of ``stops`` at or above it, else the root of its lineage."""
    up = parent.copy()
    inside = stops[stops < len(parent)]
    up[inside] = inside
    for _ in range(_MAX_STEPS):
        up = up[up]
    return up


def _live_taxa(term: pl.DataFrame, tree: pl.DataFrame, same: pl.DataFrame) -> pl.DataFrame:
    """Return curie, virus of live viral taxa and of merged ones whose successor is live."""
    merged = term.filter(pl.col("obsolete") & pl.col("replaced_by").is_not_null()).select(
        "curie", pl.col("replaced_by").alias("virus")
    )
    still = merged.join(tree.select(virus="curie"), on="virus", how="semi")
    every = pl.concat([tree.select("curie", virus="curie"), still])
    return _of_one_virus(every, same).unique("curie", keep="first", maintain_order=True)


def _same_virus(
    tree: pl.DataFrame, known: pl.DataFrame, synonym: pl.DataFrame, ictv: pl.DataFrame
) -> pl.DataFrame:
    """Return other, virus: taxa that are another taxon's virus."""
    listed = (
        synonym.filter(pl.col("scope").is_in(["EXACT", "NARROW"]))
        .join(ictv, left_on="curie", right_on="ictv")
        .select("species", name_key(pl.col("synonym")).alias("key"))
    )
    own = tree.filter(pl.col("rank") == "species").select(
        species="curie", key=name_key(pl.col("label"))
    )
    ranked = pl.col("rank").eq_missing("species")
    below = tree.filter(~ranked & (pl.col("parent") == pl.col("species")))
    called = known.filter(pl.col("kind").is_in(["label", "synonym"])).join(
        below.select(virus="curie", species="species"), on="virus"
    )
    matching = called.join(pl.concat([own, listed]).unique(), on=["species", "key"], how="semi")
    pairs = matching.select("species", "virus").unique()
    sole = pairs.filter(pl.col("virus").n_unique().over("species") == 1)
    return pl.concat([sole.rename({"species": "other"}), _renamed_taxa(tree)])


def _renamed_taxa(tree: pl.DataFrame) -> pl.DataFrame:
    """Return other, virus: live taxa whose label is a reviewed name of another taxon."""
    listed = reviewed_viruses().join(tree.select("curie"), on="curie", how="semi")
    sole = listed.filter(pl.col("name").is_unique())
    other = tree.select(other="curie", name="label").join(
        sole.select("name", virus="curie"), on="name"
    )
    return other.filter(pl.col("other") != pl.col("virus")).select("other", "virus")


def _of_one_virus(rows: pl.DataFrame, same: pl.DataFrame) -> pl.DataFrame:
    """Return ``rows`` with the column ``virus`` replaced by the taxon that is the same virus."""
    met = rows.join(
        same.rename({"other": "virus", "virus": "one"}),
        on="virus",
        how="left",
        maintain_order="left",
    )
    return met.with_columns(pl.coalesce("one", "virus").alias("virus")).drop("one")


# --- names ----------------------------------------------------------------------------------------


def _labels(tree: pl.DataFrame) -> pl.DataFrame:
    return _keyed(tree.select(name="label", virus="curie"), pl.lit("label"))


def _synonyms(synonym: pl.DataFrame, tree: pl.DataFrame) -> pl.DataFrame:
    """Return the synonyms of viral taxa; one short word is an abbreviation."""
    viral = synonym.join(tree.select("curie"), on="curie", how="semi")
    short = pl.col("synonym").str.contains(_ACRONYM)
    kind = pl.when(short).then(pl.lit("abbreviation")).otherwise(pl.lit("synonym"))
    return _keyed(viral.select("synonym", name="synonym", virus="curie"), kind)


def _everyday(tree: pl.DataFrame) -> pl.DataFrame:
    known = reviewed_viruses().join(tree.select("curie"), on="curie", how="semi")
    return _keyed(known.select("name", virus="curie"), pl.lit("everyday"))


def _ictv_names(term: pl.DataFrame, synonym: pl.DataFrame, ictv: pl.DataFrame) -> pl.DataFrame:
    """Return ICTV's names of the species that the taxonomy has."""
    labels = term.filter(pl.col("ontology") == ICTV, pl.col("rank") == "species").select(
        "curie", name="label", scope=pl.lit("EXACT")
    )
    others = synonym.filter(has_prefix(pl.col("curie"), ICTV)).select(
        "curie", "scope", name="synonym"
    )
    named = pl.concat([labels, others.select(labels.columns)]).join(
        ictv, left_on="curie", right_on="ictv"
    )
    kind = pl.col("scope").replace_strict(_KIND_OF_SCOPE, return_dtype=pl.String)
    return _keyed(named.select("name", "scope", virus="species"), kind)


def _keyed(names: pl.DataFrame, kind: pl.Expr) -> pl.DataFrame:
    rows = names.with_columns(kind.alias("kind"), name_key(pl.col("name")).alias("key"))
    return rows.filter(pl.col("key") != "").select("key", "name", "virus", "kind")


# --- ICTV's species in the taxonomy ---------------------------------------------------------------


def _ictv_species(
    term: pl.DataFrame,
    synonym: pl.DataFrame,
    xref: pl.DataFrame,
    known: pl.DataFrame,
    tree: pl.DataFrame,
) -> pl.DataFrame:
    """Return species, ictv: by the taxon the list states, else its name, its viruses' names, its
    former names; a term whose names point to several species is left out.
    """
    listed = term.filter(pl.col("ontology") == ICTV, pl.col("rank") == "species")
    stated = _stated_taxa(xref, term, tree).join(listed.select(ictv="curie"), on="ictv", how="semi")
    labels = listed.select(ictv="curie", name="label")
    names = synonym.select("scope", ictv="curie", name="synonym").filter(
        has_prefix(pl.col("ictv"), ICTV)
    )
    parts = [
        stated,
        _by_name(labels, known, tree),
        _by_name(names.filter(pl.col("scope").is_in(["EXACT", "NARROW"])), known, tree),
        _by_name(names.filter(pl.col("scope") == "BROAD"), known, tree),
    ]
    ranked = pl.concat(
        [part.with_columns(pl.lit(rank).alias("step")) for rank, part in enumerate(parts)]
    )
    first = ranked.filter(pl.col("step") == pl.col("step").min().over("ictv"))
    clear = first.filter(pl.col("species").n_unique().over("ictv") == 1)
    once = clear.sort("step", "ictv").unique("species", keep="first", maintain_order=True)
    return once.select("species", "ictv").sort("species")


def _stated_taxa(xref: pl.DataFrame, term: pl.DataFrame, tree: pl.DataFrame) -> pl.DataFrame:
    stated = xref.filter(
        has_prefix(pl.col("curie"), ICTV), has_prefix(pl.col("xref"), NCBI_TAXON)
    ).select(ictv="curie", taxon="xref")
    merged = term.filter(pl.col("obsolete")).select(taxon="curie", now="replaced_by")
    live = stated.join(merged, on="taxon", how="left").select(
        "ictv", pl.coalesce("now", "taxon").alias("taxon")
    )
    return (
        live.join(tree.select(taxon="curie", species="species"), on="taxon")
        .drop_nulls()
        .select("ictv", "species")
        .unique()
    )


def _by_name(names: pl.DataFrame, known: pl.DataFrame, tree: pl.DataFrame) -> pl.DataFrame:
    """Return ictv, species by names equal to a label or a long synonym of a taxon in a species."""
    keyed = names.select("ictv", name_key(pl.col("name")).alias("key"))
    told = known.filter(pl.col("kind").is_in(["label", "synonym"])).select("key", "virus")
    return (
        keyed.join(told, on="key")
        .join(tree.select(virus="curie", species="species"), on="virus")
        .drop_nulls("species")
        .select("ictv", "species")
        .unique()
    )


def _accessions(xref: pl.DataFrame, ictv: pl.DataFrame) -> pl.DataFrame:
    """Return accession, virus of the sequences ICTV lists for one species only."""
    listed = xref.filter(pl.col("xref").str.contains("^(?:GenBank|RefSeq):"))
    named = listed.join(ictv, left_on="curie", right_on="ictv").select(
        pl.col("xref").str.extract(":(.+)$").alias("accession"), virus="species"
    )
    return named.unique().filter(pl.col("accession").is_unique())
