"""The published index as readers open it: read-only, in milliseconds, without loading Polars or the
contracts.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

import duckdb

from index.errors import IndexMissingError, IndexVersionError

CONTRACT_VERSION: Final = "1"
DEFAULT_DB: Final = Path("data/index/virome.duckdb")


def open_index(path: Path | str) -> duckdb.DuckDBPyConnection:
    """Return a read-only connection to the published index at ``path``.

    Raises ``IndexMissingError`` where there is none, ``IndexVersionError`` where it has another
    contract version.
    """
    if not Path(path).exists():
        raise IndexMissingError(path)
    try:
        connection = duckdb.connect(str(path), read_only=True)
        rows = connection.execute(
            "SELECT value FROM build WHERE key = 'version.contract'"
        ).fetchall()
    except (duckdb.CatalogException, duckdb.IOException) as error:
        reason = str(error).splitlines()[0]
        raise IndexVersionError(
            path, found=f"none ({reason})", expected=CONTRACT_VERSION
        ) from error
    found = rows[0][0] if rows else "none"
    if found != CONTRACT_VERSION:
        connection.close()
        raise IndexVersionError(path, found=found, expected=CONTRACT_VERSION)
    return connection


def answers_beside(db: Path) -> Path:
    """Return where the answers of models, paid for once, are kept for the index at ``db``."""
    return db.with_name(f"{db.name}.answers.sqlite")
