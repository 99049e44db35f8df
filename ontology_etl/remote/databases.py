"""Tables of a PostgreSQL database, streamed over ADBC to Parquet files of text.

All tables of one database are read in one transaction that may only read, so what is copied is one
state of it. Values are written as PostgreSQL writes them as text; only the columns that are wanted
are sent. Rows are sorted by the server, so that equal rows give equal files. Who asks, and the
password, are libpq's: the address, ``PGUSER``, ``PGPASSWORD``, ``~/.pgpass``. Needs the extra
``remote`` (adbc-driver-postgresql).
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from ontology_etl.errors import DownloadError
from ontology_etl.releases.download import Fetched, Retries, note_download, sha256_of
from ontology_etl.releases.transfer import BrokenOffError, DownloadProgress
from ontology_etl.remote.addresses import shown
from ontology_etl.remote.objects import INSTALL

if TYPE_CHECKING:
    import pyarrow as pa

GROUP_ROWS: Final = 131_072
"""Rows of a row group: the same however the server cuts its answer."""
_CONNECT_S: Final = 10
_READ_ONLY: Final = (
    "SET SESSION CHARACTERISTICS AS TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY"
)
_STATE: Final = """
SELECT current_setting('transaction_read_only'), pg_current_snapshot()::text,
       current_setting('server_version')
"""
_TABLES: Final = """
SELECT table_schema || '.' || table_name FROM information_schema.tables
WHERE table_schema NOT IN ('pg_catalog', 'information_schema') ORDER BY 1 LIMIT 40
"""
_PASSING: Final = ("08", "40", "53", "57")
"""Classes of SQLSTATE that may pass: connection, conflict, resources, operator."""
_NO_TABLE: Final = "42P01"
_BUSY: Final = (
    "starting up",
    "shutting down",
    "too many",
    "connection slots",
    "recovery mode",
    "terminating connection",
)
"""What a server says that refuses for the moment; whatever else is fatal stays so."""
_READABLE: Final = "correct table or query; the role must be allowed to SELECT it"

Choose = Callable[[Sequence[str]], Sequence[str]]
"""Returns, of the columns of a table, those that are wanted."""


@dataclass(frozen=True)
class TableCopy:
    """Where the rows of a table, or of a query in its place, are written, and which columns."""

    target: Path
    relation: str
    """A table (``palm_virome``, ``public.palm_virome``), or a SELECT in parentheses."""
    choose: Choose


def quoted_table(name: str) -> str:
    """Return a table name as SQL, with or without its schema.

    >>> quoted_table("public.palm_virome")
    '"public"."palm_virome"'
    """
    return ".".join(_quoted(part) for part in name.split("."))


def copy_tables(
    url: str,
    copies: Sequence[TableCopy],
    *,
    progress: DownloadProgress | None = None,
    retries: Retries | None = None,
) -> None:
    """Write every one of ``copies`` from one state of the database at ``url``.

    A copy takes the place of an older one when all are complete. Raises ``DownloadError`` naming
    the address, the table and what to do; no copy is changed then.
    """
    retries = retries or Retries()
    reason = ""
    for attempt in range(retries.attempts):
        if attempt:
            time.sleep(retries.wait_s * 2 ** (attempt - 1))
        try:
            with _read_only(url) as cursor:
                state = _state(cursor, url)
                for copy in copies:
                    _write_rows(cursor, copy, url, progress)
        except BrokenOffError as error:
            reason = str(error)
        else:
            for copy in copies:
                _finish(copy, url, state)
            return
    remedy = "start the server, or correct host and port: in the path, or PGHOST and PGPORT"
    raise DownloadError(shown(url), f"{reason} ({retries.attempts} attempts)", remedy=remedy)


@contextmanager
def _read_only(url: str) -> Iterator[Any]:
    """Yield a cursor of a session that may only read; its errors are those of ``copy_tables``."""
    try:
        import adbc_driver_manager
        import adbc_driver_postgresql.dbapi as postgresql
    except ImportError as error:
        reason = "postgresql:// needs adbc-driver-postgresql"
        raise DownloadError(shown(url), reason, remedy=INSTALL) from error
    try:
        with postgresql.connect(_with_timeout(url)) as session, session.cursor() as cursor:
            cursor.execute(_READ_ONLY)
            session.commit()
            yield cursor
    except adbc_driver_manager.Error as error:
        raise _judged(error, url) from error


def _judged(error: Any, url: str) -> Exception:
    """Return what an error of the driver means: one that may pass, or one that will not."""
    reason = _one_line(error)
    state = error.sqlstate or ""
    is_busy = any(words in reason for words in _BUSY)
    if state[:2] in _PASSING or (not state and ("FATAL" not in reason or is_busy)):
        return BrokenOffError(reason)
    remedy = "name a role that may log in: postgresql://USER@HOST/DB, PGPASSWORD or ~/.pgpass"
    return DownloadError(shown(url), reason, remedy=_READABLE if state else remedy)


def _one_line(error: Exception) -> str:
    return " ".join(str(error).removeprefix("IO: ").split())


def _state(cursor: Any, url: str) -> str:
    """Return what names the state that the transaction sees. Raises where it could write."""
    cursor.execute(_STATE)
    ((read_only, snapshot, version),) = cursor.fetchall()
    if read_only != "on":
        remedy = "connect to the server itself, not through a pool that changes sessions"
        raise DownloadError(shown(url), "the session is not read-only", remedy=remedy)
    return f"PostgreSQL {version}, snapshot {snapshot}"


def _write_rows(cursor: Any, copy: TableCopy, url: str, progress: DownloadProgress | None) -> None:
    """Write the chosen columns of a relation to the unfinished copy, in their order as text."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    names = copy.choose(_columns(cursor, copy, url))
    cells = ", ".join(f'{_quoted(name)}::text COLLATE "C" AS {_quoted(name)}' for name in names)
    order = ", ".join(str(place) for place in range(1, len(names) + 1))
    cursor.execute(f"SELECT {cells} FROM {copy.relation} AS rows ORDER BY {order}")
    text = pa.schema([(name, pa.string()) for name in names])
    done = 0
    copy.target.parent.mkdir(parents=True, exist_ok=True)
    with pq.ParquetWriter(_part(copy), text, compression="zstd") as out:
        batches = _batches(cursor.fetch_record_batch(), url)
        for group in _groups(batches, text):
            out.write_table(group, row_group_size=GROUP_ROWS)
            done += group.nbytes
            if progress is not None:
                progress(copy.target.name, done, None)


def _batches(reader: Any, url: str) -> Iterator[pa.RecordBatch]:
    """Yield the batches of ``reader``; a connection that breaks meanwhile may be made again."""
    import pyarrow as pa

    try:
        yield from reader
    except OSError as error:
        raise BrokenOffError(_one_line(error)) from error
    except pa.ArrowException as error:
        raise DownloadError(shown(url), _one_line(error), remedy=_READABLE) from error


def _groups(batches: Iterator[pa.RecordBatch], schema: pa.Schema) -> Iterator[pa.Table]:
    """Yield the rows of ``batches`` in tables of ``GROUP_ROWS``, the last one with the rest."""
    import pyarrow as pa

    waiting: list[pa.RecordBatch] = []
    for batch in batches:
        waiting.append(batch)
        while sum(map(len, waiting)) >= GROUP_ROWS:
            table = _as_text(pa.Table.from_batches(waiting), schema)
            yield table.slice(0, GROUP_ROWS)
            waiting = table.slice(GROUP_ROWS).to_batches()
    if waiting:
        yield _as_text(pa.Table.from_batches(waiting), schema)


def _as_text(table: pa.Table, schema: pa.Schema) -> pa.Table:
    """Return ``table`` with ``schema``, without what the driver notes of its types."""
    import pyarrow as pa

    return pa.Table.from_arrays(table.columns, schema=schema)


def _columns(cursor: Any, copy: TableCopy, url: str) -> list[str]:
    """Return the columns of a relation. Raises ``DownloadError`` naming the tables that are there
    where this one is not.
    """
    import adbc_driver_manager

    try:
        cursor.execute(f"SELECT * FROM {copy.relation} AS rows LIMIT 0")
    except adbc_driver_manager.Error as error:
        if error.sqlstate != _NO_TABLE:
            raise
        cursor.connection.rollback()
        cursor.execute(_TABLES)
        there = ", ".join(name for (name,) in cursor.fetchall())
        remedy = f'write table = "…", one of: {there or "none that this role may see"}'
        reason = f"no table {copy.relation}"
        raise DownloadError(shown(url), reason, remedy=remedy) from error
    return list(cursor.fetch_record_batch().schema.names)


def _finish(copy: TableCopy, url: str, state: str) -> None:
    part = _part(copy)
    entry = Fetched(
        url=shown(url),
        sha256=sha256_of(part),
        size=part.stat().st_size,
        licence="",
        validator=state,
        fetched_at=datetime.now(UTC).isoformat(timespec="seconds"),
    )
    os.replace(part, copy.target)
    note_download(copy.target, entry)


def _part(copy: TableCopy) -> Path:
    return copy.target.with_name(f"{copy.target.name}.part")


def _quoted(name: str) -> str:
    doubled = name.replace('"', '""')
    return f'"{doubled}"'


def _with_timeout(url: str) -> str:
    """Return ``url`` with a bound on the seconds of connecting, unless it states one.

    >>> _with_timeout("postgresql://db/logan?sslmode=require")
    'postgresql://db/logan?sslmode=require&connect_timeout=10'
    """
    if "connect_timeout=" in url:
        return url
    joined = "&" if "?" in url else "?"
    return f"{url}{joined}connect_timeout={_CONNECT_S}"
