"""Benchmarks leave the tracked figures alone unless they are asked to record."""

from __future__ import annotations

import argparse
import subprocess
import sys

import pytest

from benchmarks.__main__ import BENCHMARKS
from benchmarks.places import RECORDED, SCRATCH, add_record_option, results_folder
from tests.conftest import ROOT

WITH_FIGURES = (
    "asking",
    "external_golds",
    "grounding",
    "grounding_accuracy",
    "leiden",
    "mwas",
    "ontologies",
    "scale",
)


def test_figures_go_to_a_folder_that_git_ignores() -> None:
    assert results_folder(record=False) == SCRATCH
    ignored = (ROOT / ".gitignore").read_text().splitlines()
    assert f"{SCRATCH.relative_to(ROOT)}/" in ignored


def test_recording_has_to_be_asked_for() -> None:
    parser = argparse.ArgumentParser()
    add_record_option(parser)
    assert parser.parse_args([]).record is False
    assert results_folder(record=parser.parse_args(["--record"]).record) == RECORDED


@pytest.mark.parametrize("module", WITH_FIGURES)
def test_every_benchmark_records_only_on_request(module: str) -> None:
    shown = subprocess.run(
        [sys.executable, "-m", f"benchmarks.{module}", "--help"],
        capture_output=True,
        text=True,
        check=True,
        cwd=ROOT,
    ).stdout
    assert "--record" in shown


def test_the_benchmarks_that_run_together_need_no_argument_but_a_choice() -> None:
    assert {name: command[1:] for name, command in BENCHMARKS.items()} == {
        "ontologies": [],
        "grounding": [],
        "leiden": [],
        "mwas": ["compare"],
    }
