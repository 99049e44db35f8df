"""Delimited text, plain or gzip, as lazy Polars frames of strings with row numbers; its defects as
clear errors.
"""

from __future__ import annotations

import csv
import gzip
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, cast

import dataframely as dy
import polars as pl

from ontology_etl.errors import (
    ColumnError,
    EmptyTableError,
    EncodingError,
    MalformedRowError,
    MissingFileError,
    TruncatedFileError,
)
from ontology_etl.tables import SchemaT, conform


def scan_table(
    path: Path,
    format_name: str,
    *,
    columns: Sequence[str],
    optional: Sequence[str] = (),
    separator: str = "\t",
) -> pl.LazyFrame:
    """Return ``columns`` and ``optional`` of a delimited file as trimmed strings, empty ones null,
    and ``row``.

    ``row`` is 1-based with the header counted; an optional column that the file lacks is null.
    Raises ``MissingFileError``, ``TruncatedFileError``, ``EncodingError``, ``EmptyTableError`` or
    ``ColumnError``.
    """
    header = read_header(path, separator=separator)
    missing = [name for name in columns if name not in header]
    if missing:
        raise ColumnError(path, missing=missing, found=header, format_name=format_name)
    wanted = [name for name in (*columns, *optional) if name in header]
    absent = [pl.lit(None, pl.String).alias(name) for name in optional if name not in header]
    lines = pl.scan_csv(
        path,
        separator=separator,
        infer_schema=False,
        truncate_ragged_lines=True,
        row_index_name="row",
        row_index_offset=2,
    )
    trimmed = pl.col(wanted).str.strip_chars().replace("", None)
    return lines.select("row", *wanted).with_columns(trimmed, *absent)


def read_table(
    path: Path,
    format_name: str,
    *,
    columns: Sequence[str],
    optional: Sequence[str] = (),
    separator: str = "\t",
) -> pl.DataFrame:
    """Return what ``scan_table`` describes, in memory; blank lines are left out. Raises the same
    errors.
    """
    frame = collect(
        scan_table(path, format_name, columns=columns, optional=optional, separator=separator), path
    )
    filled = frame.filter(~pl.all_horizontal(pl.exclude("row").is_null()))
    if filled.is_empty():
        raise EmptyTableError(path)
    return filled


def read_header(path: Path, *, separator: str) -> list[str]:
    """Return the column names of a delimited file, without a byte-order mark."""
    with unpacking(path), open_bytes(path) as stream:
        line = stream.readline()
    if not line.strip():
        raise EmptyTableError(path, what="header")
    try:
        text = line.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise EncodingError(path, row=1, byte=line[error.start]) from error
    return [name.strip() for name in next(csv.reader([text.rstrip("\r\n")], delimiter=separator))]


def collect(frame: pl.LazyFrame, path: Path) -> pl.DataFrame:
    """Return ``frame`` computed in batches. Raises what is wrong with the file at ``path``."""
    try:
        return frame.collect(engine="streaming")
    except OSError as error:
        raise TruncatedFileError(path, str(error)) from error
    except pl.exceptions.ComputeError as error:
        raise_encoding_error(path)
        first_line = str(error).splitlines()[0]
        remedy = "look for a quotation mark that is never closed, and close or double it"
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
