"""The keys of what each command prints with ``--json``, which programs rely on."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from query.cli.app import app
from query.cli.running import models
from query.evaluation.recorded_answers import recorded_answers
from tests.conftest import ROOT, BuiltIndex
from tests.scripted_openai import Reply, serve
from tests.test_first_hour import two_builds

pytestmark = pytest.mark.usefixtures("composed_only")
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
    "init": ["init", "{folder}/new"],
    "local": ["local", "What links Coronaviridae and camels?", "--no-llm"],
    "models": ["models"],
    "mwas": ["mwas", "--family", "Coronaviridae", "--term", "tissue"],
    "read": ["read", "viruses of bats without Coronaviridae"],
    "run": ["run", '{{"type": "values", "by": "host", "hits": {{"virus": "Coronaviridae"}}}}'],
    "report": ["report", "Rousettus bat coronavirus"],
    "search": ["search", "bats sampled in caves"],
    "sql": ["sql", BATS, "--no-llm"],
    "runs": ["runs", str(ROOT / "data" / "sample" / "run_attributes.tsv")],
    "term": ["term", "small intest.", "--facet", "tissue"],
}
ANSWER = (
    "question mode answer points evidence coverage usage sources steps table chart groups "
    "interpretation read_as unused corrected requests lead form"
)
KEYS = {
    "ask": ANSWER,
    "ask --why": "mode why",
    "atlas": "file bytes reports left_out",
    "builds": "builds",
    "communities": "total communities",
    "doctor": "checks",
    "documents": "store documents",
    "entrez": ANSWER,
    "error": "error message remedy exit_code",
    "export": "written withheld",
    "global": ANSWER,
    "init": "written kept",
    "local": ANSWER,
    "models": "in_use folder models",
    "mwas": "family total significant associations combined",
    "read": "question read_as requests choices names ignored not_understood form needs refusal "
    "elsewhere language read_by",
    "report": "community level parent runs title label summary rating rating_explanation "
    "risk_group interpretation model gaps risks children findings citations",
    "run": "request asked verdict number unit among tally columns rows total left_out names",
    "search": "text notes hits",
    "sql": f"{ANSWER} sql complete",
    "runs": "given runs unknown withdrawn unread of_runs studies samples positive values apart "
    "tested unit communities without",
    "term": "text groundings",
}
ELSEWHERE = {"chat": "tests/test_chat.py", "evaluate": "tests/test_evaluation.py"}
"""They need a conversation or minutes."""
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
def test_a_command_prints_the_same_keys(
    name: str, sample_index: BuiltIndex, tmp_path: Path
) -> None:
    record = printed(name, sample_index.path, tmp_path)

    assert list(record) == KEYS[name].split()


def test_every_command_with_json_is_tried() -> None:
    page = (ROOT / "docs" / "cli.md").read_text(encoding="utf-8")
    sections = re.findall(r"^## query (\S+)\n(.*?)(?=^## |\Z)", page, re.DOTALL | re.MULTILINE)
    printing = {name for name, text in sections if "--json" in text}

    assert printing == {name.split(" ")[0] for name in (*KEYS, *ELSEWHERE)} - {"error"}
    assert set(TYPED) == set(KEYS)
    assert [path for path in ELSEWHERE.values() if not (ROOT / path).exists()] == []


def test_a_comparison_of_builds(tmp_path: Path) -> None:
    two_builds(tmp_path).close()
    typed = ["builds", "--compare", "previous", "current", f"--db={tmp_path / 'second.duckdb'}"]
    record = json.loads(CliRunner().invoke(app, [*typed, "--json"]).stdout)
    assert [one["key"] for one in record["differences"]] == ["counts.run"]


def test_a_trial_of_a_model(sample_index: BuiltIndex, monkeypatch: pytest.MonkeyPatch) -> None:
    some = recorded_answers()[:2]
    monkeypatch.setattr("query.evaluation.recorded_answers.recorded_answers", lambda: some)
    with serve([Reply("no JSON"), Reply(status=400, body="no")]) as server:
        monkeypatch.setattr(models, "_choice", lambda _: server.choice())
        typed = ["models", "try", "scripted-8b", "--db", str(sample_index.path), "--json"]
        record = json.loads(CliRunner().invoke(app, typed).stdout)
    assert list(record) == ["model", "duties", "scores", "tasks"]
    assert record["model"] == "scripted-8b"
    assert [task["failure"] is None for task in record["tasks"]] == [False, False]
    assert not any(score["used"] for score in record["scores"])
