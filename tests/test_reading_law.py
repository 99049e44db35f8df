"""Laws of reading: after it no decision looks at the words of the question, and no word of a
question is dropped without being named.
"""

from __future__ import annotations

import json
from dataclasses import fields, replace
from functools import cache

import duckdb
import pytest

from query.answer import Answer
from query.answers.answering import answer_reading
from query.ask.ask import answer_by
from query.ask.routing import route_of
from query.config import QueryConfig
from query.mode import Asking
from query.reading import Reading, read
from query.reading.pairs import PAIRS, read_questions
from query.request import to_json
from tests.conftest import BuiltIndex

OTHER_WORDS = "How is the weather in Leeds? Not, never, without: 7 viruses of risk group 4, as csv"
UNKNOWN = "zorblax"
EVERY = 150
"""Each so many-th question of the labelled ones is read."""


@cache
def questions() -> tuple[str, ...]:
    answered = [known.text for known in read_questions(PAIRS) if known.requests]
    return tuple(answered[::EVERY])


@cache
def reading_of(con: duckdb.DuckDBPyConnection, question: str) -> Reading:
    return read(con, question)


@pytest.mark.parametrize("question", questions())
def test_an_answer_follows_from_the_reading_whatever_the_words_were(
    sample_db: duckdb.DuckDBPyConnection, question: str
) -> None:
    reading = reading_of(sample_db, question)
    other = replace(reading, text=OTHER_WORDS)
    assert route_of(other) == route_of(reading)
    if reading.requests:
        assert answer_reading(sample_db, other) == answer_reading(sample_db, reading)


@pytest.mark.parametrize("mode", ["global", "sql"])
def test_ways_of_asking_answer_requests_whatever_the_words_were(
    sample_index: BuiltIndex, sample_db: duckdb.DuckDBPyConnection, mode: str
) -> None:
    reading = reading_of(sample_db, "Which hosts have coronaviruses?")
    texts = ("Which hosts have coronaviruses?", OTHER_WORDS)
    given = []
    for text in texts:
        asking = Asking(
            text, sample_db, sample_index.path, QueryConfig(), requests=reading.requests
        )
        given.append(answer_by(asking, mode))
    assert content(given[0]) == content(given[1])


def content(answer: Answer) -> dict[str, object]:
    """Return everything in ``answer`` but the question and what it cost."""
    texts = {field.name: getattr(answer, field.name) for field in fields(answer)}
    return {name: value for name, value in texts.items() if name not in ("question", "usage")}


@pytest.mark.parametrize("question", questions())
@pytest.mark.parametrize("share", [0.4, 1.0], ids=["within", "last"])
def test_a_word_that_is_not_understood_is_named(
    sample_db: duckdb.DuckDBPyConnection, question: str, share: float
) -> None:
    words = question.split()
    place = round(share * len(words))
    reading = read(sample_db, " ".join([*words[:place], UNKNOWN, *words[place:]]))
    said = json.dumps([to_json(request) for request in reading.requests])
    said += " ".join((*reading.unknown, *reading.ignored, *(name.text for name in reading.names)))
    assert UNKNOWN in said or reading.refusal or reading.elsewhere
