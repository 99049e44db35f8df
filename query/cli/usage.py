"""How wrong usage leaves the command line: exit code 2, and JSON too where ``--json`` was typed."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

import typer
from typer.core import TyperGroup

from index.exposure import check_groups
from query.cli.console import print_error

FIGURE_SUFFIXES: Final = (".svg", ".png")
_USAGE_ERROR: Final[type[Exception]] = next(
    kind for kind in typer.BadParameter.__mro__ if kind.__name__ == "UsageError"
)
"""typer carries its own copy of click and exports only the subclass."""


class JsonUsageGroup(TyperGroup):
    """The commands of a program, with usage errors as JSON too where ``--json`` was typed."""

    def invoke(self, ctx: Any) -> Any:
        """Run the command that the arguments name."""
        typed = [*ctx._protected_args, *ctx.args]
        try:
            return super().invoke(ctx)
        except _USAGE_ERROR as error:
            if "--json" in typed:
                _print_usage_error(error)
            raise


def figure_file(path: Path | None) -> Path | None:
    """Return ``path`` where a figure can be written to it; otherwise it is wrong usage."""
    if path is None:
        return None
    if path.suffix.lower() not in FIGURE_SUFFIXES:
        raise typer.BadParameter(f"{path}: name a file that ends in {' or '.join(FIGURE_SUFFIXES)}")
    if not path.parent.is_dir():
        raise typer.BadParameter(f"{path}: no folder {path.parent}")
    return path


def known_groups(groups: list[str] | None) -> list[str]:
    """Return the risk ``groups`` named; a word that is none is wrong usage."""
    try:
        return list(check_groups(groups or ()))
    except ValueError as error:
        raise typer.BadParameter(str(error)) from error


def _print_usage_error(error: Any) -> None:
    command = error.ctx.command_path if error.ctx else "query"
    print_error(
        "UsageError", error.format_message(), f"{command} --help", exit_code=error.exit_code
    )
