"""A register of risk groups: one row per taxon, its name, its NCBI taxid and its human risk group.

A small one ships with the program and applies to every index: viruses of the lists whose terms
allow it, the NIH Guidelines and the annex of directive 2000/54/EC, each row with its source. A
larger one may be added; the higher group wins. The columns are found by their headers, those of
this project or of an export of ePATHogen ("Agent", "Risk group/Human classification").

A row whose basis says "floor" states a group that its taxon has at least: it may raise a group and
never clears.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Final

import polars as pl

from index.exposure import DANGEROUS, GROUPS, SHIPPED_FROM, group_of
from index.sources.layout import UNCLOSED, UNDECODED, Column, Layout
from index.sources.packed import raise_encoding_error
from index.sources.rejection import Rule, split_rejected
from index.sources.tabular import read_header, read_table
from ontology_etl.errors import ColumnError, EmptyTableError, MalformedRowError
from ontology_etl.tables import Rejected

HEADERS: Final[dict[str, tuple[str, ...]]] = {
    "name": ("name", "agent", "agent name", "scientific name", "organism"),
    "ncbi_taxid": ("ncbi taxid", "taxid", "tax id", "ncbi taxonomy id", "ncbi taxon id", "curie"),
    "rg_human_derived": (
        "rg human derived",
        "risk group human classification",
        "human risk group",
        "human classification",
        "risk group human",
        "risk group",
    ),
    "rg_basis": ("rg basis", "basis"),
    "type": ("type", "agent type"),
}
"""Headers of each column, folded to lower-case words, the most telling first."""
NEEDED: Final = ("name", "rg_human_derived")

_BLANKS: Final = r"[\s\u00a0\u00ad\u200b-\u200f\u2060\ufeff]+"
_GROUP: Final = r"(?i)^(?:(?:human )?(?:rg|hg|risk group|hazard group|group)[ -]?)?([1-4])\*?$"
_TAXID: Final = r"(?i)^(?:ncbitaxon:|taxid:|txid)?0*([1-9][0-9]*)(?:\.0+)?$"
_SCHEMA: Final = {
    "row": pl.Int64,
    "name": pl.String,
    "curie": pl.String,
    "severity": pl.Int32,
    "floor": pl.Boolean,
    "viral": pl.Boolean,
}
_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Register:
    """What a register lists, and what of it cannot be read.

    ``entries``   row (1-based, header counted), name, curie (null where there is no taxid),
                  severity (position in ``GROUPS``), floor, viral (null where the file has no type)
    ``rejected``  source, row, reason of cells that cannot be read
    ``cleaned``   cells in which blanks, invisible characters or the form were put right
    """

    path: Path
    entries: pl.DataFrame
    rejected: pl.DataFrame
    cleaned: int = 0


def read_register(path: Path) -> Register:
    """Return the register at ``path``.

    Rows without a risk group are left out and counted in the log. A group that
    cannot be read makes its taxon unknown at least, and a taxid that cannot be read leaves the name
    to decide; both are rejected cells. Raises ``MissingFileError``, ``EncodingError``,
    ``ColumnError``, ``MalformedRowError`` or ``EmptyTableError``: a register that cannot be read
    stops the build and never opens the gate.
    """
    table = read_table(path, _layout(path))
    _check_quotes(table, path)
    columns = ["name", "ncbi_taxid", "rg_human_derived", "rg_basis", "type"]
    clean = table.with_columns(pl.col(columns).str.replace_all(_BLANKS, " ").str.strip_chars())
    clean = clean.with_columns(pl.col(columns).replace("", None))
    stated = clean.filter(pl.col("rg_human_derived").is_not_null())
    read = stated.with_columns(
        group="RG" + pl.col("rg_human_derived").str.extract(_GROUP),
        taxid=pl.col("ncbi_taxid").str.extract(_TAXID),
    )
    used, nameless, _ = split_rejected(read, path.name, (_NAMELESS,), layout=path.name)
    unread = split_rejected(used, path.name, (_NO_GROUP, _NO_TAXID), layout=path.name).rejected
    if used.is_empty() or used["group"].is_null().all():
        raise EmptyTableError(path, what="taxon with a risk group")

    _log.info(
        "risk groups: %d taxa listed, %d rows without a group", len(used), len(table) - len(stated)
    )
    cleaned = _changed(table, clean, columns) + _reformed(used)
    return Register(path, _entries(used), pl.concat([nameless, unread]), cleaned)


@cache
def shipped_register() -> Register:
    """Return the register that ships with the program, its rows from ``SHIPPED_FROM`` on."""
    resource = resources.files("ontology_etl") / "reviewed" / "risk_groups.tsv"
    with resources.as_file(resource) as path:
        register = read_register(path)
    entries = register.entries.with_columns(pl.col("row") + SHIPPED_FROM)
    return replace(register, entries=entries)


def empty_register() -> Register:
    """Return a register that lists nothing."""
    return Register(Path(), pl.DataFrame(schema=_SCHEMA), Rejected.create_empty())


def entries_of(added: Register) -> pl.DataFrame:
    """Return the entries of the shipped register and of ``added``."""
    return pl.concat([added.entries, shipped_register().entries])


def dangerous_entries(entries: pl.DataFrame) -> pl.DataFrame:
    """Return name, risk_group of the rows that state RG3 or RG4, with or without a taxon."""
    named = entries.filter(pl.col("name").is_not_null())
    stated = named.select("name", risk_group=group_of(pl.col("severity")))
    return stated.filter(pl.col("risk_group").is_in(DANGEROUS))


def register_columns(header: Sequence[str]) -> dict[str, str]:
    """Return the header of each column of a register that ``header`` has.

    >>> register_columns(["Agent", "Risk group/Human classification"])
    {'name': 'Agent', 'rg_human_derived': 'Risk group/Human classification'}
    """
    folded = {_fold(name): name for name in reversed(list(header))}
    found = {}
    for column, names in HEADERS.items():
        present = [folded[name] for name in names if name in folded]
        if present:
            found[column] = present[0]
    return found


def is_register(header: Sequence[str]) -> bool:
    """Return whether a table with this ``header`` is a register of risk groups."""
    return set(NEEDED) <= set(register_columns(header))


def _fold(header: str) -> str:
    return re.sub(r"[^a-z0-9]+", " ", header.lower()).strip()


def _layout(path: Path) -> Layout:
    """Return the layout of the file at ``path``, by its headers; raises ``ColumnError``."""
    header = read_header(path)
    found = register_columns(header)
    missing = [name for name in NEEDED if name not in found]
    if missing:
        raise ColumnError(path, missing=missing, found=header, format_name="risk group register")
    columns = [
        Column(found.get(name, name), name, "", required=name in NEEDED, alias=name)
        for name in HEADERS
    ]
    return Layout("risk group register", tuple(columns))


def _check_quotes(table: pl.DataFrame, path: Path) -> None:
    if table[UNDECODED].any():
        raise_encoding_error(path)
    broken = table.filter(UNCLOSED)
    if len(broken):
        reason = "a quotation mark that is never closed"
        row = int(broken["row"].item(0))
        raise MalformedRowError(path, reason, row=row, remedy="close or remove it")


def _entries(used: pl.DataFrame) -> pl.DataFrame:
    severities = {group: position for position, group in enumerate(GROUPS)}
    group = pl.coalesce("group", pl.lit("unknown"))
    basis = pl.col("rg_basis").str.to_lowercase().str.contains("floor").fill_null(False)
    return used.select(
        pl.col("row").cast(pl.Int64),
        "name",
        curie="NCBITaxon:" + pl.col("taxid"),
        severity=group.replace_strict(severities, return_dtype=pl.Int32),
        floor=basis | pl.col("group").is_null(),
        viral=pl.col("type").str.to_lowercase().str.starts_with("vir"),
    )


def _changed(table: pl.DataFrame, clean: pl.DataFrame, columns: list[str]) -> int:
    """Return how many cells cleaning changed."""
    return sum(int(table[name].ne_missing(clean[name]).sum()) for name in columns)


def _reformed(used: pl.DataFrame) -> int:
    """Return how many groups and taxids were read from another form, such as ``11118.0``."""
    pairs = (("group", "rg_human_derived"), ("taxid", "ncbi_taxid"))
    return sum(len(used.filter(pl.col(read) != pl.col(written))) for read, written in pairs)


_NAMELESS: Final = Rule(
    "risk group register: neither a name nor a taxid",
    pl.col("name").is_null() & pl.col("taxid").is_null(),
)
_NO_GROUP: Final = Rule(
    "risk group register: no risk group from RG1 to RG4, so its taxon is unknown at least",
    pl.col("group").is_null(),
    shows="rg_human_derived",
)
_NO_TAXID: Final = Rule(
    "risk group register: no taxid, so the name alone decides",
    pl.col("ncbi_taxid").is_not_null() & pl.col("taxid").is_null(),
    shows="ncbi_taxid",
)
