"""Law of numbers: a number reaches a reader only through a claim, whatever is asked."""

from __future__ import annotations

import json
from collections.abc import Iterator

import duckdb
import pytest
from hypothesis import given, settings

from index.claims import FoundIn, Listed, Ranking
from query.answers import WordedAnswer, answer_request
from query.request import Compare, Count, Describe, Exists, Has, Records, Request, Values
from query.request.measures import Measure
from query.request.records import TABLES
from tests.numbers_said import unclaimed_numbers
from tests.request_world import World, fill, requests, world_index, worlds

OTHERS = Values("virus", other_than=("Hepatitis C virus",))


@pytest.fixture(scope="module")
def index() -> Iterator[duckdb.DuckDBPyConnection]:
    with world_index() as con:
        yield con


@settings(max_examples=40)
@given(worlds(), requests())
def test_every_number_of_an_answer_is_a_number_of_its_claims(
    index: duckdb.DuckDBPyConnection, world: World, request: Request
) -> None:
    fill(index, world)
    answer = answer_request(index, request, full=True)
    for text in (answer.lead, answer.certainty, *answer.bullets):
        assert unclaimed_numbers(text, answer.claims) == []
    check_english(answer)
    check_headline(answer, request)


@pytest.mark.parametrize(
    "measure",
    [
        *map(Records, TABLES),
        Values("biosample"),
        Values("study"),
        OTHERS,
        Compare(OTHERS, (Has("host", ("Homo sapiens",)), Has("host", ("Mus musculus",)))),
    ],
    ids=lambda measure: getattr(measure, "table", measure.type),
)
def test_what_is_stored_is_answered_in_words_and_as_json(
    sample_db: duckdb.DuckDBPyConnection, measure: Measure
) -> None:
    check_english(answer_request(sample_db, Request(measure)))


def test_a_run_is_answered_in_words_and_as_json(sample_db: duckdb.DuckDBPyConnection) -> None:
    ((run,),) = sample_db.execute("SELECT min(run) FROM detection").fetchall()
    check_english(answer_request(sample_db, Request(Describe("run", run))))


def check_english(answer: WordedAnswer) -> None:
    """Assert what holds of every answer: a lead, whole sentences, no trace of the program."""
    assert answer.lead.endswith(".")
    for text in (answer.lead, answer.certainty, *answer.bullets):
        assert "  " not in text, text
        assert "None" not in text[1:], text
        assert " ," not in text, text
        assert " ." not in text, text
    if answer.table is not None:
        assert json.loads(json.dumps(answer.table.rows)) == [list(row) for row in answer.table.rows]


def check_headline(answer: WordedAnswer, request: Request) -> None:
    """Assert that the number of the lead is the number of the result."""
    result, claim = answer.results[0], answer.claims[0]
    match request.measure:
        case Count(unit="run") if isinstance(claim, FoundIn):
            assert claim.number == result.number
        case Exists():
            said = answer.lead.partition(":")[0]
            assert (said in ("Yes", "Perhaps")) == (result.verdict == "yes")
        case Values() if isinstance(claim, Ranking) and not isinstance(claim, Listed):
            assert claim.others + len(claim.places) <= max(result.total, len(result.rows))
