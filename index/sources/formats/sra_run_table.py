"""SRA Run Selector table: one row per run, its own columns and every attribute of its sample side
by side.

Licence: US public domain (NCBI). Columns that describe the library and the files are left out; all
others are sample attributes, whatever the submitters called them.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

import polars as pl

from index.records import Records
from index.sources.accessions import BIOPROJECT, BIOSAMPLE, RUN
from index.sources.dates import day, unread_day
from index.sources.layout import Layout, optional, required
from index.sources.numbers import number, whole_number
from index.sources.source import NCBI, Source
from index.sources.tabular import read_header, read_table, sound_rows, to_table
from index.tables import Biosample, BiosampleAttribute, Run

TECHNICAL: Final = frozenset({
    "bytes", "center name", "consent", "datastore filetype", "datastore provider",
    "datastore region", "experiment", "instrument", "library name", "librarylayout",
    "libraryselection", "librarysource", "platform", "sample name", "sra study", "biosamplemodel",
    "create_date", "version", "geo_loc_name_country", "geo_loc_name_country_continent",
})  # fmt: skip
LAYOUT: Final = Layout(
    "sra_run_table",
    (
        required("Run", "run accession", "SRR5665009").must_be(RUN),
        required("BioSample", "BioSample accession", "SAMN07211061").must_be(BIOSAMPLE),
        required("BioProject", "BioProject accession", "PRJNA389927").may_be(BIOPROJECT),
        optional("Assay Type", "library strategy", "WGS"),
        optional("LibrarySource", "what was sequenced", "METAGENOMIC"),
        optional("Bases", "bases in all", "210446455", unit="bases"),
        optional("AvgSpotLen", "mean length of a spot", "248", unit="bases"),
        optional("Organism", "organism as submitted", "human gut metagenome"),
        optional("ReleaseDate", "day the run became public", "2017-06-10"),
    ),
    rest="attributes of the sample",
    left_out=TECHNICAL,
)


def read(path: Path) -> Records:
    """Return the runs of a run selector table and the attributes of their samples."""
    described = LAYOUT.extra(read_header(path))
    rows = read_table(path, LAYOUT, also=described)
    kept, rejected, counts = sound_rows(rows, path, LAYOUT, unread_day("ReleaseDate"))
    runs = kept.select(
        run="Run",
        biosample="BioSample",
        bioproject="BioProject",
        organism="Organism",
        library_strategy="Assay Type",
        library_source="LibrarySource",
        bases=whole_number("Bases"),
        spots=spots_of(whole_number("Bases"), "AvgSpotLen"),
        release_date=day("ReleaseDate"),
    )
    stated = kept.unpivot(described, index="BioSample", variable_name="attribute")
    return Records(
        run=to_table(runs, Run),
        biosample=to_table(runs.select("biosample"), Biosample),
        biosample_attribute=to_table(
            stated.drop_nulls("value").rename({"BioSample": "biosample"}), BiosampleAttribute
        ),
        rejected=rejected,
        rows=counts,
    )


def spots_of(bases: pl.Expr, mean_length: str) -> pl.Expr:
    """Return the number of spots from that of bases and the column of their rounded mean length."""
    length = number(mean_length)
    return pl.when(length > 0).then((bases / length).round()).cast(pl.Int64, strict=False)


SOURCE: Final = Source(
    read, "SRA Run Selector table: runs and the attributes of their samples", NCBI, (LAYOUT,)
)
