"""An index of a few rows for tests: literal tables in, a DuckDB connection with every table of the
contracts out.
"""

from __future__ import annotations

import dataframely as dy
import duckdb
import polars as pl

from index.store.names import hashed_names
from index.store.schema import create_views
from index.tables import TABLES
from ontology_etl.tables import conform

DEFAULTS: dict[str, dict[str, object]] = {
    "annotation": {
        "text": "as written",
        "attribute": "as named",
        "method": "verbatim",
        "score": 1.0,
    },
    "detection": {"source": "palm_virome"},
    "searched": {"search": "one"},
    "source_scope": {"below": True},
    "community": {"entities": 1, "runs": 0, "level": 0},
    "term": {"obsolete": False, "ontology": "NCBITaxon"},
    "term_edge": {"predicate": "parent"},
    "synonym": {"scope": "EXACT"},
    "association": {"test": "permutation", "source": "computed", "num_true": 5, "num_false": 7},
}


def tiny_index(**tables: str) -> duckdb.DuckDBPyConnection:
    """Return a connection to an index that holds ``tables``, each written as a text table.

    The first line names columns, the others are rows; cells are split at ``|``; an empty cell is
    null. The table ``name`` follows from ``term`` and ``synonym``.
    """
    con = duckdb.connect()
    for name, schema in TABLES.items():
        con.register(
            "rows", read_text_table(name, tables[name]) if name in tables else schema.create_empty()
        )
        con.execute(f"CREATE TABLE {name} AS SELECT * FROM rows")
        con.unregister("rows")
    con.register("rows", hashed_names(con))
    con.execute("INSERT INTO name SELECT * FROM rows")
    con.unregister("rows")
    create_views(con)
    return con


def read_text_table(name: str, text: str) -> pl.DataFrame:
    """Return the table ``name`` of the contracts, written as text."""
    header, *lines = [
        [cell.strip() for cell in line.split("|")] for line in text.strip().splitlines()
    ]
    rows = [[cell or None for cell in line] for line in lines]
    frame = pl.DataFrame(rows, schema=dict.fromkeys(header, pl.String), orient="row")
    flags = [
        flag
        for flag, column in TABLES[name].columns().items()
        if isinstance(column, dy.Bool) and flag in header
    ]
    frame = frame.with_columns(pl.col(flag).eq_missing(pl.lit("true")) for flag in flags)
    if name == "detection" and "species" in header and "stated" not in header:
        frame = frame.with_columns(pl.col("species").alias("stated"))
        header.append("stated")
    missing = [column for column in TABLES[name].column_names() if column not in header]
    defaults = DEFAULTS.get(name, {})
    return conform(
        frame.with_columns(pl.lit(defaults.get(column)).alias(column) for column in missing),
        TABLES[name],
    )
