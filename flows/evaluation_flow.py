"""The Prefect flow ``evaluate``: ask the published index questions with known answers.

    prefect deploy --name evaluate       # registers the deployment of prefect.yaml
    prefect deployment run evaluate      # asks at once

As a task it asks what ``query evaluate`` asks, keeps the scorecard as an artifact, and fails if the
gate does, so that a worse index or a worse answer is noticed in the morning.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from prefect import flow, get_run_logger
from prefect.artifacts import create_markdown_artifact

from flows.scheduling.tasks import as_task
from index.store.read import open_index
from query.config import database_path
from query.errors import GateError
from query.evaluation.evaluate import Report, ask_all, scorecard, scorecard_markdown
from query.evaluation.questions import choose_questions


@flow(name="evaluate")
def evaluate(
    db: str | None = None, questions: str | None = None, generated: int = 100, seed: int = 1
) -> dict[str, Any]:
    """Evaluate the index at ``db`` and return the scorecard.

    Raises:
        GateError: a figure is below its floor; the scorecard is written in any case.
    """
    path = database_path(Path(db) if db else None)
    named = Path(questions) if questions else None
    record = as_task("questions", lambda: _scorecard(path, named, generated=generated, seed=seed))
    create_markdown_artifact(
        key="scorecard", markdown=scorecard_markdown(record), description=f"Scorecard of {path}"
    )
    if record["gate"]:
        raise GateError(record["gate"])
    return record


def _scorecard(path: Path, questions: Path | None, *, generated: int, seed: int) -> dict[str, Any]:
    with open_index(path) as con:
        chosen = choose_questions(con, questions, generated=generated, seed=seed)
        return scorecard(ask_all(con, chosen, report=_logged()), index=path.name)


def _logged() -> Report:
    """Return a function that logs every hundredth question."""
    logger = get_run_logger()

    def report(done: int, whole: int) -> None:
        if done % 100 == 0 or done == whole:
            logger.info("%d of %d questions", done, whole)

    return report
