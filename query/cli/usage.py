"""How wrong usage leaves the command line: exit code 2, and JSON too where ``--json`` was typed."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any, Final

import typer
from typer.core import TyperCommand, TyperGroup

from index.exposure import policy_named
from query.cli.console import print_error

MOST: Final = 1_000_000
"""Lines, rows, levels or tokens of an option that says no other bound, in the range of SQL."""
LinesShown = Annotated[int, typer.Option("--limit", help="Lines to show.", min=1, max=MOST)]
"""``--limit`` of a command that lists."""
FIGURE_SUFFIXES: Final = (".svg", ".png")
_USAGE_ERROR: Final[type[Exception]] = next(
    kind for kind in typer.BadParameter.__mro__ if kind.__name__ == "UsageError"
)
"""typer carries its own copy of click and exports only the subclass."""


class _JsonUsage:
    """A command that says wrong usage as JSON, too, where ``--json`` is among its arguments.

    Of commands within commands the outermost says it.
    """

    _program = ""
    _typed: tuple[str, ...] = ()

    def make_context(
        self, info_name: str | None, args: list[str], parent: Any = None, **extra: Any
    ) -> Any:
        """Read the arguments."""
        self._program = info_name or ""
        self._typed = tuple(args)
        with self._said(outermost=parent is None):
            for argument in args if parent is None else ():
                _check_text(argument)
            return super().make_context(info_name, args, parent, **extra)  # type: ignore[misc]

    def invoke(self, ctx: Any) -> Any:
        """Run the command that the arguments name."""
        with self._said(outermost=ctx.parent is None):
            return super().invoke(ctx)  # type: ignore[misc]

    @contextmanager
    def _said(self, *, outermost: bool) -> Iterator[None]:
        try:
            yield
        except _USAGE_ERROR as error:
            if outermost and "--json" in self._typed:
                _print_usage_error(error, self._program)
            raise


class JsonUsageCommand(_JsonUsage, TyperCommand):
    """A program of one command."""


class JsonUsageGroup(_JsonUsage, TyperGroup):
    """A program of several commands."""


def _check_text(argument: str) -> None:
    """Raise a usage error where ``argument`` is not UTF-8: neither SQL nor JSON can hold it."""
    try:
        argument.encode()
    except UnicodeEncodeError as error:
        raise typer.BadParameter(f"{argument!r} is not UTF-8") from error


def figure_file(path: Path | None) -> Path | None:
    """Return ``path`` where a figure can be written to it; otherwise it is wrong usage."""
    if path is None:
        return None
    if path.suffix.lower() not in FIGURE_SUFFIXES:
        raise typer.BadParameter(f"{path}: name a file that ends in {' or '.join(FIGURE_SUFFIXES)}")
    if not path.parent.is_dir():
        raise typer.BadParameter(f"{path}: no folder {path.parent}")
    return path


def figure_option(help_text: str) -> Any:
    """Return the option that names an SVG or PNG file to draw to; ``help_text`` says what."""
    return typer.Option(help=help_text, show_default=False, callback=figure_file)


def known_policy(name: str | None) -> str | None:
    """Return the ``name`` of a risk policy; a word that is none is wrong usage."""
    try:
        return policy_named(name).name if name else None
    except ValueError as error:
        raise typer.BadParameter(str(error)) from error


def _print_usage_error(error: Any, program: str) -> None:
    command = error.ctx.command_path if error.ctx else program
    print_error(
        "UsageError", error.format_message(), f"{command} --help", exit_code=error.exit_code
    )
