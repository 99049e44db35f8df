"""The scheduled way by a work pool: a worker that is killed, and one that goes on where it was."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from tests.conftest import ROOT
from tests.prefect_servers import (
    PREFECT,
    kill_tree,
    prefect,
    reports_in,
    running,
    small_cohort,
    started_server,
    wait_until,
)

pytestmark = pytest.mark.server


def test_work_pool_builds_in_the_folder_it_was_deployed_from(tmp_path: Path) -> None:
    with started_server(tmp_path) as server:
        pool = server.environ | {"PREFECT_API_URL": server.url}
        prefect(pool, "work-pool", "create", "local", "--type", "process")
        deployed = prefect(pool, "deploy", "--all")
        assert "Deployment 'index/index' successfully created" in deployed, deployed
        assert "0 2 * * *" in prefect(pool, "deployment", "inspect", "index/index")
        db, log = tmp_path / "pooled.duckdb", tmp_path / "worker.log"
        inputs = os.path.relpath(small_cohort(tmp_path / "cohort"), ROOT)
        params = json.dumps({"inputs": inputs, "db": str(db), "wording": {"no_llm": True}})
        worker = [*PREFECT, "worker", "start", "--pool", "local"]
        with running(worker, pool, log, folder=tmp_path) as process:
            asked = prefect(pool, "deployment", "run", "index", "--params", params)
            assert "Created flow run" in asked, asked
            wait_until(lambda: "ground metadata" in log.read_text(), log)
            kill_tree(process.pid)
        assert not db.exists()
        for killed in server.runs("RUNNING"):
            server.crash(killed)
        with running(worker, pool, log, folder=tmp_path):
            said = prefect(pool, "deployment", "run", "index", "--watch", "--params", params)
        assert "Completed" in said, log.read_text()[-2000:]
        assert reports_in(db) > 20
        assert "load ontologies" in server.stages("Unchanged")
        assert "load ontologies: unchanged" in log.read_text()
