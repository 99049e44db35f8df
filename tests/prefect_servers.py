"""Prefect servers of the tests: started with a clean home, asked over HTTP, stopped at the end."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from http import HTTPStatus
from pathlib import Path
from typing import Any

import pytest

from index.store.build import open_index
from tests.conftest import ROOT
from tests.serving import free_port

PREFECT = [sys.executable, "-m", "prefect"]
START_S = 900.0
BUSY_WAITS_S = (1.0, 2.0, 4.0, 8.0, 16.0)
SERVICES_NOT_NEEDED = (
    "CANCELLATION_CLEANUP", "DB_VACUUM", "EVENT_PERSISTER", "FOREMAN", "LATE_RUNS",
    "PAUSE_EXPIRATIONS", "TRIGGERS",
)  # fmt: skip
"""Parts of a Prefect server that look for work all the time, and that no test has any for."""


@dataclass(frozen=True)
class Server:
    """A running Prefect server with a clean home; ``folder`` holds what the tests leave."""

    environ: dict[str, str]
    url: str
    folder: Path

    def runs(self, state: str) -> list[dict[str, Any]]:
        """Return the flow runs in a state, the earliest first."""
        wanted = {"flow_runs": {"state": {"type": {"any_": [state]}}}, "sort": "START_TIME_ASC"}
        return self.found("flow_runs", wanted)

    def found(self, kind: str, wanted: dict[str, Any]) -> list[dict[str, Any]]:
        """Return what the server finds of ``kind``."""
        found: list[dict[str, Any]] = self.post(f"{kind}/filter", wanted)
        return found

    def deployment(self) -> dict[str, Any]:
        """Return the deployment ``index``."""
        (found,) = self.found("deployments", {"deployments": {"name": {"any_": ["index"]}}})
        return found

    def start(self, parameters: dict[str, Any]) -> str:
        """Start a run of the deployment ``index`` with ``parameters``; return its id."""
        deployment = self.deployment()
        asked = {"parameters": deployment["parameters"] | parameters}
        run = self.post(f"deployments/{deployment['id']}/create_flow_run", asked)
        return str(run["id"])

    def state(self, run: str) -> dict[str, Any]:
        """Return the state of a flow run."""
        (found,) = self.found("flow_runs", {"flow_runs": {"id": {"any_": [run]}}})
        state: dict[str, Any] = found["state"]
        return state

    def stages_of(self, run: str) -> dict[str, str]:
        """Return the name of the state of every stage of a flow run that has one by now."""
        found = self.found("task_runs", {"flow_runs": {"id": {"any_": [run]}}})
        begun = [one for one in found if one["state"] is not None]
        return {one["name"].rpartition("-")[0]: one["state"]["name"] for one in begun}

    def cancel(self, run: str) -> None:
        """Ask for the end of a flow run, as Prefect's interface does."""
        self.post(f"flow_runs/{run}/set_state", {"state": {"type": "CANCELLING"}})

    def forget(self) -> None:
        """Delete the deployment ``index``."""
        self.ask("DELETE", f"deployments/{self.deployment()['id']}")

    def post(self, path: str, content: dict[str, Any]) -> Any:
        """Return what the server answers to ``content``."""
        return self.ask("POST", path, json.dumps(content).encode())

    def ask(self, method: str, path: str, content: bytes | None = None) -> Any:
        """Return what the server answers; one that is too busy (503) is asked again."""
        request = urllib.request.Request(
            f"{self.url}/{path}",
            data=content,
            headers={"Content-Type": "application/json"},
            method=method,
        )
        for wait_s in BUSY_WAITS_S:
            try:
                with urllib.request.urlopen(request, timeout=30) as response:
                    answer = response.read()
                    return json.loads(answer) if answer else None
            except urllib.error.HTTPError as error:
                if error.code != HTTPStatus.SERVICE_UNAVAILABLE:
                    raise
                time.sleep(wait_s)
        return pytest.fail(f"{self.url}/{path}: too busy")


@contextmanager
def started_server(folder: Path) -> Iterator[Server]:
    """Yield a server of this machine that no environment variable names, at home in ``folder``."""
    environ = clean_environ(folder / "home", port := free_port())
    url = f"http://127.0.0.1:{port}/api"
    log = folder / "server.log"
    with running([*PREFECT, "server", "start"], environ, log):
        wait_until(lambda: answers(f"{url}/health"), log)
        yield Server(environ, url, folder)


def clean_environ(home: Path, port: int) -> dict[str, str]:
    """Return the environment of a machine on which Prefect has never run; its server listens on
    ``port``.
    """
    inherited = {
        name: value for name, value in os.environ.items() if not name.startswith("PREFECT_")
    }
    return {
        **inherited,
        "PREFECT_HOME": str(home),
        "PREFECT_SERVER_API_PORT": str(port),
        "PREFECT_SERVER_ANALYTICS_ENABLED": "false",
        "PREFECT_SERVER_DEPLOYMENTS_CONCURRENCY_SLOT_WAIT_SECONDS": "2",
        "DO_NOT_TRACK": "1",
        "PREFECT_SERVER_UI_ENABLED": "false",
        "COLUMNS": "1000",
        **{f"PREFECT_SERVER_SERVICES_{name}_ENABLED": "false" for name in SERVICES_NOT_NEEDED},
    }


@contextmanager
def running(
    command: list[str], environ: dict[str, str], log: Path
) -> Iterator[subprocess.Popen[bytes]]:
    """Run ``command`` in the folder of the project (its Prefect settings are there) until the block
    ends; yield its process.
    """
    with log.open("w") as output:
        process = subprocess.Popen(
            command,
            cwd=ROOT,
            env=environ,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
        )
        try:
            yield process
        finally:
            process.terminate()
            process.wait(30)


def kill_tree(pid: int) -> None:
    """Kill a process and all that it started, at once."""
    children = subprocess.run(
        ["pgrep", "-P", str(pid)], capture_output=True, text=True, check=False
    )
    os.kill(pid, signal.SIGKILL)
    for child in children.stdout.split():
        kill_tree(int(child))


def wait_until(ready: Callable[[], object], log: Path) -> None:
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


def run(
    command: list[str], environ: dict[str, str], *, folder: Path = ROOT
) -> subprocess.CompletedProcess[str]:
    """Return how ``command`` ended, run in ``folder`` without a terminal."""
    return subprocess.run(
        command,
        cwd=folder,
        env=environ,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
        timeout=START_S,
    )


def prefect(environ: dict[str, str], *arguments: str) -> str:
    """Return what a ``prefect`` command prints."""
    done = run([*PREFECT, *arguments], environ)
    return done.stdout + done.stderr


def reports_in(db: Path) -> int:
    with open_index(db) as connection:
        ((count,),) = connection.execute("SELECT count(*) FROM report").fetchall()
    return int(count)
