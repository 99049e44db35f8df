"""Parquet files of the record contracts: ``run.parquet``, ``detection-00001.parquet``, … as cohorts
have them.

The table is the file's name up to the first hyphen; its columns are those of the contract, absent
nullable ones null. Licence: that of the data in them.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

import polars as pl

from index.records import CONTRACTS, Records
from index.row_counts import counted_rows
from index.sources.parquet import read_rows
from index.sources.rejection import counted
from index.sources.source import Source
from index.sources.tabular import to_table
from ontology_etl.errors import ColumnError, MissingFileError


def read(path: Path) -> Records:
    """Return the records of a Parquet file. Raises ``ColumnError`` if no table is named like it."""
    if not path.is_file():
        raise MissingFileError(path)
    name = path.stem.split("-")[0]
    if name not in CONTRACTS:
        known = sorted(CONTRACTS)
        raise ColumnError(path, missing=known, found=[name], format_name="record_table")
    frame = read_rows(path)
    if name == "searched" and "search" not in frame.columns and "source" in frame.columns:
        frame = frame.with_columns(search=pl.col("source"))
    keys = CONTRACTS[name].primary_key()
    missing = [key for key in keys if key not in frame.columns]
    if missing:
        found = frame.columns
        raise ColumnError(path, missing=missing, found=found, format_name=f"{name} record")
    named = frame.drop_nulls(keys)
    keyless = len(frame) - len(named)
    lost = counted(path.name, f"a {name} without {', '.join(keys)}", keyless)
    rows = counted_rows(path.name, name, read=len(frame), kept=len(named), rejected=keyless)
    table = to_table(named, CONTRACTS[name])
    return Records(**{name: table}, rejected=lost, rows=rows)


SOURCE: Final = Source(
    read,
    "Parquet files of the record contracts",
    "that of the data in them",
    holds="a table whose name is the file name up to the first hyphen "
    "(`run.parquet`, `detection-00001.parquet`): "
    f"{', '.join(CONTRACTS)}; their columns: `index/tables/`",
)
