"""The published index as readers open it: read-only and locked, in milliseconds.

An index may come from anybody, and its views are programs: a connection reads no other file, loads
no extension, and sees no variable of Python, and none of it can be switched on again. Neither
Polars nor the contracts are loaded for it.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

import duckdb

from index.errors import IndexDamagedError, IndexMissingError, IndexVersionError

CONTRACT_VERSION: Final = "16"
"""Raised with every change of a table, a column or a view (``tests/snapshots/contract.txt``): an
index of another version is refused, since what a reader asks for may not be there.
"""
DEFAULT_DB: Final = Path("data/index/virome.duckdb")
DEMO_DB: Final = Path("data/index/demo.duckdb")


Settings = dict[str, str | bool | int | float | list[str]]
LOCKED: Final[Settings] = {
    "enable_external_access": False,
    "autoload_known_extensions": False,
    "autoinstall_known_extensions": False,
    "allow_community_extensions": False,
    "python_enable_replacements": False,
    "lock_configuration": True,
}
"""Settings of every connection: no file but the index (no COPY, no ATTACH), no extension."""
_OF_READERS: Final[Settings] = {**LOCKED, "threads": 1}
"""Settings of readers: they share the cores, and a request takes a fifth less of them with one
thread (decision 392). A reader's own SQL runs in a process of its own.
"""


def default_index() -> Path:
    """Return the index that readers take: the published one, or the demo's if it is alone."""
    return DEMO_DB if DEMO_DB.exists() and not DEFAULT_DB.exists() else DEFAULT_DB


_VERSION_SQL: Final = "SELECT value FROM build WHERE key = 'version.contract'"


def open_index(path: Path | str, **settings: str) -> duckdb.DuckDBPyConnection:
    """Return a locked, read-only connection to the published index at ``path``.

    ``settings`` are further ones of DuckDB.

    Raises ``IndexMissingError`` if there is none, ``IndexVersionError`` if it has another contract
    version, ``IndexDamagedError`` if it is not an index or cannot be read.
    """
    connection = open_carried(path, **settings)
    found = _contract(connection)
    if found != CONTRACT_VERSION:
        connection.close()
        raise IndexVersionError(path, found=found, expected=CONTRACT_VERSION)
    return connection


def open_carried(path: Path | str, **settings: str) -> duckdb.DuckDBPyConnection:
    """Return a locked, read-only connection to the index at ``path``, of whatever contract version.

    This is for a build, which carries over data from the index before it. Reading something that
    the other version lacks fails. Raises ``IndexMissingError`` if there is none,
    ``IndexDamagedError`` if it is not an index.
    """
    connection = open_locked(path, **settings)
    try:
        _contract(connection)
    except duckdb.Error as error:
        connection.close()
        raise IndexDamagedError(path, reason=first_line(error)) from error
    return connection


def open_locked(path: Path | str, **settings: str) -> duckdb.DuckDBPyConnection:
    """Return a locked, read-only connection to the DuckDB file at ``path``, whatever it holds.

    Raises ``IndexMissingError`` where there is none and ``IndexDamagedError`` where it is not to
    be opened.
    """
    if not Path(path).exists():
        raise IndexMissingError(path)
    if not Path(path).is_file():
        raise IndexDamagedError(path, reason="not a file")
    try:
        return duckdb.connect(str(path), read_only=True, config={**_OF_READERS, **settings})
    except duckdb.Error as error:
        raise IndexDamagedError(path, reason=first_line(error)) from error


def first_line(error: Exception) -> str:
    """Return the first line of what DuckDB says."""
    lines = str(error).splitlines()
    return lines[0] if lines else type(error).__name__


def _contract(connection: duckdb.DuckDBPyConnection) -> str:
    """Return the contract version that the index names, ``none`` where it names none."""
    rows = connection.execute(_VERSION_SQL).fetchall()
    return str(rows[0][0]) if rows else "none"


def contract_of(path: Path) -> str:
    """Return the contract version of the index at ``path``, with the reason if it has none."""
    try:
        connection = open_index(path)
    except IndexVersionError as error:
        return error.found
    except IndexDamagedError as error:
        return f"none ({error.reason})"
    connection.close()
    return CONTRACT_VERSION


def answers_beside(db: Path) -> Path:
    """Return the file next to the index at ``db`` that stores the answers of models."""
    return beside(db, "answers.sqlite")


def beside(db: Path, suffix: str) -> Path:
    """Return the file next to the index at ``db`` whose name is that of the index and ``suffix``.

    Two names of an index share these files: links are followed.
    """
    real = db.resolve()
    return real.with_name(f"{real.name}.{suffix}")
