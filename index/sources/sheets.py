"""Sheets of spreadsheets as tables of text, so that every format may come as a sheet.

What is above the header (a title, a date) becomes remarks, so that rows keep their numbers.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

import polars as pl
from fastexcel import FastExcelError

from ontology_etl.errors import EmptyTableError, InputError, MissingFileError, TruncatedFileError

SUFFIXES: Final = (".xlsx", ".xlsm", ".xls", ".xlsb", ".ods")
_MIDNIGHT: Final = r"^(\d{4}-\d{2}-\d{2})[ T]00:00:00$"
_WHOLE: Final = r"^(-?\d+)\.0$"


def is_spreadsheet(path: Path) -> bool:
    """Return whether the name of ``path`` is that of a spreadsheet."""
    return path.suffix.lower() in SUFFIXES


def sheet_names(path: Path) -> list[str]:
    """Return the names of the sheets that hold a table. Raises ``InputError``."""
    return [name for name, rows in _sheets(path).items() if _header_row(rows) is not None]


@contextmanager
def as_text(path: Path, sheet: str = "") -> Iterator[Path]:
    """Yield the sheet of a spreadsheet as a file of tab-separated text of the same name; any other
    file as it is. Without ``sheet`` it is the first that holds a table.

    Raises ``EmptyTableError`` where there is none, ``InputError`` where it is not there.
    """
    if not is_spreadsheet(path):
        yield path
        return
    with TemporaryDirectory() as folder:
        copy = Path(folder) / path.name
        copy.write_text(_text_of(path, sheet), encoding="utf-8")
        try:
            yield copy
        except InputError as error:
            where = f"{path} ({sheet})" if sheet else str(path)
            error.args = tuple(str(part).replace(str(copy), where) for part in error.args)
            error.message = error.message.replace(str(copy), where)
            error.path = path
            raise


def _text_of(path: Path, sheet: str) -> str:
    """Return a sheet as lines of tab-separated cells, lines above its header as remarks."""
    sheets = _sheets(path)
    if sheet and sheet not in sheets:
        remedy = f"use one of its sheets: {', '.join(sheets)}"
        raise InputError(path, f"has no sheet {sheet!r}", remedy=remedy)
    candidates = [sheets[sheet]] if sheet else list(sheets.values())
    for rows in candidates:
        header = _header_row(rows)
        if header is not None:
            lines = ["\t".join(cells).rstrip("\t") for cells in rows]
            remarks = [f"# {line}" for line in lines[:header]]
            width = len(rows[header])
            body = ["\t".join(cells[:width]) for cells in rows[header:]]
            return "\n".join([*remarks, *body]) + "\n"
    raise EmptyTableError(path)


def _header_row(rows: list[list[str]]) -> int | None:
    """Return the place of the first row with as many cells as most have, None in an empty sheet."""
    filled = [sum(1 for cell in cells if cell) for cells in rows]
    most = max(filled, default=0)
    if most < 2:
        return None
    return next(place for place, count in enumerate(filled) if count * 2 > most)


def _sheets(path: Path) -> dict[str, list[list[str]]]:
    """Return the rows of every sheet, all cells text."""
    if not path.is_file():
        raise MissingFileError(path)
    try:
        frames = pl.read_excel(
            path,
            sheet_id=0,
            engine="calamine",
            has_header=False,
            infer_schema_length=0,
            raise_if_empty=False,
            drop_empty_rows=False,
        )
    except FastExcelError as error:
        raise TruncatedFileError(path, str(error).splitlines()[0]) from error
    return {name: _rows(frame) for name, frame in frames.items()}


def _rows(frame: pl.DataFrame) -> list[list[str]]:
    text = pl.all().cast(pl.String).fill_null("").str.replace_all(r"[\t\r\n]+", " ")
    plain = text.str.strip_chars().str.replace(_MIDNIGHT, "$1").str.replace(_WHOLE, "$1")
    return [list(row) for row in frame.select(plain).iter_rows()]
