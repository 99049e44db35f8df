"""Any table with a row for each run, sample, or virus in a run; the manifest names its columns.

    [[input]]
    format = "table"
    path = "sheet.tsv"
    columns = {run = "Run", biosample = "BioSample", host = "Host species", reads = "Viral reads"}
    ignore = ["Notes"]

What a column may mean is in ``index/sources/meanings.tsv``; any other key is an attribute of the
sample of that name, and so is every column that is neither named nor ignored. Licence: that of the
data in the table.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

from index.records import Records
from index.sources.layout import Column, Layout
from index.sources.linked_names import NAMES, read_names
from index.sources.mapped import RUNS, FileOptions, Spec, read_mapped
from index.sources.meanings import ATTRIBUTE, meanings
from index.sources.source import Source
from index.sources.tabular import read_header
from ontology_etl.errors import InputError

NO_COLUMNS: Final[dict[str, str]] = {}


def read(
    path: Path,
    *,
    columns: dict[str, str] = NO_COLUMNS,
    ignore: tuple[str, ...] = (),
    run: str = "",
    hits_of: str = "",
    names: Path | None = None,
    searched: bool = False,
    across: bool = False,
) -> Records:
    """Return what a table says of runs, samples and viruses.

    ``run`` is the run of all its rows, ``hits_of`` the virus that all are hits of. With
    ``searched`` a run without a virus was searched, and none was found. With ``across`` every other
    column is a run with its reads of each virus, and runs of no reads were searched.

    Raises ``InputError`` where no column is named.
    """
    if not columns:
        read_header(path)
        remedy = "say what they mean: python -m flows.inputs new FILE proposes columns = {…}"
        raise InputError(path, "a table whose columns the manifest does not name", remedy=remedy)
    layout = layout_of(columns, ignore, across=across)
    has_contigs = "contig" in columns and "run" not in columns
    spec = Spec(
        layout,
        own=not has_contigs,
        viral=across and "lineage" in columns,
        searched=searched or across,
    )
    said = FileOptions(run=run, hits_of=hits_of, linked=read_names(names) if names else {})
    return read_mapped(path, spec, said)


def layout_of(columns: dict[str, str], ignore: tuple[str, ...], *, across: bool) -> Layout:
    """Return the layout that ``columns`` (meaning -> heading) states."""
    return Layout(
        "table",
        tuple(_column(meaning, heading) for meaning, heading in columns.items()),
        rest=RUNS if across else "attributes of the sample",
        left_out=frozenset(name.lower() for name in ignore),
    )


def _column(meaning: str, heading: str) -> Column:
    known = meanings().get(meaning)
    if known is None:
        alias = f"{ATTRIBUTE}{meaning}"
        return Column(heading, meaning, "", required=True, alias=alias)
    return Column(heading, known.what, known.example, known.unit or None, True, meaning)


SOURCE: Final = Source(
    read,
    "any table whose columns the manifest names",
    "that of the data in them",
    companions={"names": NAMES},
    holds="a row for each run, sample, or virus in a run; `columns` of the manifest says what each "
    'column means: `columns = {run = "Run", host = "Host species"}`',
)
