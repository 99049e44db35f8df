"""Stages as Prefect tasks, with their own logs and retries."""

# Annotations stay objects: Prefect reads them.
from collections.abc import Callable
from typing import Any, Final, TypeVar

from prefect import get_run_logger, task
from prefect.cache_policies import NO_CACHE
from prefect.client.schemas.objects import State
from prefect.exceptions import MissingContextError
from prefect.states import Completed
from prefect.tasks import exponential_backoff

from index.errors import ModelRateLimitError, ModelTimeoutError, ModelUnavailableError
from ontology_etl.errors import DownloadError

T = TypeVar("T")
PASSING: Final[dict[str, tuple[type[Exception], ...]]] = {
    "fetch inputs": (DownloadError,),
    "fetch ontologies": (DownloadError,),
    "interpret reports": (ModelUnavailableError, ModelTimeoutError, ModelRateLimitError),
}
"""Stages that depend on others, and the errors after which a retry may help. Any other stage gives
the same error for the same inputs.
"""
RETRIES: Final = 3
FIRST_WAIT_S: Final = 30
"""Doubled with every retry, plus up to half of that at random."""


def as_task(name: str, work: Callable[[], T]) -> T:
    """Run ``work`` as a Prefect task and return its result; tables stay in memory and are not
    persisted.
    """
    retries = RETRIES if name in PASSING else 0
    waits = exponential_backoff(FIRST_WAIT_S) if retries else None

    @task(
        name=name,
        cache_policy=NO_CACHE,
        persist_result=False,
        retries=retries,
        retry_delay_seconds=waits,
        retry_jitter_factor=0.5,
        retry_condition_fn=is_passing,
    )
    def stage() -> T:
        return work()

    return stage()


def mark_unchanged(name: str) -> None:
    """Show a skipped stage as a task in the state ``Unchanged``."""

    @task(name=name, cache_policy=NO_CACHE, persist_result=False)
    def stage() -> State[Any]:
        return Completed(name="Unchanged", message="its result is kept from an earlier build")

    stage(return_state=True)


def is_passing(stage: Any, task_run: Any, state: State[Any]) -> bool:  # noqa: ARG001
    """Return whether the failed ``stage`` may succeed on a retry."""
    failure = state.result(raise_on_failure=False)
    return isinstance(failure, PASSING.get(stage.name, ()))


def log_line(text: str) -> None:
    """Log a line in the running stage, else in the flow; outside both it is dropped."""
    try:
        get_run_logger().info(text)
    except MissingContextError:
        return
