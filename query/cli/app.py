"""The ``query`` command: thin commands over the functions of this package.

Heavy imports wait until a command runs.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from importlib.metadata import version
from typing import Annotated, Final

import duckdb
import typer

from index.store.read import CONTRACT_VERSION, contract_of
from query.cli.answering import command_of
from query.cli.asking import ask, ask_sql, chat, run_request, search
from query.cli.browsing import browse, mwas, runs, term
from query.cli.console import Quiet, be_quiet, say
from query.cli.running import evaluate, export, models, serve, setup
from query.cli.usage import JsonUsageGroup
from query.config import database_path
from query.modes import all_modes

OWN_COMMANDS: Final[Mapping[str, Callable[..., None]]] = {
    "global": ask.answer_globally,
    "entrez": ask.answer_from_ncbi,
    "search": search.search,
    "sql": ask_sql.answer_by_sql,
}
"""Ways of asking with options that others do not have."""

app = typer.Typer(
    name="query",
    cls=JsonUsageGroup,
    help="Ask an index of public sequencing runs; answers are counted in SQL and cited.",
    invoke_without_command=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)
for mode in all_modes().values():
    app.command(mode.name)(OWN_COMMANDS.get(mode.name) or command_of(mode))
for command in (
    ask.ask, search.documents, run_request.read, run_request.run, runs.runs, browse.communities,
    browse.report, term.term, mwas.mwas, serve.serve, serve.mcp, export.atlas, export.export,
    setup.init, browse.builds, setup.doctor, chat.chat, evaluate.evaluate, models.models,
):  # fmt: skip
    app.command(command.__name__)(command)


def print_versions(wanted: bool) -> None:
    """Print the versions of program, DuckDB and index, and leave, if that is ``wanted``."""
    if wanted:
        path = database_path(None)
        contract = f"contract {contract_of(path)}" if path.exists() else "none"
        say(
            f"virome-graphrag {version('virome-graphrag')} (reads contract {CONTRACT_VERSION})\n"
            f"DuckDB {duckdb.__version__}\n"
            f"index {path}: {contract}"
        )
        raise typer.Exit


Version = Annotated[
    bool,
    typer.Option(
        "--version",
        callback=print_versions,
        is_eager=True,
        help="Show the versions of program and index.",
    ),
]


@app.callback()
def _options(
    context: typer.Context,
    version: Version = False,  # noqa: ARG001 - its callback acts
    quiet: Quiet = False,
) -> None:
    """Take the options before a command; without a command open a prompt, or show the help."""
    be_quiet(quiet)
    if context.invoked_subcommand is not None:
        return
    if sys.stdin.isatty() and sys.stdout.isatty():
        chat.chat()
        return
    say(context.get_help())
    raise typer.Exit(2)


def main() -> None:
    """Run the command line."""
    app()
