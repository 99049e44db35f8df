"""ICTV's master list of viruses: species with their genus, names, abbreviations and former names.

Source: the Virus Metadata Resource of the International Committee on Taxonomy of Viruses
(https://ictv.global/vmr), a spreadsheet, or the same as tab-separated text; a table of names
(``name, kind, ictv_species``) may lie beside it in one folder. Licence: CC BY 4.0. Columns are
found by their headers, which change from year to year (``HEADERS``).

A species is a term ``ICTV:`` and the number of its ICTV_ID; genera, families and orders, genome
types and host sources are terms named by themselves. Scopes of synonyms say what a name is: EXACT
the exemplar virus, NARROW another isolate of the species, BROAD a former species (which may have
been wider), RELATED an abbreviation.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Final, NamedTuple

import polars as pl
from fastexcel import FastExcelError

from ontology_etl.curies import ICTV, NCBI_TAXON
from ontology_etl.errors import ColumnError, EmptyTableError, MissingFileError, TruncatedFileError
from ontology_etl.host_groups import HAS_HOST
from ontology_etl.sources.statements import Statements, gather_rejected
from ontology_etl.tables import Rejected, reject

HEADERS: Final[Mapping[str, tuple[str, ...]]] = {
    "ictv_id": ("ictvid",),
    "species": ("species",),
    "genus": ("genus",),
    "family": ("family",),
    "order": ("order",),
    "isolate_type": ("exemplaroradditionalisolate", "isolatetype"),
    "names": ("virusnames", "names"),
    "abbreviations": ("virusnameabbreviations", "virusabbreviations", "abbreviations"),
    "genbank": ("virusgenbankaccession", "genbank"),
    "refseq": ("virusrefseqaccession", "refseq"),
    "genome": ("genome", "genomecomposition"),
    "host_source": ("hostsource", "host"),
    "previous_species": ("previousspecies",),
    "species_taxid": ("speciestaxid", "speciestaxidtaxdump2024"),
}
"""Column -> its headers over the years, in lower case, letters and digits only."""

RANKS: Final = ("species", "genus", "family", "order")
HAS_GENOME: Final = "has_genome"
FOUND_IN: Final = "found_in"
"""The sequence comes from such samples ("(S)" in ICTV's host source), the host is not known."""

_NAME_TABLE: Final = ("name", "kind", "ictv_species")
_SCOPE_OF_KIND: Final = {
    "name": "EXACT",
    "abbreviation": "RELATED",
    "previous species": "BROAD",
}
_NO_SPECIES: Final = ("abolished", "created")
_ACCESSION: Final = r"[A-Z]{1,2}_?\d{5,8}\b"
_RELEASE: Final = re.compile(r"MSL\s*\d+", re.IGNORECASE)


class _Table(NamedTuple):
    """One table of a file, all cells text, with ``row`` (1-based, header counted)."""

    source: str
    frame: pl.DataFrame


def read(path: Path) -> Statements:
    """Return all statements of the master list at ``path``: .xlsx, .tsv, .tsv.gz, or a folder.

    Raises ``ColumnError`` where no table has the columns of a master list, ``EmptyTableError``
    where it has no row, ``MissingFileError`` and ``TruncatedFileError``.
    """
    tables = [table for file in _files(path) for table in _tables_of(file)]
    lists = [_renamed(table) for table in tables if _is_master_list(table)]
    if not lists:
        found = [name for table in tables for name in table.frame.columns if name != "row"]
        raise ColumnError(
            path, missing=["Species", "Genus"], found=found, format_name="ICTV master list"
        )
    species, rejected = _usable_species(lists, path)
    names, unused = _listed_names(tables, species)
    others = [table for table in tables if not (_is_master_list(table) or _is_names(table))]
    unread = [reject(table.source, [None], "no table of ICTV's") for table in others]
    return Statements(
        term=extract_terms(species),
        synonym=pl.concat([extract_synonyms(species), names]).unique(),
        term_edge=extract_edges(species),
        xref=extract_xrefs(species),
        rejected=gather_rejected([rejected, unused, *unread]),
        version=_version(path, tables),
    )


def extract_terms(species: pl.DataFrame) -> pl.DataFrame:
    """Return Term rows: species, their genera, families and orders, genome types, host sources."""
    ranked = [
        species.select(
            pl.col("curie" if rank == "species" else f"{rank}_curie").alias("curie"),
            pl.col(rank).alias("label"),
            pl.lit(rank).alias("rank"),
        )
        for rank in RANKS
    ]
    properties = [
        rows.select("curie", "label", pl.lit(None, pl.String).alias("rank"))
        for rows in (_genomes(species), _hosts(species))
    ]
    every = pl.concat([*ranked, *properties]).drop_nulls("curie")
    return every.unique("curie", keep="first", maintain_order=True).select(
        "curie",
        "label",
        pl.lit(ICTV).alias("ontology"),
        "rank",
        pl.lit(False).alias("obsolete"),
        pl.lit(None, pl.String).alias("replaced_by"),
    )


def extract_synonyms(species: pl.DataFrame) -> pl.DataFrame:
    """Return Synonym rows: names, abbreviations and former names of each species."""
    exemplar = pl.col("isolate_type").fill_null("E") != "A"
    of_virus = pl.when(exemplar).then(pl.lit("EXACT")).otherwise(pl.lit("NARROW"))
    parts = [
        _listed(species, "names", of_virus),
        _listed(species, "abbreviations", pl.lit("RELATED")),
        _listed(species, "previous_species", pl.lit("BROAD")),
    ]
    given = pl.concat(parts).filter(~pl.col("synonym").is_in(_NO_SPECIES))
    return given.filter(pl.col("synonym") != pl.col("label")).select("curie", "synonym", "scope")


def extract_edges(species: pl.DataFrame) -> pl.DataFrame:
    """Return TermEdge rows: is_a up to the order, genome type, host source, place of finding."""
    upward = [
        species.select(
            pl.col("curie" if lower == "species" else f"{lower}_curie").alias("subject"),
            pl.lit("is_a").alias("predicate"),
            pl.coalesce([f"{rank}_curie" for rank in RANKS[RANKS.index(lower) + 1 :]]).alias(
                "object"
            ),
        )
        for lower in RANKS[:-1]
    ]
    stated = [
        rows.select(pl.col("species_curie").alias("subject"), "predicate", object="curie")
        for rows in (_genomes(species), _hosts(species))
    ]
    return pl.concat([*upward, *stated]).drop_nulls().unique()


def extract_xrefs(species: pl.DataFrame) -> pl.DataFrame:
    """Return Xref rows: the taxon where the table gives it, sequence accessions without version."""
    taxon = species.filter(pl.col("species_taxid").str.contains(r"^\d+$")).select(
        "curie", (f"{NCBI_TAXON}:" + pl.col("species_taxid")).alias("xref")
    )
    accessions = [
        species.select("curie", pl.col(column).str.extract_all(_ACCESSION).alias("accession"))
        .explode("accession")
        .drop_nulls()
        .select("curie", (f"{archive}:" + pl.col("accession")).alias("xref"))
        for column, archive in (("genbank", "GenBank"), ("refseq", "RefSeq"))
    ]
    return pl.concat([taxon, *accessions]).unique()


# --- tables ---------------------------------------------------------------------------------------


def _files(path: Path) -> list[Path]:
    if not path.exists():
        raise MissingFileError(path)
    if not path.is_dir():
        return [path]
    return sorted(file for file in path.iterdir() if file.is_file())


def _tables_of(file: Path) -> list[_Table]:
    """Return every sheet of a spreadsheet, or the one table of a text file."""
    if file.suffix != ".xlsx":
        return [_Table(str(file), _numbered(_read_text(file)))]
    try:
        sheets = pl.read_excel(
            file, sheet_id=0, engine="calamine", infer_schema_length=0, raise_if_empty=False
        )
    except FastExcelError as error:
        raise TruncatedFileError(file, str(error).splitlines()[0]) from error
    return [_Table(f"{file}:{name}", _numbered(frame)) for name, frame in sheets.items()]


def _read_text(file: Path) -> pl.DataFrame:
    try:
        return pl.read_csv(file, separator="\t", infer_schema=False, quote_char=None)
    except pl.exceptions.NoDataError as error:
        raise EmptyTableError(file) from error
    except (OSError, pl.exceptions.ComputeError) as error:
        raise TruncatedFileError(file, str(error).splitlines()[0]) from error


def _numbered(frame: pl.DataFrame) -> pl.DataFrame:
    text = frame.select(pl.all().cast(pl.String).str.strip_chars().replace("", None))
    return text.with_row_index("row", 2).with_columns(pl.col("row").cast(pl.Int64))


def _columns(frame: pl.DataFrame) -> dict[str, str]:
    """Return found header -> our column, the first header that fits each."""
    folded = {re.sub("[^a-z0-9]", "", name.lower()): name for name in reversed(frame.columns)}
    found: dict[str, str] = {}
    for column, headers in HEADERS.items():
        hits = [folded[header] for header in headers if header in folded]
        if hits:
            found[hits[0]] = column
    return found


def _is_master_list(table: _Table) -> bool:
    return {"species", "genus"} <= set(_columns(table.frame).values())


def _is_names(table: _Table) -> bool:
    return set(_NAME_TABLE) <= set(table.frame.columns)


def _renamed(table: _Table) -> _Table:
    """Return the table with our column names; a column that this year lacks is null."""
    found = _columns(table.frame)
    named = table.frame.select("row", *found).rename(found)
    absent = [pl.lit(None, pl.String).alias(name) for name in HEADERS if name not in named.columns]
    return table._replace(frame=named.with_columns(absent).select("row", *HEADERS))


def _usable_species(lists: list[_Table], path: Path) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Return the rows that state a species, with the CURIE of each rank, and those that do not."""
    rows = pl.concat(
        [table.frame.with_columns(pl.lit(table.source).alias("source")) for table in lists]
    )
    if rows.is_empty():
        raise EmptyTableError(path)
    fault = (
        pl.when(pl.col("species").is_null())
        .then(pl.lit("names no species"))
        .when(pl.col("species").is_in(_NO_SPECIES))
        .then(pl.lit("the species was abolished"))
    )
    judged = rows.with_columns(fault.alias("reason"))
    rejected = judged.filter(pl.col("reason").is_not_null()).select("source", "row", "reason")
    kept = judged.filter(pl.col("reason").is_null()).drop("reason", "source")
    number = pl.col("ictv_id").str.extract(r"(\d+)$")
    own = pl.coalesce(f"{ICTV}:" + number, _slug(pl.col("species")))
    above = [_slug(pl.col(rank)).alias(f"{rank}_curie") for rank in RANKS[1:]]
    return kept.with_columns(own.alias("curie"), *above), rejected


def _listed_names(tables: list[_Table], species: pl.DataFrame) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Return Synonym rows of the tables of names, and the rows whose species is not in the list."""
    known = species.select(pl.col("species").alias("ictv_species"), "curie", "species").unique(
        "ictv_species", keep="first", maintain_order=True
    )
    names = [pl.DataFrame(schema=dict.fromkeys(("curie", "synonym", "scope"), pl.String))]
    unused: list[pl.DataFrame] = [Rejected.create_empty()]
    for table in filter(_is_names, tables):
        joined = table.frame.join(known, on="ictv_species", how="left", maintain_order="left")
        scope = pl.col("kind").replace_strict(_SCOPE_OF_KIND, default=None, return_dtype=pl.String)
        judged = joined.with_columns(scope.alias("scope"))
        usable = pl.col("curie").is_not_null() & pl.col("scope").is_not_null()
        lost = judged.filter(~usable)
        unused.append(_count(table.source, len(lost), "name of no species of the master list"))
        other = ~pl.col("name").is_in(_NO_SPECIES) & (pl.col("name") != pl.col("species"))
        named = judged.filter(usable & other).drop_nulls("name")
        names.append(named.select("curie", pl.col("name").alias("synonym"), "scope"))
    return pl.concat(names), pl.concat(unused)


def _count(source: str, rows: int, reason: str) -> pl.DataFrame:
    return reject(source, [None] if rows else [], f"{reason}: {rows} rows")


def _listed(species: pl.DataFrame, column: str, scope: pl.Expr) -> pl.DataFrame:
    """Return curie, label, synonym, scope: one row per name of a cell that lists several."""
    split = species.select(
        "curie",
        pl.col("species").alias("label"),
        pl.col(column).str.split(";").alias("synonym"),
        scope.alias("scope"),
    )
    each = split.explode("synonym").with_columns(pl.col("synonym").str.strip_chars())
    return each.filter(pl.col("synonym") != "")


def _genomes(species: pl.DataFrame) -> pl.DataFrame:
    """Return species_curie, label, curie, predicate: the genome types of each species."""
    types = species.select(
        pl.col("curie").alias("species_curie"), pl.col("genome").str.split(";").alias("label")
    ).explode("label")
    return _property(types, "genome").with_columns(pl.lit(HAS_GENOME).alias("predicate"))


def _hosts(species: pl.DataFrame) -> pl.DataFrame:
    """Return species_curie, label, curie, predicate: the host sources of each species."""
    seen_only = pl.col("host_source").str.contains(r"\(S\)").fill_null(False)
    sources = species.select(
        pl.col("curie").alias("species_curie"),
        pl.when(seen_only).then(pl.lit(FOUND_IN)).otherwise(pl.lit(HAS_HOST)).alias("predicate"),
        pl.col("host_source").str.replace(r"\s*\(S\)", "").str.split(",").alias("label"),
    )
    return _property(sources.explode("label"), "host")


def _property(rows: pl.DataFrame, kind: str) -> pl.DataFrame:
    labelled = rows.with_columns(pl.col("label").str.strip_chars()).filter(pl.col("label") != "")
    return labelled.with_columns(_slug(f"{kind}_" + pl.col("label")).alias("curie"))


def _slug(name: pl.Expr) -> pl.Expr:
    """Return the CURIE of what has no number at ICTV: its name in letters, digits and ``_``."""
    signed = name.str.replace_all("+", "plus", literal=True)
    local = signed.str.replace_all(r"\(-\)", "minus").str.replace_all("/-", "minus")
    plain = local.str.replace_all(r"[^A-Za-z0-9]+", "_").str.strip_chars("_")
    return f"{ICTV}:" + plain


def _version(path: Path, tables: list[_Table]) -> str:
    """Return the number of the master list as files or sheets state it, else the day of the file."""
    stated = [_RELEASE.findall(Path(table.source).name) for table in tables]
    numbers = sorted({found.upper().replace(" ", "") for one in stated for found in one})
    if numbers:
        return str(numbers[-1])
    return datetime.fromtimestamp(path.stat().st_mtime, UTC).date().isoformat()
