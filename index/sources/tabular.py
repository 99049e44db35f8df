"""Tables as lazy Polars frames of strings with row numbers, and their defects as clear errors.

Delimited text, plain or gzip, or Parquet.
"""

from __future__ import annotations

import csv
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import takewhile
from pathlib import Path
from typing import Final, NamedTuple

import dataframely as dy
import polars as pl

from index.records import first_values
from index.sources.delimited_cells import scan_cells
from index.sources.layout import LINE_FLAGS, Layout, nearest_of_each
from index.sources.packed import open_bytes, raise_encoding_error, unpacking
from index.sources.parquet import is_parquet, read_columns, scan_rows, unreadable
from index.sources.rejection import MOST_BYTES, Rule, Split, split_rejected
from ontology_etl.errors import (
    ColumnError,
    EmptyTableError,
    EncodingError,
    MalformedRowError,
    TruncatedFileError,
)
from ontology_etl.tables import SchemaT, conform, with_absent

_THOUSANDS: Final = r"^[-+]?[1-9]\d{0,2}(?:[,' \u{a0}\u{202f}]\d{3})+(?:\.\d*)?$"
_DECIMAL_COMMA: Final = r"^[-+]?\d[\d. \u{a0}\u{202f}]*,\d+$|^[-+]?[1-9]\d{0,2}(?:\.\d{3}){2,}$"
_DOTTED: Final = r"^[1-9]\d{0,2}(?:\.\d{3}){2,}$"
"""A number with points between thousands: it has several, so none is a decimal point."""
_WHOLE: Final = ("reads", "bases", "k-mers", "samples")
"""Units of numbers that are whole."""
_COMMENT: Final = re.compile(r"#[\s#]")
"""What a line of remarks before the header begins with; ``#OTU ID`` is a header."""


MOST_REMARKS: Final = 100
"""Most lines of remarks and titles above a header."""
MOST_IN_BATCHES: Final = 100
"""Columns of a table that is computed in batches."""
MOST_LOOKED_AT: Final = 10_000
"""Characters of a line that are read to distinguish titles from headers; no title has as many."""


class Dialect(NamedTuple):
    """How a delimited table is written: its columns, their separator, the lines before the rows."""

    header: tuple[str, ...]
    separator: str
    skip: int


def scan_table(
    path: Path, layout: Layout, *, also: Sequence[str] | Mapping[str, str] = ()
) -> pl.LazyFrame:
    """Return the columns of ``layout`` and ``also`` (a mapping says under which names) as trimmed
    strings, with ``row`` and ``LINE_FLAGS``.

    Empty cells are null, and so is an optional column that the file lacks. Numbers are without
    separators of thousands and, between semicolons, with a decimal point for a decimal comma;
    commas are without the backslash that some exports put before them.
    ``row`` is 1-based with the header counted. A line is a row, and ``LINE_FLAGS`` say what is
    wrong with it: one whose quotation marks do not match is all null but ``unclosed``. Raises
    ``MissingFileError``, ``TruncatedFileError``, ``EncodingError``, ``EmptyTableError``,
    ``MalformedRowError`` or ``ColumnError``.
    """
    dialect = dialect_of(path, layout)
    header = dialect.header
    names = {column.name: column.read_as for column in layout.columns}
    names |= also if isinstance(also, Mapping) else {name: name for name in also}
    _check_columns(path, layout, header, read=names)

    cells = []
    absent = []
    for name, alias in names.items():
        if name in header:
            cells.append(pl.col(str(header.index(name))).alias(alias))
        else:
            absent.append(pl.lit(None, pl.String).alias(alias))
    lines = _scan_lines(path, dialect, list(names))
    read = lines.select("row", *LINE_FLAGS, *cells)
    texts = pl.exclude("row", *LINE_FLAGS)
    unescaped = texts.str.strip_chars().str.replace_all(r"\,", ",", literal=True)
    has_comma = dialect.separator == ";"
    plain = [
        _plain_number(pl.col(column.read_as), decimal_comma=has_comma, whole=column.unit in _WHOLE)
        for column in layout.columns
        if column.unit and column.name in header
    ]
    return read.with_columns(unescaped.replace("", None)).with_columns(*plain, *absent)


def _plain_number(number: pl.Expr, *, decimal_comma: bool, whole: bool) -> pl.Expr:
    """Return ``1,234,567`` as ``1234567``, with ``decimal_comma`` ``1.234,5`` as ``1234.5`` and of
    ``whole`` numbers ``1.234`` as ``1234``; other text as it is.
    """
    if decimal_comma:
        is_continental = number.str.contains(_DECIMAL_COMMA)
        if whole:
            is_continental |= number.str.contains(r"^[1-9]\d{0,2}\.\d{3}$")
        digits = number.str.replace_all(r"[. \u{a0}\u{202f}]", "").str.replace(",", ".")
        return pl.when(is_continental).then(digits).otherwise(number)
    is_grouped = number.str.contains(_THOUSANDS)
    return (
        pl.when(is_grouped)
        .then(number.str.replace_all(r"[,' \u{a0}\u{202f}]", ""))
        .when(number.str.contains(_DOTTED))
        .then(number.str.replace_all(".", "", literal=True))
        .otherwise(number)
    )


def read_table(
    path: Path, layout: Layout, *, also: Sequence[str] | Mapping[str, str] = ()
) -> pl.DataFrame:
    """Return what ``scan_table`` describes, in memory, without blank lines; raises the same."""
    frame = collect(scan_table(path, layout, also=also), path)
    cells = pl.exclude("row", *LINE_FLAGS)
    blank = pl.all_horizontal(cells.is_null())
    filled = frame.filter(~blank | pl.any_horizontal(LINE_FLAGS))
    if filled.is_empty():
        raise EmptyTableError(path)
    return filled


def read_sound(path: Path, layout: Layout, *rules: Rule) -> Split:
    """Return the rows of the table at ``path`` that no rule rejects, as ``sound_rows`` does. Raises
    what ``read_table`` raises.
    """
    return sound_rows(read_table(path, layout), path, layout, *rules)


def sound_rows(rows: pl.DataFrame, path: Path, layout: Layout, *rules: Rule) -> Split:
    """Return the ``rows`` that the rules of ``layout`` and then ``rules`` do not reject, the others
    and their counts.
    """
    return split_rejected(rows, path.name, (*layout.rules(), *rules), layout=layout.name)


def choose_layout(path: Path, layouts: Sequence[Layout]) -> Layout:
    """Return the first of ``layouts`` whose required columns a file has.

    Raises ``ColumnError`` for the layout that lacks the fewest columns.
    """
    (only, *others) = layouts
    if only.first_line and not others:
        return only
    header = read_header(path)
    return fitting_layout(path, header, layouts)


def fitting_layout(path: Path | str, header: Sequence[str], layouts: Sequence[Layout]) -> Layout:
    """Return the layout that ``choose_layout`` finds for a table with the columns ``header``."""
    for layout in layouts:
        if not layout.missing(header):
            return layout
    closest = min(layouts, key=lambda layout: len(layout.missing(header)))
    raise _column_error(path, closest, header)


def read_header(path: Path) -> list[str]:
    """Return the column names of a table, those of text trimmed and without a byte-order mark."""
    return list(dialect_of(path).header)


def dialect_of(path: Path, layout: Layout | None = None) -> Dialect:
    """Return how a table is written; one without a header has the columns of ``layout``.

    Remarks before the header are passed over. Raises as ``scan_table``.
    """
    if is_parquet(path):
        return Dialect(tuple(read_columns(path)), "\t", 1)
    headless = layout is not None and bool(layout.first_line)
    number, text = _header_line(path, titles=not headless)
    separator = _separator(text)
    if layout is not None and headless:
        cells = len(text.split(separator))
        return Dialect(layout.names[:cells], separator, number - 1)
    try:
        names = next(csv.reader([text], delimiter=separator, strict=True))
    except csv.Error as error:
        remedy = "close or remove the quotation mark in the header line"
        raise MalformedRowError(
            path, f"a header that cannot be read: {error}", row=number, remedy=remedy
        ) from error
    return Dialect(tuple(name.strip() for name in names), separator, number)


def _scan_lines(path: Path, dialect: Dialect, wanted: Sequence[str]) -> pl.LazyFrame:
    """Return the cells of a table by place, at least those of the columns ``wanted``."""
    if is_parquet(path):
        return scan_rows(path, wanted)
    return scan_cells(path, dialect.header, dialect.separator, skip=dialect.skip)


def _header_line(path: Path, *, titles: bool = True) -> tuple[int, str]:
    """Return the number of the first line that is not a remark, and its text.

    With ``titles``, a line shortly above one with twice as many cells is a title, and is skipped.
    """
    with unpacking(path), open_bytes(path) as stream:
        first, *others = (stream.readline(MOST_BYTES + 1) for _ in range(MOST_REMARKS + 1))
        lines = [first, *takewhile(bool, others)]
    number = 1
    text = _decoded(path, number, first)
    while number < len(lines):
        below = [line.decode("utf-8", errors="replace") for line in lines[number : number + 3]]
        may_be_title = titles and len(text) < MOST_LOOKED_AT
        is_title = may_be_title and 2 * _filled(text) <= max(map(_filled, below))
        if not is_title and not _COMMENT.match(text):
            break
        number += 1
        text = _decoded(path, number, lines[number - 1])
    return number, text


def _filled(line: str) -> int:
    """Return how many cells at the beginning of a line are not empty."""
    beginning = line[:MOST_LOOKED_AT].replace("\r", "").rstrip("\n")
    cells = next(csv.reader([beginning], delimiter=_separator(line)), [])
    return sum(bool(cell.strip(' "')) for cell in cells)


def _decoded(path: Path, number: int, line: bytes) -> str:
    """Return a line of a header as text. Raises what is wrong with it."""
    if not line.strip():
        raise EmptyTableError(path, what="header")
    if len(line) > MOST_BYTES:
        remedy = "name the columns in its first line"
        reason = f"a header of more than {MOST_BYTES:,} bytes"
        raise MalformedRowError(path, reason, row=number, remedy=remedy)
    try:
        return line.decode("utf-8-sig").rstrip("\r\n")
    except UnicodeDecodeError as error:
        raise EncodingError(path, row=number, byte=line[error.start]) from error


def _separator(header_line: str) -> str:
    """Return the separator of a table: the tab where its header has one, else the semicolon where
    it has more of them than commas, else the comma.
    """
    if "\t" in header_line:
        return "\t"
    return ";" if header_line.count(";") > header_line.count(",") else ","


def _check_columns(
    path: Path, layout: Layout, header: Sequence[str], *, read: Iterable[str]
) -> None:
    if layout.missing(header):
        raise _column_error(path, layout, header)
    columns = Counter(header)
    twice = [name for name in read if name and columns[name] > 1]
    if twice:
        remedy = "rename or remove all but one of them"
        raise MalformedRowError(
            path, f"several columns named {', '.join(twice)}", row=1, remedy=remedy
        )


def _column_error(path: Path | str, layout: Layout, header: Sequence[str]) -> ColumnError:
    missing = layout.missing(header)
    spare = [name for name in header if name not in layout.names]
    near = nearest_of_each(missing, spare)
    return ColumnError(
        path, missing=missing, found=list(header), format_name=layout.name, near=near
    )


def collect(frame: pl.LazyFrame, path: Path) -> pl.DataFrame:
    """Return ``frame`` as ``collect_all`` does. Raises what is wrong with the file at ``path``."""
    return collect_all([frame], path)[0]


def collect_all(frames: Sequence[pl.LazyFrame], path: Path) -> list[pl.DataFrame]:
    """Return ``frames`` of one file computed in batches, which reads the file once.

    Wide ones are computed at once: the time of a batch grows with the square of the columns.
    Raises what is wrong with the file at ``path``.
    """
    is_wide = any(len(frame.collect_schema()) > MOST_IN_BATCHES for frame in frames)
    try:
        return pl.collect_all(frames, engine="in-memory" if is_wide else "streaming")
    except OSError as error:
        raise TruncatedFileError(path, str(error)) from error
    except pl.exceptions.ComputeError as error:
        if is_parquet(path):
            raise unreadable(path, error) from error
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
    complete = with_absent(frame, dict.fromkeys(values, pl.Null))
    keyed = complete.select(*keys, *values).drop_nulls(keys)
    if keyed.select(keys).is_duplicated().any():
        keyed = first_values(keyed, keys)
    return conform(keyed, schema)
