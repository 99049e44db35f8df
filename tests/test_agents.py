"""``benchmarks.agents``: SQL golds run, answers are judged, a program is asked as promised."""

from __future__ import annotations

import hashlib
import json
import sys
from pathlib import Path

import duckdb
import pytest

from benchmarks.agents import (
    QUESTIONS,
    Answer,
    GoldQuestion,
    gold_answers,
    outcome_of,
    program,
    read_gold_questions,
    reader,
)
from benchmarks.model_agent import ask
from tests.conftest import BuiltIndex
from tests.scripted_openai import Reply, serve


@pytest.mark.parametrize("question", read_gold_questions(QUESTIONS), ids=lambda one: one.text[:40])
def test_golds_run_and_refusals_have_none(
    question: GoldQuestion, sample_db: duckdb.DuckDBPyConnection
) -> None:
    answers = gold_answers(sample_db, question)

    assert (question.kind == "refuse") == (answers == [])


@pytest.mark.parametrize(
    ("answer", "golds", "outcome"),
    [
        (6597.0, [7239.0, 6597.0], "right"),
        (6596.0, [6597.0], "right"),  # within a thousandth
        (6500.0, [6597.0], "wrong"),
        (None, [6597.0], "refused wrongly"),
        (frozenset({"a", "b"}), [frozenset({"b", "a"})], "right"),
        (frozenset({"a"}), [frozenset({"b", "a"})], "wrong"),
        ("a", [frozenset({"a"})], "right"),
        (None, [], "right"),
        (0.0, [], "answered wrongly"),
    ],
)
def test_an_answer_is_judged(answer: Answer, golds: list[Answer], outcome: str) -> None:
    assert outcome_of(answer, golds) == outcome


@pytest.mark.parametrize(
    "question", ["What's the best antiviral against Lassa fever?", "What causes Gulf War syndrome?"]
)
def test_what_the_reader_refuses_is_a_refusal(
    question: str, sample_db: duckdb.DuckDBPyConnection
) -> None:
    assert reader(sample_db)(question) is None


def test_a_program_gets_the_question_and_the_index(tmp_path: Path) -> None:
    agent = tmp_path / "agent.py"
    agent.write_text(
        "import json, sys; given = json.load(sys.stdin); "
        "print(json.dumps({'answer': [given['question'], given['index'] or 'none']}))"
    )
    command = f"{sys.executable} {agent}"

    assert program(command, Path("a.duckdb"))("Which?") == {"which?", "a.duckdb"}
    assert program(command, None)("Which?") == {"which?", "none"}


def test_the_description_of_the_questions_is_that_of_the_file() -> None:
    described = json.loads((QUESTIONS.parent / "croissant.json").read_text())
    (file,) = described["distribution"]

    assert file["sha256"] == hashlib.sha256(QUESTIONS.read_bytes()).hexdigest()


def test_a_model_may_select_before_it_answers(
    sample_index: BuiltIndex, monkeypatch: pytest.MonkeyPatch
) -> None:
    replies = [
        Reply('{"sql": "SELECT count(*) AS n FROM run"}'),
        Reply('{"sql": "DROP TABLE run"}'),
        Reply('{"answer": 2500}'),
    ]
    with serve(replies) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.base_url)
        monkeypatch.setenv("OPENAI_API_KEY", "none")
        monkeypatch.setenv("VIROME_MODEL", "scripted")
        answer = ask("How many runs are there?", sample_index.path)

    shown = [json.loads(message["content"]) for message in server.requests[-1]["messages"][3::2]]
    assert answer == {"answer": 2500}
    assert shown[0]["rows"] == [[2500]]
    assert "error" in shown[1]
