"""Files of ICTV's master list as tables: sheets or text, with columns found by their headers.

A spreadsheet has a sheet for notes, one for the list and, some years, others; a folder may hold
the list and a table of names (``name, kind, ictv_species``).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Final, NamedTuple

import polars as pl
from fastexcel import FastExcelError

from ontology_etl.curies import ICTV
from ontology_etl.errors import ColumnError, EmptyTableError, MissingFileError, TruncatedFileError
from ontology_etl.tables import with_absent

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
NO_SPECIES: Final = ("abolished", "created")
"""Words that ICTV writes in the place of a species."""

_NAME_TABLE: Final = ("name", "kind", "ictv_species")
_RELEASE: Final = re.compile(r"MSL\s*\d+", re.IGNORECASE)


class TextTable(NamedTuple):
    """One table of a file: all cells text, ``row`` 1-based, header counted."""

    source: str
    frame: pl.DataFrame


def read_tables(path: Path) -> list[TextTable]:
    """Return every sheet of a spreadsheet, every text table of a folder, or the one text table.

    Raises ``MissingFileError``, ``TruncatedFileError``, and ``EmptyTableError`` for an empty file.
    """
    tables = []
    for file in _files(path):
        tables += _tables_of(file)
    return tables


def _files(path: Path) -> list[Path]:
    if not path.exists():
        raise MissingFileError(path)
    if not path.is_dir():
        return [path]
    return sorted(file for file in path.iterdir() if file.is_file())


def _tables_of(file: Path) -> list[TextTable]:
    """Return every sheet of a spreadsheet, or the one table of a text file."""
    if file.suffix != ".xlsx":
        return [TextTable(str(file), _numbered(_read_text(file)))]
    try:
        sheets = pl.read_excel(
            file,
            sheet_id=0,
            engine="calamine",
            infer_schema_length=0,
            raise_if_empty=False,
        )
    except FastExcelError as error:
        raise TruncatedFileError(file, str(error).splitlines()[0]) from error
    return [TextTable(f"{file}:{name}", _numbered(frame)) for name, frame in sheets.items()]


def _read_text(file: Path) -> pl.DataFrame:
    try:
        return pl.read_csv(
            file,
            separator="\t",
            infer_schema=False,
            quote_char=None,
        )
    except pl.exceptions.NoDataError as error:
        raise EmptyTableError(file) from error
    except (OSError, pl.exceptions.ComputeError) as error:
        raise TruncatedFileError(file, str(error).splitlines()[0]) from error


def _numbered(frame: pl.DataFrame) -> pl.DataFrame:
    cells = pl.all().cast(pl.String)
    stripped = cells.str.strip_chars()
    text = frame.select(stripped.replace("", None))
    numbered = text.with_row_index("row", 2)
    return numbered.cast({"row": pl.Int64})


def is_master_list(table: TextTable) -> bool:
    """Return whether a table has the columns of a master list."""
    found = _columns(table.frame).values()
    return {"species", "genus"} <= set(found)


def is_names(table: TextTable) -> bool:
    """Return whether a table lists names of species (name, kind, ictv_species)."""
    return set(_NAME_TABLE) <= set(table.frame.columns)


def _columns(frame: pl.DataFrame) -> dict[str, str]:
    """Return found header -> our column, using the first header that fits."""
    folded = {}
    for name in reversed(frame.columns):
        letters = re.sub("[^a-z0-9]", "", name.lower())
        folded[letters] = name
    found: dict[str, str] = {}
    for column, headers in HEADERS.items():
        hits = [folded[header] for header in headers if header in folded]
        if hits:
            found[hits[0]] = column
    return found


def _renamed(table: TextTable) -> TextTable:
    """Return the table with our column names; columns that this year's list lacks are null."""
    found = _columns(table.frame)
    named = table.frame.select("row", *found).rename(found)
    filled = with_absent(named, dict.fromkeys(HEADERS, pl.String))
    return table._replace(frame=filled.select("row", *HEADERS))


def usable_species(tables: list[TextTable], path: Path) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Return the rows with a species and the CURIE of each rank, and the rows without one.

    Raises ``ColumnError`` where no table has the columns of a master list, ``EmptyTableError``
    where the lists have no row.
    """
    lists = [_renamed(table) for table in tables if is_master_list(table)]
    if not lists:
        found = [name for table in tables for name in table.frame.columns if name != "row"]
        missing = ["Species", "Genus"]
        raise ColumnError(path, missing=missing, found=found, format_name="ICTV master list")
    frames = [table.frame.with_columns(source=pl.lit(table.source)) for table in lists]
    rows = pl.concat(frames)
    if rows.is_empty():
        raise EmptyTableError(path)
    judged = rows.with_columns(reason=_fault())
    is_faulty = pl.col("reason").is_not_null()
    rejected = judged.filter(is_faulty).select("source", "row", "reason")
    usable = judged.filter(~is_faulty).drop("reason", "source")
    return _with_curies(usable), rejected


def _fault() -> pl.Expr:
    """Return why a row states no species, or null."""
    species = pl.col("species")
    return (
        pl.when(species.is_null())
        .then(pl.lit("names no species"))
        .when(species.is_in(NO_SPECIES))
        .then(pl.lit("the species was abolished"))
    )


def _with_curies(species: pl.DataFrame) -> pl.DataFrame:
    """Return ``species`` with ``curie``, and the CURIE of each rank above (``genus_curie``)."""
    number = pl.col("ictv_id").str.extract(r"(\d+)$")
    numbered = f"{ICTV}:" + number
    by_name = slug(pl.col("species"))
    curies = [pl.coalesce(numbered, by_name).alias("curie")]
    for rank in RANKS[1:]:
        curie = slug(pl.col(rank))
        curies.append(curie.alias(f"{rank}_curie"))
    return species.with_columns(curies)


def slug(name: pl.Expr) -> pl.Expr:
    """Return a CURIE for what has no number at ICTV: its name in letters, digits and ``_``."""
    signed = name.str.replace_all("+", "plus", literal=True)
    minus = signed.str.replace_all(r"\(-\)", "minus")
    both = minus.str.replace_all("/-", "minus")
    local = both.str.replace_all(r"[^A-Za-z0-9]+", "_")
    return f"{ICTV}:" + local.str.strip_chars("_")


def version_of(path: Path, tables: list[TextTable]) -> str:
    """Return the number of the master list that files or sheets state, else the file's date."""
    numbers = set()
    for table in tables:
        for found in _RELEASE.findall(Path(table.source).name):
            numbers.add(found.upper().replace(" ", ""))
    if numbers:
        return str(max(numbers))
    modified = datetime.fromtimestamp(path.stat().st_mtime, UTC)
    return modified.date().isoformat()
