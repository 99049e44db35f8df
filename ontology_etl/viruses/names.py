"""Resolve a name, an identifier or an accession to a virus.

A virus is a taxon of NCBI Taxonomy below Viruses. Its names are those of the taxonomy, ICTV's
(species, viruses, former species, abbreviations) and reviewed everyday names
(``reviewed/viruses.tsv``, and in seven languages ``reviewed/names_in_languages.tsv``). A name that
means several viruses is ambiguous: its candidates stay and none is chosen. Names of one species
(a species and its strains) mean the species.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt
import polars as pl

from ontology_etl.closure import taxon_parents
from ontology_etl.curies import NCBI_TAXON
from ontology_etl.folding import folded_column
from ontology_etl.viruses.ictv_species import ictv_accessions, ictv_names, ictv_species
from ontology_etl.viruses.keys import (
    KINDS,
    OF_TAXONOMY,
    keyed_names,
    loose_key,
    name_key,
    shorter_names,
    without_blanks,
)
from ontology_etl.viruses.taxa import (
    everyday_names,
    live_taxa,
    of_one_virus,
    same_virus,
    viral_taxa,
)
from ontology_etl.vocabulary import VIRUSES

FEWEST_LETTERS: Final = 4
"""Minimum characters of an abbreviation that may be followed by a strain: SARS-CoV-2, not CMV."""
ALL_VIRUSES: Final = f"{NCBI_TAXON}:{VIRUSES}"
_ACRONYM: Final = r"^\S{1,10}$"
_LOOSE_LETTERS: Final = (True, False)
"""Whether a looser key keeps the letter of a type; the stricter comes first."""


@dataclass(frozen=True)
class VirusNames:
    """All names of viruses.

    ``names``       key, folded, name, virus, kind: every name of every viral taxon; ``moved`` where
                    the taxonomy gives the name to another taxon that is the same virus
    ``loose``       loose, key, virus, kind, spelling: names in full by their looser keys; 1 keeps
                    the letter of a type, 2 does not
    ``accessions``  accession (no version), virus
    ``live``        curie, virus: every viral taxon, live or merged, and the virus it is
    ``species``     virus, species: the species a taxon belongs to; higher taxa have no row
    ``family``      virus, family: the family a taxon belongs to; those without one have no row
    ``ictv``        species, ictv: the term of ICTV for a species of the taxonomy
    ``parent``      parent taxid by taxid (``closure.taxon_parents``)
    """

    names: pl.DataFrame
    loose: pl.DataFrame
    accessions: pl.DataFrame
    live: pl.DataFrame
    species: pl.DataFrame
    family: pl.DataFrame
    ictv: pl.DataFrame
    parent: npt.NDArray[np.int32]


def read_virus_names(
    term: pl.DataFrame, synonym: pl.DataFrame, term_edge: pl.DataFrame, xref: pl.DataFrame
) -> VirusNames:
    """Return the names of all viruses in the ontology tables; ICTV's may be absent."""
    parent = taxon_parents(term_edge)
    tree = viral_taxa(term, parent)
    known = pl.concat(
        [
            _labels(tree),
            _synonyms(synonym, tree),
            _everyday(tree),
        ]
    )
    ictv = ictv_species(term, synonym, xref, known, tree)
    same = same_virus(tree, known, synonym, ictv)
    found = pl.concat([known, ictv_names(term, synonym, ictv)])
    moved = pl.col("virus").is_in(same["other"].implode()).alias("moved")
    names = of_one_virus(found.with_columns(moved), same).unique()
    species = of_one_virus(tree.select("species", virus="curie"), same).drop_nulls()
    family = of_one_virus(tree.select("family", virus="curie"), same).drop_nulls()
    return VirusNames(
        names=names.sort("key", "kind", "virus", "name", "moved"),
        loose=_loosely_named(names),
        accessions=of_one_virus(ictv_accessions(xref, ictv), same),
        live=live_taxa(term, tree, same),
        species=species.unique("virus", keep="first", maintain_order=True),
        family=family.unique("virus", keep="first", maintain_order=True),
        ictv=ictv,
        parent=parent,
    )


def settle_names(given: pl.Series, named: pl.DataFrame, species: pl.DataFrame) -> pl.DataFrame:
    """Return name, virus, candidates: one row for each distinct name of ``given`` that is a virus.

    ``virus`` is null where ``candidates`` are several. Among names of one kind, those with the same
    spelling come first (``Ebola virus`` is not the genus Ebolavirus). ``named`` has key, name,
    virus, kind; ``species`` has virus, species.
    """
    return _settle(_met(given, named), species, by=["name"])


def settle_in_families(given: pl.DataFrame, names: VirusNames) -> pl.DataFrame:
    """Return name, family, virus, candidates for the rows of ``given`` [name, family].

    As ``settle_names``, but a family (its CURIE, or null) decides between viruses of the same name:
    CMV of Orthoherpesviridae is not cucumber mosaic virus. A family that none of them has refutes
    an abbreviation, but not a full name: its virus may have been moved to another family since. A
    name that no list has is read without its additions (``ontology_etl.viruses.keys``).
    """
    exact = _met(given["name"], names.names)
    others = given.join(exact, on="name", how="anti")["name"]
    every = pl.concat([exact, _met_as_written(others, names)])
    met = given.unique().join(every, on="name")
    placed = met.join(names.family.rename({"family": "its_family"}), on="virus", how="left")
    fits = (pl.col("family") == pl.col("its_family")).fill_null(True)
    some_fit = fits.any().over("name", "family")
    is_short = pl.col("name").str.contains(_ACRONYM)
    possible = placed.filter(fits | ~some_fit & ~is_short)
    return _settle(possible, names.species, by=["name", "family"])


def _settle(met: pl.DataFrame, species: pl.DataFrame, *, by: list[str]) -> pl.DataFrame:
    """Return ``by``, virus, candidates: what the most trusted rows of ``met`` agree on."""
    within = _most_trusted(met, by=by).join(
        species,
        on="virus",
        how="left",
    )
    meant = within.group_by(by).agg(
        pl.col("virus").unique().sort().alias("candidates"),
        pl.coalesce("species", "virus").n_unique().alias("viruses"),
        pl.col("species").first(),
    )
    candidates = pl.col("candidates").list
    chosen = (
        pl.when(candidates.len() == 1)
        .then(candidates.first())
        .when(pl.col("viruses") == 1)
        .then(pl.col("species"))
    )
    settled = meant.select(*by, chosen.alias("virus"), "candidates")
    return settled.sort(by)


def _met(given: pl.Series, named: pl.DataFrame) -> pl.DataFrame:
    """Return name, written, key, virus, kind, spelling: the names of ``named`` in ``given``."""
    distinct = given.drop_nulls().unique().sort()
    wanted = pl.DataFrame({"name": distinct})
    keyed = wanted.with_columns(written="name", key=name_key(pl.col("name")))
    listed = named.select("key", "virus", "kind", spelling="name")
    return keyed.join(listed, on="key")


def _met_as_written(given: pl.Series, names: VirusNames) -> pl.DataFrame:
    """Match each of ``given`` by its least shortened form that is a name; columns as ``_met``."""
    forms = shorter_names(given)
    if forms.is_empty():
        return _met(given, names.names)
    is_short = pl.col("kind") == "abbreviation"
    telling = names.names.filter(~is_short | (pl.col("key").str.len_chars() >= FEWEST_LETTERS))
    listed = telling.select("key", "virus", "kind", spelling="name")
    written = forms.select("name", "step", written="shorter", folded=folded_column("shorter"))
    keyed = written.with_columns(key=without_blanks(pl.col("folded")), loose=pl.lit(0))
    found = [keyed.drop("folded").join(listed, on="key"), _met_loosely(written, names)]
    met = pl.concat(found, how="diagonal").filter(pl.col("virus") != ALL_VIRUSES)
    rank = pl.col("step") * (len(_LOOSE_LETTERS) + 1) + pl.col("loose")
    first = met.filter(rank == rank.min().over("name"))
    return first.select("name", "written", "key", "virus", "kind", "spelling").unique()


def _met_loosely(forms: pl.DataFrame, names: VirusNames) -> pl.DataFrame:
    """Return the ``forms`` whose loose key belongs to one species only, with its names."""
    keyed = _by_loose_key(forms)
    met = keyed.join(names.loose, on=["loose", "key"]).join(names.species, on="virus", how="left")
    one = pl.coalesce("species", "virus").n_unique().over("name", "step", "loose") == 1
    return met.filter(one).drop("species")


def _loosely_named(names: pl.DataFrame) -> pl.DataFrame:
    """Return the ``names`` in full as ``VirusNames.loose``.

    "Human" before a name without a number is not an addition: human parvovirus is not all
    parvoviruses.
    """
    in_full = names.filter(pl.col("kind") != "abbreviation")
    keyed = _by_loose_key(in_full.select("virus", "kind", "folded", spelling="name"))
    is_host = pl.col("spelling").str.contains(r"(?i)\bhuman\b")
    return keyed.filter(~is_host | pl.col("key").str.contains(r"\d"))


def _by_loose_key(named: pl.DataFrame) -> pl.DataFrame:
    """Return ``named`` [folded, …] once for each of ``_LOOSE_LETTERS``, as loose, key instead."""
    folded = pl.col("folded")
    keys = {str(letters): loose_key(folded, letters=letters) for letters in _LOOSE_LETTERS}
    keyed = named.with_columns(**keys).drop("folded")
    looser = [
        keyed.select(pl.exclude(keys), key=key, loose=pl.lit(loose))
        for loose, key in enumerate(keys, start=1)
    ]
    return pl.concat(looser)


def _most_trusted(met: pl.DataFrame, *, by: list[str]) -> pl.DataFrame:
    """Return the rows of ``met`` of the most trusted kind for each name, equal spelling first."""
    spelling = pl.col("spelling").str.to_lowercase()
    respelled = spelling != pl.col("written").str.to_lowercase()
    kind = pl.col("kind").replace_strict(KINDS, return_dtype=pl.Int32)
    ranked = met.with_columns(tier=kind * 2 + respelled)
    best = pl.col("tier").min().over(by)
    return ranked.filter(pl.col("tier") == best)


def own_names(names: pl.DataFrame) -> pl.DataFrame:
    """Return the ``names`` that the taxonomy does not give to the same taxon itself."""
    of_taxonomy = pl.col("kind").is_in(OF_TAXONOMY)
    stated = of_taxonomy & ~pl.col("moved")
    own = names.filter(~stated).drop("moved", "folded").unique()
    return own.sort("key", "kind", "virus", "name")


def _labels(tree: pl.DataFrame) -> pl.DataFrame:
    named = tree.select(name="label", virus="curie")
    return keyed_names(named, pl.lit("label"))


def _synonyms(synonym: pl.DataFrame, tree: pl.DataFrame) -> pl.DataFrame:
    """Return the synonyms of viral taxa; a single short word is an abbreviation."""
    viral = synonym.join(
        tree.select("curie"),
        on="curie",
        how="semi",
    )
    named = viral.select("synonym", name="synonym", virus="curie")
    is_short = pl.col("synonym").str.contains(_ACRONYM)
    kind = pl.when(is_short).then(pl.lit("abbreviation")).otherwise(pl.lit("synonym"))
    return keyed_names(named, kind)


def _everyday(tree: pl.DataFrame) -> pl.DataFrame:
    known = everyday_names().join(
        tree.select("curie"),
        on="curie",
        how="semi",
    )
    named = known.select("name", virus="curie")
    return keyed_names(named, pl.lit("everyday"))
