"""The DuckDB file: built beside the published one, swapped in atomically, opened read-only by
everybody else.

A reader that has the old file open keeps it (the inode lives on); a reader that opens afterwards
gets the new one. A build that dies leaves the published file as it was and a ``.building`` file
that the next build removes. Files are written in the storage format of DuckDB 1.2, so that analysts
with any 1.x can read them. Keys are checked by the contracts and rows lie sorted by key (zone maps
answer a key lookup in milliseconds); a primary-key index would make the file four times as large
(decisions/0003-one-duckdb-file.md).
"""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import dataframely as dy
import duckdb
import polars as pl

from index.errors import DiskFullError, IndexBusyError
from index.store.read import CONTRACT_VERSION as CONTRACT_VERSION
from index.store.read import DEFAULT_DB as DEFAULT_DB
from index.store.read import open_index as open_index
from index.tables import HISTORY, TABLES
from ontology_etl.tables import conform

STORAGE_VERSION: Final = "v1.2.0"
VOLATILE_KEYS: Final = "^(seconds|memory|run_at|path|llm)\\."
_SCHEMA_SQL: Final = Path(__file__).parents[1] / "schema.sql"
_SQL_TYPES: Final[dict[pl.DataType | type[pl.DataType], str]] = {
    pl.String: "VARCHAR", pl.Int64: "BIGINT", pl.Int32: "INTEGER", pl.Float64: "DOUBLE", pl.Boolean: "BOOLEAN",
    pl.Date: "DATE", pl.Array(pl.Float32, 384): "FLOAT[384]",
}  # fmt: skip


class Build:
    """An index being built; ``connection`` holds what is written so far, nothing is visible before
    ``publish``.
    """

    def __init__(self, path: Path, connection: duckdb.DuckDBPyConnection) -> None:
        self.path = path
        self.connection = connection
        self.published = False

    def write(self, table: str, frame: pl.DataFrame) -> int:
        """Check ``frame`` against the contract of ``table``, append it, and return the number of
        rows written.

        Raises ``ContractError`` on a bad row and ``DiskFullError`` where the file cannot grow.
        """
        return self.append(table, conform(frame, TABLES[table]))

    def append(self, table: str, rows: pl.DataFrame) -> int:
        """Append ``rows``, which ``conform`` has returned and nobody has touched since, without
        checking them again.
        """
        self.connection.register("incoming", rows)
        try:
            self._write(f"INSERT INTO {table} BY NAME SELECT * FROM incoming")
        finally:
            self.connection.unregister("incoming")
        return len(rows)

    def replace(self, table: str, frame: pl.DataFrame) -> int:
        """Empty ``table`` and write ``frame`` in its place; return the number of rows written."""
        self._write(f"DELETE FROM {table}")
        return self.write(table, frame)

    def note(self, entries: Mapping[str, object]) -> None:
        """Record how the index was made: one ``build`` row per entry."""
        frame = pl.DataFrame(
            {"key": list(entries), "value": [str(value) for value in entries.values()]}
        )
        self.write("build", frame.cast(pl.String))

    def publish(self) -> None:
        """Swap the finished file in: from here on every new reader gets it; what ``hold`` kept is
        removed.
        """
        self._move_to(self.path)
        self.published = True
        held_path(self.path).unlink(missing_ok=True)

    def hold(self) -> Path:
        """Keep the file beside the published index, to be looked at; return its path. Nothing can
        be written after.
        """
        held = held_path(self.path)
        self._move_to(held)
        return held

    def _move_to(self, target: Path) -> None:
        """Write the file out in full and move it to ``target``."""
        working = building_path(self.path)
        self._write("CHECKPOINT")
        self.connection.close()
        with working.open("rb") as file:
            os.fsync(file.fileno())
        os.replace(working, target)

    def _write(self, statement: str) -> None:
        """Run ``statement``; where the file cannot grow, DuckDB fails on the write or on the commit
        of it.
        """
        try:
            self.connection.execute(statement)
        except (duckdb.IOException, duckdb.TransactionException, duckdb.FatalException) as error:
            raise DiskFullError(self.path, reason=str(error).splitlines()[0]) from error


@contextmanager
def build_index(path: Path, *, memory_limit: str = "4GB") -> Iterator[Build]:
    """Yield an empty index beside ``path``; unless it is published, it is removed and ``path``
    stays as it was.

    Raises ``IndexBusyError`` while another process builds the same index.
    """
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    with _sole_builder(path):
        _discard(building_path(path))
        connection = duckdb.connect(
            building_path(path),
            config={"storage_compatibility_version": STORAGE_VERSION, "memory_limit": memory_limit},
        )
        build = Build(path, connection)
        try:
            create_schema(connection)
            yield build
        finally:
            if not build.published:
                connection.close()
                _discard(building_path(path))


def create_schema(connection: duckdb.DuckDBPyConnection) -> None:
    """Create every table of the contracts, empty and commented, and the views for analysts."""
    for name, schema in TABLES.items():
        connection.execute(_table_ddl(name, schema))
    connection.execute(_SCHEMA_SQL.read_text(encoding="utf-8"))


def read_table(connection: duckdb.DuckDBPyConnection, table: str) -> pl.DataFrame:
    """Return a whole table of the index as its contract types it, in stored order."""
    frame: pl.DataFrame = connection.sql(f"FROM {table}").pl()
    return frame.cast({name: column.dtype for name, column in TABLES[table].columns().items()})


def table_counts(connection: duckdb.DuckDBPyConnection) -> dict[str, int]:
    """Return the number of rows of every table, in the order of the contracts."""
    counts = " UNION ALL ".join(
        f"SELECT '{name}' AS name, count(*) AS n FROM {name}" for name in TABLES
    )
    return dict(connection.execute(counts).fetchall())


def content_hash(connection: duckdb.DuckDBPyConnection) -> str:
    """Return a digest of the content and the row order of every table but times and past answers.

    Equal input gives equal content, so two builds of the same inputs have the same digest. Rows are
    hashed by DuckDB's own hash, twenty times faster than md5 of their text: digests compare builds
    by the same version of DuckDB, which ``build`` notes.
    """
    parts = []
    for name in sorted(set(TABLES) - set(HISTORY)):
        where = f"WHERE NOT regexp_matches(key, '{VOLATILE_KEYS}')" if name == "build" else ""
        numbered = f"SELECT row_number() OVER () AS n, * FROM {name} {where}"
        parts.append(
            f"SELECT '{name}' AS name, count(*) AS rows, sum(hash(t)) AS h FROM ({numbered}) t"
        )
    digests = " UNION ALL ".join(parts)
    query = (
        f"SELECT md5(string_agg(concat_ws(':', name, rows, h), ',' ORDER BY name)) FROM ({digests})"
    )
    ((digest,),) = connection.execute(query).fetchall()
    return str(digest)


def building_path(path: Path) -> Path:
    """Return where the index of ``path`` is built before it is published."""
    return path.with_name(f"{path.name}.building")


def held_path(path: Path) -> Path:
    """Return where a build of the index of ``path`` is kept that was stopped before it was
    published.
    """
    return path.with_name(f"{path.name}.held")


def _table_ddl(name: str, schema: type[dy.Schema]) -> str:
    columns = schema.columns()
    body = ", ".join(
        f"{column} {_SQL_TYPES[spec.dtype]}{'' if spec.nullable else ' NOT NULL'}"
        for column, spec in columns.items()
    )
    key = ", ".join(schema.primary_key()) or "all columns"
    summary = " ".join((schema.__doc__ or "").strip().split("\n\n")[0].split())
    comments = [f"COMMENT ON TABLE {name} IS {_quote(f'{summary} Key: {key}.')}"]
    comments += [
        f"COMMENT ON COLUMN {name}.{column} IS {_quote(spec.description or '')}"
        for column, spec in columns.items()
    ]
    return ";\n".join([f"CREATE TABLE {name} ({body})", *comments])


def _quote(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


@contextmanager
def _sole_builder(path: Path) -> Iterator[None]:
    """Hold the build lock of ``path``; the kernel lets go of it however the process ends."""
    lock = path.with_name(f"{path.name}.lock")
    with lock.open("a+") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            file.seek(0)
            raise IndexBusyError(path, pid=int(file.read() or 0)) from error
        file.truncate(0)
        file.write(str(os.getpid()))
        file.flush()
        yield


def _discard(working: Path) -> None:
    for leftover in (working, working.with_name(f"{working.name}.wal")):
        leftover.unlink(missing_ok=True)
