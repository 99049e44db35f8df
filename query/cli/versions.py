"""The versions of the program, of DuckDB and of the contract of the index that would be read."""

from __future__ import annotations

from importlib.metadata import version

from index.store.read import CONTRACT_VERSION, contract_of
from query.config import database_path


def version_text() -> str:
    """Return one line each: program, DuckDB, index."""
    import duckdb

    path = database_path(None)
    contract = f"contract {contract_of(path)}" if path.exists() else "none"
    return (
        f"virome-graphrag {version('virome-graphrag')} (reads contract {CONTRACT_VERSION})\n"
        f"DuckDB {duckdb.__version__}\n"
        f"index {path}: {contract}"
    )
