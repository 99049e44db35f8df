"""The NCBI taxdump format: tables of fields between ``\\t|\\t``, packed in one archive.

Source: taxdump_readme.txt of the NCBI Taxonomy FTP site. A dump is a .tar.gz or .zip archive or an
unpacked folder.
"""

from __future__ import annotations

import gzip
import tarfile
import zipfile
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Final

import polars as pl

from ontology_etl.errors import (
    ColumnError,
    EmptyTableError,
    InputError,
    MalformedRowError,
    MissingFileError,
    TruncatedFileError,
)
from ontology_etl.tables import Rejected, reject

COLUMNS: Final[Mapping[str, tuple[str, ...]]] = {
    "nodes.dmp": ("tax_id", "parent", "rank"),
    "names.dmp": ("tax_id", "name", "unique_name", "name_class"),
    "merged.dmp": ("old", "new"),
    "delnodes.dmp": ("tax_id",),
    "host.dmp": ("tax_id", "hosts"),
}
"""Columns we read, the leading ones of each member."""

_WIDTHS: Final[Mapping[str, tuple[int, ...]]] = {
    "nodes.dmp": (13, 18), "names.dmp": (4,), "merged.dmp": (2,), "delnodes.dmp": (1,), "host.dmp": (2,),
}  # fmt: skip
_REQUIRED: Final = ("nodes.dmp", "names.dmp")
_STRUCTURAL: Final = ("nodes.dmp", "merged.dmp", "delnodes.dmp")
_IDS: Final = ("tax_id", "parent", "old", "new")
_UNDECODABLE: Final = "\N{REPLACEMENT CHARACTER}"
_NONE_REJECTED: Final = Rejected.create_empty()
_CUT_SHORT: Final = (EOFError, tarfile.TarError, zipfile.BadZipFile, zlib.error, gzip.BadGzipFile)


@dataclass(frozen=True)
class Dump:
    """The members of a taxdump, unpacked in memory, and the day of the newest one."""

    path: Path
    members: Mapping[str, bytes]
    newest: date


def open_dump(path: Path) -> Dump:
    """Return the members of the dump at ``path`` that we read.

    Raises ``MissingFileError``, ``TruncatedFileError`` for an archive cut short, ``InputError``
    without a table.
    """
    if not path.exists():
        raise MissingFileError(path)
    try:
        dated = _unpack(path)
    except _CUT_SHORT as error:
        raise TruncatedFileError(path, f"{type(error).__name__}: {error}") from error
    for name in _REQUIRED:
        if name not in dated:
            raise InputError(
                path,
                f"holds no {name}",
                remedy="fetch taxdump.tar.gz from the NCBI Taxonomy FTP site",
            )
    newest = max(day for _, day in dated.values())
    return Dump(path, {name: content for name, (content, _) in dated.items()}, newest)


def read_table(dump: Dump, member: str) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Return ``(table, rejected)`` of one member: ``row`` (1-based), ids as Int32, the rest as
    String.

    A row of names or hosts that cannot be read is rejected and counted; one of nodes, merged or
    delnodes would change the hierarchy and raises ``MalformedRowError``. Raises ``ColumnError``
    where the member has not its documented width, ``TruncatedFileError`` where its last row is
    unfinished, ``EmptyTableError`` for nodes or names without rows.
    """
    source = f"{dump.path}:{member}"
    content = dump.members.get(member, b"")
    names = COLUMNS[member]
    if not content:
        if member in _REQUIRED:
            raise EmptyTableError(source)
        return _typed(
            pl.DataFrame(schema=dict.fromkeys(names, pl.String)).with_row_index("row", 1)
        ), _NONE_REJECTED
    if not content.endswith((b"\t|", b"\t|\n")):
        raise TruncatedFileError(source, "its last row is unfinished", row=content.count(b"\n") + 1)
    raw = (
        _split(content, names, width=_width(content, member, source))
        .with_row_index("row", 1)
        .with_columns(_fault(names))
    )
    faulty = raw.filter(pl.col("fault").is_not_null())
    if len(faulty) and member in _STRUCTURAL:
        row, reason = int(faulty["row"][0]), str(faulty["fault"][0])
        raise MalformedRowError(
            source, reason, row=row, remedy="fetch the taxdump again and compare its md5"
        )
    rejected = [
        reject(source, rows["row"], str(reason)) for (reason,), rows in faulty.group_by("fault")
    ]
    return _typed(raw.filter(pl.col("fault").is_null()).select("row", *names)), pl.concat(
        [_NONE_REJECTED, *rejected]
    )


def _unpack(path: Path) -> dict[str, tuple[bytes, date]]:
    """Return content and day of each member that we read, from a folder, a .zip or a .tar archive."""
    if path.is_dir():
        files = [path / name for name in COLUMNS if (path / name).exists()]
        return {file.name: (file.read_bytes(), _day(file.stat().st_mtime)) for file in files}
    if zipfile.is_zipfile(path):
        return _unzip(path)
    with tarfile.open(path) as archive:
        dated = {
            member.name: (content.read(), _day(member.mtime))
            for member in archive
            if member.name in COLUMNS and (content := archive.extractfile(member)) is not None
        }
        while archive.fileobj is not None and archive.fileobj.read(1 << 20):
            pass  # to the end, where gzip compares its checksum
    return dated


def _unzip(path: Path) -> dict[str, tuple[bytes, date]]:
    unpack = "unpack it with another program and give the folder as the path"
    with zipfile.ZipFile(path) as archive:
        entries = [entry for entry in archive.infolist() if entry.filename in COLUMNS]
        try:
            return {entry.filename: (archive.read(entry), _zip_day(entry)) for entry in entries}
        except (RuntimeError, NotImplementedError) as error:
            raise InputError(path, f"cannot be unpacked: {error}", remedy=unpack) from error


def _zip_day(entry: zipfile.ZipInfo) -> date:
    """Return the day of a member; the first day that a zip archive can state where it states none."""
    try:
        return date(*entry.date_time[:3])
    except ValueError:
        return date(1980, 1, 1)


def _day(timestamp: float) -> date:
    """Return the day of a member; the first day of the era where its time is no time."""
    try:
        return datetime.fromtimestamp(timestamp, UTC).date()
    except (ValueError, OverflowError, OSError):
        return date(1970, 1, 1)


def _width(content: bytes, member: str, source: str) -> int:
    """Return the number of fields of the first row, which must be one the format documents."""
    first = content[: content.find(b"\n")].decode(errors="replace")
    fields = first.removesuffix("\t|").split("\t|\t")
    if len(fields) not in _WIDTHS[member]:
        widths = " or ".join(str(width) for width in _WIDTHS[member])
        raise ColumnError(
            source, missing=[f"{widths} fields per row"], found=fields, format_name="NCBI taxdump"
        )
    return len(fields)


def _split(content: bytes, names: Sequence[str], *, width: int) -> pl.DataFrame:
    """Return the leading fields as ``names``, bars as ``bar…``, and what stands behind the last bar
    as ``beyond``.
    """
    fields = [*names, *(f"field{i}" for i in range(len(names), width))]
    cells = [cell for i, field in enumerate(fields) for cell in (field, f"bar{i}")] + ["beyond"]
    return pl.read_csv(
        content,
        separator="\t",
        has_header=False,
        quote_char=None,
        schema=dict.fromkeys(cells, pl.String),
        columns=sorted({*range(2 * len(names)), 2 * width - 1, 2 * width}),
        missing_columns="insert",
        truncate_ragged_lines=True,
        encoding="utf8-lossy",
    )


def _fault(names: Sequence[str]) -> pl.Expr:
    """Return why a row cannot be read, or null."""
    ids = [pl.col(name).cast(pl.Int32, strict=False).is_null() for name in names if name in _IDS]
    texts = [
        pl.col(name).str.contains(_UNDECODABLE, literal=True).fill_null(False)
        for name in names
        if name not in _IDS
    ]
    undecodable = pl.any_horizontal(*texts) if texts else pl.lit(False)
    return (
        pl.when(
            pl.any_horizontal(pl.col("^bar.*$").ne_missing("|")) | pl.col("beyond").is_not_null()
        )
        .then(pl.lit("wrong number of fields"))
        .when(pl.any_horizontal(*ids))
        .then(pl.lit("an id that is no integer"))
        .when(undecodable)
        .then(pl.lit("bytes that are not UTF-8"))
        .alias("fault")
    )


def _typed(table: pl.DataFrame) -> pl.DataFrame:
    ids = [name for name in table.columns if name in _IDS]
    return table.with_columns(pl.col(ids).cast(pl.Int32), pl.col("row").cast(pl.Int64))
