"""Compare two indexes: the first object, row or digest in which they differ."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import duckdb

from index.store.build import VOLATILE_KEYS, content_hash, tables_hash
from index.store.catalogue import UnequalObject, unequal_object
from index.tables import CARRIED, TABLES

ROWS_AT_ONCE: Final = 10_000
PREMISES: Final = "^(version|parameter|input)\\."
"""Notes of an index about its inputs rather than its content."""

_DIGEST: Final = "content_hash"
_DUCKDB: Final = "version.duckdb"
_NOTED: Final = f"SELECT key, value FROM build WHERE key IN ('{_DIGEST}', '{_DUCKDB}')"

Row = tuple[object, ...]


@dataclass(frozen=True)
class UnequalRow:
    """The first row, counted from 1, in which two indexes differ; None past the end of one."""

    table: str
    row: int
    recorded: Row | None
    rebuilt: Row | None

    @property
    def place(self) -> str:
        """Where the indexes differ, in words."""
        return f"{self.table}, row {self.row:,}"


def compared_tables() -> tuple[str, ...]:
    """Return the tables that a build makes of its inputs, in the order in which it fills them."""
    return tuple(name for name in TABLES if name not in CARRIED)


def first_difference(
    recorded: duckdb.DuckDBPyConnection, rebuilt: duckdb.DuckDBPyConnection
) -> UnequalRow | UnequalObject | None:
    """Return the first difference, or None where there is none.

    Compared are tables, columns, views, macros and their comments; then the content and row order
    of ``compared_tables``; then the digest that ``recorded`` notes of itself. Notes in ``build``
    about times, memory and inputs count only through the digest.
    """
    unequal = unequal_object(recorded, rebuilt)
    if unequal is not None:
        return unequal
    for table in compared_tables():
        is_alike = tables_hash(recorded, [table]) == tables_hash(rebuilt, [table])
        found = None if is_alike else _first_row(table, recorded, rebuilt)
        if found is not None:
            return found
    return _unequal_digest(recorded, rebuilt)


def _unequal_digest(
    recorded: duckdb.DuckDBPyConnection, rebuilt: duckdb.DuckDBPyConnection
) -> UnequalObject | None:
    """Return the digest that ``recorded`` notes where it is not that of its content.

    Digests of another version of DuckDB say nothing.
    """
    noted, now = dict(recorded.execute(_NOTED).fetchall()), dict(rebuilt.execute(_NOTED).fetchall())
    if noted.get(_DUCKDB) != now.get(_DUCKDB):
        return None
    digest = content_hash(recorded)
    if noted.get(_DIGEST) == digest:
        return None
    return UnequalObject("content_hash in build", recorded=noted.get(_DIGEST), rebuilt=digest)


def _first_row(
    table: str, recorded: duckdb.DuckDBPyConnection, rebuilt: duckdb.DuckDBPyConnection
) -> UnequalRow | None:
    query = f"FROM {table}"
    if table == "build":
        query = f"{query} WHERE NOT regexp_matches(key, '{VOLATILE_KEYS}|{PREMISES}')"
    ours, theirs = recorded.execute(query), rebuilt.execute(query)
    before = 0
    while True:
        left, right = ours.fetchmany(ROWS_AT_ONCE), theirs.fetchmany(ROWS_AT_ONCE)
        if left != right:
            place = _first_unequal(left, right)
            recorded_row, rebuilt_row = (
                rows[place] if place < len(rows) else None for rows in (left, right)
            )
            return UnequalRow(table, before + place + 1, recorded_row, rebuilt_row)
        if not left:
            return None
        before += len(left)


def _first_unequal(left: list[Row], right: list[Row]) -> int:
    """Return the place of the first row that the other list does not have there."""
    pairs = enumerate(zip(left, right, strict=False))
    unequal = (place for place, (one, other) in pairs if one != other)
    return next(unequal, min(len(left), len(right)))
