"""``query schema``: the JSON Schema of what a command prints with ``--json``."""

from __future__ import annotations

from typing import Annotated

import typer

from query.cli.console import print_json, say


def schema(
    command: Annotated[
        str | None,
        typer.Argument(help="A command, or `error`; default: list all.", show_default=False),
    ] = None,
) -> None:
    """Print the JSON Schema of what a command prints with --json, or list the commands.

    An error is one line of the schema `error` on stdout; its text goes to stderr.

    \b
    Examples:
      query schema
      query schema global
      query schema "sql --schema"
      query schema error
    """
    from query.cli.schemas import OUTPUTS, output_schema

    if command is None:
        names = sorted(OUTPUTS)
        say("\n".join(names))
        return
    if command not in OUTPUTS:
        raise typer.BadParameter(f"{command!r} is not one of {', '.join(sorted(OUTPUTS))}")
    print_json(output_schema(command))
