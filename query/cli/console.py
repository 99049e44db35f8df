"""What all commands of the command line share: where the index is, how an error leaves, what a
terminal shows.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ontology_etl.errors import ViromeError

if TYPE_CHECKING:
    import duckdb

Database = Annotated[
    Path | None,
    typer.Option(
        "--db",
        help="Index to read; else $VIROME_DB, else data/index/virome.duckdb.",
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
            record = {
                "error": type(error).__name__,
                "message": error.message,
                "remedy": error.remedy,
            }
            typer.echo(json.dumps({**record, "exit_code": error.exit_code}, ensure_ascii=False))
        typer.echo(f"error: {error.message}\n  -> {error.remedy}", err=True)
        raise typer.Exit(error.exit_code) from error


@contextmanager
def index_opened(option: Path | None) -> Iterator[duckdb.DuckDBPyConnection]:
    """Yield a read-only connection to the index that ``option`` or the environment names."""
    from index.store.read import open_index
    from query.config import database_path

    connection = open_index(database_path(option))
    try:
        yield connection
    finally:
        connection.close()


def print_json(record: object) -> None:
    """Print ``record`` as indented JSON."""
    typer.echo(json.dumps(record, indent=2, ensure_ascii=False, default=str))


def print_table(columns: Sequence[str], rows: Sequence[Sequence[object]], *, wide: str) -> None:
    """Print rows: a table that fits the terminal, or tab-separated lines when piped. ``wide`` is
    the column to fold.
    """
    cells = [["" if cell is None else str(cell) for cell in row] for row in rows]
    if not sys.stdout.isatty():
        typer.echo("\n".join("\t".join(row) for row in [list(columns), *cells]))
        return
    from rich.console import Console
    from rich.table import Table

    table = Table(box=None, pad_edge=False, header_style="bold")
    for column in columns:
        table.add_column(
            column, overflow="fold", no_wrap=column != wide, ratio=1 if column == wide else None
        )
    for row in cells:
        table.add_row(*row)
    Console().print(table, markup=False)


def print_prose(text: str) -> None:
    """Print Markdown-like text: rendered in a terminal with references as numbers, unchanged when
    piped.
    """
    if not sys.stdout.isatty():
        typer.echo(text)
        return
    from rich.console import Console
    from rich.markdown import Markdown

    from query.answer import number_references

    numbered, references = number_references(text)
    console = Console()
    console.print(Markdown(numbered))
    for number, reference in enumerate(references, 1):
        console.print(f"[{number}] {reference}", style="dim", markup=False, highlight=False)
