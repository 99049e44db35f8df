"""``query init``, ``query doctor`` and ``query builds``: from an empty folder to a second build."""

from __future__ import annotations

import json
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, ClassVar

import duckdb
import pytest
from click.testing import Result
from typer.testing import CliRunner

from flows.publishing.past_builds import past_builds
from index.config import IndexConfig, read_config
from index.sources.manifest import read_manifest
from index.store.read import CONTRACT_VERSION
from index.store.schema import create_schema
from query.browsing.builds import compare_builds, list_builds
from query.cli.app import app
from query.errors import UnknownBuildError
from query.health.index_file import check_index
from query.health.prefect_server import check_server
from query.starter import starter_files
from tests.conftest import BuiltIndex
from tests.serving import serving


def query(*words: str) -> Result:
    """Run the command line."""
    return CliRunner().invoke(app, words)


def noted_index(path: Path, **noted: str) -> duckdb.DuckDBPyConnection:
    """Return an empty index whose ``build`` table holds ``noted``; dots are written as __."""
    connection = duckdb.connect(path)
    create_schema(connection)
    rows = [[key.replace("__", "."), value] for key, value in noted.items()]
    connection.executemany("INSERT INTO build VALUES ($1, $2)", rows)
    return connection


def test_init_writes_three_files_and_leaves_those_that_are_there(tmp_path: Path) -> None:
    folder = tmp_path / "bats"
    folder.mkdir()
    (folder / "inputs.toml").write_text("mine")

    done = query("init", str(folder), "--json")

    said = json.loads(done.stdout)
    assert [Path(path).name for path in said["written"]] == ["config.toml", "README.md"]
    assert said["kept"] == [str(folder / "inputs.toml")]
    assert (folder / "inputs.toml").read_text() == "mine"


def test_init_names_the_files_that_people_have(tmp_path: Path) -> None:
    (tmp_path / "my runs.csv").write_text("Library,Accession\nB-01,SYNR9000001\n")
    (tmp_path / "found.tsv").write_text(
        "taxonomy_id\tname\tlineage\tB-01\n64320\tZika virus\tViruses\t5\n"
    )
    (tmp_path / "old.duckdb").write_text("no table")
    assert query("init", str(tmp_path)).exit_code == 0
    manifest = read_manifest(tmp_path / "inputs.toml")
    assert sorted(item.path.name for item in manifest.inputs) == ["found.tsv", "my runs.csv"]


def test_every_default_of_the_written_config_is_the_default_of_a_build(tmp_path: Path) -> None:
    config = tmp_path / "config.toml"
    text = starter_files("my")["config.toml"]
    switched_on = [line.removeprefix("# ") for line in text.splitlines()]
    without_unset = [line for line in switched_on if ' = ""' not in line]
    config.write_text("\n".join(without_unset))

    assert read_config(config) == IndexConfig()


def test_doctor_names_the_next_command_where_there_is_no_index(tmp_path: Path) -> None:
    done = query("doctor", "--db", str(tmp_path / "none.duckdb"), "--no-server", "--json")

    checks = {check["name"]: check for check in json.loads(done.stdout)["checks"]}
    assert done.exit_code == 1
    assert checks["index"]["state"] == "missing"
    assert "flows.index" in checks["index"]["next_command"]


def test_doctor_says_what_the_index_holds_and_what_is_withheld(sample_index: BuiltIndex) -> None:
    checks = {check.name: check for check in check_index(sample_index.path)}

    assert "2,500 runs" in checks["index"].found
    assert checks["age"].state == "ok"
    assert "NCBITaxon" in checks["ontologies"].found
    assert checks["biosafety"].state == "note"


class PrefectApi(BaseHTTPRequestHandler):
    """Answers as a Prefect server does, from ``answers`` by the end of the path."""

    answers: ClassVar[dict[str, Any]] = {}

    def do_POST(self) -> None:
        length = int(self.headers["Content-Length"])
        self.rfile.read(length)
        body = json.dumps(self.answers[self.path.removeprefix("/api/")]).encode()
        self.send_response(200)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Keep the test's output clean."""


@pytest.fixture
def prefect_api() -> Iterator[str]:
    with serving(ThreadingHTTPServer(("127.0.0.1", 0), PrefectApi)) as server:
        yield f"http://127.0.0.1:{server.server_port}/api"


RUN = {"id": "r1", "start_time": "2026-11-20T02:00:01Z"}
SCHEDULE = {"active": True, "schedule": {"cron": "0 2 * * *", "timezone": "UTC"}}


def test_doctor_shows_the_schedule_and_that_the_last_run_failed(prefect_api: str) -> None:
    PrefectApi.answers = {
        "deployments/filter": [{"id": "d1", "paused": False, "schedules": [SCHEDULE]}],
        "flow_runs/filter": [{**RUN, "state_name": "Failed", "state_type": "FAILED"}],
    }

    server, schedule, runs = check_server({"PREFECT_API_URL": prefect_api})

    assert server.state == "ok"
    assert schedule.found == "cron 0 2 * * * UTC"
    assert (runs.state, runs.next_command) == ("missing", "prefect flow-run logs r1")


def test_doctor_says_that_a_paused_deployment_needs_to_be_served(prefect_api: str) -> None:
    PrefectApi.answers = {
        "deployments/filter": [{"id": "d1", "paused": True, "schedules": []}],
        "flow_runs/filter": [{**RUN, "state_name": "Completed", "state_type": "COMPLETED"}],
    }

    _, schedule, runs = check_server({"PREFECT_API_URL": prefect_api})

    assert schedule.state == "note"
    assert runs.state == "ok"


def test_doctor_takes_a_server_that_is_no_prefect_server_as_none(prefect_api: str) -> None:
    PrefectApi.answers = {"deployments/filter": {"detail": "not found"}}

    (server,) = check_server({"PREFECT_API_URL": prefect_api})

    assert server.state == "note"
    assert server.next_command == "prefect server start"


def two_builds(folder: Path) -> duckdb.DuckDBPyConnection:
    """Return the second of two indexes in ``folder``, which remembers the first."""
    first = noted_index(
        folder / "first.duckdb",
        run_at__published="2026-11-01T02:00:00+00:00",
        content_hash="aaaa",
        counts__run="100",
        version__contract=CONTRACT_VERSION,
    )
    second = noted_index(
        folder / "second.duckdb",
        run_at__published="2026-11-02T02:00:00+00:00",
        content_hash="bbbb",
        counts__run="120",
        version__contract=CONTRACT_VERSION,
    )
    carried = past_builds(first)
    second.register("carried", carried)
    second.execute("INSERT INTO past_build BY NAME SELECT * FROM carried")
    first.close()
    return second


def test_an_index_remembers_what_the_builds_before_it_noted(tmp_path: Path) -> None:
    second = two_builds(tmp_path)

    listed = list_builds(second)

    assert [(build.content_hash, build.run, build.current) for build in listed] == [
        ("bbbb", 120, True),
        ("aaaa", 100, False),
    ]
    (difference,) = compare_builds(second, "previous")
    assert compare_builds(second, "2026-11-01", "current") == (difference,)
    assert (difference.key, difference.before, difference.after) == ("counts.run", "100", "120")
    with pytest.raises(UnknownBuildError, match="2 builds have this name"):
        compare_builds(second, "2026-11")
    with (
        duckdb.connect(tmp_path / "first.duckdb") as first,
        pytest.raises(UnknownBuildError, match="no such build"),
    ):
        compare_builds(first, "previous")


def test_the_sample_remembers_no_build_before_its_first(sample_index: BuiltIndex) -> None:
    done = query("builds", "--db", str(sample_index.path), "--json")

    (build,) = json.loads(done.stdout)["builds"]
    assert build["current"]
    assert build["run"] == 2500
    assert build["content_hash"] == sample_index.summary.content_hash
