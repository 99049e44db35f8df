"""Parquet files as tables of text: any format of a delimited table may come as Parquet.

Numbers, dates and truth values are read as they would be written in a delimited file, so the rules
of a format hold for both. Rows are numbered as if there were a header.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import polars as pl

from index.sources.layout import LINE_FLAGS
from ontology_etl.errors import (
    EmptyTableError,
    MalformedRowError,
    MissingFileError,
    TruncatedFileError,
)


def is_parquet(path: Path) -> bool:
    """Return whether the name of ``path`` is that of a Parquet file."""
    return path.suffix == ".parquet"


def read_columns(path: Path) -> dict[str, pl.DataType]:
    """Return the columns of a Parquet file with their types.

    Raises ``MissingFileError``, ``TruncatedFileError`` or ``EmptyTableError``.
    """
    if not path.is_file():
        raise MissingFileError(path)
    try:
        columns = pl.read_parquet_schema(path)
    except (OSError, pl.exceptions.PolarsError) as error:
        raise unreadable(path, error) from error
    if not columns:
        raise EmptyTableError(path, what="header")
    return dict(columns)


def scan_rows(path: Path, wanted: Sequence[str]) -> pl.LazyFrame:
    """Return the columns ``wanted`` as ``0``, ``1``, … of the file's own order, with ``row`` and
    ``LINE_FLAGS``, as ``delimited_cells.scan_cells`` does for text.

    Raises ``MalformedRowError`` for a column that is nested: text has no such thing.
    """
    columns = read_columns(path)
    cells = []
    for place, (name, kind) in enumerate(columns.items()):
        if name not in wanted:
            continue
        if kind.is_nested():
            remedy = f"write {name} as text, lists and structures as JSON"
            raise MalformedRowError(path, f"column {name} is nested ({kind})", remedy=remedy)
        cells.append(pl.col(name).cast(pl.String).alias(str(place)))
    numbered = pl.scan_parquet(path).with_row_index("row", offset=2)
    return numbered.select("row", *cells, *(pl.lit(False).alias(flag) for flag in LINE_FLAGS))


def read_rows(path: Path, *, rows: int | None = None) -> pl.DataFrame:
    """Return the first ``rows`` rows as they are, all without it. Raises ``TruncatedFileError``."""
    try:
        return pl.read_parquet(path, n_rows=rows)
    except (OSError, pl.exceptions.PolarsError) as error:
        raise unreadable(path, error) from error


def write_first_rows(path: Path, target: Path, rows: int) -> tuple[int, bool]:
    """Write the first ``rows`` rows to ``target``; return how many, and whether more follow."""
    frame = read_rows(path, rows=rows + 1)
    first = frame.head(rows)
    first.write_parquet(target)
    return len(first), len(frame) > rows


def unreadable(path: Path, error: Exception) -> TruncatedFileError:
    """Return the error for a file that is not a whole Parquet file."""
    return TruncatedFileError(path, str(error).splitlines()[0])
