"""``query evaluate``: questions with known answers, and the scorecard."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer

from index.store.whole_file import write_whole
from query.cli.console import AsJson, Database, opened, print_json, say, writing
from query.cli.usage import optional, takes
from query.config import database_path
from query.errors import GateError


@dataclass(frozen=True)
class EvaluateOptions:
    """The options of ``query evaluate``."""

    db: Database = None
    as_json: AsJson = False
    questions: Annotated[
        Path | None,
        optional("Questions with their requests, JSON lines.", exists=True, dir_okay=False),
    ] = None
    generated: Annotated[
        int, typer.Option(help="Number of questions to generate.", min=0, max=10_000)
    ] = 100
    seed: Annotated[int, typer.Option(help="Seed of the generated questions.")] = 1
    out: Annotated[Path | None, optional("Folder for scorecard.md and scorecard.json.")] = None
    gate: Annotated[
        bool, optional("Exit with code 11 if a figure is below its minimum.", "--gate")
    ] = False


@takes(EvaluateOptions)
def evaluate(options: EvaluateOptions) -> None:
    """Ask questions with known answers, without a model, and print how many are read right.

    A question is right if its requests give the same results as the known requests
    (docs/evaluation.md).

    \b
    Examples:
      query evaluate --out scorecard
      query evaluate --generated 500 --gate
      query evaluate --questions mine.jsonl --generated 0 --json | jq .authors
    """
    from query.evaluation.evaluate import ask_all, scorecard, scorecard_markdown
    from query.evaluation.questions import choose_questions

    with opened(options.db, as_json=options.as_json) as con:
        questions = choose_questions(
            con, options.questions, generated=options.generated, seed=options.seed
        )
        judged = ask_all(con, questions, report=_say_progress)
        record = scorecard(judged, index=database_path(options.db).name)
        text = scorecard_markdown(record)
        if options.out is not None:
            _write(options.out, text, record)
        if options.as_json:
            print_json(record)
        else:
            say(text)
        if options.gate and record["gate"]:
            raise GateError(record["gate"])


def _write(folder: Path, text: str, record: dict[str, Any]) -> None:
    """Write the scorecard; raises ``FolderError``."""
    with writing(folder):
        folder.mkdir(parents=True, exist_ok=True)
        write_whole(folder / "scorecard.md", text)
        write_whole(folder / "scorecard.json", json.dumps(record, indent=2))


def _say_progress(done: int, whole: int) -> None:
    """Say every hundredth question on stderr."""
    if done % 100 == 0 or done == whole:
        say(f"{done:,} of {whole:,}", err=True)
