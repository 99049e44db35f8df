"""Delimited text, plain or gzip, as lazy Polars frames of strings with row numbers; its defects as
clear errors.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Sequence
from itertools import islice
from pathlib import Path
from typing import Final

import dataframely as dy
import polars as pl

from index.sources.layout import UNCLOSED, Layout, nearest
from index.sources.packed import open_bytes, raise_encoding_error, unpacking
from index.sources.rejection import MOST_BYTES
from ontology_etl.errors import (
    ColumnError,
    EmptyTableError,
    EncodingError,
    MalformedRowError,
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
    names = {column.name: column.read_as for column in layout.columns}
    names |= {name: name for name in also}

    cells = []
    absent = []
    for name, alias in names.items():
        if name in header:
            cells.append(pl.col(_position(header, name)).alias(alias))
        else:
            absent.append(pl.lit(None, pl.String).alias(alias))
    lines = _scan_cells(path, header)
    read = lines.select("row", UNCLOSED, *cells)
    texts = pl.exclude("row", UNCLOSED)
    trimmed = texts.str.strip_chars().replace("", None)
    return read.with_columns(trimmed).with_columns(absent)


def read_table(path: Path, layout: Layout, *, also: Sequence[str] = ()) -> pl.DataFrame:
    """Return what ``scan_table`` describes, in memory, without blank lines; raises the same."""
    lines = scan_table(
        path,
        layout,
        also=also,
    )
    frame = collect(lines, path)
    cells = pl.exclude("row", UNCLOSED)
    blank = pl.all_horizontal(cells.is_null())
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


def _header_line(path: Path) -> str:
    with unpacking(path), open_bytes(path) as stream:
        line = stream.readline(MOST_BYTES + 1)
    if not line.strip():
        raise EmptyTableError(path, what="header")
    if len(line) > MOST_BYTES:
        remedy = "name the columns in its first line"
        reason = f"a header of more than {MOST_BYTES:,} bytes"
        raise MalformedRowError(path, reason, row=1, remedy=remedy)
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
    near = {}
    for name in missing:
        found = nearest(name, spare)
        if found is not None:
            near[name] = found
    return ColumnError(
        path,
        missing=missing,
        found=header,
        format_name=layout.name,
        near=near,
    )


def _scan_cells(path: Path, header: Sequence[str]) -> pl.LazyFrame:
    """Return the cells below the header as ``0``, ``1``, …, with ``row`` and ``unclosed``."""
    separator = _separator(_header_line(path))
    if separator == "\t":
        lines = _scan(
            path,
            header,
            separator,
            quote=None,
        )
        return lines.with_columns(_without_quotes(len(header)))
    if _all_quotes_match(path):
        return _scan(
            path,
            header,
            separator,
            quote='"',
        )
    lines_read = _read_line_by_line(path, len(header))
    return lines_read.lazy()


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
    unquoted = []
    for place in range(columns):
        cell = pl.col(str(place))
        unquoted.append(_unquoted(cell))
    return unquoted


def _unquoted(cell: pl.Expr) -> pl.Expr:
    trimmed = cell.str.strip_chars(" \r")
    opened = trimmed.str.starts_with('"')
    closed = trimmed.str.ends_with('"')
    has_two_marks = trimmed.str.len_bytes() > 1
    inner = trimmed.str.head(-1).str.slice(1)
    text = inner.str.replace_all(
        '""',
        '"',
        literal=True,
    )
    quoted = opened & closed & has_two_marks
    return pl.when(quoted).then(text).otherwise(cell)


def _all_quotes_match(path: Path) -> bool:
    """Return whether quotation marks stand only around cells or doubled in them, on every line."""
    with unpacking(path), open_bytes(path) as stream:
        quoted = (line for line in stream if b'"' in line)
        trimmed = (line.rstrip(b"\r\n") for line in quoted)
        return all(_RFC_4180.fullmatch(line) for line in trimmed)


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
    rows = []
    with unpacking(path), open_bytes(path) as stream:
        below_header = islice(stream, 1, None)
        for number, line in enumerate(below_header, start=2):
            cells = _fields(line)
            rows.append(_row(number, cells, columns))
    schema: dict[str, pl.DataType] = {
        "row": pl.UInt32(),
        UNCLOSED: pl.Boolean(),
    }
    schema |= {str(place): pl.String() for place in range(columns)}
    return pl.DataFrame(
        rows,
        schema=schema,
        orient="row",
    )


def _row(number: int, cells: list[str] | None, columns: int) -> tuple[int | bool | str | None, ...]:
    known = [] if cells is None else cells[:columns]
    missing = columns - len(known)
    padding = [None] * missing
    is_unclosed = cells is None
    return (number, is_unclosed, *known, *padding)


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


def to_table(frame: pl.DataFrame, schema: type[SchemaT]) -> dy.DataFrame[SchemaT]:
    """Return ``frame`` as a valid ``schema`` table: absent columns null, rows with a null key left
    out, keys unique.

    Where rows share a key, the first non-null value of each column is kept.
    """
    keys = schema.primary_key()
    values = [name for name in schema.column_names() if name not in keys]
    absent = [name for name in values if name not in frame.columns]
    nothing = pl.lit(None)
    complete = frame.with_columns(nothing.alias(name) for name in absent)
    keyed = complete.select(*keys, *values).drop_nulls(keys)
    if keyed.select(keys).is_duplicated().any():
        keyed = _one_per_key(keyed, keys, values)
    return conform(keyed, schema)


def _one_per_key(rows: pl.DataFrame, keys: Sequence[str], values: Sequence[str]) -> pl.DataFrame:
    """Return one row per key of ``rows`` with the first non-null value of each column."""
    if not values:
        return rows.unique(maintain_order=True)
    first = [pl.col(name).drop_nulls().first() for name in values]
    by_key = rows.group_by(
        keys,
        maintain_order=True,
    )
    return by_key.agg(first)
