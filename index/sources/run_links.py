"""Which BioSample, BioProject and study a run belongs to: for tables that name another accession."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import polars as pl

from index.sources.accessions import BIOPROJECT, BIOSAMPLE, RUN
from index.sources.tabular import read_header, read_table
from ontology_etl.errors import ColumnError

LAYOUTS: Final = (
    {"Run": "run", "BioSample": "biosample", "BioProject": "bioproject", "SRAStudy": "study"},
    {"acc": "run", "biosample": "biosample", "bioproject": "bioproject", "sra_study": "study"},
    {"Run": "run", "BioSample": "biosample", "BioProject": "bioproject", "SRA Study": "study"},
)


def read_run_links(paths: tuple[Path, ...]) -> pl.DataFrame:
    """Return run, biosample, bioproject and study of the RunInfo, run table or BigQuery files at
    ``paths``.
    """
    empty = pl.DataFrame(
        schema=dict.fromkeys(("run", "biosample", "bioproject", "study"), pl.String)
    )
    links = pl.concat([empty, *(_read(path) for path in paths)])
    return links.unique("run", keep="first", maintain_order=True)


def _read(path: Path) -> pl.DataFrame:
    separator = "\t" if ".tsv" in path.suffixes else ","
    header = read_header(path, separator=separator)
    layout = next((names for names in LAYOUTS if set(names) <= set(header)), None)
    if layout is None:
        raise ColumnError(path, missing=list(LAYOUTS[0]), found=header, format_name="run links")
    rows = read_table(path, "run links", columns=tuple(layout), separator=separator).rename(layout)
    return rows.filter(
        pl.col("run").str.contains(RUN)
        & pl.col("biosample").str.contains(BIOSAMPLE).fill_null(True)
        & pl.col("bioproject").str.contains(BIOPROJECT).fill_null(True)
    ).select("run", "biosample", "bioproject", "study")
