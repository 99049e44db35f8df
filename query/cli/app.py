"""The ``query`` command: thin commands over the functions of this package.

Heavy imports wait until a command runs.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from typing import Annotated, Final

import typer

from query.cli.answering import command_of
from query.cli.asking import (
    ask,
    ask_globally,
    ask_sql,
    chat,
    entrez,
    read,
    run_request,
    search,
)
from query.cli.browsing import browse, builds, mwas, runs, term
from query.cli.console import Quiet, be_quiet, say
from query.cli.running import atlas, doctor, evaluate, export, init, mcp, models, serve
from query.cli.usage import JsonUsageGroup
from query.modes import all_modes

OWN_COMMANDS: Final[Mapping[str, Callable[..., None]]] = {
    "global": ask_globally.answer_globally,
    "entrez": entrez.answer_from_ncbi,
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
app.command("ask")(ask.ask)
app.command("documents")(search.documents)
app.command("read")(read.read)
app.command("run")(run_request.run_request)
app.command("runs")(runs.runs)
app.command("communities")(browse.communities)
app.command("report")(browse.report)
app.command("term")(term.term)
app.command("mwas")(mwas.mwas)
app.command("serve")(serve.serve)
app.command("mcp")(mcp.mcp)
app.command("atlas")(atlas.atlas)
app.command("export")(export.export)
app.command("init")(init.init)
app.command("builds")(builds.builds)
app.command("doctor")(doctor.doctor)
app.command("chat")(chat.chat)
app.command("evaluate")(evaluate.evaluate)
app.command("models")(models.models)


def print_versions(asked: bool) -> None:
    """Print the versions and leave, where they are ``asked`` for."""
    if asked:
        from query.cli.versions import version_text

        say(version_text())
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
