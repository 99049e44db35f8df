"""SRA RunInfo CSV: the table that NCBI's run selector and E-utilities give for a list of runs.

Licence: US public domain (NCBI). Files that were saved by Excel, concatenated (repeated headers) or
that hold an HTML error page between good rows are read; the rows that are not runs are rejected.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

import polars as pl

from index.records import Records
from index.sources.accessions import BIOPROJECT, BIOSAMPLE, RUN
from index.sources.dates import day, unread_day
from index.sources.layout import Layout, optional, required
from index.sources.numbers import taxid, whole_number
from index.sources.rejection import Rule, split_rejected
from index.sources.source import NCBI, Source
from index.sources.tabular import read_table, to_table
from index.tables import Run
from ontology_etl.curies import taxon_curie

LAYOUT: Final = Layout(
    "sra_run_info",
    (
        required("Run", "run accession", "DRR110568").must_be(RUN),
        required("BioSample", "BioSample accession", "SAMD00098262").may_be(BIOSAMPLE),
        required("BioProject", "BioProject accession", "PRJDB6477").may_be(BIOPROJECT),
        optional("ReleaseDate", "day the run became public", "2019-03-15"),
        optional("spots", "reads, or pairs of reads", "6779848", unit="reads"),
        optional("bases", "bases in all", "1951728561", unit="bases"),
        optional("LibraryStrategy", "how the library was made", "RNA-Seq"),
        optional("LibrarySource", "what was sequenced", "METATRANSCRIPTOMIC"),
        optional("TaxID", "NCBI taxonomy identifier of the organism", "942017"),
        optional("ScientificName", "organism as submitted", "activated sludge metagenome"),
    ),
)
RULES: Final = (
    Rule("repeated header", pl.col("Run") == "Run"),
    *LAYOUT.rules(),
    unread_day("ReleaseDate"),
)


def read(path: Path) -> Records:
    """Return the runs of a RunInfo file; a row without a valid run accession is rejected."""
    rows = read_table(path, LAYOUT)
    kept, rejected, counts = split_rejected(rows, path.name, RULES, layout=LAYOUT.name)
    runs = kept.select(
        pl.col("Run").alias("run"),
        pl.col("BioSample").alias("biosample"),
        pl.col("BioProject").alias("bioproject"),
        pl.col("ScientificName").alias("organism"),
        taxon_curie(taxid("TaxID")).alias("organism_curie"),
        pl.col("LibraryStrategy").alias("library_strategy"),
        pl.col("LibrarySource").alias("library_source"),
        whole_number("spots"),
        whole_number("bases"),
        day("ReleaseDate").alias("release_date"),
    )
    return Records(run=to_table(runs, Run), rejected=rejected, rows=counts)


SOURCE: Final = Source(read, "SRA RunInfo: one row per run", NCBI, (LAYOUT,))
