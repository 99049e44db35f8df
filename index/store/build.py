"""The DuckDB file: built next to the published one, then moved over it in one step.

A reader that has the old file open keeps it (the inode lives on); a reader that opens afterwards
gets the new one. A build that dies leaves the published file as it was and a ``.building`` file
that the next build removes. Files are written in the storage format of DuckDB 1.2, so that analysts
with 1.2 or newer can read them. Keys are checked by the contracts and rows are sorted by key (zone
maps answer a key lookup in milliseconds); a primary-key index would make the file four times as
large (decisions/0003-one-duckdb-file.md).
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import duckdb
import polars as pl

from index.config import MAX_DATABASE_GB
from index.errors import DatabaseMemoryError, DiskFullError, IndexTargetError, StoreError
from index.store.read import CONTRACT_VERSION as CONTRACT_VERSION
from index.store.read import DEFAULT_DB as DEFAULT_DB
from index.store.read import LOCKED, Settings, beside, first_line, open_carried
from index.store.read import open_index as open_index
from index.store.schema import create_schema
from index.store.target import check_target, sole_builder
from index.tables import CARRIED, TABLES
from ontology_etl.tables import conform

STORAGE_VERSION: Final = "v1.2.0"
VOLATILE_KEYS: Final = (
    "^(seconds|memory|cpu|rows|bytes|run_at|path|llm|stage|result|counts)\\.|^content_hash$"
)
"""Notes of an index about how it was made, and about its content."""
NOTED_RESULT: Final = "result."
"""Prefix of the keys of stored results in ``build``; the values are the digests of the results."""
_FILE_CANNOT_GROW: Final = (duckdb.IOException, duckdb.TransactionException, duckdb.FatalException)


class Build:
    """An index being built; ``connection`` holds what is written so far.

    Nothing is visible to readers before ``publish``. ``recorder`` is called with the name and the
    rows of all that is appended or set aside. ``is_whole`` is False from ``keep_nothing`` on until
    the next stage.
    """

    def __init__(self, path: Path, connection: duckdb.DuckDBPyConnection) -> None:
        self.path = path
        self.connection = connection
        self.published = False
        self.recorder: Callable[[str, pl.DataFrame], None] | None = None
        self.is_whole = True
        self._asides: dict[str, Callable[[], pl.DataFrame]] = {}

    def create_tables(self) -> None:
        """Create every table and view, empty. Raises ``DiskFullError``."""
        with self._growing():
            create_schema(self.connection)

    def write(self, table: str, frame: pl.DataFrame) -> int:
        """Check ``frame`` against the contract of ``table``, append it, return the rows written.

        Raises ``ContractError`` on a bad row and ``DiskFullError`` where the file cannot grow.
        """
        return self.append(table, conform(frame, TABLES[table]))

    def append(self, table: str, rows: pl.DataFrame) -> int:
        """Append ``rows`` as ``conform`` returned them, unchecked; return their number."""
        self.connection.register("incoming", rows)
        try:
            self._execute(f"INSERT INTO {table} BY NAME SELECT * FROM incoming")
        finally:
            self.connection.unregister("incoming")
        if self.recorder is not None:
            self.recorder(table, rows)
        return len(rows)

    def set_aside(self, name: str, frame: pl.DataFrame) -> None:
        """Store a table that later stages need and that is not part of the index."""
        self.promise(name, lambda: frame)
        if self.recorder is not None:
            self.recorder(name, frame)

    def keep_nothing(self) -> None:
        """Do not store the result of the running stage for later builds: something was missing."""
        self.is_whole = False

    def promise(self, name: str, read: Callable[[], pl.DataFrame]) -> None:
        """Let ``aside(name)`` return what ``read`` returns."""
        self._asides[name] = read

    def aside(self, name: str) -> pl.DataFrame:
        """Return the table that was set aside under ``name``. Raises ``KeyError``."""
        return self._asides[name]()

    def release(self, *names: str) -> None:
        """Drop tables that were set aside: nothing needs them any more."""
        for name in names:
            self._asides.pop(name, None)

    def replace(self, table: str, frame: pl.DataFrame) -> int:
        """Empty ``table`` and write ``frame`` in its place; return the number of rows written.

        Not for stages whose writing is recorded: a record only adds.
        """
        assert self.recorder is None, f"{table} is replaced while its writing is recorded"
        self._execute(f"DELETE FROM {table}")
        return self.write(table, frame)

    def note(self, entries: Mapping[str, object]) -> None:
        """Record how the index was made: one ``build`` row per entry."""
        rows = [(key, str(value)) for key, value in entries.items()]
        schema = {"key": pl.String, "value": pl.String}
        self.write("build", pl.DataFrame(rows, schema=schema, orient="row"))

    def publish(self) -> None:
        """Move the finished file over the published one, and remove what ``hold`` stored."""
        self._move_to(self.path)
        self.published = True
        held_path(self.path).unlink(missing_ok=True)

    def hold(self) -> Path:
        """Leave the finished file next to the published index for inspection; return its path."""
        target = held_path(self.path)
        self._move_to(target)
        return target

    def _move_to(self, target: Path) -> None:
        """Write the file out in full and move it to ``target``."""
        working = building_path(self.path)
        self._execute("CHECKPOINT")
        self.connection.close()
        try:
            with working.open("rb") as file:
                os.fsync(file.fileno())
            os.replace(working, target)
        except OSError as error:
            raise DiskFullError(self.path, reason=error.strerror or str(error)) from error

    def _execute(self, statement: str) -> None:
        with self._growing():
            self.connection.execute(statement)

    @contextmanager
    def _growing(self) -> Iterator[None]:
        """Raise ``DiskFullError`` where DuckDB fails on a write, or on its commit, for room."""
        try:
            yield
        except _FILE_CANNOT_GROW as error:
            raise DiskFullError(self.path, reason=first_line(error)) from error


@contextmanager
def build_index(path: Path, *, max_gb: float = MAX_DATABASE_GB) -> Iterator[Build]:
    """Yield an empty index next to ``path``, which is removed unless it is published.

    Beyond ``max_gb`` DuckDB works on disk: memory is for the tables of the stages. Raises
    ``DatabaseMemoryError`` where a statement needs more than that and cannot work on disk. Raises
    ``IndexTargetError`` where no index can be published at ``path``, ``IndexBusyError``
    while another process builds the same index.
    """
    target = check_target(Path(path))
    working = building_path(target)
    with sole_builder(target):
        connection = _empty(working, target=target, max_gb=max_gb)
        build = Build(target, connection)
        try:
            build.create_tables()
            yield build
        except duckdb.OutOfMemoryException as error:
            reason = first_line(error)
            raise DatabaseMemoryError(target, gigabytes=max_gb, reason=reason) from error
        finally:
            if not build.published:
                connection.close()
                _discard(working)


def stored_table(connection: duckdb.DuckDBPyConnection, table: str) -> pl.DataFrame:
    """Return a whole table of the index as its contract types it, in stored order."""
    types = {name: column.dtype for name, column in TABLES[table].columns().items()}
    columns = ", ".join(f'"{name}"' for name in types)
    frame: pl.DataFrame = connection.sql(f"SELECT {columns} FROM {table}").pl()
    return frame.cast(pl.Schema(types))


def table_counts(connection: duckdb.DuckDBPyConnection) -> dict[str, int]:
    """Return the number of rows of every table, in the order of the contracts."""
    counts = [f"SELECT '{name}' AS name, count(*) AS n FROM {name}" for name in TABLES]
    return dict(connection.execute(" UNION ALL ".join(counts)).fetchall())


def content_hash(connection: duckdb.DuckDBPyConnection) -> str:
    """Return a digest of the content and row order of every table, except times and what is carried
    over.

    Equal input gives equal content, so two builds of the same inputs have the same digest. Rows are
    hashed by DuckDB's own hash, twenty times faster than md5 of their text: digests compare builds
    by the same version of DuckDB, which ``build`` notes.
    """
    return tables_hash(connection, sorted(set(TABLES) - set(CARRIED)))


def tables_hash(connection: duckdb.DuckDBPyConnection, names: Sequence[str]) -> str:
    """Return a digest of the content and row order of the tables ``names``."""
    digests = " UNION ALL ".join(_table_digest(name) for name in names)
    listed = "string_agg(concat_ws(':', name, rows, h), ',' ORDER BY name)"
    ((digest,),) = connection.execute(f"SELECT md5({listed}) FROM ({digests})").fetchall()
    return str(digest)


def results_path(path: Path) -> Path:
    """Return the folder that keeps the results of stages for the index of ``path``."""
    return beside(path, "results")


def noted_results(path: Path) -> dict[str, str]:
    """Return the digests of results that the index at ``path`` notes, by key; none without one."""
    try:
        with open_carried(path) as connection:
            rows = connection.execute(_NOTED_RESULTS, [NOTED_RESULT]).fetchall()
    except (StoreError, duckdb.Error):
        return {}
    return {str(key): str(digest) for key, digest in rows}


_NOTED_RESULTS: Final = """
SELECT substr(key, length($1) + 1), value FROM build WHERE starts_with(key, $1)
"""


def building_path(path: Path) -> Path:
    """Return where the index of ``path`` is built before it is published."""
    return beside(path, "building")


def held_path(path: Path) -> Path:
    """Return where a build of the index of ``path`` is stored that was not published."""
    return beside(path, "held")


def _table_digest(name: str) -> str:
    """Return SQL for (name, rows, h): the row count and a hash of the numbered rows of a table."""
    condition = f"WHERE NOT regexp_matches(key, '{VOLATILE_KEYS}')" if name == "build" else ""
    numbered = f"SELECT row_number() OVER () AS n, * FROM {name} {condition}"
    return f"SELECT '{name}' AS name, count(*) AS rows, sum(hash(t)) AS h FROM ({numbered}) t"


def _empty(working: Path, *, target: Path, max_gb: float) -> duckdb.DuckDBPyConnection:
    """Return a connection to an empty database at ``working``, that can open no other file."""
    config: Settings = {
        **LOCKED,
        "storage_compatibility_version": STORAGE_VERSION,
        "memory_limit": f"{max_gb:g}GB",
        "fsync_mode": "NONE",  # an unfinished file is worth nothing; _move_to syncs a finished one
    }
    try:
        _discard(working)
        return duckdb.connect(working, config=config)
    except (OSError, duckdb.Error) as error:
        reason = f"cannot be built at {working} ({error})"
        raise IndexTargetError(target, reason=reason) from error


def _discard(working: Path) -> None:
    """Remove an unfinished file, its log, and what DuckDB spilled to disk."""
    working.unlink(missing_ok=True)
    beside(working, "wal").unlink(missing_ok=True)
    shutil.rmtree(beside(working, "tmp"), ignore_errors=True)
