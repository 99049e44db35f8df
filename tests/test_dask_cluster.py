"""A build on a real Dask cluster that loses a worker, by hand and as a flow of Prefect, gives the
index of one machine.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from flows.index import main
from index.store.build import content_hash, open_index
from tests.conftest import BuiltIndex, copy_results
from tests.dask_workers import Losing, two_workers
from tests.prefect_servers import Server, run
from tests.scripted_openai import serve
from tests.wording_cases import careful

pytestmark = pytest.mark.server

IN_PARTS = ("ground metadata", "test associations")
"""Stages that a cluster computes in parts, besides that of the first test."""
AS_A_FLOW = """
import json, sys
from flows.index_flow import index
index(**json.loads(sys.argv[1]))
"""


@dataclass(frozen=True)
class Alone:
    """An index that one machine built of ``inputs``, and the environment of a model that still
    answers.
    """

    db: Path
    inputs: Path
    config: Path
    environ: dict[str, str]

    def named(self, db: Path) -> dict[str, str]:
        """Return the parameters of the same build at ``db``."""
        return {"inputs": str(self.inputs), "db": str(db), "config": str(self.config)}

    def options(self, db: Path) -> list[str]:
        """Return these parameters as options of the command line."""
        return [word for name, value in self.named(db).items() for word in (f"--{name}", value)]

    def equals(self, db: Path) -> bool:
        """Return whether the index at ``db`` holds the same, interpretations too."""
        with open_index(db) as spread, open_index(self.db) as once:
            said = "SELECT count(interpretation) > 0 FROM report"
            assert once.execute(said).fetchall() == [(True,)]
            return content_hash(spread) == content_hash(once)


@pytest.fixture(scope="module")
def alone(worded_index: BuiltIndex) -> Iterator[Alone]:
    """Yield an index of one machine, whose reports a model of this machine interpreted, and a
    model that gives the same answers again.
    """
    with serve(careful) as server:
        model = {"OPENAI_BASE_URL": server.base_url, "VIROME_MODEL": "scripted-20b"}
        config = worded_index.path.with_name("config.toml")
        yield Alone(worded_index.path, worded_index.inputs, config, dict(os.environ) | model)
        models = {request["model"] for request in server.requests}
        assert models == {"scripted-20b"}


@pytest.fixture(scope="module")
def cluster(
    prefect_server: Server, alone: Alone, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Losing]:
    """Yield a scheduler with two workers that know the model and the Prefect server."""
    model = {name: alone.environ[name] for name in ("OPENAI_BASE_URL", "VIROME_MODEL")}
    environ = prefect_server.environ | model | {"PREFECT_API_URL": prefect_server.url}
    with two_workers(tmp_path_factory.mktemp("cluster"), environ) as cluster:
        yield cluster


def test_a_build_by_hand_has_parts_computed_by_the_cluster(
    alone: Alone,
    small_index: BuiltIndex,
    cluster: Losing,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    db = tmp_path / "by_hand.duckdb"
    copy_results(small_index, db, but={"embed reports", "report vectors"})
    model = {name: alone.environ[name] for name in ("OPENAI_BASE_URL", "VIROME_MODEL")}
    for name, value in (cluster.named | model).items():
        monkeypatch.setenv(name, value)
    assert main(alone.options(db)) == 0
    said = capsys.readouterr().err
    assert "embed reports: unchanged" not in said
    assert list(cluster.shared.iterdir()) == []
    assert alone.equals(db)


def test_a_flow_on_a_cluster_that_loses_a_worker_gives_the_index_of_one_machine(
    prefect_server: Server,
    alone: Alone,
    small_index: BuiltIndex,
    cluster: Losing,
    tmp_path: Path,
) -> None:
    db = tmp_path / "spread.duckdb"
    copy_results(small_index, db, but=set(IN_PARTS))
    flow = [sys.executable, "-c", AS_A_FLOW, json.dumps(alone.named(db))]
    with cluster.a_worker():
        done = run(flow, cluster.environ)
    assert done.returncode == 0, done.stderr[-3000:]
    assert "Remove worker" in cluster.log.read_text()
    assert list(cluster.shared.iterdir()) == []
    tasks = prefect_server.found("task_runs", {"task_runs": {"name": {"like_": "part 0"}}})
    ended = {task["name"].partition(",")[0] for task in tasks if task["state_type"] == "COMPLETED"}
    assert ended >= set(IN_PARTS)
    assert alone.equals(db)
