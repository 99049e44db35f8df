"""Delimited text, plain or gzip, as lazy Polars frames of strings with row numbers; its defects as
clear errors.
"""

from __future__ import annotations

import csv
import gzip
import re
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import BinaryIO, Final, cast

import dataframely as dy
import polars as pl

from index.sources.layout import UNCLOSED, Layout, nearest
from ontology_etl.errors import (
    ColumnError,
    EmptyTableError,
    EncodingError,
    MalformedRowError,
    MissingFileError,
    TruncatedFileError,
)
from ontology_etl.tables import SchemaT, conform

_CELL: Final = rb'(?:"(?:[^"]|"")*+"|[^",]*+)'
_RFC_4180: Final = re.compile(_CELL + rb"(?:," + _CELL + rb")*+")
"""A line of comma-separated cells as RFC 4180 has it; other lines are read one by one."""


def scan_table(path: Path, layout: Layout, *, also: Sequence[str] = ()) -> pl.LazyFrame:
    """Return the columns of ``layout`` and ``also`` as trimmed strings, with ``row`` and
    ``unclosed``.

    Empty cells are null, and so is an optional column that the file lacks. ``row`` is 1-based with
    the header counted. A line is a row: one whose quotation marks do not match is all null but
    ``unclosed``. Raises ``MissingFileError``, ``TruncatedFileError``, ``EncodingError``,
    ``EmptyTableError``, ``MalformedRowError`` or ``ColumnError``.
    """
    header = read_header(path)
    _check_columns(path, layout, header)
    names = {column.name: column.read_as for column in layout.columns} | {
        name: name for name in also
    }
    present = {name: alias for name, alias in names.items() if name in header}
    absent = [
        pl.lit(None, pl.String).alias(alias) for name, alias in names.items() if name not in header
    ]
    cells = [pl.col(_position(header, name)).alias(alias) for name, alias in present.items()]
    lines = _scan_cells(path, header)
    trimmed = pl.col(list(present.values())).str.strip_chars().replace("", None)
    return lines.select("row", UNCLOSED, *cells).with_columns(trimmed, *absent)


def read_table(path: Path, layout: Layout, *, also: Sequence[str] = ()) -> pl.DataFrame:
    """Return what ``scan_table`` describes, in memory, without blank lines; raises the same."""
    frame = collect(scan_table(path, layout, also=also), path)
    blank = pl.all_horizontal(pl.exclude("row", UNCLOSED).is_null())
    filled = frame.filter(~blank | pl.col(UNCLOSED))
    if filled.is_empty():
        raise EmptyTableError(path)
    return filled


def choose_layout(path: Path, layouts: Sequence[Layout]) -> Layout:
    """Return the first of ``layouts`` whose required columns a file has.

    Raises ``ColumnError`` for the layout that lacks the fewest columns.
    """
    header = read_header(path)
    for layout in layouts:
        if not layout.missing(header):
            return layout
    closest = min(layouts, key=lambda layout: len(layout.missing(header)))
    raise _column_error(path, closest, header)


def read_header(path: Path) -> list[str]:
    """Return the column names of a delimited file, trimmed and without a byte-order mark."""
    text = _header_line(path)
    try:
        cells = next(csv.reader([text], delimiter=_separator(text), strict=True))
    except csv.Error as error:
        remedy = "close or remove the quotation mark in the header line"
        raise MalformedRowError(
            path, f"a header that cannot be read: {error}", row=1, remedy=remedy
        ) from error
    return [name.strip() for name in cells]


def first_lines(path: Path, target: Path, lines: int) -> tuple[int, bool]:
    """Write the first ``lines`` lines of ``path`` to ``target``, packed alike.

    Return how many lines were written and whether more follow.
    """
    with unpacking(path), open_bytes(path) as stream:
        kept = list(islice(stream, lines))
        more = bool(stream.readline())
    write_bytes(target, b"".join(kept))
    return len(kept), more


def write_bytes(path: Path, content: bytes) -> None:
    """Write ``content``, packed if the name of ``path`` ends in ``.gz``."""
    path.write_bytes(gzip.compress(content) if path.suffix == ".gz" else content)


def _header_line(path: Path) -> str:
    with unpacking(path), open_bytes(path) as stream:
        line = stream.readline()
    if not line.strip():
        raise EmptyTableError(path, what="header")
    try:
        return line.decode("utf-8-sig").rstrip("\r\n")
    except UnicodeDecodeError as error:
        raise EncodingError(path, row=1, byte=line[error.start]) from error


def _separator(header_line: str) -> str:
    """Return the separator of a table: the tab where its header has one, else the comma."""
    return "\t" if "\t" in header_line else ","


def _check_columns(path: Path, layout: Layout, header: list[str]) -> None:
    if layout.missing(header):
        raise _column_error(path, layout, header)
    twice = [name for name in layout.names if header.count(name) > 1]
    if twice:
        remedy = "rename or remove all but one of them"
        raise MalformedRowError(
            path, f"several columns named {', '.join(twice)}", row=1, remedy=remedy
        )


def _column_error(path: Path, layout: Layout, header: list[str]) -> ColumnError:
    missing = layout.missing(header)
    spare = [name for name in header if name not in layout.names]
    near = {name: found for name in missing if (found := nearest(name, spare)) is not None}
    return ColumnError(path, missing=missing, found=header, format_name=layout.name, near=near)


def _scan_cells(path: Path, header: Sequence[str]) -> pl.LazyFrame:
    """Return the cells below the header as ``0``, ``1``, …, with ``row`` and ``unclosed``."""
    separator = _separator(_header_line(path))
    if separator == "\t":
        return _scan(path, header, separator, quote=None).with_columns(_without_quotes(len(header)))
    if _all_quotes_match(path):
        return _scan(path, header, separator, quote='"')
    return _read_line_by_line(path, len(header)).lazy()


def _scan(path: Path, header: Sequence[str], separator: str, *, quote: str | None) -> pl.LazyFrame:
    cells = {str(place): pl.String() for place in range(len(header))}
    lines = pl.scan_csv(
        path,
        separator=separator,
        quote_char=quote,
        has_header=False,
        skip_rows=1,
        schema=cells,
        truncate_ragged_lines=True,
        missing_columns="insert",
        extra_columns="ignore",
        row_index_name="row",
        row_index_offset=2,
    )
    return lines.with_columns(pl.lit(False).alias(UNCLOSED))


def _without_quotes(columns: int) -> list[pl.Expr]:
    """Return the cells without the quotation marks that some programs write around them.

    Between tabs a quotation mark is a character like any other: one that is never closed swallows
    nothing.
    """
    cells = [pl.col(str(place)) for place in range(columns)]
    return [_unquoted(cell) for cell in cells]


def _unquoted(cell: pl.Expr) -> pl.Expr:
    trimmed = cell.str.strip_chars(" \r")
    quoted = (
        trimmed.str.starts_with('"') & trimmed.str.ends_with('"') & (trimmed.str.len_bytes() > 1)
    )
    inner = trimmed.str.head(-1).str.slice(1).str.replace_all('""', '"', literal=True)
    return pl.when(quoted).then(inner).otherwise(cell)


def _all_quotes_match(path: Path) -> bool:
    """Return whether quotation marks stand only around cells or doubled in them, on every line."""
    with unpacking(path), open_bytes(path) as stream:
        return all(_RFC_4180.fullmatch(line.rstrip(b"\r\n")) for line in stream if b'"' in line)


def _fields(line: bytes) -> list[str] | None:
    """Return the cells of one comma-separated line, None where its quotation marks do not match."""
    text = line.decode("utf-8", errors="replace").rstrip("\r\n")
    try:
        return next(csv.reader([text], strict=True), [])
    except csv.Error:
        return None


def _read_line_by_line(path: Path, columns: int) -> pl.DataFrame:
    """Return the cells of a comma-separated file in which a quotation mark is never closed."""
    raise_encoding_error(path)
    with unpacking(path), open_bytes(path) as stream:
        parsed = [_fields(line) for line in islice(stream, 1, None)]
    rows = [_row(number, cells, columns) for number, cells in enumerate(parsed, start=2)]
    cell_types = {str(place): pl.String() for place in range(columns)}
    schema = {"row": pl.UInt32(), UNCLOSED: pl.Boolean(), **cell_types}
    return pl.DataFrame(rows, schema=schema, orient="row")


def _row(number: int, cells: list[str] | None, columns: int) -> tuple[int | bool | str | None, ...]:
    known = (cells or [])[:columns]
    padding = [None] * (columns - len(known))
    return number, cells is None, *known, *padding


def _position(header: Sequence[str], name: str) -> str:
    return str(header.index(name))


def collect(frame: pl.LazyFrame, path: Path) -> pl.DataFrame:
    """Return ``frame`` computed in batches. Raises what is wrong with the file at ``path``."""
    try:
        return frame.collect(engine="streaming")
    except OSError as error:
        raise TruncatedFileError(path, str(error)) from error
    except pl.exceptions.ComputeError as error:
        raise_encoding_error(path)
        first_line = str(error).splitlines()[0]
        remedy = "look for a line that is cut or a quotation mark that is never closed, and mend it"
        raise MalformedRowError(path, first_line, remedy=remedy) from error


def raise_encoding_error(path: Path) -> None:
    """Raise ``EncodingError`` at the first line that is not UTF-8; return if there is none."""
    with unpacking(path), open_bytes(path) as stream:
        for number, line in enumerate(stream, start=1):
            try:
                line.decode()
            except UnicodeDecodeError as error:
                raise EncodingError(path, row=number, byte=line[error.start]) from error


@contextmanager
def unpacking(path: Path) -> Iterator[None]:
    """Turn what goes wrong while a gzip file is unpacked into the error that names it."""
    try:
        yield
    except (EOFError, zlib.error) as error:
        raise TruncatedFileError(path, str(error)) from error
    except gzip.BadGzipFile as error:
        remedy = "take .gz off its name if it is not packed, or fetch it again"
        raise MalformedRowError(path, f"not a gzip file: {error}", remedy=remedy) from error


def open_bytes(path: Path) -> BinaryIO:
    """Return a byte stream of a file, unpacked if its name ends in ``.gz``. Raises
    ``MissingFileError``.
    """
    if not path.is_file():
        raise MissingFileError(path)
    return cast(BinaryIO, gzip.open(path)) if path.suffix == ".gz" else path.open("rb")


def to_table(frame: pl.DataFrame, schema: type[SchemaT]) -> dy.DataFrame[SchemaT]:
    """Return ``frame`` as a valid ``schema`` table: absent columns null, rows with a null key left
    out, keys unique.

    Where rows share a key, the first non-null value of each column stands.
    """
    keys = schema.primary_key()
    values = [name for name in schema.column_names() if name not in keys]
    absent = [pl.lit(None).alias(name) for name in values if name not in frame.columns]
    keyed = frame.with_columns(absent).select(*keys, *values).drop_nulls(keys)
    if keyed.select(keys).is_duplicated().any():
        first = [pl.col(name).drop_nulls().first() for name in values]
        keyed = (
            keyed.group_by(keys, maintain_order=True).agg(first)
            if values
            else keyed.unique(maintain_order=True)
        )
    return conform(keyed, schema)
