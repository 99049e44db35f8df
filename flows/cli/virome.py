"""``virome``: build, schedule, ask, browse and serve, under one name.

``virome index`` is ``python -m flows.index``, ``virome serve`` is ``query serve``, and so on: the
commands are the same, with the same options.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Final

import typer

from flows import __main__ as schedule
from flows import index, inputs, ontologies, verify
from flows.console import run_app
from query.cli.app import Version
from query.cli.app import app as query_app
from query.cli.console import Quiet, be_quiet
from query.cli.usage import JsonUsageGroup

if TYPE_CHECKING:
    from collections.abc import Sequence

NAME: Final = "virome"

app = typer.Typer(
    name=NAME,
    cls=JsonUsageGroup,
    help="Build an index of public sequencing runs, and ask it.\n\n"
    "\b\nExamples:\n"
    "  virome index\n"
    '  virome global "Which viruses are found in bats?" --no-llm\n'
    "  virome doctor\n",
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)
app.command("index")(index.build)
app.add_typer(inputs.app, name="inputs")
app.add_typer(ontologies.app, name="ontologies")
app.command("verify")(verify.verify)
app.command("schedule")(schedule.serve)
app.add_typer(query_app, name="query")
app.registered_commands.extend(query_app.registered_commands)


@app.callback()
def _options(
    version: Version = False,  # noqa: ARG001 - its callback acts
    quiet: Quiet = False,
) -> None:
    """Take the options before a command."""
    be_quiet(quiet)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; return its exit code."""
    return run_app(app, arguments, name=NAME)


if __name__ == "__main__":
    sys.exit(main())
