"""Shared command-line code of this package."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import typer

from query.cli.usage import JsonUsageCommand, JsonUsageGroup

CommandT = TypeVar("CommandT", bound=Callable[..., Any])


class App(typer.Typer):
    """A command line whose usage errors honour ``--json``, with one command or with several."""

    def command(self, *given: Any, **options: Any) -> Callable[[CommandT], CommandT]:
        """Return a decorator that adds a command, as ``typer.Typer.command``."""
        options.setdefault("cls", JsonUsageCommand)
        return super().command(*given, **options)


def make_app(description: str | None = None) -> App:
    """Return an empty command line in the style of ``query``."""
    return App(
        cls=JsonUsageGroup,
        help=description,
        rich_markup_mode=None,
        pretty_exceptions_enable=False,
        add_completion=False,
    )


def run_app(app: typer.Typer, arguments: Sequence[str] | None, *, name: str) -> int:
    """Run ``app`` with ``arguments`` (None: those of the process) and return its exit code."""
    try:
        app(args=None if arguments is None else list(arguments), prog_name=name)
    except SystemExit as left:
        return left.code if isinstance(left.code, int) else 0
    return 0
