"""Dask clusters of the tests: a scheduler and two workers of this machine, one of which dies."""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.prefect_servers import kill_tree, running, wait_until
from tests.serving import free_port

DASK = [sys.executable, "-m", "dask"]


@dataclass
class Losing:
    """A cluster of two workers, one of which is killed when the first part is done."""

    environ: dict[str, str]
    named: dict[str, str]
    """Variables that lead a build to the cluster."""
    log: Path
    shared: Path
    lost: int

    @contextmanager
    def a_worker(self) -> Iterator[None]:
        """Kill a worker while the block runs."""

        def lose() -> None:
            wait_until(lambda: list(self.shared.glob("ground metadata/*/result")), self.log)
            kill_tree(self.lost)

        losing = threading.Thread(target=lose)
        losing.start()
        yield
        losing.join()


@contextmanager
def two_workers(folder: Path, environ: dict[str, str]) -> Iterator[Losing]:
    """Yield a scheduler with two workers on this machine, in ``environ``."""
    address, log = f"tcp://127.0.0.1:{free_port()}", folder / "scheduler.log"
    shared = folder / "shared"
    named = {"VIROME_DASK": address, "VIROME_DASK_FOLDER": str(shared), "VIROME_DASK_RUNS": "100"}
    worker = [*DASK, "worker", address, "--nthreads", "1", "--no-nanny", "--no-dashboard"]
    with ExitStack() as started:

        def start(name: str, command: list[str]) -> int:
            output = folder / f"{name}.log"
            return started.enter_context(running(command, environ, output)).pid

        start("scheduler", [*DASK, "scheduler", "--no-dashboard", "--host", address])
        lost, _kept = (start(name, worker) for name in ("lost", "kept"))
        wait_until(lambda: log.read_text().count("Register worker") == 2, log)
        yield Losing(environ | named, named, log, shared, lost)
