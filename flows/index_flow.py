"""The Prefect flow ``index``: from an inputs manifest to a published index, one task per stage.

    python -m flows                      # serves it as the deployment ``index``, with a schedule
    prefect deployment run index         # starts a build at once

Runs the stages of ``flows/order.py`` as ``python -m flows.index`` does, and adds tasks and an
artifact with the counts. A run that fails is not tried again: the next scheduled one starts from
the same inputs, and pays for no model answer twice.
"""

# Annotations stay objects: the process that runs a deployment cannot resolve them from their names.
from collections.abc import Callable
from typing import TypeVar

from prefect import flow, get_run_logger, task
from prefect.artifacts import create_markdown_artifact
from prefect.cache_policies import NO_CACHE

from flows.options import (
    RunOptions,
    WordingOptions,
    check_inputs,
    choose_target,
    pick_model,
    tokens_of,
)
from flows.order import run_stages
from flows.progress import Progress
from index.config import read_config

T = TypeVar("T")


@flow(name="index")
def index(
    inputs: str | None = None,
    db: str | None = None,
    config: str | None = None,
    wording: WordingOptions = WordingOptions(),  # noqa: B008  frozen; the form shows its fields
    accept_shrink: bool = False,
    again: str | None = None,
) -> dict[str, object]:
    """Build the index of ``inputs`` and publish it at ``db``; return counts and times.

    Without ``inputs`` it is the bundled sample, published in data/index/demo.duckdb; inputs without
    ``db`` are published in data/index/virome.duckdb.
    """
    target = choose_target(inputs, db)
    check_inputs(target.inputs)
    model = pick_model(no_llm=wording.no_llm)
    parameters = read_config(
        config,
        budget_tokens=tokens_of(wording.budget, model),
        batch=wording.batch,
        allow_risk=wording.allow_risk,
    )
    progress = Progress(say_line=get_run_logger().info, runner=as_task)
    summary = run_stages(
        *target,
        config=parameters,
        model=model,
        progress=progress,
        options=RunOptions(accept_shrink, again),
    )
    create_markdown_artifact(
        key="index-summary",
        markdown=summary.markdown(),
        description=f"Index of {target.inputs}",
    )
    return summary.as_dict()


def as_task(name: str, work: Callable[[], T]) -> T:
    """Return what ``work`` returns, run as a Prefect task; tables go from hand to hand and are not
    persisted.
    """

    @task(name=name, cache_policy=NO_CACHE, persist_result=False)
    def stage() -> T:
        return work()

    return stage()
