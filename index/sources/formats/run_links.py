"""The BioSample, BioProject and study of a run, for tables that name another accession."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import polars as pl

from index.sources.accessions import BIOPROJECT, BIOSAMPLE, RUN
from index.sources.layout import Layout, required
from index.sources.source import Companion
from index.sources.tabular import choose_layout, read_table


def _layout(run: str, biosample: str, bioproject: str, study: str) -> Layout:
    columns = (
        required(run, "run accession", "DRR110568", alias="run"),
        required(biosample, "BioSample accession", "SAMD00098262", alias="biosample"),
        required(bioproject, "BioProject accession", "PRJDB6477", alias="bioproject"),
        required(study, "SRA study accession", "DRP004894", alias="study"),
    )
    return Layout("run links", columns)


LAYOUTS: Final = (
    _layout("Run", "BioSample", "BioProject", "SRAStudy"),
    _layout("acc", "biosample", "bioproject", "sra_study"),
    _layout("Run", "BioSample", "BioProject", "SRA Study"),
)
RUN_INFO: Final = Companion("files that say which study and BioSample a run belongs to", LAYOUTS)


def read_run_links(paths: tuple[Path, ...]) -> pl.DataFrame:
    """Return run, biosample, bioproject and study as the files at ``paths`` link them."""
    empty = pl.DataFrame(
        schema=dict.fromkeys(("run", "biosample", "bioproject", "study"), pl.String)
    )
    links = pl.concat([empty, *(_read(path) for path in paths)])
    return links.unique("run", keep="first", maintain_order=True)


def _read(path: Path) -> pl.DataFrame:
    layout = choose_layout(path, LAYOUTS)
    rows = read_table(path, layout)
    has_run = pl.col("run").str.contains(RUN)
    sample = pl.col("biosample").str.contains(BIOSAMPLE)
    project = pl.col("bioproject").str.contains(BIOPROJECT)
    usable = has_run & sample.fill_null(True) & project.fill_null(True)
    return rows.filter(usable).select("run", "biosample", "bioproject", "study")
