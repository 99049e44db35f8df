"""Evaluation: questions with known requests are asked, judged by results, and counted."""

from __future__ import annotations

import json
from pathlib import Path

import duckdb
import pytest
from typer.testing import CliRunner

from ontology_etl.errors import InputError
from query.cli.app import app
from query.compiler import run
from query.evaluation.evaluate import FLOORS, ask_all, figures_of, scorecard, scorecard_markdown
from query.evaluation.judging import JudgedQuestion, Outcome, is_same, judge
from query.evaluation.questions import Question, generated_questions, read_questions
from query.reading import Reading
from query.request import Carries, Count, Exists, Has, Hit, Request, Values
from tests.conftest import BuiltIndex

pytestmark = pytest.mark.usefixtures("composed_only")
CORONA = Carries(Hit(virus=("Coronaviridae",)))
IN_BATS = CORONA & Has("host", ("bats",))

SAME = [
    (Request(Count(), CORONA), Request(Count(), CORONA), True),
    (Request(Count(), CORONA), Request(Exists(), CORONA), True),
    (Request(Count(), CORONA), Request(Count(), IN_BATS), False),
    (Request(Count(hits=Hit(virus=("Coronaviridae",)))), Request(Count(), CORONA), True),
    (Request(Values(("host",)), CORONA), Request(Values(("tissue",)), CORONA), False),
    (Request(Values(("host",)), CORONA), Request(Count(), CORONA), False),
]


@pytest.mark.parametrize(("gold", "given", "same"), SAME)
def test_results_are_the_same_where_they_say_the_same(
    sample_db: duckdb.DuckDBPyConnection, gold: Request, given: Request, same: bool
) -> None:
    assert is_same(run(sample_db, gold), run(sample_db, given)) is same


def judged(outcome: Outcome, *, answerable: bool = True) -> JudgedQuestion:
    requests = (Request(Count(), CORONA),) if answerable else ()
    return JudgedQuestion(Question("?", requests, "me", "count"), Reading("?"), outcome)


def test_figures_count_each_outcome_once() -> None:
    outcomes: tuple[Outcome, ...] = ("right", "right", "partly", "wrong", "asked back", "refused")
    asked = [judged(outcome) for outcome in outcomes]
    asked += [judged("refused", answerable=False), judged("answered wrongly", answerable=False)]
    figures = figures_of("me", asked)
    assert (figures.right, figures.partly, figures.wrong, figures.declined) == (2, 1, 1, 2)
    assert (figures.answerable, figures.share_right) == (6, 2 / 6)
    assert (figures.unanswerable, figures.declined_rightly) == (2, 1)


def test_canonical_questions_about_the_sample_are_read_right(
    sample_db: duckdb.DuckDBPyConnection,
) -> None:
    questions = generated_questions(sample_db, number=15, seed=3)
    asked = ask_all(sample_db, questions, report=lambda _done, _whole: None)
    figures = figures_of("canonical", asked)
    missed = [(one.question.text, one.reading.read_as) for one in asked if not one.is_right]
    assert figures.share_right >= FLOORS["canonical"], missed


def test_a_question_without_an_answer_is_right_where_it_is_declined(
    sample_db: duckdb.DuckDBPyConnection,
) -> None:
    assert judge(sample_db, Question("Is there a vaccine against flu?")).is_right


def test_the_gate_names_the_figure_below_its_floor() -> None:
    wrong = JudgedQuestion(
        Question("?", (Request(Count(), CORONA),), "canonical", "count"), Reading("?"), "wrong"
    )
    record = scorecard([wrong], index="x.duckdb")
    assert record["gate"] == ["canonical: 0.0% right, below 95%"]
    assert "- wrong: ? → not read" in scorecard_markdown(record)


@pytest.mark.parametrize("line", ["no json", "{}", '{"question": "?", "requests": [{"of": 1}]}'])
def test_a_line_that_is_no_question_is_named(tmp_path: Path, line: str) -> None:
    path = tmp_path / "questions.jsonl"
    path.write_text('{"question": "?", "refuse": "advice"}\n' + line + "\n")
    with pytest.raises(InputError, match="row 2"):
        read_questions(path)


def test_the_command_writes_the_scorecard(sample_index: BuiltIndex, tmp_path: Path) -> None:
    words = ["evaluate", "--generated", "5", "--json", "--out", str(tmp_path / "card")]
    done = CliRunner().invoke(app, words, env={"VIROME_DB": str(sample_index.path)})
    record = json.loads(done.stdout)
    assert set(record) == {"index", "authors", "kinds", "missed", "gate"}
    assert record["authors"][0]["answerable"] == 5
    assert json.loads((tmp_path / "card" / "scorecard.json").read_text()) == record
