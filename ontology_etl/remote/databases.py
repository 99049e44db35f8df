"""Stream tables of a PostgreSQL database over ADBC to Parquet files of text.

All tables of one database are read in one read-only transaction, so the copies show one state. Only
wanted columns and changed rows are sent (``ontology_etl.remote.changes``), as PostgreSQL writes
them as text, sorted by the server, so that equal rows give equal files. User and password are
libpq's: the address, ``PGUSER``, ``PGPASSWORD``, ``~/.pgpass``. Needs the extra ``remote``
(adbc-driver-postgresql).
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import chain
from pathlib import Path
from typing import Any, Final

from ontology_etl.addresses import shown
from ontology_etl.errors import DownloadError
from ontology_etl.releases.download import Fetched, Retries, note_download, sha256_of
from ontology_etl.releases.transfer import BrokenOffError, DownloadProgress
from ontology_etl.remote.changes import (
    TableState,
    equal_groups,
    is_settled,
    measure,
    quoted,
    read_state,
    selection,
    settled_rows,
    write_state,
)
from ontology_etl.remote.session import REACHABLE, batches_of, read_only, state_of

_TABLES: Final = """
SELECT table_schema || '.' || table_name FROM information_schema.tables
WHERE table_schema NOT IN ('pg_catalog', 'information_schema') ORDER BY 1 LIMIT 40
"""
_COLUMNS: Final = """
SELECT table_schema || '.' || table_name, column_name::text FROM information_schema.columns
WHERE table_schema NOT IN ('pg_catalog', 'information_schema')
ORDER BY table_schema, table_name, ordinal_position
"""
_NO_TABLE: Final = "42P01"

Choose = Callable[[Sequence[str]], Sequence[str]]
"""Returns the wanted ones among the columns of a table."""


@dataclass(frozen=True)
class TableCopy:
    """Which columns of a table or query to copy, and where to."""

    target: Path
    relation: str
    """A table (``palm_virome``, ``public.palm_virome``), or a SELECT in parentheses."""
    choose: Choose
    since: str = ""
    """A column that only grows: rows below its largest value are not sent again."""


@dataclass(frozen=True)
class Copied:
    """A copied or unchanged table: its number of rows, and how many were sent."""

    target: Path
    rows: int
    sent: int


def quoted_table(name: str) -> str:
    """Return a table name as SQL, with or without its schema.

    >>> quoted_table("public.palm_virome")
    '"public"."palm_virome"'
    """
    return ".".join(quoted(part) for part in name.split("."))


def copy_tables(
    url: str,
    copies: Sequence[TableCopy],
    *,
    progress: DownloadProgress | None = None,
    retries: Retries | None = None,
) -> list[Copied]:
    """Write ``copies`` from one state of the database at ``url``; return the rows sent of each.

    A copy replaces an older one when all are complete. Raises ``DownloadError``; no copy is changed
    then.
    """
    retries = retries or Retries()
    reason = ""
    for attempt in range(retries.attempts):
        if attempt:
            time.sleep(retries.wait_s * 2 ** (attempt - 1))
        try:
            with read_only(url) as cursor:
                session = _Session(cursor, url, state_of(cursor, url), progress)
                sent = [_send(session, copy) for copy in copies]
        except BrokenOffError as error:
            reason = str(error)
        else:
            return [_finish(session, copy, state) for copy, state in zip(copies, sent, strict=True)]
    raise DownloadError(shown(url), f"{reason} ({retries.attempts} attempts)", remedy=REACHABLE)


def list_tables(url: str) -> dict[str, list[str]]:
    """Return the columns of the database's tables and views by name; raises ``DownloadError``."""
    found: dict[str, list[str]] = {}
    try:
        with read_only(url) as cursor:
            cursor.execute(_COLUMNS)
            for table, column in cursor.fetchall():
                found.setdefault(table, []).append(column)
    except BrokenOffError as error:
        raise DownloadError(shown(url), str(error), remedy=REACHABLE) from error
    return found


@dataclass(frozen=True)
class _Session:
    """A read-only transaction, and the name of the state that it sees."""

    cursor: Any
    url: str
    state: str
    progress: DownloadProgress | None


@dataclass(frozen=True)
class _Sent:
    """A table as it is now; ``rows`` were sent, None if the copy is current."""

    now: TableState
    rows: int | None


def _send(session: _Session, copy: TableCopy) -> _Sent:
    """Write the unfinished copy of a table, unless the present copy is current."""
    columns = _columns(session, copy)
    names = list(copy.choose(columns))
    if copy.since and copy.since not in columns:
        reason = f"{copy.relation} has no column {copy.since}"
        remedy = f"write since = one of: {', '.join(columns)}; or take it out"
        raise DownloadError(shown(session.url), reason, remedy=remedy)
    now = measure(session.cursor, copy.relation, names, copy.since)
    before = read_state(copy.target)
    if before is None or not before.is_of(now):
        return _Sent(now, _write_rows(session, copy, now, kept=None))
    if before.all == now.all:
        return _Sent(now, None)
    kept = before if is_settled(session.cursor, before) else None
    return _Sent(now, _write_rows(session, copy, now, kept=kept))


def _write_rows(
    session: _Session, copy: TableCopy, now: TableState, *, kept: TableState | None
) -> int:
    """Write the settled rows of ``kept``, then the rows sent, as text; return the number sent."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    session.cursor.execute(selection(now, kept))
    arriving = batches_of(session.cursor.fetch_record_batch(), session.url)
    text = pa.schema([(name, pa.string()) for name in now.columns])
    settled = settled_rows(copy.target, kept.settled.rows) if kept else iter(())
    rows = done = 0
    copy.target.parent.mkdir(parents=True, exist_ok=True)
    with pq.ParquetWriter(_part(copy), text, compression="zstd") as out:
        for group in equal_groups(chain(settled, arriving), text):
            out.write_table(group, row_group_size=len(group))
            rows += len(group)
            done += group.nbytes
            if session.progress is not None:
                session.progress(copy.target.name, done, None)
    return rows - (kept.settled.rows if kept else 0)


def _columns(session: _Session, copy: TableCopy) -> list[str]:
    """Return the columns of a relation; an absent one is a ``DownloadError`` that lists others."""
    import adbc_driver_manager

    cursor = session.cursor
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
        raise DownloadError(shown(session.url), reason, remedy=remedy) from error
    return list(cursor.fetch_record_batch().schema.names)


def _finish(session: _Session, copy: TableCopy, sent: _Sent) -> Copied:
    """Replace the older copy by what was sent; return how much that was."""
    if sent.rows is None:
        return Copied(copy.target, sent.now.all.rows, 0)
    part = _part(copy)
    sha256 = sha256_of(part)
    entry = Fetched(
        url=shown(session.url),
        sha256=sha256,
        size=part.stat().st_size,
        licence="",
        validator=session.state,
        fetched_at=datetime.now(UTC).isoformat(timespec="seconds"),
    )
    os.replace(part, copy.target)
    note_download(copy.target, entry)
    write_state(copy.target, sent.now.model_copy(update={"sha256": sha256}))
    return Copied(copy.target, sent.now.all.rows, sent.rows)


def _part(copy: TableCopy) -> Path:
    return copy.target.with_name(f"{copy.target.name}.part")
