"""Which study a run belongs to, what recount or a collection says was sequenced, and from what.

Licence: accessions are public facts (INSDC); recount2's table is MIT. What a program guessed is
never read: neither what a model predicted from the reads (``predicted_tissue``, ``predicted_sex``)
nor what was mined from titles (``sharq_beta_tissue``, which ``reported_tissue`` repeats: blood for
lymphoblastoid lines). A study is the SRA's own (SRP, ERP, DRP) and no BioProject.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

import polars as pl

from index.records import Records
from index.sources.accessions import BIOPROJECT, BIOSAMPLE, RUN, STUDY
from index.sources.layout import Column, Layout, optional, required
from index.sources.rejection import counted
from index.sources.source import Source
from index.sources.tabular import choose_layout, read_table, sound_rows, to_table
from index.tables import Run, RunAttribute
from ontology_etl.tables import gather_rejected, with_absent

_RUN: Final = required("run", "run accession", "ERR1719524").must_be(RUN)
_STUDY: Final = required("study", "SRA study accession", "ERP019506").must_be(STUDY)
_ORGANISM: Final = required("organism", "organism as submitted", "Mus musculus")
_GUESSED: Final = frozenset({
    "reported_tissue", "sharq_beta_tissue", "sharq_beta_cell_type", "predicted_tissue",
    "predicted_sex", "predicted_samplesource", "accuracy_tissue", "accuracy_sex",
})  # fmt: skip
_PAIR: Final = r"^\s*(?<attribute>[^:]+?)\s*:\s*(?<value>.+?)\s*$"


def _layout(name: str, *columns: Column, left_out: frozenset[str] = frozenset()) -> Layout:
    return Layout(name, (_RUN, *columns), left_out=left_out)


RUN_INFO: Final = _layout(
    "runs of a collection",
    _STUDY,
    required("bioproject", "BioProject accession", "PRJEB17636").may_be(BIOPROJECT),
    required("biosample", "BioSample accession", "SAMEA4534052").may_be(BIOSAMPLE),
    _ORGANISM,
    optional("library_strategy", "library strategy", "RNA-Seq"),
)
RECOUNT: Final = _layout("runs of recount3", _STUDY, _ORGANISM)
RECOUNT2: Final = _layout(
    "runs of recount2",
    required("project", "SRA study accession", "ERP001574", alias="study").must_be(STUDY),
    required("experiment", "SRA experiment accession", "ERX126394"),
    optional("title", "title of the GEO sample", "BCBL-1 mRNA"),
    optional(
        "characteristics", "its attributes as `name: value`, joined by ` | `", "cell line: BCBL-1"
    ),
    optional("reported_sex", "sex as stated", "female", alias="sex"),
    left_out=_GUESSED,
)
CURATED: Final = _layout(
    "runs of a tissue collection",
    _STUDY,
    required("tissue_category", "tissue as curated", "blood"),
    optional("tissue_subtype", "its finer kind", "pbmcs"),
    optional("cancer", "whether the sample is of a cancer: cancer or none", "none"),
)
LAYOUTS: Final = (RUN_INFO, RECOUNT, RECOUNT2, CURATED)
OPTIONAL: Final = ("organism", "bioproject", "biosample", "library_strategy")
DESCRIBING: Final = ("title", "sex", "tissue_category", "tissue_subtype", "cancer")
"""Columns that are attributes of the run."""


def read(path: Path) -> Records:
    """Return runs with their study and with organism, accessions and attributes, if stated."""
    layout = choose_layout(path, LAYOUTS)
    rows = read_table(path, layout)
    filled = with_absent(rows, dict.fromkeys(OPTIONAL, pl.String))
    kept, rejected, counts = sound_rows(filled, path, layout)
    runs = kept.select("run", "study", *OPTIONAL)
    described = pl.concat([_described(kept), _characteristics(kept)])
    is_pair = pl.col("attribute").is_not_null() & pl.col("value").is_not_null()
    nameless = len(described.filter(~is_pair))
    lost = counted(path.name, "characteristic without a name or a value", nameless)
    return Records(
        run=to_table(runs, Run),
        run_attribute=to_table(described.filter(is_pair), RunAttribute),
        rejected=gather_rejected([rejected, lost]),
        rows=counts,
    )


def _described(rows: pl.DataFrame) -> pl.DataFrame:
    """Return [run, attribute, value] of the columns that are attributes of the run."""
    columns = [name for name in DESCRIBING if name in rows.columns]
    stated = rows.unpivot(columns, index="run", variable_name="attribute", value_name="value")
    return stated.drop_nulls("value").cast(pl.String)


def _characteristics(rows: pl.DataFrame) -> pl.DataFrame:
    """Return [run, attribute, value] of ``a: x | b: y``; both null for a part that is not a pair.

    >>> cell = ["cell line: TK6 | dose: 1 | new"]
    >>> _characteristics(pl.DataFrame({"run": ["SYNR1"], "characteristics": cell})).rows()
    [('SYNR1', 'cell line', 'TK6'), ('SYNR1', 'dose', '1'), ('SYNR1', None, None)]
    """
    if "characteristics" not in rows.columns:
        return rows.clear().select("run", attribute="run", value="run")
    stated = rows.drop_nulls("characteristics")
    listed = stated.select("run", part=pl.col("characteristics").str.split(" | "))
    parts = listed.explode("part").with_columns(pl.col("part").str.extract_groups(_PAIR))
    return parts.unnest("part")


SOURCE: Final = Source(
    read,
    "the study of each run, and what a collection says of it",
    "accessions are public facts (INSDC); recount2: MIT",
    LAYOUTS,
)
