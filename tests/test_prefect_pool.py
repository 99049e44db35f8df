"""The scheduled way by a work pool: what its worker starts builds where the project is deployed
from.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from tests.conftest import ROOT, BuiltIndex, copy_results
from tests.prefect_servers import (
    Server,
    prefect,
    reports_in,
    run,
)

pytestmark = pytest.mark.server


def test_work_pool_builds_in_the_folder_it_was_deployed_from(
    prefect_server: Server, small_index: BuiltIndex, tmp_path: Path
) -> None:
    server = prefect_server
    pool = server.environ | {"PREFECT_API_URL": server.url}
    server.post("work_pools/", {"name": "local", "type": "process"})
    deployed = prefect(pool, "deploy", "--all")
    assert "Deployment 'index/index' successfully created" in deployed, deployed
    (nightly,) = server.deployment()["schedules"]
    assert nightly["schedule"]["cron"] == "0 2 * * *"
    db = tmp_path / "pooled.duckdb"
    inputs = os.path.relpath(small_index.inputs, ROOT)
    copy_results(small_index, db)
    asked = {"inputs": inputs, "db": str(db), "wording": {"no_llm": True}}
    built = server.start(asked)
    engine = [sys.executable, "-m", "prefect.engine", built]  # as a worker of the pool starts it
    done = run(engine, pool, folder=tmp_path)
    assert server.state(built)["type"] == "COMPLETED", done.stderr
    assert reports_in(db) > 5
    server.forget()
