"""Read every table and view of an index with the DuckDB that is installed, and nothing else."""

from __future__ import annotations

import sys

import duckdb

RELATIONS = "SELECT table_name FROM information_schema.tables ORDER BY table_name"


def main(path: str) -> None:
    """Print how many rows the relations of the index at ``path`` have; raise where one is not to be
    read.
    """
    with duckdb.connect(path, read_only=True) as connection:
        names = [name for (name,) in connection.execute(RELATIONS).fetchall()]
        rows = sum(len(connection.execute(f"FROM {name}").fetchall()) for name in names)
    assert rows > 0
    print(f"DuckDB {duckdb.__version__}: {rows:,} rows of {len(names)} tables and views")


if __name__ == "__main__":
    main(sys.argv[1])
