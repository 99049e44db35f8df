"""The published index as readers open it: read-only, in milliseconds.

Neither Polars nor the contracts are loaded for it.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

import duckdb

from index.errors import IndexMissingError, IndexVersionError

CONTRACT_VERSION: Final = "3"
DEFAULT_DB: Final = Path("data/index/virome.duckdb")
DEMO_DB: Final = Path("data/index/demo.duckdb")


def default_index() -> Path:
    """Return the index that readers take by default: the published index.

    Where only the demo's index exists, it is that.
    """
    if DEFAULT_DB.exists():
        return DEFAULT_DB
    if DEMO_DB.exists():
        return DEMO_DB
    return DEFAULT_DB


_VERSION_SQL: Final = "SELECT value FROM build WHERE key = 'version.contract'"


def open_index(path: Path | str) -> duckdb.DuckDBPyConnection:
    """Return a read-only connection to the published index at ``path``.

    Raises ``IndexMissingError`` where there is none, ``IndexVersionError`` where it has another
    contract version.
    """
    if not Path(path).exists():
        raise IndexMissingError(path)
    try:
        connection = duckdb.connect(str(path), read_only=True)
        rows = connection.execute(_VERSION_SQL).fetchall()
    except (duckdb.CatalogException, duckdb.IOException) as error:
        reason = str(error).splitlines()[0]
        found = f"none ({reason})"
        raise IndexVersionError(path, found=found, expected=CONTRACT_VERSION) from error
    found = rows[0][0] if rows else "none"
    if found != CONTRACT_VERSION:
        connection.close()
        raise IndexVersionError(path, found=found, expected=CONTRACT_VERSION)
    return connection


def contract_of(path: Path) -> str:
    """Return the contract version of the index at ``path``, ``none`` where there is no index."""
    try:
        connection = open_index(path)
    except IndexVersionError as error:
        return error.found
    connection.close()
    return CONTRACT_VERSION


def answers_beside(db: Path) -> Path:
    """Return the file beside the index at ``db`` that keeps the answers of models."""
    name = f"{db.name}.answers.sqlite"
    return db.with_name(name)
