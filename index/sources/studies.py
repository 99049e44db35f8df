"""Titles and abstracts of studies: a table of BioProjects, an SRA experiment list, or recount's
abstracts.

Licence: US public domain (NCBI SRA); recount's table of abstracts is Artistic-2.0. SRA lists name
studies (SRP…), not BioProjects: ``run_info`` files, which hold both, translate; a study they do not
know is rejected.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

import polars as pl

from index.records import Records
from index.sources.accessions import BIOPROJECT, must_be
from index.sources.rejection import Rule, split_rejected
from index.sources.run_links import read_run_links
from index.sources.tabular import read_header, read_table, to_table
from index.tables import Bioproject
from ontology_etl.errors import ColumnError

STUDY: Final = r"^[SED]RP\d{6,}$"
LAYOUTS: Final = (
    {"bioproject": "bioproject", "title": "title", "description": "description"},
    {"Study Accession": "study", "Study Title": "title"},
    {"project": "study", "abstract": "description"},
)
NOT_A_STUDY: Final = Rule(
    "not a study accession", ~pl.col("study").fill_null("").str.contains(STUDY), shows="study"
)
UNKNOWN: Final = Rule(
    "no BioProject known for the study", pl.col("bioproject").is_null(), shows="study"
)
BLANK: Final = Rule(
    "neither title nor abstract", pl.col("title").is_null() & pl.col("description").is_null()
)


def read(path: Path, *, run_info: tuple[Path, ...] = ()) -> Records:
    """Return the title and description of each BioProject of a study table."""
    separator = "," if ".csv" in path.suffixes else "\t"
    header = read_header(path, separator=separator)
    layout = next((names for names in LAYOUTS if set(names) <= set(header)), None)
    if layout is None:
        raise ColumnError(path, missing=list(LAYOUTS[0]), found=header, format_name="studies")
    rows = read_table(path, "studies", columns=tuple(layout), separator=separator).rename(layout)
    absent = [
        pl.lit(None, pl.String).alias(name)
        for name in ("title", "description")
        if name not in rows.columns
    ]
    described = rows.with_columns(absent)
    if "study" not in described.columns:
        kept, rejected = split_rejected(
            described, path.name, (must_be(BIOPROJECT, "bioproject", "BioProject"), BLANK)
        )
    else:
        links = (
            read_run_links(run_info)
            .drop_nulls(["study", "bioproject"])
            .unique("study", keep="first")
        )
        one_each = described.unique(
            ["study", "title", "description"], keep="first", maintain_order=True
        )
        translated = one_each.join(
            links.select("study", "bioproject"), on="study", how="left", maintain_order="left"
        )
        kept, rejected = split_rejected(translated, path.name, (NOT_A_STUDY, BLANK, UNKNOWN))
    return Records(
        bioproject=to_table(kept.select("bioproject", "title", "description"), Bioproject),
        rejected=rejected,
    )
