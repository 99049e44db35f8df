"""The scorecard of an evaluation, its gate, and the baselines beside it."""

from __future__ import annotations

import importlib
import json
from dataclasses import replace
from pathlib import Path

import pytest
import yaml
from jsonschema import Draft202012Validator
from typer.testing import CliRunner

from query.cli.app import app
from query.cli.schemas import output_schema
from query.evaluation.aims import failures
from query.evaluation.figures import Figures, Share
from query.evaluation.triage_units import RankedUnits, triage_measures
from tests.conftest import ROOT, BuiltIndex

ALL = Share(20, 20)
NONE = Share(0, 20)
PERFECT = Figures(
    name="generated",
    questions=20,
    headline=ALL,
    refused=ALL,
    refused_wrongly=NONE,
    kind=ALL,
    entities=ALL,
    citations=ALL,
    numbers=ALL,
    lost=NONE,
    unused=0.0,
    triage={"R@10": 1.0, "AP@10": 1.0},
    seconds=(0.1, 0.2),
    deterministic=ALL,
)


def test_the_gate_names_each_figure_below_its_floor() -> None:
    bad = replace(PERFECT, headline=Share(5, 20), refused_wrongly=Share(10, 20), triage={})
    assert failures([PERFECT]) == ()
    assert failures([bad]) == (
        "generated: headline right is 0.250, at least 0.85 passes",
        "generated: refused wrongly is 0.500, at most 0.08 passes",
    )


def test_what_was_not_measured_is_unknown_and_passes() -> None:
    empty = replace(PERFECT, headline=Share(0, 0))
    assert str(empty.headline) == "not measured"
    assert failures([empty]) == ()


RANKED = """
relevant | reached | P@1 | RR@10 | R@10 | AP@10
a b      | a b     | 1   | 1     | 1    | 1
a b      | c a     | 0   | 0.5   | 0.5  | 0.25
a        |         | 0   | 0     | 0    | 0
"""


@pytest.mark.parametrize("row", RANKED.strip().splitlines()[1:])
def test_triage_is_measured_as_trec_eval_does(row: str) -> None:
    relevant, reached, *expected = (cell.split() for cell in row.split("|"))
    measured = triage_measures({"q": RankedUnits(frozenset(relevant), tuple(reached))})
    names = ("P@1", "RR@10", "R@10", "AP@10")
    assert [measured[name] for name in names] == [float(cell[0]) for cell in expected]


def test_the_deployment_of_the_evaluation_leads_to_its_flow() -> None:
    deployments = yaml.safe_load((ROOT / "prefect.yaml").read_text())["deployments"]
    (entrypoint,) = [one["entrypoint"] for one in deployments if one["name"] == "evaluate"]
    module, _, name = entrypoint.rpartition(".")
    flow = getattr(importlib.import_module(module), name)
    assert flow.name == "evaluate"
    assert set(flow.parameters.properties) >= {"db", "out", "fills", "half", "planted"}


def test_the_sample_passes_the_gate(sample_index: BuiltIndex, tmp_path: Path) -> None:
    options = ["--fills", "1", "--most", "14", "--planted", str(ROOT / "data/sample/planted.tsv")]
    done = CliRunner().invoke(
        app,
        ["evaluate", "--db", str(sample_index.path), *options, "--out", str(tmp_path), "--gate",
         "--json", "--quiet"],
    )  # fmt: skip
    assert done.exit_code == 0, done.output
    record = json.loads((tmp_path / "scorecard.json").read_text())
    Draft202012Validator(output_schema("evaluate")).validate(json.loads(done.stdout))
    asked = {part["name"]: part["skipped"] for part in record["parts"]}
    assert asked["generated"] is None
    assert "public runs" in asked["hand-written, open half"]
    baselines = {one["name"]: one for one in record["baselines"]}
    product, everything = baselines["this product, small model"], baselines["every community"]
    assert 20 * product["tokens"] <= everything["tokens"]
    assert product["entity_recall"] >= everything["entity_recall"]
    page = (tmp_path / "scorecard.html").read_text()
    assert "The gate passes." in page
    assert "<script" not in page
    assert "## planted truth" in (tmp_path / "scorecard.md").read_text()
