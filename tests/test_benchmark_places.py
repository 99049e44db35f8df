"""Benchmarks leave the tracked figures alone unless they are asked to record."""

from __future__ import annotations

import argparse

from benchmarks.__main__ import BENCHMARKS
from benchmarks.places import RECORDED, SCRATCH, add_record_option, results_folder
from tests.conftest import ROOT
from tests.test_docs import help_texts

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


def test_every_benchmark_records_only_on_request() -> None:
    shown = help_texts({name: [f"benchmarks.{name}"] for name in WITH_FIGURES})
    assert [name for name, text in shown.items() if "--record" not in text] == []


def test_the_benchmarks_that_run_together_need_no_argument_but_a_choice() -> None:
    assert {name: command[1:] for name, command in BENCHMARKS.items()} == {
        "ontologies": [],
        "grounding": [],
        "leiden": [],
        "mwas": ["compare"],
        "retrieval": [],
    }
