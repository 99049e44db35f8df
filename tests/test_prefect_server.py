"""The scheduled way on a real Prefect server: a schedule that fires, a build at once, a work pool,
and no server.
"""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, ClassVar

import pytest

from benchmarks.cohort import write_cohort
from benchmarks.cohort_shape import Shape
from flows.options import STAGES
from index.store.build import open_index
from tests.conftest import ROOT

pytestmark = pytest.mark.server

PREFECT = [sys.executable, "-m", "prefect"]
START_S = 300.0
EVERY_MINUTE = "* * * * *"


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

    def stages(self, state: str) -> list[str]:
        """Return the stages that were tasks in the state of this name, in any run."""
        wanted = {"task_runs": {"state": {"name": {"any_": [state]}}}}
        return [run["name"].rpartition("-")[0] for run in self.found("task_runs", wanted)]

    def found(self, kind: str, wanted: dict[str, Any]) -> list[dict[str, Any]]:
        """Return what the server finds of ``kind``."""
        found: list[dict[str, Any]] = self.post(f"{kind}/filter", wanted)
        return found

    def crash(self, run: dict[str, Any]) -> None:
        """Say that a flow run has crashed, which nobody is left to say."""
        self.post(f"flow_runs/{run['id']}/set_state", {"state": {"type": "CRASHED"}})

    def post(self, path: str, content: dict[str, Any]) -> Any:
        """Return what the server answers."""
        request = urllib.request.Request(
            f"{self.url}/{path}",
            data=json.dumps(content).encode(),
            headers={"Content-Type": "application/json"},
        )
        with urllib.request.urlopen(request, timeout=30) as response:
            return json.load(response)


@pytest.fixture(scope="module")
def inputs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the manifest of a small cohort."""
    folder = tmp_path_factory.mktemp("cohort")
    write_cohort(folder, Shape(runs=300, seed=5), as_parquet=True)
    return folder / "inputs.toml"


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """Yield a server of this machine that no environment variable names."""
    folder = tmp_path_factory.mktemp("prefect")
    environ = clean_environ(folder / "home", port := free_port())
    url = f"http://127.0.0.1:{port}/api"
    log = folder / "server.log"
    with running([*PREFECT, "server", "start"], environ, log):
        wait_until(lambda: answers(f"{url}/health"), log)
        yield Server(environ, url, folder)


class Pager(BaseHTTPRequestHandler):
    """Takes notices; ``received`` holds their texts."""

    received: ClassVar[list[str]] = []

    def do_POST(self) -> None:
        self.received.append(self.rfile.read(int(self.headers["Content-Length"])).decode())
        self.send_response(200)
        self.end_headers()

    def log_message(self, *args: object) -> None:
        """Say nothing."""


SAVE_PAGER = """
import sys
from prefect.blocks.notifications import CustomWebhookNotificationBlock
message = {"subject": "{{subject}}", "text": "{{body}}"}
block = CustomWebhookNotificationBlock(name="pager", url=sys.argv[1], json_data=message)
block.save("pager")
"""


@pytest.fixture(scope="module")
def notified(server: Server) -> Iterator[dict[str, str]]:
    """Yield an environment whose failed builds are reported to ``Pager``."""
    with ThreadingHTTPServer(("127.0.0.1", 0), Pager) as pager:
        threading.Thread(target=pager.serve_forever, daemon=True).start()
        address = f"http://127.0.0.1:{pager.server_port}"
        environ = server.environ | {"PREFECT_API_URL": server.url}
        saved = run([sys.executable, "-c", SAVE_PAGER, address], environ)
        assert saved.returncode == 0, saved.stderr
        yield server.environ | {"VIROME_NOTIFY": "custom-webhook/pager"}
        pager.shutdown()


@pytest.fixture(scope="module")
def served(server: Server, notified: dict[str, str], inputs: Path) -> Iterator[Path]:
    """Yield the index that the served deployment publishes, every minute and when asked."""
    db, log = server.folder / "served.duckdb", server.folder / "served.log"
    given = ["--inputs", str(inputs), "--db", str(db), "--no-llm", "--cron", EVERY_MINUTE]
    with running([sys.executable, "-m", "flows", *given], notified, log):
        wait_until(lambda: "is being served" in log.read_text(), log)
        yield db


def free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        port: int = listener.getsockname()[1]
    return port


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
        "COLUMNS": "1000",
    }


@contextmanager
def running(
    command: list[str], environ: dict[str, str], log: Path, *, folder: Path = ROOT
) -> Iterator[subprocess.Popen[bytes]]:
    """Run ``command`` in ``folder`` (the project's: its Prefect settings are there) until the block
    ends; yield its process.
    """
    with log.open("w") as output:
        process = subprocess.Popen(
            command,
            cwd=folder,
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


def run(command: list[str], environ: dict[str, str]) -> subprocess.CompletedProcess[str]:
    """Return how ``command`` ended, run without a terminal."""
    return subprocess.run(
        command,
        cwd=ROOT,
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


@pytest.mark.parametrize(
    "command",
    [
        [*PREFECT, "deployment", "run", "index"],
        [*PREFECT, "deployment", "run", "index/index"],
        [*PREFECT, "deploy", "--all"],
        [*PREFECT, "worker", "start", "--pool", "local"],
        [sys.executable, "-m", "flows"],
    ],
    ids=lambda command: " ".join(command[2:5]),
)
def test_without_a_server_the_next_command_is_said(command: list[str], tmp_path: Path) -> None:
    port = free_port()
    done = run(command, clean_environ(tmp_path / "home", port))
    assert done.returncode != 0
    assert done.stdout == ""
    assert done.stderr == (
        f"error: no Prefect server answers at http://127.0.0.1:{port}/api\n"
        "  -> start one: prefect server start (or name another: export PREFECT_API_URL=…)\n"
    )


def test_bare_deployment_name_builds_the_index(server: Server, served: Path) -> None:
    said = prefect(server.environ, "deployment", "run", "index", "--watch")
    assert "Completed" in said, said
    assert reports_in(served) > 20
    left = {found["key"]: found["data"] for found in server.found("artifacts", {})}
    assert "community_member" in left["index-summary"]
    assert "ground metadata" in left["index-stages"]
    assert "NCBITaxon" in left["index-ontologies"]
    assert left["index-communities"] == "[]"


def test_missing_input_fails_with_its_path_and_leaves_the_index(
    server: Server, served: Path
) -> None:
    before = reports_in(served)
    said = prefect(
        server.environ,
        "deployment",
        "run",
        "index/index",
        "--watch",
        "--param",
        "inputs=/nowhere/none.toml",
    )
    assert "finished in state 'Failed'" in said
    (failed,) = server.runs("FAILED")
    assert "/nowhere/none.toml: no such file" in failed["state"]["message"]
    assert reports_in(served) == before
    wait_until(lambda: Pager.received, server.folder / "served.log")
    assert "index: Failed" in Pager.received[0]
    assert "/nowhere/none.toml: no such file" in Pager.received[0]


def test_a_schedule_that_is_none_is_a_wrong_usage(server: Server) -> None:
    done = run([sys.executable, "-m", "flows", "--cron", "nightly"], server.environ)
    assert done.returncode == 2
    assert "'nightly' is no cron expression" in done.stderr


def test_unknown_bare_name_is_refused(server: Server) -> None:
    said = prefect(server.environ, "deployment", "run", "no-such-thing")
    assert "'no-such-thing' not found" in said


def test_deployment_runs_once_at_a_time(server: Server, served: Path) -> None:
    said = prefect(server.environ, "deployment", "inspect", "index/index")
    assert EVERY_MINUTE in said
    assert "'limit': 1" in said.replace('"', "'")


def test_the_schedule_itself_starts_a_build(server: Server, served: Path) -> None:
    def scheduled() -> list[dict[str, Any]]:
        return [run for run in server.runs("COMPLETED") if run["auto_scheduled"]]

    wait_until(scheduled, server.folder / "server.log")
    assert scheduled()[0]["created_by"]["type"] == "SCHEDULE"
    wait_until(lambda: set(STAGES) <= set(server.stages("Unchanged")), server.folder / "served.log")


def test_work_pool_builds_in_the_folder_it_was_deployed_from(
    server: Server, inputs: Path, tmp_path: Path
) -> None:
    pool = server.environ | {"PREFECT_API_URL": server.url}
    prefect(pool, "work-pool", "create", "local", "--type", "process")
    deployed = prefect(pool, "deploy", "--all")
    assert "Deployment 'index/index' successfully created" in deployed, deployed
    assert "0 2 * * *" in prefect(pool, "deployment", "inspect", "index/index")
    db, log = tmp_path / "pooled.duckdb", tmp_path / "worker.log"
    given = {"inputs": os.path.relpath(inputs, ROOT), "db": str(db), "wording": {"no_llm": True}}
    worker = [*PREFECT, "worker", "start", "--pool", "local"]
    params = json.dumps(given)
    for left in [*server.runs("RUNNING"), *server.runs("PENDING")]:
        server.crash(left)
    with running(worker, pool, log, folder=tmp_path) as process:
        prefect(pool, "deployment", "run", "index", "--params", params)
        wait_until(lambda: "ground metadata" in log.read_text(), log)
        kill_tree(process.pid)
    assert not db.exists()
    for killed in server.runs("RUNNING"):
        server.crash(killed)
    unchanged = len(server.stages("Unchanged"))
    with running(worker, pool, log, folder=tmp_path):
        said = prefect(pool, "deployment", "run", "index", "--watch", "--params", params)
    assert "Completed" in said, log.read_text()[-2000:]
    assert reports_in(db) > 20
    resumed = server.stages("Unchanged")
    assert len(resumed) > unchanged
    assert "load ontologies: unchanged" in log.read_text()
