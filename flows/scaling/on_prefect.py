"""Run parts of stages as Prefect tasks on its Dask task runner.

    VIROME_DASK=tcp://scheduler:8786 python -m flows --inputs my/inputs.toml

Each part is a task run of its own in Prefect, with its state and its log.
"""

# Annotations stay objects: Prefect reads them.
from collections.abc import Callable, Iterator, Sequence
from contextvars import Context, copy_context
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from prefect import task
from prefect.cache_policies import NO_CACHE
from prefect.futures import PrefectFuture
from prefect.task_runners import TaskRunner

from flows.scaling.on_dask import CONNECT_S, check_code, explained


@dataclass(frozen=True)
class TaskRunnerWorkers:
    """The workers of the scheduler at ``address``, as a flow's task runner; created before the
    first stage.
    """

    address: str
    flow: Context = field(default_factory=copy_context)
    """A task takes along the context that it is submitted in: that of a stage holds the index."""

    def __call__(
        self, name: str, work: Callable[[str], None], parts: Sequence[str]
    ) -> Iterator[str]:
        """Yield each of ``parts`` in order when a worker has done ``work`` on it; raises as
        ``Workers``.
        """
        with explained(self.address):
            from prefect_dask.task_runners import DaskTaskRunner
        runner = DaskTaskRunner(address=self.address, client_kwargs={"timeout": CONNECT_S})
        with runner:
            with explained(self.address):
                client = runner.client
            check_code(client, self.address)
            futures = [self.flow.run(_submit, runner, name, work, part) for part in parts]
            for part, future in zip(parts, futures, strict=True):
                future.result()
                yield part


def _submit(
    runner: TaskRunner[Any], name: str, work: Callable[[str], None], part: str
) -> PrefectFuture[None]:
    """Submit a part as a task and return its future; nothing is persisted."""
    as_task = task(
        name=f"{name}, part",
        task_run_name=f"{name}, part {Path(part).name}",
        cache_policy=NO_CACHE,
        persist_result=False,
    )
    future: PrefectFuture[None] = runner.submit(as_task(work), {"folder": part})
    return future
