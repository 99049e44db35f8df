"""The versions of the program, of DuckDB and of the contract of the index that would be read."""

from __future__ import annotations

from importlib.metadata import version
from pathlib import Path

from index.store.read import CONTRACT_VERSION, contract_of
from query.config import database_path


def version_text() -> str:
    """Return one line each: program, DuckDB, index."""
    import duckdb

    program = version("virome-graphrag")
    lines = [
        f"virome-graphrag {program} (reads contract {CONTRACT_VERSION})",
        f"DuckDB {duckdb.__version__}",
        _index_line(database_path(None)),
    ]
    return "\n".join(lines)


def _index_line(path: Path) -> str:
    if not path.exists():
        return f"index {path}: none"
    contract = contract_of(path)
    return f"index {path}: contract {contract}"
