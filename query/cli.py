"""The ``query`` command: thin commands over the functions of this package. Heavy imports wait until a command runs."""

from __future__ import annotations

import typer

from query import cli_browse, cli_global, cli_mwas, cli_term

app = typer.Typer(
    name="query",
    help="Ask an index of public sequencing runs: answers are counted in SQL, cited and checked.",
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    add_completion=False,
)
app.command("global")(cli_global.answer_globally)
app.command("communities")(cli_browse.communities)
app.command("report")(cli_browse.report)
app.command("term")(cli_term.term)
app.command("mwas")(cli_mwas.mwas)


def main() -> None:
    """Run the command line."""
    app()
