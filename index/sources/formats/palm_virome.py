"""palm_virome: sOTUs that Serratus assembled from SRA runs, one row per run and contig (Open
Virome's export).

Source: Edgar et al., Petabase-scale sequence alignment catalyses viral discovery, Nature 2022,
doi:10.1038/s41586-021-04332-2. Licence: Serratus data, public domain.

``identity`` is that of the best GenBank hit (``gb_pid``), the record the species and family come
from: 100 is the named virus, 40 a distant relative. ``node_pid``, the contig against its own
palmprint, says nothing about the species.

A file may hold several extracts (column ``source``), each with the sOTUs that it was made for: a
run without a row lacks those, and not all viruses.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

import polars as pl

from index.records import Records
from index.sources.accessions import BIOPROJECT, BIOSAMPLE, RUN, must_match
from index.sources.layout import Layout, optional, required
from index.sources.numbers import number, percentage, whole_number
from index.sources.rejection import Rule
from index.sources.scopes import search_of, viruses_of
from index.sources.source import SERRATUS, Method, Source
from index.sources.tabular import read_table, sound_rows, to_table
from index.tables import Detection, Run, SearchedRun

LAYOUT: Final = Layout(
    "palm_virome",
    (
        required("run", "run accession", "ERR1173511").must_be(RUN),
        required("sotu", "virus sOTU: u and a number", "u507489"),
        optional("bio_sample", "BioSample accession", "SAMEA3699122").may_be(BIOSAMPLE),
        optional("bio_project", "BioProject accession", "PRJEB12075").may_be(BIOPROJECT),
        optional("scientific_name", "organism of the run as submitted", "Globodera rostochiensis"),
        optional("gb_pid", "identity to the best GenBank hit", "38.0", unit="percent"),
        optional("tax_species", "species of that hit", "Bombus-associated virus Orth1"),
        optional("tax_family", "family of that hit", "Orthomyxoviridae"),
        optional(
            "tax_phylum",
            "phylum of that hit; species and family are read of viruses only",
            "Negarnaviricota",
        ),
        optional("node_coverage", "mean coverage of the contig", "44.0", unit="fold"),
        optional("n_reads", "reads of the contig", "1096", unit="reads"),
        optional("source", "extract that lists the row, if the file holds several", "nematodes"),
    ),
)
NAME: Final = "palm_virome"
SOTU: Final = r"^(?:syn)?u\d+$"
NOT_AN_SOTU: Final = "not an sOTU"
RULES: Final = (
    must_match(SOTU, "sotu", NOT_AN_SOTU),
    Rule(
        "coverage is not a number of at least 0",
        (pl.col("coverage") < 0) | pl.col("coverage").is_nan(),
    ),
)


def read(path: Path) -> Records:
    """Return detections and the runs they were made in.

    Several contigs of one sOTU in a run are one detection, that of the deepest contig. Where the
    best GenBank hit is a cellular genome (an endogenous virus: phylum Streptophyta, Nematoda, …),
    its name is not a virus name: reported_name, family and phylum are null.
    """
    rows = read_table(path, LAYOUT).with_columns(coverage=number("node_coverage"))
    kept, rejected, counts = sound_rows(rows, path, LAYOUT, *RULES)
    runs = kept.select(
        "run", biosample="bio_sample", bioproject="bio_project", organism="scientific_name"
    )
    detections = _detections(kept)
    search = pl.coalesce("extract", pl.lit(search_of(path)))
    return Records(
        run=to_table(runs, Run),
        detection=to_table(detections, Detection),
        searched=to_table(detections.with_columns(search=search), SearchedRun),
        scope=viruses_of(detections, search),
        rejected=rejected,
        rows=counts,
    )


def _detections(rows: pl.DataFrame) -> pl.DataFrame:
    phylum = pl.col("tax_phylum")
    viral = phylum.str.contains("viricota$")
    nameable = viral | phylum.is_null() | phylum.str.contains("(?i)^unclassified")
    deepest = rows.sort("coverage", descending=True, nulls_last=True, maintain_order=True)
    return deepest.select(
        "run",
        "sotu",
        "coverage",
        reported_name=pl.when(nameable).then("tax_species"),
        family=pl.when(nameable).then("tax_family"),
        phylum=pl.when(viral).then(phylum),
        identity=percentage("gb_pid"),
        reads=whole_number("n_reads"),
        extract="source",
        source=pl.lit(NAME),
    )


SOURCE: Final = Source(
    read,
    "virus sOTUs assembled per run, Serratus palmprints",
    SERRATUS,
    (LAYOUT,),
    method=Method(
        "RNA polymerases of viruses in assembled contigs (palmprints)",
        "contigs",
        identity="to the best GenBank hit, amino acids",
    ),
)
