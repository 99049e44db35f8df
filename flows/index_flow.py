"""The Prefect flow ``index``: from an inputs manifest to a published index, one task per stage.

    python -m flows                      # serves it as the deployment ``index``, with a schedule
    prefect deployment run index         # starts a build at once

Runs the stages of ``flows/order.py`` as ``python -m flows.index`` does, each as a task; those that
need not run are tasks, too. Stages that depend on others (downloads, a model) are retried. A run
that fails is not: the next scheduled run continues after the last finished stage, and pays for no
model answer twice.
"""

# Annotations stay objects: the process that runs a deployment cannot resolve them from their names.
import os

from prefect import flow

from flows.observing.spans import traced
from flows.options import (
    Again,
    RunOptions,
    WordingOptions,
    check_inputs,
    choose_target,
    pick_model,
    tokens_of,
)
from flows.order import run_stages
from flows.progress import Progress
from flows.scaling.on_dask import cluster_of
from flows.scaling.on_prefect import TaskRunnerWorkers
from flows.scheduling.artifacts import leave_artifacts, published_releases
from flows.scheduling.notices import notify
from flows.scheduling.tasks import as_task, log_line, mark_unchanged
from index.config import read_config
from index.exposure import RISK_POLICY

TIMEOUT_S = 36 * 3600
"""A batch may take a day; a build that hangs longer gives way to the next."""


@flow(
    name="index",
    timeout_seconds=TIMEOUT_S,
    on_failure=[notify],
    on_crashed=[notify],
    on_cancellation=[notify],
)
def index(
    inputs: str | None = None,
    db: str | None = None,
    config: str | None = None,
    wording: WordingOptions = WordingOptions(),  # noqa: B008  frozen; the form shows its fields
    accept_shrink: bool = False,
    again: Again | None = None,
) -> dict[str, object]:
    """Build the index of ``inputs`` and publish it at ``db``; return counts and times.

    Args:
        inputs: Inputs manifest, TOML. Without it: the bundled sample.
        db: Index to publish. Without it: data/index/virome.duckdb, for the sample
            data/index/demo.duckdb.
        config: Parameters, TOML. Without it: the built-in ones.
        wording: What a model may do.
        accept_shrink: Publish even if more than a tenth of the runs or reports are lost.
        again: Run this stage and all after it, whatever has not changed; "all": every stage.
    """
    target = choose_target(inputs, db)
    check_inputs(target.inputs)
    model = pick_model(no_llm=wording.no_llm)
    parameters = read_config(
        config,
        budget_tokens=tokens_of(wording.budget, model),
        batch=wording.batch,
        risk_policy=wording.risk_policy or os.environ.get(RISK_POLICY) or None,
    )
    before = published_releases(target.db)
    with traced(os.environ, say=log_line) as spans:
        progress = Progress(
            say_line=log_line,
            runner=as_task,
            skip=mark_unchanged,
            log=spans,
            cluster=cluster_of(target.db, os.environ, workers=TaskRunnerWorkers),
        )
        summary = run_stages(
            *target,
            config=parameters,
            model=model,
            progress=progress,
            options=RunOptions(accept_shrink, again),
        )
    leave_artifacts(summary, target.db, before=before)
    return summary.as_dict()
