"""Commands whose options are the fields of a dataclass."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import typer
from typer.testing import CliRunner

from query.cli.usage import takes


@dataclass(frozen=True)
class Greeting:
    name: Annotated[str, typer.Option(help="Who is greeted.")]
    times: Annotated[int, typer.Option(help="How often.")] = 1
    loud: Annotated[bool, typer.Option("--loud", help="In capitals.")] = False


def greeting_app() -> typer.Typer:
    app = typer.Typer(rich_markup_mode=None)

    @app.command()
    @takes(Greeting)
    def greet(options: Greeting) -> None:
        """Greet somebody."""
        text = f"hello {options.name}"
        for _ in range(options.times):
            typer.echo(text.upper() if options.loud else text)

    return app


def test_each_field_is_an_option_with_its_default() -> None:
    said = CliRunner().invoke(greeting_app(), ["--name", "bat", "--times", "2", "--loud"])
    assert said.stdout == "HELLO BAT\nHELLO BAT\n"
    assert CliRunner().invoke(greeting_app(), ["--name", "pig"]).stdout == "hello pig\n"


def test_help_is_the_docstring_and_that_of_the_fields() -> None:
    text = CliRunner().invoke(greeting_app(), ["--help"]).stdout
    assert "Greet somebody." in text
    assert "Who is greeted.  [required]" in text
    assert "How often.  [default: 1]" in text


def test_a_field_without_a_default_and_a_wrong_type_are_wrong_usages() -> None:
    assert CliRunner().invoke(greeting_app(), []).exit_code == 2
    assert CliRunner().invoke(greeting_app(), ["--name", "a", "--times", "b"]).exit_code == 2
