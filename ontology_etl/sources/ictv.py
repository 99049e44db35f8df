"""ICTV's master list of viruses: species with their genus, names, abbreviations and former names.

Source: the Virus Metadata Resource of the International Committee on Taxonomy of Viruses
(https://ictv.global/vmr), a spreadsheet, or the same as tab-separated text; a table of names
(``name, kind, ictv_species``) may be in the same folder. Licence: CC BY 4.0.

A species is a term ``ICTV:`` and the number of its ICTV_ID; genera, families and orders, genome
types and host sources are terms named by themselves. Scopes of synonyms say what a name is: EXACT
the exemplar virus, NARROW another isolate of the species, BROAD a former species (which may have
been wider), RELATED an abbreviation. A table of names does not say which virus each name belongs
to. The list does, and a name that no exemplar has belongs to another isolate.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

import polars as pl

from ontology_etl.curies import ICTV, NCBI_TAXON
from ontology_etl.host_groups import HAS_HOST
from ontology_etl.sources.ictv_tables import (
    NO_SPECIES,
    RANKS,
    TextTable,
    is_master_list,
    is_names,
    read_tables,
    slug,
    usable_species,
    version_of,
)
from ontology_etl.tables import Rejected, Statements, gather_rejected, reject

HAS_GENOME: Final = "has_genome"
FOUND_IN: Final = "found_in"
"""The sequence comes from such samples ("(S)" in ICTV's host source), the host is not known."""

_SCOPE_OF_KIND: Final = {
    "name": "NARROW",
    "abbreviation": "RELATED",
    "previous species": "BROAD",
}
_SYNONYM: Final = ("curie", "synonym", "scope")
_ACCESSION: Final = r"[A-Z]{1,2}_?\d{5,8}\b"
_ARCHIVES: Final = {"genbank": "GenBank", "refseq": "RefSeq"}


def read(path: Path) -> Statements:
    """Return all statements of the master list at ``path``: .xlsx, .tsv, .tsv.gz, or a folder.

    Raises ``ColumnError`` where no table has the columns of a master list, ``EmptyTableError``
    where it has no row, ``MissingFileError`` and ``TruncatedFileError``.
    """
    tables = read_tables(path)
    species, rejected = usable_species(tables, path)
    names, unused = _listed_names(tables, species)
    others = [table for table in tables if not (is_master_list(table) or is_names(table))]
    unread = [reject(table.source, [None], "no table of ICTV's") for table in others]
    return Statements(
        term=extract_terms(species),
        synonym=pl.concat([extract_synonyms(species), names]).unique(),
        term_edge=extract_edges(species),
        xref=extract_xrefs(species),
        rejected=gather_rejected([rejected, unused, *unread]),
        version=version_of(path, tables),
    )


def extract_terms(species: pl.DataFrame) -> pl.DataFrame:
    """Return Term rows: species, their genera, families and orders, genome types, host sources."""
    ranked = [_terms_of_rank(species, rank) for rank in RANKS]
    no_rank = pl.lit(None, pl.String).alias("rank")
    properties = [
        _genomes(species).select("curie", "label", no_rank),
        _hosts(species).select("curie", "label", no_rank),
    ]
    every = pl.concat([*ranked, *properties]).drop_nulls("curie")
    once = every.unique("curie", keep="first", maintain_order=True)
    return once.select(
        "curie",
        "label",
        pl.lit(ICTV).alias("ontology"),
        "rank",
        pl.lit(False).alias("obsolete"),
        pl.lit(None, pl.String).alias("replaced_by"),
    )


def _terms_of_rank(species: pl.DataFrame, rank: str) -> pl.DataFrame:
    return species.select(
        pl.col(_curie_of(rank)).alias("curie"),
        pl.col(rank).alias("label"),
        pl.lit(rank).alias("rank"),
    )


def _curie_of(rank: str) -> str:
    """Return the column with the CURIE of the species, or of a higher rank."""
    return "curie" if rank == "species" else f"{rank}_curie"


def extract_synonyms(species: pl.DataFrame) -> pl.DataFrame:
    """Return Synonym rows: names, abbreviations and former names of each species."""
    exemplar = pl.col("isolate_type").fill_null("E") != "A"
    of_virus = pl.when(exemplar).then(pl.lit("EXACT")).otherwise(pl.lit("NARROW"))
    parts = [
        _split_names(species, "names", of_virus),
        _split_names(species, "abbreviations", pl.lit("RELATED")),
        _split_names(species, "previous_species", pl.lit("BROAD")),
    ]
    is_name = ~pl.col("synonym").is_in(NO_SPECIES)
    is_other = pl.col("synonym") != pl.col("label")
    return pl.concat(parts).filter(is_name, is_other).select(_SYNONYM)


def extract_edges(species: pl.DataFrame) -> pl.DataFrame:
    """Return TermEdge rows: is_a up to the order, genome type, host source, place of discovery."""
    upward = [_edges_from(species, rank) for rank in RANKS[:-1]]
    stated = [
        rows.select("predicate", subject="species_curie", object="curie")
        for rows in (_genomes(species), _hosts(species))
    ]
    columns = ["subject", "predicate", "object"]
    edges = [part.select(columns) for part in (*upward, *stated)]
    return pl.concat(edges).drop_nulls().unique()


def _edges_from(species: pl.DataFrame, rank: str) -> pl.DataFrame:
    """Return is_a rows from ``rank`` to the next higher rank that a row states."""
    higher = RANKS[RANKS.index(rank) + 1 :]
    above = [f"{each}_curie" for each in higher]
    return species.select(
        subject=_curie_of(rank),
        predicate=pl.lit("is_a"),
        object=pl.coalesce(above),
    )


def extract_xrefs(species: pl.DataFrame) -> pl.DataFrame:
    """Return Xref rows: the taxon if the table has it, and sequence accessions without version."""
    with_taxon = species.filter(pl.col("species_taxid").str.contains(r"^\d+$"))
    taxon = f"{NCBI_TAXON}:" + pl.col("species_taxid")
    parts = [with_taxon.select("curie", xref=taxon)]
    for column, archive in _ARCHIVES.items():
        accessions = pl.col(column).str.extract_all(_ACCESSION)
        each = species.select("curie", accession=accessions).explode("accession")
        xref = f"{archive}:" + pl.col("accession")
        parts.append(each.drop_nulls().select("curie", xref=xref))
    return pl.concat(parts).unique()


def _listed_names(
    tables: list[TextTable], species: pl.DataFrame
) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Return Synonym rows of the tables of names, and the rows whose species is not listed."""
    listed = species.select("curie", "species", ictv_species="species")
    known = listed.unique("ictv_species", keep="first", maintain_order=True)
    exemplars = _names_of_exemplars(species)
    names = [pl.DataFrame(schema=dict.fromkeys(_SYNONYM, pl.String))]
    unused: list[pl.DataFrame] = [Rejected.create_empty()]
    scope = pl.col("kind").replace_strict(
        _SCOPE_OF_KIND,
        default=None,
        return_dtype=pl.String,
    )
    for table in filter(is_names, tables):
        joined = table.frame.join(
            known,
            on="ictv_species",
            how="left",
            maintain_order="left",
        )
        judged = joined.with_columns(scope.alias("scope"))
        usable = judged.drop_nulls(["curie", "scope"])
        lost = len(judged) - len(usable)
        unused.append(_count(table.source, lost, "name of no species of the master list"))
        others = _other_names(usable)
        names.append(
            others.join(
                exemplars,
                on=_SYNONYM,
                how="anti",
            )
        )
    return pl.concat(names), pl.concat(unused)


def _names_of_exemplars(species: pl.DataFrame) -> pl.DataFrame:
    """Return NARROW Synonym rows that a table of names repeats: names of exemplar viruses."""
    of_species = extract_synonyms(species)
    exemplars = of_species.filter(pl.col("scope") == "EXACT")
    return exemplars.with_columns(scope=pl.lit("NARROW"))


def _other_names(named: pl.DataFrame) -> pl.DataFrame:
    """Return Synonym rows of ``named`` [name, species, …], without the species' own name."""
    is_name = ~pl.col("name").is_in(NO_SPECIES)
    is_other = pl.col("name") != pl.col("species")
    others = named.filter(is_name & is_other).drop_nulls("name")
    return others.select("curie", synonym="name", scope="scope")


def _count(source: str, rows: int, reason: str) -> pl.DataFrame:
    places: list[int | None] = [None] if rows else []
    return reject(source, places, f"{reason}: {rows} rows")


def _split_names(species: pl.DataFrame, column: str, scope: pl.Expr) -> pl.DataFrame:
    """Return curie, label, synonym, scope: one row per name of a cell with several."""
    listed = species.select(
        "curie",
        label="species",
        synonym=pl.col(column).str.split(";"),
        scope=scope,
    )
    each = listed.explode("synonym")
    stripped = each.with_columns(pl.col("synonym").str.strip_chars())
    return stripped.filter(pl.col("synonym") != "")


def _genomes(species: pl.DataFrame) -> pl.DataFrame:
    """Return species_curie, label, curie, predicate: the genome types of each species."""
    types = species.select(
        species_curie="curie",
        label=pl.col("genome").str.split(";"),
    )
    genomes = _property(types.explode("label"), "genome")
    return genomes.with_columns(predicate=pl.lit(HAS_GENOME))


def _hosts(species: pl.DataFrame) -> pl.DataFrame:
    """Return species_curie, label, curie, predicate: the host sources of each species."""
    source = pl.col("host_source")
    is_seen_only = source.str.contains(r"\(S\)").fill_null(False)
    predicate = pl.when(is_seen_only).then(pl.lit(FOUND_IN)).otherwise(pl.lit(HAS_HOST))
    hosts = source.str.replace(r"\s*\(S\)", "").str.split(",")
    sources = species.select(
        species_curie="curie",
        predicate=predicate,
        label=hosts,
    )
    return _property(sources.explode("label"), "host")


def _property(rows: pl.DataFrame, kind: str) -> pl.DataFrame:
    """Return the ``rows`` with a label, and the CURIE of the property that it names."""
    label = pl.col("label")
    stripped = rows.with_columns(label.str.strip_chars())
    labelled = stripped.filter(label != "")
    name = f"{kind}_" + label
    return labelled.with_columns(curie=slug(name))
