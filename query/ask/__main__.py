"""``python -m query.ask``: how often questions are routed right."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from query.ask.accuracy import Routed, accuracy, read_routing_questions, route_all
from query.modes import all_modes

app = typer.Typer(rich_markup_mode=None, pretty_exceptions_enable=False, add_completion=False)


@app.command()
def measure(
    questions: Annotated[Path, typer.Option(help="Table of mode, half and question.")],
    db: Annotated[Path, typer.Option(help="Index to read.")],
    half: Annotated[
        list[str] | None, typer.Option(help="Only this half; may be repeated.", show_default=False)
    ] = None,
    wrong: Annotated[bool, typer.Option("--wrong", help="List what is routed wrong.")] = False,
) -> None:
    """Say how often questions are routed to the mode that was meant.

    \b
    Examples:
      python -m query.ask --questions tests/gold/routing_questions.tsv --db data/index/demo.duckdb
      python -m query.ask --questions tests/gold/routing_questions.tsv --half apart --wrong \\
        --db data/index/demo.duckdb
    """
    from index.store.read import open_index

    listed = read_routing_questions(questions)
    asked = [one for one in listed if not half or one.half in half]
    modes = all_modes()
    with open_index(db) as con:
        routed = route_all(con, asked, modes)
    halves = half or sorted({one.asked.half for one in routed})
    for name in halves:
        own = [one for one in routed if one.asked.half == name]
        missed = [one for one in own if not one.right]
        right = len(own) - len(missed)
        share = accuracy(routed, half=name)
        typer.echo(f"{name}\t{right} of {len(own)}\t{share:.3f}")
        if wrong:
            _list(missed)


def _list(missed: list[Routed]) -> None:
    for one in missed:
        mode = one.asked.mode
        question = one.asked.question
        line = f"\t{mode}\t{one.chosen}\t{question}"
        typer.echo(line)


if __name__ == "__main__":
    app()
