"""The scheduled way on a real Prefect server: scheduled runs, a build at once, and no server."""

from __future__ import annotations

import asyncio
import sys
import urllib.error
from collections.abc import Iterator
from contextlib import contextmanager
from email import message_from_bytes
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, ClassVar

import pytest
from aiosmtpd.controller import Controller
from aiosmtpd.smtp import Envelope
from prefect.client.orchestration import PrefectClient
from prefect.exceptions import ObjectNotFound

from flows.__main__ import main
from flows.options import STAGES
from flows.prefect_plugin import resolving_bare_names
from index.store.build import open_index, results_path
from index.store.results import ResultStore
from tests.conftest import BuiltIndex, copy_results
from tests.prefect_servers import (
    PREFECT,
    Server,
    clean_environ,
    free_port,
    prefect,
    reports_in,
    run,
    running,
    wait_until,
)
from tests.serving import serving
from tests.span_collector import collecting, received

pytestmark = pytest.mark.server

NIGHTLY = "30 3 * * *"


@pytest.fixture(scope="module")
def server(prefect_server: Server) -> Server:
    """Return the Prefect server of all tests."""
    return prefect_server


class Pager(BaseHTTPRequestHandler):
    """Takes notices; ``received`` holds their texts."""

    received: ClassVar[list[str]] = []

    def do_POST(self) -> None:
        self.received.append(self.rfile.read(int(self.headers["Content-Length"])).decode())
        self.send_response(200)
        self.end_headers()

    def log_message(self, *args: object) -> None:
        """Say nothing."""


SAVE_BLOCKS = """
import sys
from prefect.blocks.notifications import CustomWebhookNotificationBlock
message = {"subject": "{{subject}}", "text": "{{body}}"}
block = CustomWebhookNotificationBlock(name="pager", url=sys.argv[1], json_data=message)
block.save("pager")
from prefect_email import EmailServerCredentials
post = EmailServerCredentials(
    smtp_server="127.0.0.1", smtp_port=int(sys.argv[2]), smtp_type="INSECURE"
)
post.save("maintainers")
"""


class Postbox:
    """Takes e-mails; ``received`` holds whom they are for and what they say."""

    received: ClassVar[list[tuple[list[str], str]]] = []

    async def handle_DATA(self, _server: object, _session: object, envelope: Envelope) -> str:  # noqa: N802
        """Keep an e-mail, as aiosmtpd calls it."""
        sent = message_from_bytes(bytes(envelope.content or b""))
        said = [bytes(part.get_payload(decode=True) or b"").decode() for part in sent.walk()]
        self.received.append((envelope.rcpt_tos, "\n".join([sent["Subject"], *said])))
        return "250 taken"


@contextmanager
def taking_mail() -> Iterator[int]:
    """Yield the port of a server of e-mail that hands everything to ``Postbox``."""
    port = free_port()
    server = Controller(Postbox(), hostname="127.0.0.1", port=port)
    server.start()
    try:
        yield port
    finally:
        server.stop()


@pytest.fixture(scope="module")
def notified(server: Server) -> Iterator[dict[str, str]]:
    """Yield an environment whose failed builds are reported to ``Pager`` and ``Postbox`` and whose
    spans are sent to ``Collector``.
    """
    with (
        serving(ThreadingHTTPServer(("127.0.0.1", 0), Pager)) as pager,
        collecting() as spans,
        taking_mail() as post,
    ):
        address = f"http://127.0.0.1:{pager.server_port}"
        environ = server.environ | {"PREFECT_API_URL": server.url}
        saved = run([sys.executable, "-c", SAVE_BLOCKS, address, str(post)], environ)
        assert saved.returncode == 0, saved.stderr
        watched = {
            "VIROME_NOTIFY": "custom-webhook/pager, email-server-credentials/maintainers",
            "VIROME_NOTIFY_TO": "one@example.org, other@example.org",
            "OTEL_EXPORTER_OTLP_ENDPOINT": spans,
        }
        yield server.environ | watched


@pytest.fixture(scope="module")
def served(server: Server, notified: dict[str, str], small_index: BuiltIndex) -> Iterator[Path]:
    """Yield the index that the served deployment publishes, every night and when asked."""
    db, log = server.folder / "served.duckdb", server.folder / "served.log"
    copy_results(small_index, db)
    given = [
        "--inputs",
        str(small_index.inputs),
        "--db",
        str(db),
        "--no-llm",
        "--cron",
        NIGHTLY,
    ]
    with running([sys.executable, "-m", "flows", *given], notified, log):
        wait_until(lambda: "is being served" in log.read_text(), log)
        yield db


NO_SERVER = """\
error: no Prefect server answers at {}
  -> start one: prefect server start (or name another: export PREFECT_API_URL=…)
"""


def test_without_a_server_the_next_command_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    port = free_port()
    address = f"http://127.0.0.1:{port}/api"
    command = [*PREFECT, "deployment", "run", "index"]
    done = run(command, clean_environ(tmp_path / "home", port))
    assert done.returncode != 0
    assert (done.stdout, done.stderr) == ("", NO_SERVER.format(address))
    monkeypatch.setenv("PREFECT_API_URL", address)
    assert main([]) != 0
    assert capsys.readouterr() == ("", NO_SERVER.format(address))


def test_bare_deployment_name_builds_the_index(server: Server, served: Path) -> None:
    said = prefect(server.environ, "deployment", "run", "index", "--watch")
    assert "Completed" in said, said
    assert reports_in(served) > 5
    left = {found["key"]: found["data"] for found in server.found("artifacts/latest", {})}
    assert "community_member" in left["index-summary"]
    assert "ground metadata" in left["index-stages"]
    assert "NCBITaxon" in left["index-ontologies"]
    assert left["index-communities"] == "[]"
    atlas = served.with_name("served.duckdb.atlas.html")
    assert atlas.as_uri() in left["index-atlas"]
    assert "<html" in atlas.read_text(encoding="utf-8")
    (*_, built) = server.runs("COMPLETED")
    states = server.stages_of(built["id"])
    assert {states[stage] for stage in STAGES} == {"Unchanged"}
    spans = received()
    assert spans["ground metadata"].parent_span_id == spans["build index"].span_id


@pytest.mark.usefixtures("served")
def test_builds_are_scheduled_for_the_hour_of_the_deployment(server: Server) -> None:
    deployment = server.deployment()

    def scheduled() -> list[dict[str, Any]]:
        planned = [run for run in server.runs("SCHEDULED") if run["auto_scheduled"]]
        return [run for run in planned if run["deployment_id"] == deployment["id"]]

    (schedule,) = deployment["schedules"]
    assert schedule["schedule"]["cron"] == NIGHTLY
    assert deployment["global_concurrency_limit"]["limit"] == 1
    wait_until(scheduled, server.folder / "server.log")
    (first, *_) = scheduled()
    assert first["created_by"]["type"] == "SCHEDULE"
    assert "T03:30:00" in first["expected_start_time"]


@pytest.mark.usefixtures("served")
def test_a_cancelled_run_leaves_nothing_but_results_that_the_next_one_uses(
    server: Server, small_index: BuiltIndex, tmp_path: Path
) -> None:
    db, log = tmp_path / "other.duckdb", server.folder / "served.log"
    cancelled = server.start({"db": str(db)})
    wait_until(lambda: server.stages_of(cancelled).get("load ontologies") == "Completed", log)
    server.cancel(cancelled)
    wait_until(lambda: server.state(cancelled)["type"] == "CANCELLED", log)
    left = {path.name.removeprefix("other.duckdb") for path in tmp_path.iterdir()}
    assert left == {".lock", ".results", ".results.json"}
    assert "publish" not in server.stages_of(cancelled)

    wanted = "SELECT value FROM build WHERE key = 'stage.load ontologies'"
    with open_index(small_index.path) as index:
        ((key,),) = index.execute(wanted).fetchall()
    store = ResultStore(results_path(db), max_bytes=10**9, say=pytest.fail)
    assert store.find(key) is not None


ASK = """
from prefect import flow
from flows.scheduling import tasks
from ontology_etl.errors import DownloadError

tasks.FIRST_WAIT_S = 0.01
asked = []

def fail(stage):
    asked.append(stage)
    raise DownloadError("https://example.org", "HTTP 503", remedy="wait")

@flow
def ask(stage):
    tasks.as_task(stage, lambda: fail(stage))

for stage in ("fetch inputs", "read records"):
    try:
        ask(stage)
    except DownloadError:
        print(asked.count(stage))
"""


def test_what_asks_elsewhere_is_tried_again(server: Server) -> None:
    done = run(
        [sys.executable, "-c", ASK],
        server.environ | {"PREFECT_API_URL": server.url},
    )
    assert done.stdout.splitlines()[-2:] == ["4", "1"], done.stderr[-2000:]


def test_missing_input_fails_with_its_path_and_leaves_the_index(
    server: Server, served: Path
) -> None:
    before = reports_in(served)
    log = server.folder / "served.log"
    run_id = server.start({"inputs": "/nowhere/none.toml"})
    wait_until(lambda: server.state(run_id)["type"] == "FAILED", log)
    assert "/nowhere/none.toml: no such file" in server.state(run_id)["message"]
    assert reports_in(served) == before
    noticed = "/nowhere/none.toml"
    wait_until(lambda: noticed in "".join(Pager.received), log)
    assert "index: Failed" in Pager.received[-1]
    assert "/nowhere/none.toml: no such file" in Pager.received[-1]
    wait_until(lambda: noticed in str(Postbox.received), log)
    readers, text = Postbox.received[-1]
    assert readers == ["one@example.org", "other@example.org"]
    assert text.startswith("index: Failed")
    assert "/nowhere/none.toml: no such file" in text


@pytest.mark.usefixtures("served")
def test_a_stage_that_is_none_is_refused_before_anything_runs(server: Server) -> None:
    with pytest.raises(urllib.error.HTTPError) as refused:
        server.start({"again": "compute"})
    assert "compute" in refused.value.read().decode()


def test_a_schedule_that_is_none_is_a_wrong_usage(
    server: Server, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("PREFECT_API_URL", server.url)
    assert main(["--cron", "nightly"]) == 2
    assert "'nightly' is not a cron expression" in capsys.readouterr().err


def test_unknown_bare_name_is_refused(server: Server) -> None:
    find = resolving_bare_names(PrefectClient.read_deployment_by_name)

    async def ask() -> None:
        async with PrefectClient(server.url) as client:
            await find(client, "no-such-thing")

    with pytest.raises(ObjectNotFound):
        asyncio.run(ask())
