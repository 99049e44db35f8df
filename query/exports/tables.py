"""Tables of the index as Parquet, CSV or JSON lines, streamed: memory does not grow with rows."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final, Literal

import duckdb
import pyarrow as pa
from pyarrow import csv, parquet

from index.store.whole_file import whole_file
from query.errors import UngatedExportError, UnknownTableError
from query.exports.donors import MAY_IDENTIFY, OF_SAMPLES

TableFormat = Literal["parquet", "csv", "json"]
ROWS_AT_ONCE: Final = 100_000
SUFFIXES: Final[dict[TableFormat, str]] = {"parquet": ".parquet", "csv": ".csv", "json": ".jsonl"}
_RELATIONS: Final = """
SELECT table_name FROM duckdb_tables() WHERE NOT internal
UNION ALL
SELECT view_name FROM duckdb_views() WHERE NOT internal
ORDER BY 1
"""
_BY_COMMUNITY: Final = """
SELECT DISTINCT table_name FROM duckdb_columns()
WHERE column_name = 'community' AND NOT internal ORDER BY 1
"""


Write = Callable[["pa.RecordBatch"], object]
"""Takes the rows of a table, batch by batch."""


def relations(con: duckdb.DuckDBPyConnection) -> list[str]:
    """Return the names of all tables and views of the index, sorted."""
    return [name for (name,) in con.execute(_RELATIONS).fetchall()]


def by_community(con: duckdb.DuckDBPyConnection) -> list[str]:
    """Return the names of the tables and views whose every row is of one community, sorted."""
    return [name for (name,) in con.execute(_BY_COMMUNITY).fetchall()]


def export_table(
    con: duckdb.DuckDBPyConnection,
    name: str,
    folder: Path,
    *,
    form: TableFormat,
    withheld: Collection[str] = (),
    donors: bool = False,
) -> tuple[Path, int]:
    """Write a table or view to ``folder`` in the order of the index; return the file and its rows.

    Rows of the communities ``withheld`` are left out, and so are attributes that may identify
    ``donors`` unless asked for.

    Raises:
        UnknownTableError: the index has no such table or view.
        UngatedExportError: something is withheld, and its rows are of no community.
        OSError: the file cannot be written.
    """
    known = relations(con)
    if name not in known:
        raise UnknownTableError(name, known=known)
    path = folder / f"{name}{SUFFIXES[form]}"
    query, kept_back = f'FROM "{name}"', []
    if withheld:
        gated = by_community(con)
        if name not in gated:
            raise UngatedExportError(name, gated=gated)
        query += " WHERE NOT list_contains($1::VARCHAR[], community)"
        kept_back = [sorted(withheld)]
    elif name in OF_SAMPLES and not donors:
        query += f" WHERE NOT {MAY_IDENTIFY}"
    rows = 0
    with (
        con.sql(query, params=kept_back or None).to_arrow_reader(ROWS_AT_ONCE) as reader,
        whole_file(path) as working,
        _WRITERS[form](working, reader.schema) as write,
    ):
        for batch in reader:
            write(batch)
            rows += batch.num_rows
    return path, rows


@contextmanager
def _parquet(path: Path, schema: pa.Schema) -> Iterator[Write]:
    with parquet.ParquetWriter(path, schema, compression="zstd") as writer:
        yield writer.write


@contextmanager
def _csv(path: Path, schema: pa.Schema) -> Iterator[Write]:
    """Yield what writes CSV; vectors, which CSV cannot hold, are written as JSON."""
    flat = pa.schema(
        pa.field(field.name, pa.string()) if pa.types.is_nested(field.type) else field
        for field in schema
    )
    with csv.CSVWriter(path, flat) as writer:
        yield lambda batch: writer.write(_flattened(batch, flat))


@contextmanager
def _json_lines(path: Path, _schema: pa.Schema) -> Iterator[Write]:
    with path.open("w", encoding="utf-8") as file:
        yield lambda batch: file.writelines(
            f"{json.dumps(row, ensure_ascii=False, default=str)}\n" for row in batch.to_pylist()
        )


_WRITERS: Final = {"parquet": _parquet, "csv": _csv, "json": _json_lines}


def _flattened(batch: pa.RecordBatch, flat: pa.Schema) -> pa.RecordBatch:
    """Return ``batch`` with nested columns as JSON, as the schema ``flat`` has them."""
    columns = [
        pa.array(map(_as_json, column.to_pylist()), pa.string())
        if pa.types.is_nested(field.type)
        else column
        for column, field in zip(batch.columns, batch.schema, strict=True)
    ]
    return pa.RecordBatch.from_arrays(columns, schema=flat)


def _as_json(value: object) -> str | None:
    return None if value is None else json.dumps(value)
