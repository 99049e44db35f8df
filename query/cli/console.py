"""What all commands share: where the index is, how an error leaves, what a terminal shows.

Everything printed passes ``say``, so no control character of the data reaches a terminal.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from ontology_etl.errors import ViromeError
from query.cli.listing import (
    GAP,
    ListedColumn,
    cell_text,
    fit_columns,
    is_empty,
    printable,
    tab_separated,
)

if TYPE_CHECKING:
    import duckdb
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
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]


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
        say(f"error: {error.message}\n  -> {error.remedy}", err=True)
        raise typer.Exit(error.exit_code) from error


@contextmanager
def index_opened(option: Path | None) -> Iterator[duckdb.DuckDBPyConnection]:
    """Yield a read-only connection to the index that ``option`` or the environment names.

    Where neither does, it is the published index or the demo's. Raises ``IndexDamagedError`` where
    the index cannot be read while it is used.
    """
    import duckdb

    from index.errors import IndexDamagedError
    from index.store.read import first_line, open_index
    from query.config import database_path, named_database

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


def say(text: str, *, err: bool = False) -> None:
    """Print ``text`` on stdout or stderr, its control characters written out."""
    safe = printable(text)
    typer.echo(safe, err=err)


def print_json(record: object) -> None:
    """Print ``record`` as indented JSON."""
    text = json.dumps(
        record,
        indent=2,
        ensure_ascii=False,
        default=str,
    )
    say(text)


def print_error(name: str, message: str, remedy: str, *, exit_code: int) -> None:
    """Print an error as one line of JSON on stdout."""
    record = {
        "error": name,
        "message": message,
        "remedy": remedy,
        "exit_code": exit_code,
    }
    text = json.dumps(record, ensure_ascii=False)
    say(text)


def print_table(columns: Sequence[ListedColumn], rows: Sequence[Sequence[object]]) -> None:
    """Print rows: a table that fits the terminal, or tab-separated lines when piped."""
    cells = [[cell_text(cell) for cell in row] for row in rows]
    if not sys.stdout.isatty():
        # cells have no control characters; the tabs between them must stay
        typer.echo(tab_separated(columns, cells))
        return
    from rich.console import Console

    draw_table(Console(), columns, cells)


def draw_table(
    console: Console, columns: Sequence[ListedColumn], cells: Sequence[Sequence[str]]
) -> None:
    """Draw ``cells`` within the width of ``console``.

    What does not fit is cut or left out; columns left out are named.
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
    names = []
    for place, column in enumerate(columns):
        if place not in widths and not is_empty(cells, place):
            names.append(column.name)
    if names:
        listed = ", ".join(names)
        say(f"too narrow for: {listed} (a wider terminal, a pipe and --json have all)", err=True)


def print_prose(text: str) -> None:
    """Print Markdown-like text, rendered in a terminal, unchanged when piped.

    A terminal shows references as numbers.
    """
    if not sys.stdout.isatty():
        say(text)
        return
    from rich.console import Console
    from rich.markdown import Markdown

    from index.reports.phrases import plain_markdown
    from query.answer_text import number_references

    numbered, references = number_references(printable(text))
    console = Console()
    console.print(Markdown(plain_markdown(numbered), hyperlinks=False))
    for number, reference in enumerate(references, 1):
        console.print(f"[{number}] {reference}", style="dim", markup=False, highlight=False)
