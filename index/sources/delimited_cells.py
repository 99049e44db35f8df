"""Cells of delimited lines (tabs, commas or semicolons), as lazy Polars frames with row numbers.

Quotation marks are read by what the file does with them: between tabs they are characters like any
other; between commas or semicolons they enclose cells, and a file with one that is never closed is
read line by line.
"""

from __future__ import annotations

import codecs
import csv
import re
from collections.abc import Callable, Sequence
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Final

import polars as pl

from index.sources.layout import LINE_FLAGS, OVERFULL, UNCLOSED, UNDECODED
from index.sources.packed import open_bytes, raise_encoding_error, unpacking
from ontology_etl.errors import MalformedRowError

SplitLine = Callable[[str], list[str] | None]
MOST_UNDECODED: Final = 1
"""Lines of a small file that need not be UTF-8: each is rejected, the others are read."""
UNDECODED_SHARE: Final = 0.01
"""Share of a larger file's lines that need not be UTF-8; with more, it is another encoding."""
MOST_IN_LINE: Final = 64_000_000
"""Bytes that a line may have: some ten columns as long as a cell may be, or 10,000 short ones."""
_CHUNK: Final = 1 << 20


def scan_cells(path: Path, header: Sequence[str], separator: str, *, skip: int = 1) -> pl.LazyFrame:
    """Return the cells below the first ``skip`` lines as ``0``, ``1``, …, with ``row`` and
    ``LINE_FLAGS``.

    Raises ``EncodingError`` where more than a line in ``UNDECODED_SHARE`` is not UTF-8, and
    ``MalformedRowError`` where a line has more than ``MOST_IN_LINE`` bytes.
    """
    is_utf8 = _is_utf8(path)
    if separator == "\t":
        lines = _scan(path, header, separator, skip, quote=None) if is_utf8 else None
        if lines is None:
            split_at_tabs: SplitLine = partial(str.split, sep="\t")
            lines = _read_line_by_line(path, len(header), split_at_tabs, skip).lazy()
        return lines.with_columns(_unquoted(pl.col(str(place))) for place in range(len(header)))
    if is_utf8 and _all_quotes_match(path, separator):
        return _scan(path, header, separator, skip, quote='"')
    split = partial(_fields, separator=separator)
    return _read_line_by_line(path, len(header), split, skip).lazy()


def _is_utf8(path: Path) -> bool:
    """Return whether every byte of a file is UTF-8. Raises at a line that is too long to hold."""
    decode = codecs.getincrementaldecoder("utf-8")().decode
    is_utf8 = True
    row = 1
    length = 0
    with unpacking(path), open_bytes(path) as stream:
        while chunk := stream.read(_CHUNK):
            ended = chunk.count(b"\n")
            length += chunk.find(b"\n") if ended else len(chunk)
            if length > MOST_IN_LINE:
                reason = f"a line of more than {MOST_IN_LINE:,} bytes"
                raise MalformedRowError(path, reason, row=row, remedy="shorten or remove it")
            if ended:
                row += ended
                length = len(chunk) - chunk.rfind(b"\n") - 1
            is_utf8 = is_utf8 and _decodes(decode, chunk)
    return is_utf8 and _decodes(decode, b"", final=True)


def _decodes(decode: Callable[..., str], chunk: bytes, *, final: bool = False) -> bool:
    try:
        decode(chunk, final=final)
    except UnicodeDecodeError:
        return False
    return True


def _scan(
    path: Path, header: Sequence[str], separator: str, skip: int, *, quote: str | None
) -> pl.LazyFrame:
    cells = {str(place): pl.String() for place in range(len(header) + 1)}
    lines = pl.scan_csv(
        path,
        separator=separator,
        quote_char=quote,
        has_header=False,
        skip_lines=skip,
        schema=cells,
        truncate_ragged_lines=True,
        missing_columns="insert",
        extra_columns="ignore",
        row_index_name="row",
        row_index_offset=skip + 1,
    )
    beyond = str(len(header))
    rest = pl.col(beyond).str.strip_chars().fill_null("")
    flagged = lines.with_columns(
        pl.lit(False).alias(UNCLOSED),
        pl.lit(False).alias(UNDECODED),
        (rest != "").alias(OVERFULL),
    )
    return flagged.drop(beyond)


def _unquoted(cell: pl.Expr) -> pl.Expr:
    """Return ``cell`` without the quotation marks that some programs write around it.

    Between tabs a quotation mark is a character like any other: one that is never closed swallows
    nothing.
    """
    trimmed = cell.str.strip_chars(" \r")
    begins, ends = trimmed.str.starts_with('"'), trimmed.str.ends_with('"')
    is_quoted = begins & ends & (trimmed.str.len_bytes() > 1)
    text = trimmed.str.head(-1).str.slice(1).str.replace_all('""', '"', literal=True)
    return pl.when(is_quoted).then(text).otherwise(cell)


def _all_quotes_match(path: Path, separator: str) -> bool:
    """Return whether quotation marks are around cells or doubled in them, as RFC 4180 has it."""
    mark = separator.encode()
    cell = rb'(?:"(?:[^"]|"")*+"|[^"' + mark + rb"]*+)"
    well_quoted = re.compile(cell + rb"(?:" + mark + cell + rb")*+")
    with unpacking(path), open_bytes(path) as stream:
        quoted = (line for line in stream if b'"' in line)
        trimmed = (line.rstrip(b"\r\n") for line in quoted)
        return all(well_quoted.fullmatch(line) for line in trimmed)


def _fields(text: str, *, separator: str) -> list[str] | None:
    """Return the cells of one line, None where its quotation marks do not match."""
    try:
        return next(csv.reader([text], delimiter=separator, strict=True), [])
    except csv.Error:
        return None


def _read_line_by_line(path: Path, columns: int, split: SplitLine, skip: int) -> pl.DataFrame:
    """Return the cells of a file with lines that are not UTF-8 or quotation marks never closed.

    Raises ``EncodingError`` where too many lines are not UTF-8: the file is in another encoding.
    """
    rows = []
    with unpacking(path), open_bytes(path) as stream:
        below_header = islice(stream, skip, None)
        for number, line in enumerate(below_header, start=skip + 1):
            rows.append(_row(number, line.rstrip(b"\r\n"), columns, split))
    undecoded = sum(flags[3] is True for flags in rows)
    if undecoded > max(MOST_UNDECODED, len(rows) * UNDECODED_SHARE):
        raise_encoding_error(path)
    schema: dict[str, pl.DataType] = {"row": pl.UInt32()}
    schema |= dict.fromkeys(LINE_FLAGS, pl.Boolean())
    schema |= {str(place): pl.String() for place in range(columns)}
    return pl.DataFrame(rows, schema=schema, orient="row")


def _row(
    number: int, line: bytes, columns: int, split: SplitLine
) -> tuple[int | bool | str | None, ...]:
    """Return row, ``LINE_FLAGS`` and the cells of a line; no cell where it cannot be split."""
    nothing = [None] * columns
    try:
        cells = split(line.decode())
    except UnicodeDecodeError:
        return (number, False, False, True, *nothing)
    if cells is None:
        return (number, True, False, False, *nothing)
    is_overfull = any(cell.strip() for cell in cells[columns:])
    known = [*cells[:columns], *nothing[len(cells) :]]
    return (number, False, is_overfull, False, *known)
