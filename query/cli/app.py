"""The ``query`` command: thin commands over the functions of this package. Heavy imports wait until
a command runs.
"""

from __future__ import annotations

import typer

from query.cli import ask_globally, browse, mwas, term

app = typer.Typer(
    name="query",
    help="Ask an index of public sequencing runs: answers are counted in SQL, cited and checked.",
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    add_completion=False,
)
app.command("global")(ask_globally.answer_globally)
app.command("communities")(browse.communities)
app.command("report")(browse.report)
app.command("term")(term.term)
app.command("mwas")(mwas.mwas)


def main() -> None:
    """Run the command line."""
    app()
