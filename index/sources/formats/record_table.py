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
from index.sources.source import Cut, Source
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
        raise ColumnError(
            path,
            missing=sorted(CONTRACTS),
            found=[name],
            format_name="record_table",
        )
    frame = _read_parquet(path)
    missing = [key for key in CONTRACTS[name].primary_key() if key not in frame.columns]
    if missing:
        raise ColumnError(
            path,
            missing=missing,
            found=frame.columns,
            format_name=f"{name} record",
        )
    return Records(**{name: to_table(frame, CONTRACTS[name])})


def cut_rows(path: Path, target: Path, rows: int) -> Cut:
    """Write the first ``rows`` rows to ``target``."""
    frame = _read_parquet(
        path,
        rows=rows + 1,
    )
    first = frame.head(rows)
    first.write_parquet(target)
    return Cut(len(first), len(frame) > rows)


def _read_parquet(path: Path, *, rows: int | None = None) -> pl.DataFrame:
    try:
        return pl.read_parquet(
            path,
            n_rows=rows,
        )
    except (OSError, pl.exceptions.ComputeError) as error:
        raise TruncatedFileError(path, str(error).splitlines()[0]) from error


SOURCE: Final = Source(
    read,
    "Parquet files of the record contracts",
    "that of the data in them",
    holds="the table named by the file up to the first hyphen "
    "(`run.parquet`, `detection-00001.parquet`): "
    f"{', '.join(CONTRACTS)}; their columns: `index/tables/`",
    cut=cut_rows,
)
