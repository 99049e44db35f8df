"""Builds that are cancelled or take too long: nothing half-written, and the next one goes on."""

from __future__ import annotations

import contextlib
import json
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from flows.cancelling import TERMINATED, interruptible, limited
from flows.errors import StageTimeoutError
from flows.index import main
from flows.observing.event_log import to_stderr_as_json
from flows.order import run_stages
from flows.progress import Progress, silent
from index.config import IndexConfig
from index.models.choose import ModelChoice
from index.store.build import open_index
from tests.conftest import ROOT, BuiltIndex, copy_index

CANCELLED_AT = "write reports"


@pytest.mark.usefixtures("interruptible")
@pytest.mark.parametrize(
    ("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, TERMINATED)], ids=["INT", "TERM"]
)
def test_a_cancelled_build_leaves_nothing_half_written(
    number: signal.Signals, code: int, small_index: BuiltIndex, tmp_path: Path
) -> None:
    db = copy_index(small_index, tmp_path)
    before = db.read_bytes()
    named = ["--inputs", str(small_index.inputs), "--db", str(db)]
    again = ["--from", CANCELLED_AT, "--no-llm", "--log-json"]
    command = [sys.executable, "-m", "flows.index", *again, *named]
    with subprocess.Popen(command, cwd=ROOT, text=True, stderr=subprocess.PIPE) as build:
        assert build.stderr is not None
        lines = []
        for line in build.stderr:
            lines.append(line)
            if f'"stage_started", "stage": "{CANCELLED_AT}"' in line:
                build.send_signal(number)
    assert build.returncode == code, "".join(lines)
    events = [json.loads(line) for line in lines if line.startswith("{")]
    assert events[-1]["event"] == "stage_failed", "".join(lines)
    assert not any("Traceback" in line for line in lines)
    assert db.read_bytes() == before
    kept = {path.name.removeprefix(db.name) for path in tmp_path.iterdir()}
    assert kept <= {"", ".lock", ".results", ".results.json"}


@pytest.mark.usefixtures("interruptible")
@pytest.mark.parametrize("loaded", ["flows", "flows.order"])
def test_ctrl_c_at_any_moment_is_one_line_and_130(loaded: str, tmp_path: Path) -> None:
    db = tmp_path / "index.duckdb"
    command = [sys.executable, "-X", "importtime", "-m", "flows.index", "--no-llm", "--quiet"]
    with subprocess.Popen(
        [*command, "--db", str(db)], cwd=ROOT, text=True, stderr=subprocess.PIPE
    ) as build:
        assert build.stderr is not None
        said = []
        for line in build.stderr:
            if not line.startswith("import time:"):
                said.append(line)
            elif line.split()[-1] == loaded:
                build.send_signal(signal.SIGINT)
    assert (build.returncode, said) == (
        130,
        ["cancelled: what was published before stays as it was\n"],
    )
    assert {path.name for path in tmp_path.iterdir()} <= {
        db.name + end for end in (".lock", ".results", ".results.json")
    }


@pytest.mark.usefixtures("interruptible")
@pytest.mark.parametrize("raised", [RuntimeError("cannot start a thread"), SystemExit(1)])
def test_whatever_ends_a_build_after_ctrl_c_is_its_cancellation(
    raised: BaseException, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as left:
        _swallow_and_raise(raised)
    assert left.value.code == 130
    assert capsys.readouterr().err.splitlines() == [
        "cancelled: what was published before stays as it was"
    ]
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


@pytest.mark.usefixtures("interruptible")
def test_ctrl_c_that_was_swallowed_ends_the_build_at_its_next_stage() -> None:
    progress, done = Progress(say_line=silent), []
    with pytest.raises(SystemExit) as left, interruptible():
        _swallow(lambda: progress.stage("publish")(done.append)(1))
    assert (left.value.code, done) == (130, [])


def _swallow_and_raise(raised: BaseException) -> None:
    with interruptible():
        _swallow(lambda: signal.raise_signal(signal.SIGINT))
        raise raised


def _swallow(then: Callable[[], None]) -> None:
    """Let a Ctrl-C come whose exception is lost, as in a finaliser, and go on."""
    with contextlib.suppress(KeyboardInterrupt):
        signal.raise_signal(signal.SIGINT)
    then()


def test_an_error_without_ctrl_c_stays_what_it_is() -> None:
    with pytest.raises(RuntimeError, match="a cause"), interruptible():
        raise RuntimeError("a cause")


def test_a_stage_that_takes_too_long_ends_the_build(sample_inputs: Path, tmp_path: Path) -> None:
    db = tmp_path / "index.duckdb"
    config = IndexConfig(max_stage_s=0.05)
    none = ModelChoice(None, None, "tests")
    with pytest.raises(StageTimeoutError, match=r"load ontologies: stopped after 0\.05 s") as late:
        run_stages(sample_inputs, db, config=config, model=none, progress=Progress(say_line=silent))
    assert late.value.exit_code == 13
    assert "max_stage_s" in late.value.remedy
    assert not db.exists()
    assert not db.with_name("index.duckdb.building").exists()


def test_a_limit_holds_for_its_block_only_and_signals_are_given_back() -> None:
    before = signal.getsignal(signal.SIGALRM)
    with limited("publish", 60):
        pass
    assert signal.getitimer(signal.ITIMER_REAL) == (0.0, 0.0)
    with pytest.raises(StageTimeoutError), limited("publish", 0.01):
        threading.Event().wait()
    assert signal.getsignal(signal.SIGALRM) is before


@pytest.mark.parametrize(("limit", "sets_its_own"), [(0.01, True), (7200, False)])
def test_a_limit_leaves_the_alarm_around_it(limit: float, sets_its_own: bool) -> None:
    """Prefect bounds a whole run with the same alarm."""
    before = signal.getsignal(signal.SIGALRM)
    signal.setitimer(signal.ITIMER_REAL, 3600)
    try:
        if sets_its_own:
            with pytest.raises(StageTimeoutError), limited("publish", limit):
                threading.Event().wait()
        else:
            with limited("publish", limit):
                assert signal.getsignal(signal.SIGALRM) is before
        left, _ = signal.getitimer(signal.ITIMER_REAL)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
    assert 1800 < left < 3600
    assert signal.getsignal(signal.SIGALRM) is before


def test_a_limit_in_another_thread_is_none() -> None:
    ended = []

    def work() -> None:
        with limited("publish", 0.001):
            time.sleep(0.01)
            ended.append("yes")

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert ended == ["yes"]


def test_events_are_json_lines_with_costs(capsys: pytest.CaptureFixture[str]) -> None:
    progress = Progress(say_line=silent, log=to_stderr_as_json)

    def work() -> None:
        progress.detail("half of it")
        progress.wrote(7, 560)

    def fail() -> None:
        raise ValueError("no")

    progress.stage("compute facts")(work)()
    progress.unchanged("write reports")
    with pytest.raises(ValueError, match="no"):
        progress.stage("publish")(fail)()
    events = [json.loads(line) for line in capsys.readouterr().err.splitlines()]
    assert [(event.pop("event"), event.pop("stage")) for event in events] == [
        ("stage_started", "compute facts"),
        ("detail", "compute facts"),
        ("stage_ended", "compute facts"),
        ("stage_unchanged", "write reports"),
        ("stage_started", "publish"),
        ("stage_failed", "publish"),
    ]
    assert events[1]["text"] == "half of it"
    assert events[2].keys() == {"time", "seconds", "cpu_seconds", "peak_mb", "rows", "bytes"}
    assert (events[2]["rows"], events[2]["bytes"]) == (7, 560)
    assert events[5]["error"] == "no"
    assert all(event["time"].endswith("+00:00") for event in events)


def test_an_index_notes_rows_bytes_and_cpu_of_each_stage(sample_index: BuiltIndex) -> None:
    with open_index(sample_index.path) as index:
        noted = dict(index.execute("SELECT key, value FROM build").fetchall())
        ((facts,),) = index.execute("SELECT count(*) FROM fact").fetchall()
    written = int(noted["rows.compute facts"])
    assert facts < written < 10 * facts, "joints, contrasts and pairs of runs, too"
    assert int(noted["bytes.compute facts"]) > 10 * facts
    assert float(noted["cpu.compute facts"]) >= 0
    assert sample_index.summary.stage_rows["compute facts"] == written


def test_log_json_prints_nothing_else_on_stderr(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    missing = tmp_path / "inputs.toml"
    missing.write_text('[[input]]\nformat = "studies"\npath = "gone.tsv"\n')
    assert main(["--log-json", "--inputs", str(missing)]) == 3
    assert "gone.tsv: no such file" in capsys.readouterr().err
