"""Read sheets that link a laboratory's names to runs: any table with a column of each."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from index.sources.column_guess import guess_columns
from index.sources.layout import Layout, required
from index.sources.meanings import attribute_name
from index.sources.source import Companion
from index.sources.tabular import read_header, read_sound
from ontology_etl.errors import ColumnError

LAYOUT: Final = Layout(
    "sample_sheet",
    (
        required("sample", "name that the laboratory gave", "bat_1"),
        required("run_accession", "run accession", "SRR000001"),
    ),
)
NAMES: Final = Companion("names of the laboratory's own, and the run of each", (LAYOUT,))


def read_names(path: Path) -> dict[str, str]:
    """Return the run of each name in the sheet at ``path``, names in lower case.

    Raises ``ColumnError`` where it has no column of names or none of runs.
    """
    found = guess_columns(path, {}).columns
    if not {"sample_name", "run"} <= set(found):
        missing = list(LAYOUT.names)
        header = read_header(path)
        raise ColumnError(path, missing=missing, found=header, format_name=LAYOUT.name)
    columns = [required(found[name], name, "", alias=name) for name in ("sample_name", "run")]
    rows = read_sound(path, Layout(LAYOUT.name, tuple(columns))).kept
    linked = rows.select("sample_name", "run").drop_nulls()
    return {attribute_name(name): run for name, run in linked.iter_rows()}
