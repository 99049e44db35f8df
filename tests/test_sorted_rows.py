"""Rows of large sorted tables are found without a scan, and are those that a scan finds."""

from __future__ import annotations

import duckdb
import pytest

from index.store.sorted_rows import rows_near

ROWS = 50_000


@pytest.fixture(scope="module")
def con() -> duckdb.DuckDBPyConnection:
    """Return a table whose keys share their first eight letters, and come up to five times."""
    connection = duckdb.connect()
    connection.execute(
        """
        CREATE TABLE taxon AS SELECT format('NCBITaxon:{:06d}', i // (1 + i % 5)) AS curie, i
        FROM range($1) AS numbers(i) ORDER BY curie
        """,
        [ROWS],
    )
    return connection


def found(con: duckdb.DuckDBPyConnection, relation: str, keys: list[str]) -> list[tuple[str, int]]:
    query = f"SELECT * FROM {relation} WHERE list_contains($1, curie) ORDER BY ALL"
    return con.execute(query, [keys]).fetchall()


@pytest.mark.parametrize(
    "keys",
    [
        ["NCBITaxon:000000"],
        ["NCBITaxon:000007", "NCBITaxon:049999", "NCBITaxon:012345"],
        ["A", "NCBITaxon:5", "NCBITaxon:024999x", "Z"],
        [f"NCBITaxon:{number:06d}" for number in range(0, ROWS, 1_001)],
    ],
    ids=["first", "several", "none", "many"],
)
def test_rows_near_hold_every_row_of_the_keys(
    con: duckdb.DuckDBPyConnection, keys: list[str]
) -> None:
    near = rows_near(con, "taxon", "curie", keys, fewest_rows=0)
    assert near != "taxon"
    assert found(con, near, keys) == found(con, "taxon", keys)


def test_rows_near_few_keys_are_few(con: duckdb.DuckDBPyConnection) -> None:
    near = rows_near(con, "taxon", "curie", ["NCBITaxon:012345"], fewest_rows=0)
    ((rows,),) = con.execute(f"SELECT count(*) FROM {near}").fetchall()
    assert 0 < rows < ROWS // 20


def test_small_table_is_scanned_whatever_its_order(con: duckdb.DuckDBPyConnection) -> None:
    assert rows_near(con, "taxon", "curie", ["NCBITaxon:012345"]) == "taxon"


@pytest.mark.parametrize(("table", "key"), [("term_edge", "subject"), ("term", "curie")])
def test_tables_are_stored_in_the_order_of_their_keys(
    sample_db: duckdb.DuckDBPyConnection, table: str, key: str
) -> None:
    rows, last, unordered = sample_db.execute(
        f"SELECT count(*), max(rowid), count(*) FILTER (before > {key}) FROM ("
        f"SELECT rowid, {key}, lag({key}) OVER (ORDER BY rowid) AS before FROM {table})"
    ).fetchall()[0]
    assert (last, unordered) == (rows - 1, 0)
    assert rows > 1
