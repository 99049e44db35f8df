"""A build killed with ``kill -9``, twice: nothing is paid twice, and the index is the same.

``make faults`` kills within every stage.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from index.config import read_config
from index.models.choose import choose_model
from index.store.build import content_hash, open_index
from tests.conftest import BuiltIndex, build_from, copy_results
from tests.scripted_openai import Reply, serve
from tests.wording_cases import careful

ROOT = Path(__file__).parents[1]
KILLED_AT = ("third answer", "publish")
NOT_KEPT = {"ground metadata"}
"""What the killed build computes with as many threads as there are cores."""
MODEL = "scripted-20b"


BUILD = """
import os, sys
from pathlib import Path
from flows.order import run_stages
from flows.progress import Progress
from index.config import read_config
from index.models.choose import choose_model
inputs, db, config = sys.argv[1:]
run_stages(Path(inputs), Path(db), config=read_config(config), model=choose_model(os.environ), progress=Progress())
"""  # noqa: E501
"""What ``python -m flows.index`` does, without the time it takes to load Prefect."""


def start(inputs: Path, db: Path, config: Path, base_url: str) -> subprocess.Popen[str]:
    """Start a build of ``inputs`` with as many threads as there are cores, its progress to be read
    from stderr.
    """
    command = [sys.executable, "-c", BUILD, str(inputs), str(db), str(config)]
    environment = os.environ | {"OPENAI_BASE_URL": base_url, "VIROME_MODEL": MODEL}
    environment.pop("POLARS_MAX_THREADS", None)
    return subprocess.Popen(command, cwd=ROOT, env=environment, text=True, stderr=subprocess.PIPE)


def kill_at(stage: str, build: subprocess.Popen[str]) -> None:
    """Kill ``build`` as it announces ``stage``, or wait for the server to do so."""
    with build:
        assert build.stderr is not None
        for line in build.stderr:
            if line.rstrip().endswith(stage):
                build.kill()
    assert build.returncode == -signal.SIGKILL


def asked(request: dict[str, Any]) -> str:
    return json.dumps(request["messages"])


def digest(db: Path) -> str:
    with open_index(db) as connection:
        return content_hash(connection)


def test_killed_builds_pay_once_and_end_in_the_same_index(
    small_index: BuiltIndex,
    worded_index: BuiltIndex,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    inputs, whole, killed = small_index.inputs, worded_index.path, tmp_path / "killed.duckdb"
    config = whole.with_name("config.toml")
    copy_results(small_index, killed, but=NOT_KEPT)
    requests = json.loads(whole.with_suffix(".prompts.json").read_text())
    paid = [asked(request) for request in requests]
    assert 4 <= len(paid) == len(set(paid)) <= 12  # six reports, and a fault goes back once

    def third_kills(request: dict[str, Any]) -> Reply:
        if len(server.requests) == 3:
            builds[-1].kill()
        return careful(request)

    with serve(third_kills) as server:
        builds = []
        for stage in KILLED_AT:
            builds.append(start(inputs, killed, config, server.base_url))
            kill_at(stage, builds[-1])
            assert not killed.exists()
        monkeypatch.setenv("OPENAI_BASE_URL", server.base_url)
        monkeypatch.setenv("VIROME_MODEL", MODEL)
        build_from(inputs, killed, config=read_config(config), model=choose_model(os.environ))
        prompts = [asked(request) for request in server.requests]
    in_flight = prompts.pop(2)
    assert prompts[2] == in_flight
    assert prompts == paid
    assert digest(killed) == digest(whole)
