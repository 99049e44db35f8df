"""What `make demo` prints last works as it is printed."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys

import pytest
from typer.testing import CliRunner

from index.config import read_config
from query.cli.app import app
from tests.conftest import ROOT, BuiltIndex

MAKEFILE = (ROOT / "Makefile").read_text(encoding="utf-8")
TRY = re.findall(
    r"^\$\(BIN\)/.+$", MAKEFILE.partition("define TRY")[2].partition("endef")[0], re.MULTILINE
)


def test_demo_ends_with_three_commands() -> None:
    said = MAKEFILE.partition("define TRY")[2].partition("endef")[0].strip().splitlines()
    assert len(TRY) == 3
    assert said[0] == "Three more to try, from this folder:"
    assert said[-1].startswith("A larger model")


@pytest.mark.parametrize("line", TRY)
def test_command_that_the_demo_prints_works(line: str, sample_index: BuiltIndex) -> None:
    program, *words = shlex.split(line.replace("$(DEMO_DB)", str(sample_index.path)))
    if program == "$(BIN)/query":
        done = CliRunner().invoke(app, words)
        code, said = done.exit_code, done.output
    else:
        command = [sys.executable, *words]
        ran = subprocess.run(command, capture_output=True, text=True, check=False, cwd=ROOT)
        code, said = ran.returncode, ran.stdout + ran.stderr
    assert code == 0, said
    assert len(said.splitlines()) > 5


def test_demo_leaves_little_to_the_embedded_model() -> None:
    report = read_config(ROOT / "data" / "sample" / "demo.toml").report
    assert report.max_worded is not None
    assert report.max_worded <= 5
    assert report.max_seconds is not None
    assert report.max_seconds <= 30
