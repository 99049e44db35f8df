"""The next steps that `make demo` prints work as printed."""

from __future__ import annotations

import shlex

import pytest
from typer.testing import CliRunner

from index.config import read_config
from query.cli.app import app
from tests.conftest import ROOT, BuiltIndex

MAKEFILE = (ROOT / "Makefile").read_text(encoding="utf-8")
NEXT = MAKEFILE.partition("define NEXT")[2].partition("endef")[0].strip().splitlines()[1:]


@pytest.mark.usefixtures("composed_only")
def test_question_that_the_demo_prints_is_answered_and_its_tutorial_is_there(
    sample_index: BuiltIndex,
) -> None:
    question, _, tutorial = NEXT
    assert (ROOT / tutorial.split()[0]).is_file()
    _, *words = shlex.split(question)
    done = CliRunner().invoke(app, [*words, "--db", str(sample_index.path)])
    assert done.exit_code == 0, done.output
    assert "Zika virus" in done.output


def test_demo_leaves_little_to_the_embedded_model() -> None:
    report = read_config(ROOT / "data" / "sample" / "demo.toml").report
    assert report.max_worded is not None
    assert report.max_worded <= 5
    assert report.max_seconds is not None
    assert report.max_seconds <= 30
