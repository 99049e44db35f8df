"""What all commands share: finding the index, reporting errors, printing for a terminal.

Everything printed passes through ``say``, so no control character of the data reaches a terminal.
"""

from __future__ import annotations

import json
import os
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final, Literal

import duckdb
import typer

from index.claims.phrases import plain_markdown
from index.errors import IndexDamagedError
from index.store.read import first_line, open_index
from ontology_etl.errors import ViromeError
from query.cli.listing import GAP, ListedColumn, cell_text, fit_columns, is_empty, tab_separated
from query.config import database_path, named_database
from query.errors import FolderError
from query.words import printable

if TYPE_CHECKING:
    from rich.console import Console

Database = Annotated[
    Path | None,
    typer.Option(
        "--db",
        help="Index to read; else $VIROME_DB, else data/index/virome.duckdb, "
        "else data/index/demo.duckdb.",
        show_default=False,
    ),
]
Quiet = Annotated[bool, typer.Option("--quiet", help="Print no notes on stderr, only errors.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]

_QUIET: Final = ContextVar("quiet", default=False)

_FENCED: Final = re.compile(r"^```\w*\n(.*?)\n```$", re.DOTALL | re.MULTILINE)
"""A block of code; splitting by it gives prose and code in turn."""


def be_quiet(quiet: bool) -> None:
    """Turn notes off or on."""
    _QUIET.set(quiet)


def is_quiet() -> bool:
    """Return whether notes are turned off."""
    return _QUIET.get()


@contextmanager
def reported(*, as_json: bool) -> Iterator[None]:
    """Print an error of the product with its remedy on stderr and leave with its exit code."""
    try:
        yield
    except ViromeError as error:
        if as_json:
            print_error(
                type(error).__name__, error.message, error.remedy, exit_code=error.exit_code
            )
        say(f"error: {error.message}\n  -> {error.remedy}", err=True, always=True)
        raise typer.Exit(error.exit_code) from error


@contextmanager
def index_opened(option: Path | None) -> Iterator[duckdb.DuckDBPyConnection]:
    """Yield a read-only connection to the index (``query.config.database_path``).

    Raises ``IndexDamagedError`` if the index cannot be read while it is in use.
    """
    path = database_path(option)
    connection = open_index(path)
    if named_database(option) is None:
        say(f"index: {path}", err=True)
    try:
        yield connection
    except duckdb.Error as error:
        raise IndexDamagedError(path, reason=first_line(error)) from error
    finally:
        connection.close()


@contextmanager
def opened(option: Path | None, *, as_json: bool) -> Iterator[duckdb.DuckDBPyConnection]:
    """Yield the index as ``index_opened`` does, and report errors as ``reported`` does."""
    with reported(as_json=as_json), index_opened(option) as con:
        yield con


def say(text: str, *, err: bool = False, always: bool = False) -> None:
    """Print ``text`` on stdout or stderr, its control characters written out.

    Text on stderr is a note, which ``--quiet`` leaves out unless it is ``always`` printed.
    """
    if always or not (err and _QUIET.get()):
        typer.echo(printable(text), err=err)


def print_json(record: object) -> None:
    """Print ``record`` as indented JSON."""
    say(json.dumps(record, indent=2, ensure_ascii=False, default=str))


def print_error(name: str, message: str, remedy: str, *, exit_code: int) -> None:
    """Print an error as one line of JSON on stdout."""
    record = {"error": name, "message": message, "remedy": remedy, "exit_code": exit_code}
    say(json.dumps(record, ensure_ascii=False))


@contextmanager
def writing(path: Path) -> Iterator[None]:
    """Turn an error of the file system into a ``FolderError`` that names ``path``."""
    try:
        yield
    except OSError as error:
        raise FolderError(path, reason=error.strerror or str(error)) from error


def print_table(columns: Sequence[ListedColumn], rows: Sequence[Sequence[object]]) -> None:
    """Print rows: a table that fits the terminal, or tab-separated lines when piped."""
    cells = [[cell_text(cell) for cell in row] for row in rows]
    if not sys.stdout.isatty():
        # cells have no control characters; the tabs between them must stay
        typer.echo(tab_separated(columns, cells))
        return
    from rich.console import Console

    console = Console()
    with console.capture() as drawn:
        draw_table(console, columns, cells)
    print_pages(drawn.get(), height=console.height)


def print_tables(*tables: tuple[Sequence[ListedColumn], Sequence[Sequence[object]]]) -> None:
    """Print those of ``tables`` that have rows, an empty line before each."""
    for columns, rows in tables:
        if rows:
            say("")
            print_table(columns, rows)


def print_pages(text: str, *, height: int) -> None:
    """Print ``text`` in a terminal of ``height`` lines; through the pager if it is longer.

    The pager is $PAGER, else less; PAGER=cat means none.
    """
    if text.count("\n") < height:
        typer.echo(text, nl=False, color=True)
        return
    import pydoc

    os.environ.setdefault("LESS", "-R")  # less shows colours only so
    pydoc.pager(text)


def draw_table(
    console: Console, columns: Sequence[ListedColumn], cells: Sequence[Sequence[str]]
) -> None:
    """Draw ``cells`` within the width of ``console``.

    What does not fit is shortened or left out; columns left out are named.
    """
    from rich.table import Table
    from rich.text import Text

    widths = fit_columns(columns, cells, console.width)
    table = Table(box=None, pad_edge=False, padding=(0, GAP, 0, 0), header_style="bold")
    for place, width in widths.items():
        justify: Literal["left", "right"] = "right" if columns[place].number else "left"
        table.add_column(columns[place].name, justify=justify, no_wrap=True, width=width)
    for row in cells:
        table.add_row(*(Text(row[place], overflow="ellipsis") for place in widths))
    console.print(table, crop=False)
    _say_left_out(columns, cells, widths)


def _say_left_out(
    columns: Sequence[ListedColumn], cells: Sequence[Sequence[str]], widths: Mapping[int, int]
) -> None:
    """Name the columns that have text and no room."""
    names = [
        column.name
        for place, column in enumerate(columns)
        if place not in widths and not is_empty(cells, place)
    ]
    if names:
        listed = ", ".join(names)
        say(f"too narrow for: {listed} (a wider terminal, a pipe and --json have all)", err=True)


def print_prose(text: str, *, paged: bool = True) -> None:
    """Print Markdown-like text, rendered in a terminal, unchanged when piped.

    A terminal shows references as numbers, and code unchanged so that it can be copied. Long text
    goes through the pager if it may be ``paged``.
    """
    if not sys.stdout.isatty():
        say(text)
        return
    from rich.console import Console
    from rich.markdown import Markdown

    from query.answer_text import number_references

    numbered, references = number_references(printable(text))
    console = Console()
    pieces = _FENCED.split(numbered)
    with console.capture() as drawn:
        for place, piece in enumerate(pieces):
            if place % 2:
                console.print(piece, markup=False, highlight=False, soft_wrap=True)
            elif piece.strip():
                console.print(Markdown(plain_markdown(piece), hyperlinks=False))
        for number, reference in enumerate(references, 1):
            console.print(f"[{number}] {reference}", style="dim", markup=False, highlight=False)
    height = console.height if paged else sys.maxsize
    print_pages(drawn.get(), height=height)
