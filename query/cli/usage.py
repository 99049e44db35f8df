"""Options of commands, and how wrong usage is reported: exit code 2, and JSON with ``--json``."""

from __future__ import annotations

import errno
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import MISSING, Field, fields
from inspect import Parameter, Signature
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final, TypeVar, get_type_hints

import typer
from typer.core import TyperCommand, TyperGroup

from index.exposure import policy_named
from query.cli.console import print_error, say
from query.errors import FolderError

if TYPE_CHECKING:
    from _typeshed import DataclassInstance


MOST: Final = 1_000_000
"""Lines, rows, levels or tokens of an option that says no other bound, in the range of SQL."""
LinesShown = Annotated[int, typer.Option("--limit", help="Lines to show.", min=1, max=MOST)]
"""``--limit`` of a command that lists."""
FIGURES: Final = (".svg", ".png")
"""Endings of the files that a figure is drawn to."""
_USAGE_ERROR: Final[type[Exception]] = next(
    kind for kind in typer.BadParameter.__mro__ if kind.__name__ == "UsageError"
)
"""typer carries its own copy of click and exports only the subclass."""
_DISK_FULL: Final = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)


class _JsonUsage:
    """A command that reports wrong usage as JSON too, if ``--json`` is among its arguments.

    If commands are nested, the outermost reports it.
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
                usage: Any = error
                command = usage.ctx.command_path if usage.ctx else self._program
                message, code = usage.format_message(), usage.exit_code
                print_error("UsageError", message, f"{command} --help", exit_code=code)
            raise
        except OSError as error:
            if not outermost or error.errno not in _DISK_FULL:
                raise
            say(f"error: the output is incomplete: {error.strerror}", err=True, always=True)
            raise typer.Exit(FolderError.exit_code) from error


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


def optional(help_text: str, *flags: str, **settings: Any) -> Any:
    """Return an option without a visible default."""
    return typer.Option(*flags, help=help_text, show_default=False, **settings)


def argument(help_text: str) -> Any:
    """Return an argument without a visible default."""
    return typer.Argument(help=help_text, show_default=False)


def file_option(help_text: str, *, endings: Sequence[str] = FIGURES) -> Any:
    """Return an option that names a file to write, in an existing folder and with an ending."""

    def checked(path: Path | None) -> Path | None:
        if path is None:
            return None
        if path.suffix.lower() not in endings:
            allowed = " or ".join([", ".join(endings[:-1]), endings[-1]])
            raise typer.BadParameter(f"{path}: name a file that ends in {allowed}")
        if not path.absolute().parent.is_dir():
            raise typer.BadParameter(f"{path}: no folder {path.parent}")
        return path

    return optional(help_text, callback=checked)


def known_policy(name: str | None) -> str | None:
    """Return the risk policy ``name``; an unknown name is wrong usage."""
    try:
        return policy_named(name).name if name else None
    except ValueError as error:
        raise typer.BadParameter(str(error)) from error


OptionsT = TypeVar("OptionsT", bound="DataclassInstance")


def takes(options: type[OptionsT]) -> Callable[[Callable[[OptionsT], None]], Callable[..., None]]:
    """Return a decorator that gives a command an option for each field of ``options``.

    Names, types, help and defaults are those of the fields, in their order. The command gets one
    ``options`` object. Name, module and docstring (the help) stay those of the command. A
    dataclass that inherits takes the options of its parent too.
    """

    def decorate(run: Callable[[OptionsT], None]) -> Callable[..., None]:
        hints = get_type_hints(options, localns=run.__globals__, include_extras=True)
        parameters = [_parameter(field, hints[field.name]) for field in fields(options)]

        def command(**given: Any) -> None:
            run(options(**given))

        command.__name__ = run.__name__
        command.__doc__ = run.__doc__
        command.__module__ = run.__module__
        command.__annotations__ = hints | {"return": None}
        vars(command)["__signature__"] = Signature(parameters)
        return command

    return decorate


def _parameter(field: Field[Any], annotation: Any) -> Parameter:
    is_required = field.default is MISSING
    return Parameter(
        field.name,
        Parameter.KEYWORD_ONLY,
        default=Parameter.empty if is_required else field.default,
        annotation=annotation,
    )
