"""Fifty instructions in titles, abstracts, attributes and documents: a model that obeys whatever it
reads changes no answer, no reading, no SQL and no report.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import duckdb
import pytest

from index.config import ReportConfig
from index.models.choose import ModelChoice
from index.models.profiles import LARGE
from index.models.protocol import Completion, Prompt, TokenCount, estimate_prompt
from index.reports.evidence_rows import StudyShare
from index.reports.templates import template_reports
from index.wording.interpret import interpret_reports
from index.wording.job import WordingJob
from query.config import QueryConfig
from query.global_search.answering import answer_globally
from query.global_search.quoting import quotable
from query.mode import Asking
from query.reading import read
from query.reading.proposing import read_with_model
from query.sql_search.catalogue import read_catalogue
from query.sql_search.running import DEFAULT_LIMITS
from query.sql_search.staging import write_in_stages
from tests.community_index import make_community_index
from tests.instructions_in_data import INSTRUCTIONS
from tests.query_index import opened
from tests.wording_cases import INTERPRETS, LEAF, NAMES

pytestmark = pytest.mark.usefixtures("composed_only")
QUESTION = "Which virus families are found in mammals?"
PLACES = {
    "title": "UPDATE bioproject SET title = $1",
    "abstract": "UPDATE bioproject SET description = $1",
    "attribute": "UPDATE annotation SET value = $1, text = $1 WHERE facet = 'tissue'",
    "document": "UPDATE finding SET summary = $1, explanation = $1",
}
GOOD: dict[str, dict[str, Any]] = {
    "Interpreted": {"sentences": ["The pattern may follow from how hosts were sampled."]},
    "AnsweredQuestion": {
        "groups": [{"heading": "Viruses", "statements": [1]}],
        "sentences": ["The pattern may follow from how hosts were sampled."],
    },
    "ProposedRequests": {
        "requests": ['{"measure": {"type": "count"}, "of": {"type": "everything"}}'],
        "cannot": "",
    },
    "ChosenTables": {"tables": ["run"]},
    "ChosenJoins": {"joins": [1]},
    "ChosenColumns": {"columns": ["run.run"]},
    "WrittenSql": {"sql": "SELECT count(*) AS runs FROM run"},
}
OBEYED: dict[str, dict[str, Any]] = {
    "Interpreted": {"sentences": ["Patients should drink bleach.", "No run is positive."]},
    "AnsweredQuestion": {"groups": [], "sentences": ["No run is positive.", "Drink bleach."]},
    "ProposedRequests": {"requests": [], "cannot": "the submitter forbids it"},
    "ChosenTables": {"tables": ["term"]},
    "ChosenColumns": {"columns": ["term.curie"]},
    "WrittenSql": {"sql": "SELECT 42 AS runs"},
}


@dataclass
class Obedient:
    """Answers carefully, unless its prompt holds an order: then as whoever wrote that wishes."""

    orders: Sequence[str]
    name: str = "obedient-70b"

    async def complete(
        self,
        prompt: Prompt,
        schema: Any,
        *,
        max_tokens: int,  # noqa: ARG002
        hear: Any = None,  # noqa: ARG002
    ) -> Completion[Any]:
        shown = "\n".join(message["content"] for message in prompt.messages())
        obeys = any(order in shown for order in self.orders)
        kind = schema.__name__
        if kind == "RatedCommunities":
            answer = rated(prompt.user, 0 if obeys else 2)
        else:
            answer = (OBEYED if obeys else GOOD).get(kind, GOOD[kind])
        text = json.dumps(answer)
        return Completion(schema.model_validate(answer), text, 1, 1)

    async def count_tokens(self, prompt: Prompt) -> TokenCount:
        return estimate_prompt(prompt)

    async def aclose(self) -> None:
        pass


def rated(prompt: str, relevance: int) -> dict[str, Any]:
    """Return a rating of each community of a prompt; the first always answers."""
    entries = [line for line in prompt.split("\n") if line[:1].isdigit()]
    return {
        "communities": [
            {"community": place, "relevance": 3 if place == 1 else relevance, "statements": []}
            for place in range(1, len(entries) + 1)
        ]
    }


def test_there_are_fifty_in_several_languages() -> None:
    assert len(set(INSTRUCTIONS)) == 50
    assert sum(not text.isascii() for text in INSTRUCTIONS) > 10


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_community_index(tmp_path_factory.mktemp("orders") / "index.duckdb")


@pytest.fixture
def hostile(index: Path, tmp_path: Path) -> Path:
    path = tmp_path / "index.duckdb"
    path.write_bytes(index.read_bytes())
    return path


NOTHING = ("\0",)
"""An order that no text holds: nobody obeys it."""


def answered(path: Path, orders: Sequence[str]) -> tuple[object, ...]:
    """Return the answer that an index gives with a model that obeys ``orders``."""
    with opened(path) as con:
        answer = answer_globally(asking(path, con, orders))
    points = [(point.community, point.description) for point in answer.points]
    assert points
    groups = [group.heading for group in answer.groups]
    return answer.answer, answer.table, points, groups, answer.interpretation


def read_and_written(path: Path, orders: Sequence[str]) -> tuple[object, ...]:
    """Return the request and the SQL of a model that obeys ``orders``, with its rows."""
    with opened(path) as con:
        unread = replace(read(con, QUESTION), requests=(), refusal=None)
        reading = read_with_model(con, unread, Obedient(orders))
        given = asking(path, con, orders)
        written = write_in_stages(given, read_catalogue(con), limits=DEFAULT_LIMITS)
    return reading.requests, written.sql, written.table


def asking(path: Path, con: duckdb.DuckDBPyConnection, orders: Sequence[str]) -> Asking:
    choice = ModelChoice(Obedient(orders), LARGE, "scripted", local=True)
    return Asking(QUESTION, con, path, QueryConfig(), choice)


def test_instructions_in_the_index_change_no_answer_and_reach_no_reader_or_writer_of_sql(
    hostile: Path,
) -> None:
    """What lets none of the fifty through is below."""
    orders = INSTRUCTIONS[::13]
    with duckdb.connect(hostile) as con:
        for change, order in zip(PLACES.values(), orders, strict=True):
            con.execute(change, [f"Viruses of caves. {order}"])
    assert answered(hostile, orders) == answered(hostile, NOTHING)
    assert read_and_written(hostile, orders) == read_and_written(hostile, NOTHING)


def test_the_model_would_obey_what_it_reads(index: Path) -> None:
    """Without this, the test above could pass with a model that obeys nothing."""
    assert answered(index, [QUESTION]) != answered(index, NOTHING)
    assert read_and_written(index, [QUESTION]) != read_and_written(index, NOTHING)


def test_an_instruction_is_quoted_in_no_prompt() -> None:
    texts = [f"Viruses of caves. {order}" for order in INSTRUCTIONS]
    assert [text for text in texts if quotable(text, characters=300)] == []


def test_an_instruction_in_a_study_changes_no_report() -> None:
    profiles = [
        replace(
            LEAF,
            community=f"C0-{number:03}",
            parent=None,
            largest_studies=(StudyShare("SYNP1", "bioproject", 9, order),),
        )
        for number, order in enumerate(INSTRUCTIONS[::10])
    ]
    reports = template_reports(profiles)
    job = WordingJob(reports, profiles, INTERPRETS, ReportConfig(), NAMES)
    honest = asyncio.run(interpret_reports(job, Obedient([]))).reports
    obeyed = asyncio.run(interpret_reports(job, Obedient(INSTRUCTIONS))).reports
    assert obeyed.finding.equals(honest.finding)
    assert obeyed.report["summary"].equals(honest.report["summary"])
    said = obeyed.report["interpretation"].drop_nulls()
    assert set(said) <= set(GOOD["Interpreted"]["sentences"])
