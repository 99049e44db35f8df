"""Titles and abstracts of studies: a table of BioProjects, an SRA experiment list, or recount's
abstracts.

Licence: US public domain (NCBI SRA); recount's table of abstracts is Artistic-2.0. SRA lists name
studies (SRP…), not BioProjects: they fill the table ``study``. ``run_info`` files, which hold both,
translate; a study they know describes its BioProject, too.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

import polars as pl

from index.records import Records
from index.sources.accessions import BIOPROJECT, STUDY
from index.sources.formats.run_links import RUN_INFO, read_run_links
from index.sources.layout import Layout, optional, required
from index.sources.rejection import Rule
from index.sources.source import NCBI, Source
from index.sources.tabular import choose_layout, read_table, sound_rows, to_table
from index.tables import Bioproject, Study
from ontology_etl.tables import with_absent

_PROJECT: Final = required("bioproject", "BioProject accession", "PRJNA389927").must_be(BIOPROJECT)
_TITLE: Final = required("title", "title of the study", "The virome of colorectal cancer")
_ABSTRACT: Final = required(
    "description", "its abstract", "Stool of patients and controls was sequenced."
)
BIOPROJECTS: Final = Layout("studies", (_PROJECT, _TITLE, _ABSTRACT))
ABSTRACTED: Final = Layout(
    "studies with abstracts",
    (
        _PROJECT,
        _TITLE,
        required(
            "abstract", "its abstract", "Stool of patients was sequenced.", alias="description"
        ),
    ),
)
EXPERIMENTS: Final = Layout(
    "studies of an SRA experiment list",
    (
        required("Study Accession", "SRA study accession", "SRP424876", alias="study").must_be(
            STUDY
        ),
        required(
            "Study Title", "title of the study", "TCR delta repertoire of infants", alias="title"
        ),
    ),
)
ABSTRACTS: Final = Layout(
    "studies of recount",
    (
        required("project", "SRA study accession", "DRP000366", alias="study").must_be(STUDY),
        required(
            "abstract", "abstract of the study", "HeLa cells were treated.", alias="description"
        ),
    ),
)
TEXTS: Final = Layout(
    "studies with texts",
    (
        required("study", "SRA study accession", "ERP001942").must_be(STUDY),
        required("title", "title of the study", "RNA of lymphoblastoid lines"),
        required("abstract", "its abstract", "Cells were sequenced.", alias="description"),
        optional("bioproject", "its BioProject, where it has one", "PRJEB3366").may_be(BIOPROJECT),
    ),
)
LOGAN: Final = Layout(
    "studies of Logan",
    (
        required("accession", "BioProject accession", "PRJNA389927", alias="bioproject").must_be(
            BIOPROJECT
        ),
        _TITLE,
        _ABSTRACT,
    ),
)
LAYOUTS: Final = (TEXTS, BIOPROJECTS, ABSTRACTED, LOGAN, EXPERIMENTS, ABSTRACTS)
BLANK: Final = Rule(
    "neither title nor abstract", pl.col("title").is_null() & pl.col("description").is_null()
)


def read(path: Path, *, run_info: tuple[Path, ...] = ()) -> Records:
    """Return title and abstract of each study of the table, and of the BioProjects it names."""
    layout = choose_layout(path, LAYOUTS)
    rows = read_table(path, layout)
    described = with_absent(rows, {"title": pl.String, "description": pl.String})
    of_sra = "study" in described.columns
    if of_sra:
        described = _with_bioprojects(described, run_info)
    kept, rejected, counts = sound_rows(described, path, layout, BLANK)
    projects = kept.drop_nulls("bioproject").select("bioproject", "title", "description")
    studies = Study.create_empty()
    if of_sra:
        studies = to_table(kept.select("study", "title", abstract="description"), Study)
    return Records(
        bioproject=to_table(projects, Bioproject),
        study=studies,
        rejected=rejected,
        rows=counts,
    )


def _with_bioprojects(rows: pl.DataFrame, run_info: tuple[Path, ...]) -> pl.DataFrame:
    """Return ``rows`` with the BioProject that they or ``run_info`` state for their study."""
    known = read_run_links(run_info).drop_nulls(["study", "bioproject"])
    first = known.unique("study", keep="first", maintain_order=True)
    links = first.select("study", linked="bioproject")
    joined = rows.join(links, on="study", how="left", maintain_order="left")
    stated = [name for name in ("bioproject", "linked") if name in joined.columns]
    return joined.with_columns(pl.coalesce(stated).alias("bioproject"))


SOURCE: Final = Source(
    read,
    "titles and abstracts of studies",
    f"{NCBI}; recount: Artistic-2.0",
    LAYOUTS,
    {"run_info": RUN_INFO},
)
