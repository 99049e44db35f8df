"""The Prefect flow ``evaluate``: questions with known answers, asked of the published index.

    prefect deploy --name evaluate       # registers the deployment of prefect.yaml
    prefect deployment run evaluate      # asks at once

It runs ``query evaluate`` as a task, keeps the scorecard as an artifact and fails where the gate
does, so that a worse index or a worse answer is news in the morning.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Literal

from prefect import flow, get_run_logger
from prefect.artifacts import create_markdown_artifact

from flows.scheduling.tasks import as_task
from index.store.read import open_index
from query.config import QueryConfig, database_path
from query.errors import GateError
from query.evaluation.evaluate import Evaluation, Wanted
from query.evaluation.evaluate import evaluate as ask_questions
from query.evaluation.scorecard import scorecard_markdown, scorecard_record, write_scorecard


@flow(name="evaluate")
def evaluate(
    db: str | None = None,
    out: str = "scorecard",
    fills: int = 3,
    half: Literal["open", "spent", "apart"] | None = "open",
    planted: str | None = None,
    most: int | None = None,
) -> dict[str, object]:
    """Evaluate the index at ``db``, write the scorecard to the folder ``out`` and return it.

    Raises:
        GateError: a figure is below its floor; the scorecard is written all the same.
    """
    path = database_path(Path(db) if db else None)
    wanted = Wanted(fills=fills, half=half, planted=Path(planted) if planted else None, most=most)
    evaluation = as_task("questions", lambda: _evaluated(path, wanted))
    record = scorecard_record(evaluation, index=path.name)
    write_scorecard(record, Path(out))
    create_markdown_artifact(
        key="scorecard", markdown=scorecard_markdown(record), description=f"Scorecard of {path}"
    )
    if record["gate"]:
        raise GateError(record["gate"])
    return record


def _evaluated(path: Path, wanted: Wanted) -> Evaluation:
    with open_index(path) as con:
        return ask_questions(con, wanted, config=QueryConfig(), say=_logged)


def _logged(name: str) -> Callable[[int, int], None]:
    """Return what logs every hundredth question."""
    logger = get_run_logger()

    def report(done: int, whole: int) -> None:
        if done % 100 == 0 or done == whole:
            logger.info("%s: %d of %d", name, done, whole)

    return report
