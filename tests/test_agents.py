"""``benchmarks.agents``: SQL golds run, answers are judged, a program is asked as promised."""

from __future__ import annotations

import hashlib
import json

import duckdb
import pytest

from benchmarks.agents import (
    QUESTIONS,
    GoldQuestion,
    gold_answers,
    read_gold_questions,
)


@pytest.mark.parametrize("question", read_gold_questions(QUESTIONS), ids=lambda one: one.text[:40])
def test_golds_run_and_refusals_have_none(
    question: GoldQuestion, sample_db: duckdb.DuckDBPyConnection
) -> None:
    answers = gold_answers(sample_db, question)

    assert (question.kind == "refuse") == (answers == [])


def test_the_description_of_the_questions_is_that_of_the_file() -> None:
    described = json.loads((QUESTIONS.parent / "croissant.json").read_text())
    (file,) = described["distribution"]

    assert file["sha256"] == hashlib.sha256(QUESTIONS.read_bytes()).hexdigest()
