"""No word of a question is dropped without a message: each is used, named as beside the question,
or named as not understood.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path

import duckdb
import pytest

from query.errors import HarmfulQuestionError
from query.evaluation.questions import read_questions
from query.reading.asked.frame import frame_of
from query.reading.intent import is_asking_word, is_stop_word
from query.reading.kinds import rule_words
from query.reading.names.named_terms import name_words
from query.reading.names.spans import positions
from query.reading.question import Question, read_question
from query.reading.roles import role_words
from query.reading.scope.clauses import clauses_of
from tests.conftest import ROOT
from tests.query_index import make_index, opened

QUESTIONS = [one.text for one in read_questions(ROOT / "query/evaluation/hand_written.tsv")]
INVENTED = ("zorblat", "quixnar", "flumptic", "tarvexian", "grendiled", "vaskorp")
SEED = 15


@pytest.fixture(scope="module")
def con(tmp_path_factory: pytest.TempPathFactory) -> Iterator[duckdb.DuckDBPyConnection]:
    path: Path = make_index(tmp_path_factory.mktemp("words") / "index.duckdb")
    with opened(path) as connection:
        yield connection


def said_of(question: Question) -> str:
    """Return all that the reading says of the words of a question, in lower case."""
    reading = question.reading
    mentions = (*question.mentions, *question.absent, *reading.without)
    names = [text for one in mentions for text in (one.text, one.label)]
    unknown = [*reading.not_understood, *reading.only_wording]
    left_out = [one.text for one in question.left_out]
    said = [*names, *unknown, *left_out, *reading.accessions, reading.setting]
    return " ".join(said).lower()


def words_lost(question: Question, text: str) -> list[str]:
    """Return the words of ``text`` of which the reading says nothing and that no rule reads."""
    clauses = clauses_of(text)
    spelled = clauses.respelled()
    words, _ = name_words(spelled.text)
    mentions = [*question.mentions, *question.absent, *question.reading.without]
    frame = frame_of(words, mentions)
    read = {*rule_words(frame), *role_words(frame)}
    named = positions(mentions)
    said = said_of(question)
    lost = []
    for place, word in enumerate(words):
        plain = is_stop_word(word) or is_asking_word(word) or word.lower() in read
        if place not in named and not plain and word.lower() not in said:
            lost.append(word)
    return lost


def test_no_content_word_of_the_hand_written_questions_is_lost(
    con: duckdb.DuckDBPyConnection,
) -> None:
    lost = {}
    for text in random.Random(SEED).sample(QUESTIONS, 60):
        words = words_lost(read_question(con, text), text)
        if words:
            lost[text] = words
    assert lost == {}


def test_an_invented_word_anywhere_in_a_question_is_named(con: duckdb.DuckDBPyConnection) -> None:
    drawn = random.Random(SEED)
    lost = []
    kept = [text for text in QUESTIONS if "... no" not in text]  # what is taken back is dropped
    for text in drawn.sample(kept, 40):
        words = text.split()
        word = drawn.choice(INVENTED)
        place = drawn.randrange(len(words) + 1)
        asked = " ".join([*words[:place], word, *words[place:]])
        try:
            read = read_question(con, asked)
        except HarmfulQuestionError:
            continue
        if word not in said_of(read):
            lost.append(asked)
    assert lost == []


def test_a_word_that_no_reading_names_is_found_lost(con: duckdb.DuckDBPyConnection) -> None:
    question = read_question(con, "coronaviruses of bats")
    assert words_lost(question, "coronaviruses of bats, purple") == ["purple"]


def test_the_rest_of_a_name_that_means_nothing_here_is_named(
    con: duckdb.DuckDBPyConnection,
) -> None:
    question = read_question(con, "Is human cytomegalovirus in bats?")
    assert "cytomegalovirus" in question.keywords


@pytest.mark.parametrize(
    ("question", "word"),
    [
        ("Which apple variety has most Apple stem grooving virus runs?", "variety"),
        ("Can the dengue virus hits be trusted?", "trusted"),
        ("Which identity do dengue virus hits have in Asia?", "identity"),
        ("Which reference of dengue virus is the best?", "reference"),
    ],
)
def test_a_word_of_the_subject_is_never_taken_for_mere_wording(
    con: duckdb.DuckDBPyConnection, question: str, word: str
) -> None:
    reading = read_question(con, question).reading
    assert word not in reading.only_wording
    assert word in reading.not_understood
