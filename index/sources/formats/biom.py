"""BIOM 1.0 tables: taxa by runs, as JSON. Rows and columns are those of the same table as text.

Source: McDonald et al., The Biological Observation Matrix, GigaScience 2012,
doi:10.1186/2047-217X-1-7. BIOM 2 is HDF5, a binary file; ``biom convert`` makes text of it.
Licence: that of the data in the table.
"""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

from index.records import Records
from index.sources.packed import open_bytes, unpacking
from index.sources.source import Cut, Source
from index.sources.specs import FOLDER, declared_source
from ontology_etl.errors import MalformedRowError

_TEXT: Final = declared_source(FOLDER / "biom_tsv.toml")
_NOT_A_TABLE: Final = (
    ArithmeticError,
    AttributeError,
    LookupError,
    RecursionError,
    TypeError,
    ValueError,
)
"""What JSON of another shape raises."""


def read(path: Path, *, names: Path | None = None, run: str = "") -> Records:
    """Return the viruses of a BIOM table and its runs as searched.

    Raises ``MalformedRowError`` if it is not a BIOM table of version 1.
    """
    with TemporaryDirectory() as folder:
        text = Path(folder) / path.name.removesuffix(".gz")
        text.write_text(_as_text(path), encoding="utf-8")
        return _TEXT.read(text, names=names, run=run)


def _as_text(path: Path) -> str:
    """Return a table in JSON as tab-separated text."""
    with unpacking(path), open_bytes(path) as stream:
        content = stream.read()
    try:
        return _text_of(json.loads(content))
    except _NOT_A_TABLE as error:
        remedy = "export it as text: biom convert -i TABLE.biom -o TABLE.tsv --to-tsv"
        raise MalformedRowError(
            path, f"no BIOM table of version 1: {error}", remedy=remedy
        ) from error


def _text_of(table: dict[str, Any]) -> str:
    rows, columns = table["rows"], [str(column["id"]) for column in table["columns"]]
    counts = [["0"] * len(columns) for _ in rows]
    for place, row, value in _cells(table):
        if place < 0 or row < 0:
            raise ValueError("a cell before the first row or column")
        counts[place][row] = f"{value:g}" if value != int(value) else str(int(value))
    lines = [["#OTU ID", *columns, "taxonomy"]]
    lines += [
        [str(row["id"]), *cells, _lineage(row)] for row, cells in zip(rows, counts, strict=True)
    ]
    return "\n".join("\t".join(cells) for cells in lines) + "\n"


def _cells(table: dict[str, Any]) -> list[tuple[int, int, float]]:
    if table.get("matrix_type") == "sparse":
        return [(int(row), int(column), float(value)) for row, column, value in table["data"]]
    return [
        (row, column, float(value))
        for row, values in enumerate(table["data"])
        for column, value in enumerate(values)
    ]


def _lineage(row: dict[str, Any]) -> str:
    said = (row.get("metadata") or {}).get("taxonomy") or ""
    named = "; ".join(said) if isinstance(said, list) else str(said)
    return named.replace("\t", " ")


def _cut(path: Path, target: Path, _rows: int) -> Cut:
    """Copy the whole table: its cells have no order."""
    shutil.copyfile(path, target)
    found = len(_as_text(path).splitlines()) - 1
    return Cut(found, more=False)


SOURCE: Final = Source(
    read,
    "BIOM table (version 1, JSON): taxa by runs",
    "that of the data in them",
    companions=_TEXT.companions,
    holds="the rows, columns and cells of the table as text (`biom_tsv`): "
    '`{"format": "Biological Observation Matrix 1.0.0", …}`',
    cut=_cut,
    method=_TEXT.method,
    starts=r'^\s*\{[^}]*"format"\s*:\s*"Biological Observation Matrix',
)
