"""``query evaluate``: questions with known answers, and the scorecard."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from query.cli.console import AsJson, Database, index_opened, print_json, reported, say
from query.cli.options import takes
from query.config import database_path

if TYPE_CHECKING:
    from collections.abc import Callable

    import duckdb

HALVES = ("open", "spent", "apart", "none")


def known_half(half: str) -> str:
    """Return ``half``; one that does not exist is a wrong usage."""
    if half not in HALVES:
        raise typer.BadParameter(f"{half!r} is not one of {', '.join(HALVES)}")
    return half


@dataclass(frozen=True)
class EvaluateOptions:
    """The options of ``query evaluate``."""

    db: Database = None
    as_json: AsJson = False
    out: Annotated[
        Path | None,
        typer.Option(
            help="Folder for scorecard.md, scorecard.html and scorecard.json.", show_default=False
        ),
    ] = None
    fills: Annotated[
        int, typer.Option(help="Questions of each wording of each template.", min=0, max=50)
    ] = 3
    seed: Annotated[int, typer.Option(help="Chance that fills the templates.")] = 1
    half: Annotated[
        str,
        typer.Option(
            help="Hand-written questions: open, spent, apart (for a final figure) or none.",
            callback=known_half,
        ),
    ] = "open"
    planted: Annotated[
        Path | None,
        typer.Option(help="Table of truths planted in the index, TSV.", show_default=False),
    ] = None
    most: Annotated[
        int | None,
        typer.Option(help="Questions of each set at most.", min=1, show_default=False),
    ] = None
    asked_of_model: Annotated[
        int,
        typer.Option(
            "--ask-model",
            help="Questions that the other ways of answering ask the model (minutes each).",
            min=0,
        ),
    ] = 0
    gate: Annotated[
        bool, typer.Option("--gate", help="Leave with code 11 where a figure is below its floor.")
    ] = False
    quiet: Annotated[bool, typer.Option("--quiet", help="No progress on stderr.")] = False


@takes(EvaluateOptions)
def evaluate(options: EvaluateOptions) -> None:
    """Ask questions with known answers, without a model, and print how many are answered right.

    The answers are counted by SQL that shares nothing with the product's own. Beside them is
    what other ways of answering would read and cost; with --ask-model, what the configured model
    writes that way. See docs/evaluation.md.

    \b
    Examples:
      query evaluate --out scorecard
      query evaluate --fills 1 --half none --gate
      query evaluate --most 20 --json | jq .parts
      query evaluate --half none --most 10 --ask-model 4 --out scorecard
    """
    with reported(as_json=options.as_json), index_opened(options.db) as con:
        record = _evaluated(con, options)
        _show(record, options)
        if options.gate:
            _check(record)


def _evaluated(con: duckdb.DuckDBPyConnection, options: EvaluateOptions) -> dict[str, Any]:
    """Return the scorecard of the index behind ``con``."""
    from query.config import QueryConfig, model_choice
    from query.evaluation.evaluate import Wanted
    from query.evaluation.evaluate import evaluate as run_evaluation
    from query.evaluation.scorecard import scorecard_record

    half: Any = None if options.half == "none" else options.half
    wanted = Wanted(
        fills=options.fills,
        seed=options.seed,
        half=half,
        planted=options.planted,
        most=options.most,
        asked_of_model=options.asked_of_model,
    )
    choice = model_choice() if options.asked_of_model else None
    progress = _silent if options.quiet else _progress
    evaluation = run_evaluation(con, wanted, config=QueryConfig(), say=progress, choice=choice)
    return scorecard_record(evaluation, index=database_path(options.db).name)


def _show(record: dict[str, Any], options: EvaluateOptions) -> None:
    """Print the scorecard, and write it where a folder is named."""
    from query.evaluation.scorecard import scorecard_text, write_scorecard

    if options.out:
        write_scorecard(record, options.out)
    if options.as_json:
        print_json(record)
    else:
        say(scorecard_text(record))


def _check(record: dict[str, Any]) -> None:
    """Raise ``GateError`` where a figure is below its floor."""
    from query.errors import GateError

    if record["gate"]:
        raise GateError(record["gate"])


def _progress(name: str) -> Callable[[int, int], None]:
    """Return what says every 25th question on stderr, and every one where they are few: a model may
    take minutes for it.
    """

    def report(done: int, whole: int) -> None:
        if done % 25 == 0 or done == whole or whole < 25:
            say(f"{name}: {done:,} of {whole:,}", err=True)

    return report


def _silent(_: str) -> Callable[[int, int], None]:
    return lambda _done, _whole: None
