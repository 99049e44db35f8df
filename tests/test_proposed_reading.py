"""A reading that a model proposes: taken only where it keeps what the question says, else the
refusal of the rules stays and says why.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import duckdb
import pytest
from hypothesis import given
from hypothesis import strategies as st

from index.models.choose import ModelChoice, OpenAIModel, Patience, profile_of
from query.answer import Answer
from query.config import QueryConfig
from query.errors import NoEvidenceError
from query.evaluation.questions import read_questions
from query.global_search.ask import ask_model, read_asked
from query.global_search.briefing import longest_tokens
from query.mode import Asking
from query.reading.proposed.checking import judge_proposal, without_talk
from query.reading.proposed.proposal import PlainQuestion, proposal_prompt
from query.reading.question import Question, read_question
from query.reading.reading import reading_record
from query.reading.refusal import is_not_understood
from tests.conftest import ROOT
from tests.query_index import make_index, opened
from tests.scripted_openai import Reply, Script, error, serve

SNAPSHOT = Path(__file__).parent / "snapshots" / "plain_question.txt"
TALK = "The bishop croaks dolefully"
PLAIN = "top 3 families of bats but not of pigs"
TEXT = f"{TALK} {PLAIN}"
GOOD = {"set_aside": [TALK], "question": PLAIN}


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_index(tmp_path_factory.mktemp("proposed") / "index.duckdb")


@pytest.fixture(scope="module")
def con(index: Path) -> Iterator[duckdb.DuckDBPyConnection]:
    with opened(index) as connection:
        yield connection


@pytest.fixture(scope="module")
def refused(con: duckdb.DuckDBPyConnection) -> Question:
    question = read_question(con, TEXT)
    assert is_not_understood(question)
    return question


def asking(con: duckdb.DuckDBPyConnection, index: Path, url: str, **options: Any) -> Asking:
    name = options.pop("name", "scripted-8b")
    config = QueryConfig(**options)
    model = OpenAIModel(name, base_url=url, patience=Patience(max_retries=0))
    choice = ModelChoice(model, profile_of(name), "scripted")
    return Asking(TEXT, con, index, config, choice)


def ask(con: duckdb.DuckDBPyConnection, index: Path, script: Script, **options: Any) -> Answer:
    with serve(script) as server:
        return ask_model(asking(con, index, server.base_url, **options))


def test_a_plain_question_is_read_by_the_rules_and_said(
    con: duckdb.DuckDBPyConnection, index: Path
) -> None:
    answer = ask(con, index, [Reply(json.dumps(GOOD)), Reply("{}")])
    said = f"Read with a model (scripted-8b) as: “{PLAIN}”; words set aside: “{TALK}”."
    assert said in answer.answer
    assert "Coronaviridae (6 runs)" in answer.answer
    assert answer.question == TEXT
    assert (answer.usage.calls, answer.usage.prompt_tokens) == (1, 10)  # "{}" is no answer


def test_the_reading_says_who_proposed_it(con: duckdb.DuckDBPyConnection, index: Path) -> None:
    with serve([Reply(json.dumps(GOOD))]) as server:
        reading = read_asked(asking(con, index, server.base_url)).reading
    record = reading_record(reading)
    assert (record["proposed_by"], record["proposed"]) == ("scripted-8b", PLAIN)
    assert (record["set_aside"], record["not_taken"]) == ([TALK], None)
    assert (reading.kind, reading.limit) == ("rank", 3)
    assert [one.label for one in reading.without] == ["Sus scrofa"]


WRONG = {
    "a stretch that is not there": (
        {"set_aside": ["The cardinal croaks"], "question": PLAIN},
        "“The cardinal croaks” is not in the question",
    ),
    "a word that is not there": (
        {"set_aside": [TALK], "question": PLAIN.replace("bats", "penguins")},
        "“penguins” is not in the question",
    ),
    "a name set aside": (
        {"set_aside": [TALK, "families of bats"], "question": PLAIN},
        "it sets “bats” aside, which is a name",
    ),
    "a name dropped": (
        {"set_aside": [TALK], "question": "top 3 families but not of pigs"},
        "it passes over “bats”",
    ),
    "a negation dropped": (
        {"set_aside": [TALK, "but not"], "question": "top 3 families of bats and of pigs"},
        "it does not keep each negation",
    ),
    "a number dropped": (
        {"set_aside": [TALK, "3"], "question": "top families of bats but not of pigs"},
        "it does not keep each number",
    ),
    "a part changed": (
        {"set_aside": [TALK], "question": "top 3 families of pigs but not of bats"},
        "it drops Chiroptera (bats)",
    ),
    "talk passed over": ({"set_aside": [], "question": PLAIN}, "it passes over “bishop”"),
}


@pytest.mark.parametrize("case", WRONG)
def test_a_wrong_proposal_leaves_the_refusal(
    con: duckdb.DuckDBPyConnection, index: Path, case: str
) -> None:
    proposal, why = WRONG[case]
    with pytest.raises(NoEvidenceError) as refusal:
        ask(con, index, [Reply(json.dumps(proposal))])
    assert refusal.value.reason == (
        f"not understood: bishop, croaks, dolefully. A reading by scripted-8b was not taken: {why}"
    )


BROKEN = {
    "junk": Reply("no JSON at all"),
    "another schema": Reply('{"question": 7}'),
    "server error": error(500, "out of memory"),
    "refused": Reply(None, refusal="I cannot help with viruses"),
    "slow": Reply(json.dumps(GOOD), delay_s=1.5),
}


@pytest.mark.parametrize("case", BROKEN)
def test_a_model_that_fails_leaves_the_refusal(
    con: duckdb.DuckDBPyConnection, index: Path, case: str
) -> None:
    with pytest.raises(NoEvidenceError) as refusal:
        ask(con, index, [BROKEN[case]], silence_s=0.7)
    assert "not understood: bishop, croaks, dolefully" in refusal.value.reason
    assert "A reading by scripted-8b was not taken: " in refusal.value.reason


def test_a_dead_endpoint_leaves_the_refusal(con: duckdb.DuckDBPyConnection, index: Path) -> None:
    with pytest.raises(NoEvidenceError, match="A reading by scripted-8b was not taken"):
        ask_model(asking(con, index, "http://127.0.0.1:9/v1"))


def test_a_small_model_is_asked_only_where_it_is_allowed(
    con: duckdb.DuckDBPyConnection, index: Path
) -> None:
    with serve([Reply(json.dumps(GOOD))]) as server:
        small = asking(con, index, server.base_url, name="scripted-1b")
        assert read_asked(small).reading.proposed is None
        assert server.requests == []
        allowed = asking(con, index, server.base_url, name="scripted-1b", small_answers=True)
        assert read_asked(allowed).reading.limit == 3
        assert len(server.requests) == 1


@pytest.mark.parametrize("text", ["Do bats dream?", "how many spikes are on bats"])
def test_what_a_question_asks_cannot_be_set_aside(
    con: duckdb.DuckDBPyConnection, text: str
) -> None:
    question = read_question(con, text)
    assert is_not_understood(question)
    word = "dream" if "dream" in text else "spikes"
    plain = text.replace(f"{word} ", "").replace(word, "")
    proposal = PlainQuestion(set_aside=[word], question=plain)
    assert judge_proposal(con, question, proposal).question is None


def test_only_talk_before_or_behind_a_question_is_cut() -> None:
    talk = ["My boss nags", "she is like that"]
    assert without_talk("My boss nags: what infects bats? She is like that.", talk) == (
        "what infects bats"
    )
    assert without_talk("what nags bats", ["nags"]) == "what nags bats"


def test_an_understood_question_asks_no_model(con: duckdb.DuckDBPyConnection, index: Path) -> None:
    with serve([error(500, "must not be asked")]) as server:
        plain = asking(con, index, server.base_url)
        object.__setattr__(plain, "question", PLAIN)
        assert read_asked(plain).reading.proposed is None
        assert server.requests == []


WORDS = TEXT.split()
STRETCHES = st.tuples(st.integers(0, len(WORDS)), st.integers(0, len(WORDS))).map(
    lambda ends: " ".join(WORDS[min(ends) : max(ends) + 1])
)


@given(
    aside=st.lists(STRETCHES.filter(bool), max_size=3),
    kept=st.lists(st.sampled_from(WORDS), min_size=1, max_size=12)
    | STRETCHES.filter(bool).map(str.split),
)
def test_no_proposal_drops_a_name_a_negation_or_a_number(
    con: duckdb.DuckDBPyConnection, refused: Question, aside: list[str], kept: list[str]
) -> None:
    proposal = PlainQuestion(set_aside=aside, question=" ".join(kept))
    plain = judge_proposal(con, refused, proposal).question
    if plain is None:
        return
    reading = plain.reading
    assert [one.label for one in reading.subjects] == ["Chiroptera"]
    assert [one.label for one in reading.without] == ["Sus scrofa"]
    assert reading.limit == 3
    assert not reading.not_understood


def test_the_prompt_is_as_reviewed_short_and_fixed_at_its_beginning() -> None:
    prompt = proposal_prompt(TEXT)
    shown = "\n\n".join(f"[{one['role']}]\n{one['content']}" for one in prompt.messages())
    assert SNAPSHOT.read_text(encoding="utf-8") == f"{shown}\n"
    other = proposal_prompt("what infects pigs")
    assert [*prompt.messages()][:-1] == [*other.messages()][:-1]
    texts = [one.text for one in read_questions(ROOT / "query/evaluation/hand_written.tsv")]
    longest = max(texts, key=len)
    assert longest_tokens(proposal_prompt(longest)) <= 600
