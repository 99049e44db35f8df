"""An index of a few rows for tests: literal tables in, a DuckDB connection with every table of the
contracts out.
"""

from __future__ import annotations

import atexit
import itertools
import shutil
import tempfile
from functools import cache
from pathlib import Path

import dataframely as dy
import duckdb
import polars as pl

from index.store import same_for_all
from index.store.names import hashed_names
from index.store.run_values import KNOWN_OF_RUNS
from index.store.schema import create_views
from index.tables import TABLES, Run, RunState
from ontology_etl.tables import conform

DEFAULTS: dict[str, dict[str, object]] = {
    "annotation": {
        "text": "as written",
        "attribute": "as named",
        "method": "verbatim",
        "score": 1.0,
    },
    "detection": {"source": "palm_virome"},
    "run": {"state": 0},
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
    con.execute(f"ATTACH '{_empty_index()}' AS empty (READ_ONLY)")
    con.execute("COPY FROM DATABASE empty TO memory; DETACH empty")
    for name, text in tables.items():
        _insert(con, name, read_text_table(name, text))
    mark_runs(con)
    if tables.keys() & {"term", "synonym"}:
        _insert(con, "name", hashed_names(con))
    return con


def mark_runs(con: duckdb.DuckDBPyConnection) -> None:
    """Say of each run whether it was searched and what was found, as the tables have it; all terms
    are used.
    """
    described = f"SELECT {', '.join(Run.column_names())} FROM run"
    states = ", ".join(RunState.column_names())
    for table in ("annotation", "searched", "detection"):
        con.execute(f"CREATE OR REPLACE TEMP VIEW {table}_of_runs AS FROM {table}")
    con.execute(f"""CREATE TEMP TABLE described AS {described};
        CREATE TEMP TABLE known AS {KNOWN_OF_RUNS}; DROP TABLE described;
        DELETE FROM run; INSERT INTO run BY NAME SELECT * EXCLUDE ({states}), state FROM known;
        DELETE FROM run_state; INSERT INTO run_state SELECT DISTINCT {states} FROM known;
        DROP TABLE known; DELETE FROM used_term; INSERT INTO used_term
        SELECT curie, label, ontology, rank FROM term""")


def keep_what_is_read(con: duckdb.DuckDBPyConnection) -> None:
    """Let what is the same for all questions be read once from now on, as of a published index."""
    same_for_all._identities[con] = ("memory", str(next(_CONTENTS)))


def read_anew(con: duckdb.DuckDBPyConnection) -> None:
    """Let everything be read anew from now on, as rows may change."""
    same_for_all._identities[con] = None


_CONTENTS = itertools.count()


def _insert(con: duckdb.DuckDBPyConnection, table: str, rows: pl.DataFrame) -> None:
    con.register("rows", rows)
    con.execute(f"INSERT INTO {table} SELECT * FROM rows")
    con.unregister("rows")


def scratch_folder() -> Path:
    """Return a new folder, which is removed when the program ends."""
    folder = tempfile.mkdtemp()
    atexit.register(shutil.rmtree, folder)
    return Path(folder)


@cache
def _empty_index() -> Path:
    """Return a file with every table, empty, and every view."""
    path = scratch_folder() / "empty.duckdb"
    with duckdb.connect(path) as con:
        for name, schema in TABLES.items():
            con.register("rows", schema.create_empty())
            con.execute(f"CREATE TABLE {name} AS SELECT * FROM rows")
            con.unregister("rows")
        create_views(con)
    return path


@cache
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
