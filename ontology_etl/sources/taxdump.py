"""The NCBI taxdump format: fields separated by ``\\t|\\t``, in tables packed into one archive.

Source: taxdump_readme.txt of the NCBI Taxonomy FTP site. A dump is a .tar.gz or .zip archive or a
folder. Members may be in an inner folder, and lines may end as in DOS.
"""

from __future__ import annotations

import gzip
import tarfile
import zipfile
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime
from pathlib import Path, PurePosixPath
from typing import IO, Final

import polars as pl

from ontology_etl.errors import (
    ColumnError,
    EmptyTableError,
    InputError,
    MalformedRowError,
    MissingFileError,
    TooLargeError,
    TruncatedFileError,
)
from ontology_etl.tables import Rejected, reject_rows

COLUMNS: Final[Mapping[str, tuple[str, ...]]] = {
    "nodes.dmp": ("tax_id", "parent", "rank"),
    "names.dmp": ("tax_id", "name", "unique_name", "name_class"),
    "merged.dmp": ("old", "new"),
    "delnodes.dmp": ("tax_id",),
    "host.dmp": ("tax_id", "hosts"),
}
"""The columns that are read: the leading ones of each member."""

_WIDTHS: Final[Mapping[str, tuple[int, ...]]] = {
    "nodes.dmp": (13, 18),
    "names.dmp": (4,),
    "merged.dmp": (2,),
    "delnodes.dmp": (1,),
    "host.dmp": (2,),
}
"""Numbers of fields per row that the format documents."""
MOST_MEMBER: Final = 4_000_000_000
"""Bytes of one member of an archive, unpacked; the largest of 2026 has 0.3 billion."""
LEAST_FAULTS: Final = 10
MOST_FAULTS: Final = 0.001
"""Unreadable rows that a table of the hierarchy may have: ten, or this share where it is more."""
_REQUIRED: Final = ("nodes.dmp", "names.dmp")
_STRUCTURAL: Final = ("nodes.dmp", "merged.dmp", "delnodes.dmp")
_IDS: Final = ("tax_id", "parent", "old", "new")
_UNDECODABLE: Final = "\N{REPLACEMENT CHARACTER}"
_REFETCH: Final = "fetch the taxdump again and compare its md5"
_UNPACK: Final = "unpack it with another program and give the folder as the path"
_CUT_SHORT: Final = (EOFError, tarfile.TarError, zipfile.BadZipFile, zlib.error, gzip.BadGzipFile)

_Dated = dict[str, tuple[bytes, date]]


@dataclass(frozen=True)
class Dump:
    """The members of a taxdump, unpacked in memory, and the date of the newest."""

    path: Path
    members: Mapping[str, bytes]
    newest: date


def open_dump(path: Path) -> Dump:
    """Return the members that we read, of the dump at ``path``.

    Raises ``MissingFileError``, ``TruncatedFileError`` for an archive cut short,
    ``TooLargeError`` for a member beyond ``MOST_MEMBER``, ``InputError`` without a table.
    """
    if not path.exists():
        raise MissingFileError(path)
    try:
        dated = _unpack(path)
    except _CUT_SHORT as error:
        raise TruncatedFileError(path, f"{type(error).__name__}: {error}") from error
    for name in _REQUIRED:
        if name not in dated:
            remedy = "fetch taxdump.tar.gz from the NCBI Taxonomy FTP site"
            raise InputError(path, f"contains no {name}", remedy=remedy)
    members = {name: content for name, (content, _) in dated.items()}
    newest = max(day for _, day in dated.values())
    return Dump(path, members, newest)


def read_member(dump: Dump, member: str) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Return ``(table, rejected)`` of a member: ``row`` (1-based), ids as Int32, the rest String.

    Raises ``MalformedRowError`` if more than ``MOST_FAULTS`` of the hierarchy cannot be read,
    ``ColumnError`` for another width than documented, ``TruncatedFileError`` for an unfinished last
    row, ``EmptyTableError`` for nodes or names without rows.
    """
    source = f"{dump.path}:{member}"
    content = _with_plain_ends(dump.members.get(member, b""))
    names = COLUMNS[member]
    if not content:
        if member in _REQUIRED:
            raise EmptyTableError(source)
        return _empty_table(names), Rejected.create_empty()
    if not content.endswith((b"\t|", b"\t|\n")):
        last_row = content.count(b"\n") + 1
        raise TruncatedFileError(source, "its last row is unfinished", row=last_row)
    cells = _split(
        content,
        names,
        width=_width(content, member, source),
    )
    judged = cells.with_row_index("row", 1).with_columns(_fault(names))
    is_faulty = pl.col("reason").is_not_null()
    faulty = judged.filter(is_faulty)
    most = max(LEAST_FAULTS, MOST_FAULTS * len(judged))
    if len(faulty) > most and member in _STRUCTURAL:
        row = int(faulty["row"][0])
        reason = f"{faulty['reason'][0]}, and {len(faulty) - 1:,} more rows that cannot be read"
        raise MalformedRowError(source, reason, row=row, remedy=_REFETCH)
    usable = judged.filter(~is_faulty).select("row", *names)
    return _typed(usable), reject_rows(source, faulty)


def _with_plain_ends(content: bytes) -> bytes:
    """Return ``content`` with line feeds as the only line ends, as NCBI writes them."""
    first_line = content[: content.find(b"\n") + 1]
    return content.replace(b"\r\n", b"\n") if first_line.endswith(b"\r\n") else content


def _unpack(path: Path) -> _Dated:
    """Return content and date of each member that we read, from a folder, .zip or .tar archive."""
    if path.is_dir():
        return _read_folder(path)
    if zipfile.is_zipfile(path):
        return _read_zip(path)
    return _read_tar(path)


def _read_folder(folder: Path) -> _Dated:
    dated = {}
    inner = [file.parent for file in sorted(folder.glob("*/nodes.dmp"))]
    place = inner[0] if inner and not (folder / "nodes.dmp").exists() else folder
    for name in COLUMNS:
        file = place / name
        if file.is_file():
            status = file.stat()
            _check_member(folder, name, status.st_size)
            dated[name] = file.read_bytes(), _day(status.st_mtime)
    return dated


def _read_zip(path: Path) -> _Dated:
    dated = {}
    with zipfile.ZipFile(path) as archive:
        for entry in archive.infolist():
            name = PurePosixPath(entry.filename).name
            if name not in COLUMNS or name in dated:
                continue
            _check_member(path, name, entry.file_size)
            try:
                content = archive.read(entry)
            except (RuntimeError, NotImplementedError) as error:
                raise InputError(path, f"cannot be unpacked: {error}", remedy=_UNPACK) from error
            dated[name] = content, _zip_day(entry)
    return dated


def _read_tar(path: Path) -> _Dated:
    dated = {}
    with tarfile.open(path) as archive:
        for member in archive:
            name = PurePosixPath(member.name).name
            if name not in COLUMNS or name in dated:
                continue
            content = open_member(path, archive, member)
            dated[name] = content.read(), _day(member.mtime)
        while archive.fileobj is not None and archive.fileobj.read(1 << 20):
            pass  # read to the end, where gzip compares its checksum
    return dated


def open_member(path: Path, archive: tarfile.TarFile, member: tarfile.TarInfo) -> IO[bytes]:
    """Return a member's bytes; raises ``TooLargeError``, ``InputError`` for a link or folder."""
    _check_member(path, member.name, member.size)
    content = archive.extractfile(member) if member.isfile() else None
    if content is None:
        raise InputError(
            path, f"its member {member.name} is a link or a folder, not a file", remedy=_UNPACK
        )
    return content


def _check_member(path: Path, member: str, size: int) -> None:
    if size > MOST_MEMBER:
        reason = f"its member {member} has more than {MOST_MEMBER:,} bytes"
        raise TooLargeError(path, reason)


def _zip_day(entry: zipfile.ZipInfo) -> date:
    """Return the date of a member, or the earliest date of a zip archive if it has none."""
    try:
        return date(*entry.date_time[:3])
    except ValueError:
        return date(1980, 1, 1)


def _day(timestamp: float) -> date:
    """Return the date of a member; the first of the epoch if its time is invalid."""
    try:
        return datetime.fromtimestamp(timestamp, UTC).date()
    except (ValueError, OverflowError, OSError):
        return date(1970, 1, 1)


def _width(content: bytes, member: str, source: str) -> int:
    """Return the number of fields of the first row; raise if the format has no such number."""
    first = content[: content.find(b"\n")].decode(errors="replace")
    fields = first.removesuffix("\t|").split("\t|\t")
    if len(fields) in _WIDTHS[member]:
        return len(fields)
    widths = " or ".join(str(width) for width in _WIDTHS[member])
    missing = [f"{widths} fields per row"]
    raise ColumnError(source, missing=missing, found=fields, format_name="NCBI taxdump")


def _split(content: bytes, names: Sequence[str], *, width: int) -> pl.DataFrame:
    """Return the leading fields as ``names``, bars as ``bar…``, and the remainder as ``beyond``."""
    fields = [*names, *(f"field{place}" for place in range(len(names), width))]
    cells = []
    for place, field in enumerate(fields):
        cells += [field, f"bar{place}"]
    cells.append("beyond")
    leading = range(2 * len(names))
    last_bar = 2 * width - 1
    return pl.read_csv(
        content,
        separator="\t",
        has_header=False,
        quote_char=None,
        schema=dict.fromkeys(cells, pl.String),
        columns=sorted({*leading, last_bar, last_bar + 1}),
        missing_columns="insert",
        truncate_ragged_lines=True,
        encoding="utf8-lossy",
    )


def _fault(names: Sequence[str]) -> pl.Expr:
    """Return why a row cannot be read, or null."""
    bad_ids = []
    undecodable = [pl.lit(False)]
    for name in names:
        column = pl.col(name)
        if name in _IDS:
            bad_ids.append(column.cast(pl.Int32, strict=False).is_null())
        else:
            undecodable.append(column.str.contains(_UNDECODABLE, literal=True).fill_null(False))
    bar_missing = pl.any_horizontal(pl.col("^bar.*$").ne_missing("|"))
    return (
        pl.when(bar_missing | pl.col("beyond").is_not_null())
        .then(pl.lit("wrong number of fields"))
        .when(pl.any_horizontal(*bad_ids))
        .then(pl.lit("an id that is not an integer"))
        .when(pl.any_horizontal(*undecodable))
        .then(pl.lit("bytes that are not UTF-8"))
        .alias("reason")
    )


def _empty_table(names: Sequence[str]) -> pl.DataFrame:
    columns = pl.DataFrame(schema=dict.fromkeys(names, pl.String))
    return _typed(columns.with_row_index("row", 1))


def _typed(table: pl.DataFrame) -> pl.DataFrame:
    ids = [name for name in table.columns if name in _IDS]
    return table.with_columns(pl.col(ids).cast(pl.Int32), pl.col("row").cast(pl.Int64))
