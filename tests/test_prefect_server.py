"""The scheduled way: a real Prefect server, the served deployment, and ``prefect deployment run
index``.
"""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from index.store.build import open_index
from tests.conftest import ROOT

PREFECT = [sys.executable, "-m", "prefect"]
START_S = 120.0


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[dict[str, str], Path]]:
    """Yield the environment of a running server with the deployment served, and the index it
    publishes.
    """
    folder = tmp_path_factory.mktemp("prefect")
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        port = listener.getsockname()[1]
    environ = {
        **{name: value for name, value in os.environ.items() if not name.startswith("PREFECT_")},
        "PREFECT_HOME": str(folder / "home"),
        "PREFECT_API_URL": f"http://127.0.0.1:{port}/api",
        "PREFECT_SERVER_ANALYTICS_ENABLED": "false",
        "DO_NOT_TRACK": "1",
    }
    db = folder / "virome.duckdb"
    server = [*PREFECT, "server", "start", "--port", str(port)]
    worker = [sys.executable, "-m", "flows", "--db", str(db), "--no-llm"]
    with running(server, environ, folder / "server.log"):
        wait_until(lambda: answers(f"{environ['PREFECT_API_URL']}/health"), folder / "server.log")
        with running(worker, environ, log := folder / "worker.log"):
            wait_until(lambda: "is being served" in log.read_text(), log)
            yield environ, db


@contextmanager
def running(command: list[str], environ: dict[str, str], log: Path) -> Iterator[None]:
    """Run ``command`` from the project's folder, where its Prefect settings are, until the block
    ends.
    """
    with log.open("w") as output:
        process = subprocess.Popen(
            command, cwd=ROOT, env=environ, stdout=output, stderr=subprocess.STDOUT
        )
        try:
            yield
        finally:
            process.terminate()
            process.wait(30)


def wait_until(ready: Callable[[], bool], log: Path) -> None:
    deadline = time.monotonic() + START_S
    while time.monotonic() < deadline:
        if ready():
            return
        time.sleep(0.5)
    pytest.fail(f"not ready after {START_S:.0f} s:\n{log.read_text()[-2000:]}")


def answers(address: str) -> bool:
    try:
        with urllib.request.urlopen(address, timeout=5):
            return True
    except (urllib.error.URLError, OSError):
        return False


def prefect(environ: dict[str, str], *arguments: str) -> str:
    """Return what a ``prefect`` command prints."""
    done = subprocess.run(
        [*PREFECT, *arguments], cwd=ROOT, env=environ, capture_output=True, text=True, check=False
    )
    return done.stdout + done.stderr


@pytest.mark.server
def test_bare_deployment_name_builds_the_index(served: tuple[dict[str, str], Path]) -> None:
    environ, db = served
    said = prefect(environ, "deployment", "run", "index", "--watch")
    assert "Completed" in said, said
    with open_index(db) as connection:
        assert connection.execute("SELECT count(*) FROM report").fetchall()[0][0] > 50
    assert "community_member" in prefect(environ, "artifact", "inspect", "index-summary")


@pytest.mark.server
def test_deployment_is_scheduled_and_runs_once_at_a_time(
    served: tuple[dict[str, str], Path],
) -> None:
    environ, _ = served
    said = prefect(environ, "deployment", "inspect", "index/index")
    assert "0 2 * * *" in said
    assert "'limit': 1" in said.replace('"', "'")


@pytest.mark.server
def test_unknown_bare_name_is_refused(served: tuple[dict[str, str], Path]) -> None:
    environ, _ = served
    assert "'no-such-thing' not found" in prefect(environ, "deployment", "run", "no-such-thing")
