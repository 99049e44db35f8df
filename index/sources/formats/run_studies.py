"""Which study a run belongs to, and what recount or a collection says was sequenced.

Licence: accessions are public facts (INSDC); recount2's table is MIT. What a model predicted
(``predicted_tissue``, ``predicted_sex``) is never read. A study is the SRA's own (SRP, ERP, DRP)
and no BioProject.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

import polars as pl

from index.records import Records
from index.sources.accessions import BIOPROJECT, BIOSAMPLE, RUN, STUDY, may_be, must_be
from index.sources.layout import UNCLOSED_RULE, Column, Layout, optional, required
from index.sources.rejection import split_rejected
from index.sources.source import Source
from index.sources.tabular import choose_layout, read_table, to_table
from index.tables import Run

_RUN: Final = required("run", "run accession", "ERR1719524")
_STUDY: Final = required("study", "SRA study accession", "ERP019506")
_ORGANISM: Final = required("organism", "organism as submitted", "Mus musculus")


def _layout(name: str, *columns: Column) -> Layout:
    return Layout(name, (_RUN, *columns))


RUN_INFO: Final = _layout(
    "runs of a collection",
    _STUDY,
    required("bioproject", "BioProject accession", "PRJEB17636"),
    required("biosample", "BioSample accession", "SAMEA4534052"),
    _ORGANISM,
    optional("library_strategy", "library strategy", "RNA-Seq"),
)
RECOUNT: Final = _layout("runs of recount3", _STUDY, _ORGANISM)
RECOUNT2: Final = _layout(
    "runs of recount2",
    required("project", "SRA study accession", "ERP001574", alias="study"),
    required("experiment", "SRA experiment accession", "ERX126394"),
)
CURATED: Final = _layout(
    "runs of a tissue collection",
    _STUDY,
    required("tissue_category", "tissue as curated; not read", "blood"),
)
LAYOUTS: Final = (RUN_INFO, RECOUNT, RECOUNT2, CURATED)
ABSENT: Final = ("organism", "bioproject", "biosample", "library_strategy")


def read(path: Path) -> Records:
    """Return runs with their study, and organism and accessions where the file has them."""
    layout = choose_layout(path, LAYOUTS)
    rows = read_table(path, layout)
    missing = [name for name in ABSENT if name not in rows.columns]
    nothing = pl.lit(None, pl.String)
    filled = rows.with_columns(nothing.alias(name) for name in missing)
    rules = (
        UNCLOSED_RULE,
        must_be(RUN, "run", "run"),
        must_be(STUDY, "study", "study"),
        may_be(BIOPROJECT, "bioproject", "BioProject"),
        may_be(BIOSAMPLE, "biosample", "BioSample"),
    )
    kept, rejected = split_rejected(filled, path.name, rules)
    runs = kept.select("run", "study", *ABSENT)
    return Records(
        run=to_table(runs, Run),
        rejected=rejected,
    )


SOURCE: Final = Source(
    read,
    "the study of each run",
    "accessions are public facts (INSDC); recount2: MIT",
    LAYOUTS,
)
