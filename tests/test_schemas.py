"""``query schema``: each schema is what its command really prints with ``--json``."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from typer.testing import CliRunner

from index.models.choose import ModelChoice
from index.models.openai import OpenAIModel
from index.models.profiles import profile_of
from query.cli.app import app
from query.cli.running import models
from query.cli.schemas import OUTPUTS, output_schema
from query.evaluation.recorded_answers import recorded_answers
from query.modes import all_modes
from tests.conftest import ROOT, BuiltIndex
from tests.scripted_openai import Reply, serve
from tests.test_first_hour import two_builds

BATS = "Which viruses are found in bats?"
RECORDED = str(ROOT / "data" / "sample" / "entrez.jsonl")
TYPED = {
    "ask": ["ask", BATS, "--no-llm"],
    "ask --why": ["ask", BATS, "--why"],
    "atlas": ["atlas", "{folder}/atlas.html"],
    "builds": ["builds"],
    "communities": ["communities", "--like", "Rhinolophus"],
    "doctor": ["doctor", "--no-server"],
    "documents": ["documents", "list"],
    "entrez": ["entrez", "Which chromosome is rs7412 on?", "--replay", RECORDED, "--no-llm"],
    "error": ["global", "What is the best vaccine against dengue?", "--no-llm"],
    "export": ["export", "{folder}/out", "--table", "summaries"],
    "global": ["global", BATS, "--no-llm"],
    "global --plan": ["global", BATS, "--plan", "--no-llm"],
    "init": ["init", "{folder}/new"],
    "local": ["local", "What links Coronaviridae and camels?", "--no-llm"],
    "models": ["models"],
    "mwas": ["mwas", "--family", "Coronaviridae", "--term", "tissue"],
    "read": ["read", "viruses of bats without Coronaviridae"],
    "run": ["run", '{{"type": "values", "by": "host", "hits": {{"virus": "Coronaviridae"}}}}'],
    "report": ["report", "Rousettus bat coronavirus"],
    "search": ["search", "bats sampled in caves"],
    "sql": ["sql", "How many runs per host carry coronaviruses?", "--no-llm"],
    "sql --schema": ["sql", "--schema"],
    "runs": ["runs", str(ROOT / "data" / "sample" / "run_attributes.tsv")],
    "term": ["term", "small intest.", "--facet", "tissue"],
}
ELSEWHERE = {
    "builds --compare": "tests/test_schemas.py",
    "chat": "tests/test_chat.py",
    "evaluate": "tests/test_evaluation.py",
    "models try": "tests/test_schemas.py",
}
"""They need two builds, a conversation, minutes or a model."""
NO_INDEX = {"init", "models"}
KEEPS_ANSWERS = {"ask", "entrez", "error", "global", "local", "search", "sql"}


def printed(name: str, db: Path, folder: Path) -> Any:
    words = [word.format(folder=folder) for word in TYPED[name]]
    words += [] if name in NO_INDEX else ["--db", str(db)]
    words += ["--no-journal"] if name in KEEPS_ANSWERS else []
    (folder / "out").mkdir()
    given = CliRunner().invoke(app, [*words, "--json"])
    assert given.stdout, given.output
    return json.loads(given.stdout)


@pytest.mark.parametrize("name", sorted(TYPED))
def test_what_a_command_prints_is_what_its_schema_says(
    name: str, sample_index: BuiltIndex, tmp_path: Path
) -> None:
    schema = output_schema(name)
    Draft202012Validator.check_schema(schema)

    record = printed(name, sample_index.path, tmp_path)

    Draft202012Validator(schema).validate(record)
    if isinstance(record, dict):
        assert set(record) == set(schema["properties"])
    changed = {**record, "unheard of": 1} if isinstance(record, dict) else "neither"
    assert list(Draft202012Validator(schema).iter_errors(changed))


def test_every_command_with_json_has_a_schema() -> None:
    page = (ROOT / "docs" / "cli.md").read_text(encoding="utf-8")
    sections = re.findall(r"^## query (\S+)\n(.*?)(?=^## |\Z)", page, re.DOTALL | re.MULTILINE)
    printing = {name for name, text in sections if "--json" in text} - {"schema"}

    assert printing <= {name.split(" ")[0] for name in OUTPUTS}
    assert set(all_modes()) <= set(OUTPUTS)
    assert set(TYPED) | set(ELSEWHERE) == set(OUTPUTS)
    assert [path for path in ELSEWHERE.values() if not (ROOT / path).exists()] == []


def test_schemas_are_listed_and_a_name_that_is_none_is_refused() -> None:
    listed = CliRunner().invoke(app, ["schema"]).stdout.splitlines()
    shown = json.loads(CliRunner().invoke(app, ["schema", "global"]).stdout)
    refused = CliRunner().invoke(app, ["schema", "globe"])

    assert listed == sorted(OUTPUTS)
    assert shown["title"] == "query global"
    assert refused.exit_code == 2


def test_a_comparison_of_builds_is_what_its_schema_says(tmp_path: Path) -> None:
    two_builds(tmp_path).close()
    typed = [
        "builds",
        "--compare",
        "previous",
        "current",
        "--db",
        str(tmp_path / "second.duckdb"),
        "--json",
    ]
    record = json.loads(CliRunner().invoke(app, typed).stdout)
    Draft202012Validator(output_schema("builds --compare")).validate(record)
    assert [one["key"] for one in record["differences"]] == ["counts.run"]


def test_a_trial_of_a_model_is_what_its_schema_says(
    sample_index: BuiltIndex, monkeypatch: pytest.MonkeyPatch
) -> None:
    some = recorded_answers()[:2]
    monkeypatch.setattr("query.evaluation.recorded_answers.recorded_answers", lambda: some)
    with serve([Reply("no JSON"), Reply(status=400, body="no")]) as server:
        model = OpenAIModel("scripted-8b", base_url=server.base_url)
        choice = ModelChoice(model, profile_of("scripted-8b"), "scripted", local=True)
        monkeypatch.setattr(models, "_choice", lambda _: choice)
        typed = ["models", "try", "scripted-8b", "--db", str(sample_index.path), "--json"]
        record = json.loads(CliRunner().invoke(app, typed).stdout)
    Draft202012Validator(output_schema("models try")).validate(record)
    assert record["model"] == "scripted-8b"
    assert [task["failure"] is None for task in record["tasks"]] == [False, False]
    assert not any(score["used"] for score in record["scores"])
