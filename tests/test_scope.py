"""Unknown words weighed by the sentence they stand in, and the clause of a text that asks."""

from __future__ import annotations

import duckdb
import numpy as np
import pytest

from index.errors import ModelUnavailableError
from index.models.embeddings import embed, is_common
from query.reading.mentions import Mention
from query.reading.question import read_question
from query.reading.scope import doubt
from query.reading.scope.clauses import clauses_of
from query.reading.scope.doubt import Unknown, doubt_of
from query.reading.scope.learning import (
    how_well,
    learn,
    left_out_scores,
    read_examples,
    targets_of,
)
from query.reading.scope.likeness import WEIGHTS, likeness_of
from query.reading.scope.wording import filled

SETTINGS = """
text                                                            | asks
Our bats are ill. Which viruses do bats carry?                  | Which viruses do bats carry?
I study ticks of the Alps, which viruses do they carry?         | which viruses do they carry?
My boss wants a figure: how many runs hold EBV?                 | how many runs hold EBV?
Vet here. The number of EBV runs would help.                    | The number of EBV runs would help.
How many runs hold EBV?                                         | How many runs hold EBV?
SARS-CoV-2 in lung                                              | SARS-CoV-2 in lung
The pupils keep asking what infects bats.                       | what infects bats.
I'd love to state in how many runs EBV was found.               | in how many runs EBV was found.
We know little of pigs, but which viruses do bats carry?        | which viruses do bats carry?
For a talk next week: top five hosts of EBV                     | top five hosts of EBV
Because my boss likes lists, rank the hosts of EBV.             | rank the hosts of EBV.
My vet swears that no bat carries EBV. Is that true?            | is there bat carries EBV
Nobody has ever seen EBV in bats. Can you check?                | is there EBV in bats
Which hosts do we know of?                                      | Which hosts do we know of?
bats which carry EBV                                            | bats which carry EBV
"""


def rows_of(table: str) -> list[list[str]]:
    lines = table.strip().splitlines()[1:]
    return [[cell.strip() for cell in line.split("|")] for line in lines]


@pytest.mark.parametrize(("text", "asks"), rows_of(SETTINGS))
def test_the_clause_that_asks_is_found(text: str, asks: str) -> None:
    assert clauses_of(text).asked == asks


WORDINGS = """
wording                                              | answerable
has anybody spied herpesvirus in the liver of bats   | yes
which viruses vex bats                               | yes
which viruses loiter in the soil of brazil            | yes
do bats whistle                                      | no
what does liver taste of                             | no
how do i tame bats                                   | no
which shoes suit brazil                              | no
"""


@pytest.mark.parametrize(("wording", "answerable"), rows_of(WORDINGS))
def test_unlisted_wordings_are_judged(wording: str, answerable: str) -> None:
    """None of the verbs of these wordings is in a list of the reading or in the examples."""
    likeness = likeness_of(wording)
    assert (likeness.answerable >= doubt.ADMITTED) == (answerable == "yes")


def test_the_weights_are_those_that_the_examples_teach() -> None:
    examples = read_examples()
    vectors = embed([filled(one.wording) for one in examples])
    targets = targets_of(examples)
    learned = learn(vectors, targets)
    assert np.allclose(learned, np.load(WEIGHTS), atol=0.01)
    measured = how_well(targets, left_out_scores(vectors, targets))
    assert measured.answerable_kept > 0.9
    assert measured.others_refused > 0.88
    assert measured.rules_out_noticed > 0.8
    assert measured.kinds_right > 0.8


def test_examples_are_distinct_and_of_every_kind() -> None:
    examples = read_examples()
    wordings = [one.wording for one in examples]
    assert len(set(wordings)) == len(wordings)
    assert len({one.asks for one in examples}) == 10


def test_without_a_sentence_model_unknown_words_are_refused(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def absent(wording: str) -> None:
        raise ModelUnavailableError("all-MiniLM-L6-v2", "not installed", remedy="install it")

    monkeypatch.setattr(doubt, "likeness_of", absent)
    unknown = Unknown(("spied",), ("spied",), ())
    found = doubt_of(unknown, ["spied"], [_mention()], ruled=False)
    assert found.unanswerable == ("spied",)
    assert found.only_wording == ()


def test_a_thing_asked_for_is_never_only_wording() -> None:
    unknown = Unknown(("spikes",), ("spikes",), ("spikes",))
    words = ["how", "many", "spikes", "occur", "with", "_"]
    found = doubt_of(unknown, words, [_mention(start=5)], ruled=False)
    assert found.unanswerable == ("spikes",)


def test_a_rare_word_is_no_common_word() -> None:
    assert is_common("noticed")
    assert is_common("stuffed")
    assert not is_common("zorblaxia")


@pytest.mark.parametrize(
    ("text", "not_understood"),
    [("What do pigs eat?", ("eat",)), ("Did influenza A virus crop up in any pig runs?", ())],
)
def test_the_verb_behind_a_name_is_not_dropped(
    sample_db: duckdb.DuckDBPyConnection, text: str, not_understood: tuple[str, ...]
) -> None:
    reading = read_question(sample_db, text).reading
    assert reading.not_understood == not_understood
    assert reading.only_wording == ()


def test_what_is_said_beside_a_question_counts_only_by_its_names(
    sample_db: duckdb.DuckDBPyConnection,
) -> None:
    text = "I wrote a long sad letter about pigs. How many of their runs carry influenza A virus?"
    question = read_question(sample_db, text)
    assert question.reading.kind == "count"
    assert question.reading.setting == "I wrote a long sad letter about pigs."
    assert {one.group for one in question.mentions} >= {"virus"}
    assert question.reading.not_understood == ()


TALK = """
text                                                             | kind   | names
The vet swears that no pig carries influenza A virus. Is it true? | exists | pig, influenza A
Just for a giggle, which viruses do pigs carry?                  | list   | pigs
We keep cattle. Which hosts carry influenza A virus?             | list   | influenza A
We study pigs; how many runs have influenza A virus?             | count  | influenza A, pigs
"""


@pytest.mark.parametrize(("text", "kind", "names"), rows_of(TALK))
def test_talk_says_nothing_but_what_its_names_add(
    sample_db: duckdb.DuckDBPyConnection, text: str, kind: str, names: str
) -> None:
    reading = read_question(sample_db, text).reading
    assert reading.kind == kind
    called = " ".join(one.name for one in (*reading.subjects, *reading.absent)).lower()
    assert all(name.lower() in called for name in names.split(", "))
    assert len(reading.subjects) + len(reading.absent) == len(names.split(", "))
    assert (reading.without, reading.not_understood, reading.only_wording) == ((), (), ())


def test_an_opening_that_asks_is_no_talk(sample_db: duckdb.DuckDBPyConnection) -> None:
    for text in ("How many spikes, roughly, do pigs have?", "Do pigs sleep, which viruses?"):
        reading = read_question(sample_db, text).reading
        assert reading.unanswerable


def test_an_opening_is_the_subject_where_nothing_is_named_behind_it(
    sample_db: duckdb.DuckDBPyConnection,
) -> None:
    reading = read_question(sample_db, "Zorblat Peak, how high was it again?").reading
    assert reading.not_understood[:2] == ("Zorblat", "Peak")


def _mention(start: int = 0) -> Mention:
    return Mention("flu", start, start + 1, "influenza A virus", "virus", ())
