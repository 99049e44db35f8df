"""Recorded strong answers: found again by task and evidence, and replayed from question to answer.

Instructions may change and lines may move; where a line is gone that an answer rests on, it is
named.
"""

from __future__ import annotations

import asyncio
import json
from collections import Counter
from dataclasses import replace
from typing import Any

import duckdb
import pytest

from index.checking.names import IndexNames
from index.errors import ModelJunkError
from index.models.choose import ModelChoice
from index.models.profiles import LARGE
from index.models.protocol import Completion, Prompt
from index.reports.compose import build_reports, gather_profiles
from index.wording.brief import write_briefs
from index.wording.interpret import interpret_report
from query.config import QueryConfig
from query.evaluation.model_trial import scores_of, try_recorded
from query.evaluation.recorded_answers import (
    NoRecordedAnswerError,
    RecordedAnswer,
    RecordedTask,
    recorded_answers,
)
from query.evaluation.replaying import ReplayedModel
from query.global_search.answering import answer_globally
from query.global_search.prompting import AnsweredQuestion
from query.mode import Asking
from query.reading import read
from query.reading.proposing import read_with_model
from query.request import from_json
from query.sql_search.catalogue import read_catalogue
from query.sql_search.running import DEFAULT_LIMITS
from query.sql_search.staging import write_in_stages
from tests.conftest import BuiltIndex
from tests.recorded_prompts import fitting

pytestmark = pytest.mark.usefixtures("composed_only")
TASKS = ("report", "map", "reduce", "reading", "sql")
ANSWERS = recorded_answers()
SHOWN = """Question: Which viruses?
[1] Title: A virus in 3 runs.
[2] Title: B virus in 2 runs."""
RECORDED = RecordedAnswer(
    "reduce",
    "Which viruses?",
    SHOWN,
    {"groups": [{"heading": "Viruses", "statements": [2]}], "sentences": ["It may be so [2]."]},
)


def subjects(task: str) -> list[str]:
    return [answer.subject for answer in ANSWERS if answer.task == task]


def choice_of(model: Any) -> ModelChoice:
    return ModelChoice(model, LARGE, "recorded", local=True)


def test_there_are_enough_of_each_task_and_none_twice() -> None:
    counts = Counter(answer.task for answer in ANSWERS)
    assert len(ANSWERS) >= 40
    assert min(counts[task] for task in TASKS) >= 5
    assert len({(answer.task, answer.subject) for answer in ANSWERS}) == len(ANSWERS)


# --- found again ----------------------------------------------------------------------------------


def replayed(shown: str, *, system: str = "Today's instructions.") -> Completion[AnsweredQuestion]:
    model = ReplayedModel(RecordedTask([RECORDED]))
    return asyncio.run(model.complete(Prompt(system, shown), AnsweredQuestion, max_tokens=100))


@pytest.mark.parametrize("system", ["Today's instructions.", "Others."])
def test_a_changed_instruction_finds_the_answer(system: str) -> None:
    assert json.loads(replayed(SHOWN, system=system).text) == RECORDED.answer


def test_a_line_that_moved_is_referred_to_by_its_new_number() -> None:
    moved = SHOWN.replace("[2] ", "[5] ").replace("[1] ", "[2] ") + "\n[9] A further line."
    answer = replayed(moved).parsed
    assert answer.groups[0].statements == [5]
    assert answer.sentences == ["It may be so [5]."]


def test_a_line_that_no_answer_rests_on_may_change() -> None:
    assert replayed(SHOWN.replace("in 3 runs", "in 4 runs")).parsed.sentences


@pytest.mark.parametrize(
    ("shown", "why"),
    [
        (SHOWN.replace("in 2 runs", "in 1 run"), "a line that is not shown: Title: B virus in 2"),
        (SHOWN.replace("viruses?", "hosts?"), "to the task reduce is recorded for “Which hosts?”"),
    ],
)
def test_changed_evidence_is_said_to_have_no_answer(shown: str, why: str) -> None:
    with pytest.raises(ModelJunkError, match="recorded-70b") as raised:
        replayed(shown)
    assert why in str(raised.value)


def test_a_community_without_a_rating_is_named() -> None:
    recorded = next(answer for answer in ANSWERS if answer.task == "map")
    other = f"{recorded.shown}\n99. Another community\n[999] All of it."
    with pytest.raises(NoRecordedAnswerError, match="no recorded rating of “Another community”"):
        RecordedTask(ANSWERS).answer("map", other)


# --- replayed from end to end ---------------------------------------------------------------------


def test_reports_are_interpreted_at_once(sample_db: duckdb.DuckDBPyConnection) -> None:
    risk = sample_db.table("report").select("community, risk_group").pl()
    profiles = gather_profiles(sample_db, risk=risk)
    briefs = write_briefs(build_reports(sample_db, profiles), profiles, model=LARGE)
    model, names = ReplayedModel(), IndexNames(sample_db)
    recorded = set(subjects("report"))
    chosen = [brief for brief in briefs if brief.title in recorded]
    assert len(chosen) == len(recorded)
    for brief in chosen:
        said = asyncio.run(interpret_report(brief, names, model=model, model_profile=LARGE))
        assert said.at_once, (brief.title, said.said)
        assert said.said.sentences
    assert model.missing == []


@pytest.mark.parametrize("question", subjects("reduce")[::2])
def test_an_answer_gets_its_groups_and_interpretation_and_nothing_counted_changes(
    question: str, sample_index: BuiltIndex, sample_db: duckdb.DuckDBPyConnection
) -> None:
    model = ReplayedModel()
    asking = Asking(question, sample_db, sample_index.path, QueryConfig(), choice_of(model))
    answer = answer_globally(asking)
    assert model.missing == []
    assert answer.coverage.sentences_dropped == 0
    assert answer.groups
    assert answer.interpretation
    if question == subjects("reduce")[0]:
        plain = answer_globally(replace(asking, choice=None))
        assert (answer.answer, answer.table) == (plain.answer, plain.table)


@pytest.mark.parametrize("question", subjects("reading"))
def test_a_question_is_read_as_recorded(
    question: str, sample_db: duckdb.DuckDBPyConnection
) -> None:
    unread = replace(read(sample_db, question), requests=(), refusal=None)
    model = ReplayedModel()
    reading = read_with_model(sample_db, unread, model)
    recorded = next(answer.answer for answer in ANSWERS if answer.subject == question)
    assert model.missing == []
    assert list(reading.requests) == [from_json(text) for text in recorded["requests"]]
    assert reading.read_by == model.name


@pytest.mark.parametrize("question", subjects("sql"))
def test_sql_is_written_and_finds_rows(
    question: str, sample_index: BuiltIndex, sample_db: duckdb.DuckDBPyConnection
) -> None:
    model = ReplayedModel()
    asking = Asking(question, sample_db, sample_index.path, QueryConfig(), choice_of(model))
    written = write_in_stages(asking, read_catalogue(sample_db), limits=DEFAULT_LIMITS)
    assert model.missing == []
    assert written.table.rows


# --- a model tried on them ------------------------------------------------------------------------


class Smallest:
    """Answers with the least that fits the schema."""

    name = "smallest-70b"

    async def complete(
        self,
        prompt: Prompt,  # noqa: ARG002
        schema: Any,
        *,
        max_tokens: int,  # noqa: ARG002
        hear: Any = None,  # noqa: ARG002
    ) -> Completion[Any]:
        shape = schema.model_json_schema()
        parsed = schema.model_validate(fitting(shape, shape))
        return Completion(parsed, parsed.model_dump_json(), 1, 1)

    async def aclose(self) -> None:
        pass


def test_the_recorded_answers_themselves_are_used_for_everything(
    sample_index: BuiltIndex, sample_db: duckdb.DuckDBPyConnection
) -> None:
    by_task = {task: [answer for answer in ANSWERS if answer.task == task] for task in TASKS}
    some = [answer for answers in by_task.values() for answer in answers[:1]]
    choice = choice_of(ReplayedModel())
    tried = list(try_recorded(sample_db, sample_index.path, choice, some))
    assert [task for task in tried if task.failure] == []
    assert [(score.use, score.right) for score in scores_of(tried)] == [
        (score.use, score.of) for score in scores_of(tried)
    ]
    assert all(score.used for score in scores_of(tried))


def test_a_model_without_sense_is_used_for_nothing(
    sample_index: BuiltIndex, sample_db: duckdb.DuckDBPyConnection
) -> None:
    some = [answer for answer in ANSWERS if answer.task not in ("sql", "report")][::5]
    tried = try_recorded(sample_db, sample_index.path, choice_of(Smallest()), some)
    assert [score.use for score in scores_of(tried) if score.used] == []
