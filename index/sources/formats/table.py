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

from dataclasses import replace
from pathlib import Path
from typing import Final

from index.records import Records
from index.sources.layout import Column, Layout
from index.sources.linked_names import NAMES, read_names
from index.sources.mapped import RUNS, FileOptions, Spec, read_mapped
from index.sources.meanings import ATTRIBUTE, meanings
from index.sources.source import Method, Source, methods_of
from index.sources.tabular import read_header
from ontology_etl.errors import InputError

NO_COLUMNS: Final[dict[str, str]] = {}
NO_LIMITS: Final[dict[str, float]] = {}


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
    source: str = "",
    method: str = "",
    at_least: dict[str, float] = NO_LIMITS,
    known_runs: bool = False,
) -> Records:
    """Return what a table says of runs, samples and viruses.

    ``run`` is the run of all its rows, ``hits_of`` the virus that all are hits of. With
    ``searched`` a run without a virus was searched, and none was found. With ``across`` every other
    column is a run with its reads of each virus, and runs of no reads were searched.

    ``source`` names the source of its detections where several tables are of one, and ``method``
    how it finds them. Rows below a number of ``at_least`` (``{reads = 3}``) are noise: rejected,
    though searched for. With ``known_runs`` runs that no other input describes are left out.

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
        source=source,
    )
    said = FileOptions(
        run=run,
        hits_of=hits_of,
        linked=read_names(names) if names else {},
        at_least=_limits(at_least, path, layout),
        known_runs=known_runs,
    )
    found = read_mapped(path, spec, said)
    if not method:
        return found
    return replace(found, search_method=methods_of(found, Method(method, "reads")))


def _limits(at_least: dict[str, float], path: Path, layout: Layout) -> dict[str, float]:
    """Return ``at_least``. Raises ``InputError`` where it names no column of numbers."""
    numbers = [column.read_as for column in layout.columns if column.unit is not None]
    unknown = [name for name in at_least if name not in numbers]
    if unknown:
        remedy = f"at_least may name {', '.join(numbers) or 'no column of this table'}"
        raise InputError(path, f"no column of numbers means {', '.join(unknown)}", remedy=remedy)
    return at_least


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
