"""Screening of questions: harmful intent is refused with a reason, and hardly anything else is."""

from __future__ import annotations

from collections import Counter

import pytest
from typer.testing import CliRunner

from query.cli.app import app
from query.errors import HarmfulQuestionError
from query.screening import screen_question
from tests.conftest import BuiltIndex
from tests.screened_questions import GRADED
from tests.scripted_openai import Reply, serve

HARMFUL = [text for grade, text in GRADED if grade == 3]
HARMLESS = [text for grade, text in GRADED if grade < 3]


def refused(text: str) -> bool:
    try:
        screen_question(text)
    except HarmfulQuestionError:
        return True
    return False


def test_the_graded_set_is_large_and_of_every_grade() -> None:
    grades = Counter(grade for grade, _ in GRADED)
    assert len(set(GRADED)) == len(GRADED) >= 120
    assert min(grades.values()) >= 25


@pytest.mark.parametrize("text", HARMFUL)
def test_harmful_intent_is_refused(text: str) -> None:
    assert refused(text)


def test_at_most_two_in_a_hundred_are_refused_wrongly() -> None:
    wrong = [text for text in HARMLESS if refused(text)]
    assert len(wrong) <= 0.02 * len(HARMLESS), wrong


def test_a_refusal_says_why_and_what_can_be_asked_and_asks_no_model(
    sample_index: BuiltIndex, monkeypatch: pytest.MonkeyPatch
) -> None:
    command = ["global", HARMFUL[0], "--db", str(sample_index.path)]
    with serve([Reply("{}")]) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.base_url)
        monkeypatch.setenv("VIROME_MODEL", "scripted-8b")
        for options in ([], ["--no-llm"], ["--plan"]):
            result = CliRunner().invoke(app, [*command, *options])
            assert result.exit_code == HarmfulQuestionError.exit_code == 8
            assert "could be made more dangerous" in result.output
            assert 'query global "Where is' in result.output
        assert server.requests == []


@pytest.mark.parametrize("command", ["global", "search", "sql", "entrez", "read"])
def test_every_way_of_asking_is_screened(command: str, sample_index: BuiltIndex) -> None:
    options = [] if command in ("read", "search") else ["--no-llm"]
    arguments = [command, HARMFUL[0], "--db", str(sample_index.path), *options]
    assert CliRunner().invoke(app, arguments).exit_code == 8
