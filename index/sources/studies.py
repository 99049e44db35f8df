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
from index.sources.layout import UNCLOSED_RULE, Layout, required
from index.sources.rejection import Rule, split_rejected
from index.sources.run_links import RUN_INFO, read_run_links
from index.sources.source import NCBI, Source
from index.sources.tabular import choose_layout, read_table, to_table
from index.tables import Bioproject

STUDY: Final = r"^[SED]RP\d{6,}$"
BIOPROJECTS: Final = Layout(
    "studies",
    (
        required("bioproject", "BioProject accession", "PRJNA389927"),
        required("title", "title of the study", "The virome of colorectal cancer"),
        required("description", "its abstract", "Stool of patients and controls was sequenced."),
    ),
)
ABSTRACTED: Final = Layout(
    "studies with abstracts",
    (
        required("bioproject", "BioProject accession", "PRJNA389927"),
        required("title", "title of the study", "The virome of colorectal cancer"),
        required(
            "abstract", "its abstract", "Stool of patients was sequenced.", alias="description"
        ),
    ),
)
EXPERIMENTS: Final = Layout(
    "studies of an SRA experiment list",
    (
        required("Study Accession", "SRA study accession", "SRP424876", alias="study"),
        required(
            "Study Title", "title of the study", "TCR delta repertoire of infants", alias="title"
        ),
    ),
    needs="run_info",
)
ABSTRACTS: Final = Layout(
    "studies of recount",
    (
        required("project", "SRA study accession", "DRP000366", alias="study"),
        required(
            "abstract", "abstract of the study", "HeLa cells were treated.", alias="description"
        ),
    ),
    needs="run_info",
)
LAYOUTS: Final = (BIOPROJECTS, ABSTRACTED, EXPERIMENTS, ABSTRACTS)
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
    layout = choose_layout(path, LAYOUTS)
    rows = read_table(path, layout)
    absent = [
        pl.lit(None, pl.String).alias(name)
        for name in ("title", "description")
        if name not in rows.columns
    ]
    described = rows.with_columns(absent)
    rules: tuple[Rule, ...] = (
        UNCLOSED_RULE,
        must_be(BIOPROJECT, "bioproject", "BioProject"),
        BLANK,
    )
    if layout.needs:
        described = _with_bioprojects(described, run_info)
        rules = (UNCLOSED_RULE, NOT_A_STUDY, BLANK, UNKNOWN)
    kept, rejected = split_rejected(described, path.name, rules)
    studies = kept.select("bioproject", "title", "description")
    return Records(bioproject=to_table(studies, Bioproject), rejected=rejected)


def _with_bioprojects(rows: pl.DataFrame, run_info: tuple[Path, ...]) -> pl.DataFrame:
    """Return ``rows`` with the BioProject of their study, null where ``run_info`` does not know it."""
    known = read_run_links(run_info).drop_nulls(["study", "bioproject"])
    links = known.unique("study", keep="first", maintain_order=True).select("study", "bioproject")
    return rows.join(links, on="study", how="left", maintain_order="left")


SOURCE: Final = Source(
    read,
    "titles and abstracts of studies",
    f"{NCBI}; recount: Artistic-2.0",
    LAYOUTS,
    {"run_info": RUN_INFO},
)
