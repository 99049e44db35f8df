"""Cells of delimited lines, tabs or commas between them, as lazy Polars frames with row numbers.

Quotation marks are read by what the file does with them: between tabs they are characters like any
other; between commas they enclose cells, and a file with one that is never closed is read line by
line.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Sequence
from itertools import islice
from pathlib import Path
from typing import Final

import polars as pl

from index.sources.layout import UNCLOSED
from index.sources.packed import open_bytes, raise_encoding_error, unpacking

_CELL: Final = rb'(?:"(?:[^"]|"")*+"|[^",]*+)'
_RFC_4180: Final = re.compile(_CELL + rb"(?:," + _CELL + rb")*+")
"""A line of comma-separated cells as RFC 4180 has it; other lines are read one by one."""


def scan_cells(path: Path, header: Sequence[str], separator: str) -> pl.LazyFrame:
    """Return the cells below the header as ``0``, ``1``, …, with ``row`` and ``unclosed``.

    Raises ``EncodingError`` where a file that is read line by line is not UTF-8.
    """
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
    """Return whether quotation marks are only around cells or doubled in them, on every line."""
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
