"""Parquet files of the record contracts: ``run.parquet``, ``detection-00001.parquet``, … as cohorts
have them.

The table is the file's name up to the first hyphen; its columns are those of the contract, absent
nullable ones null. Licence: that of the data in them.
"""

from __future__ import annotations

from pathlib import Path

import polars as pl

from index.records import CONTRACTS, Records
from index.sources.tabular import to_table
from ontology_etl.errors import ColumnError, MissingFileError, TruncatedFileError


def read(path: Path) -> Records:
    """Return the records of one Parquet file. Raises ``ColumnError`` where its name is not that of
    a record table.
    """
    if not path.is_file():
        raise MissingFileError(path)
    name = path.stem.split("-")[0]
    if name not in CONTRACTS:
        raise ColumnError(path, missing=sorted(CONTRACTS), found=[name], format_name="record_table")
    try:
        frame = pl.read_parquet(path)
    except (OSError, pl.exceptions.ComputeError) as error:
        raise TruncatedFileError(path, str(error).splitlines()[0]) from error
    missing = [key for key in CONTRACTS[name].primary_key() if key not in frame.columns]
    if missing:
        raise ColumnError(path, missing=missing, found=frame.columns, format_name=f"{name} record")
    return Records(**{name: to_table(frame, CONTRACTS[name])})
