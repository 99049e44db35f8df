"""``python -m query.entrez_search``: scores on questions with known answers."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from query.entrez_search.recording import Recording
from query.entrez_search.scores import (
    ScoredNcbiQuestion,
    average,
    read_questions,
    reworded,
    score_questions,
    task_scores,
)

app = typer.Typer(rich_markup_mode=None, pretty_exceptions_enable=False, add_completion=False)


@app.command()
def scores(
    questions: Annotated[Path, typer.Option(help="JSON: task, question, answer expected.")],
    calls: Annotated[Path, typer.Option(help="Recorded calls, one JSON line each.")],
    wordings: Annotated[
        Path | None, typer.Option(help="Other wordings of the tasks.", show_default=False)
    ] = None,
    wrong: Annotated[bool, typer.Option("--wrong", help="List what scores less than 1.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Score query entrez per task, by the rules of the paper, from recorded calls.

    \b
    Examples:
      python -m query.entrez_search --questions questions.json --calls recorded_calls.jsonl.gz
      python -m query.entrez_search --questions questions.json --calls recorded_calls.jsonl.gz \\
        --wordings tests/gold/entrez_wordings.toml --wrong
    """
    asked = read_questions(questions)
    if wordings:
        asked += reworded(asked, wordings)
    recording = Recording(calls)
    scored = score_questions(asked, recording)
    found = task_scores(scored)
    if as_json:
        rows = [asdict(one) for one in found]
        typer.echo(json.dumps(rows, indent=2))
        return
    typer.echo("task\twording\tquestions\tscore\trecorded\tscore of those recorded")
    for one in found:
        counts = f"{one.questions}\t{one.score:.3f}\t{one.recorded}\t{one.score_recorded:.3f}"
        typer.echo(f"{one.task}\t{one.wording}\t{counts}")
    for wording, (every, recorded) in average(found).items():
        typer.echo(f"average\t{wording}\t\t{every:.3f}\t\t{recorded:.3f}")
    if wrong:
        _list(scored)


def _list(scored: list[ScoredNcbiQuestion]) -> None:
    missed = [one for one in scored if one.score < 1]
    for one in missed:
        asked = one.asked
        given = _given(one)
        line = f"{one.score:.2f}\t{asked.question}\t{asked.expected}\t{given}"
        typer.echo(line)


def _given(scored: ScoredNcbiQuestion) -> str:
    if scored.answered:
        return ", ".join(scored.answered)
    return "nothing" if scored.recorded else "not recorded"


if __name__ == "__main__":
    app()
