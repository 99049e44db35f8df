"""Commands whose options are the fields of a dataclass: many options, one argument.

@dataclass(frozen=True)
class Options:
    db: Database = None
    top: Annotated[int, typer.Option(help="How many to show.")] = 10

@app.command()
@takes(Options)
def show(options: Options) -> None: ...
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import MISSING, Field, fields
from inspect import Parameter, Signature
from typing import TYPE_CHECKING, Any, TypeVar, get_type_hints

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

OptionsT = TypeVar("OptionsT", bound="DataclassInstance")


def takes(
    options: type[OptionsT],
) -> Callable[[Callable[[OptionsT], None]], Callable[..., None]]:
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
