"""A model reads what the reader is not sure of: requests as JSON, run like any other."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import duckdb
import pytest

from index.models.choose import ModelChoice, OpenAIModel, Patience, profile_of
from query.config import QueryConfig
from query.mode import Asking
from query.reading import NameInQuestion, Reading
from query.reading.proposing import may_read, nearest_pairs, read_with_model, reading_prompt
from query.request import Carries, Count, Has, Hit, Request
from tests.scripted_openai import Reply, ScriptedServer, error, serve

pytestmark = pytest.mark.usefixtures("composed_only")
QUESTION = "¿Cuántas muestras de murciélago llevan coronavirus?"
RUNS = {"type": "and", "of": [{"type": "carries", "hit": {"virus": ["Coronaviridae"]}},
                              {"type": "has", "field": "host", "values": ["bats"]}]}  # fmt: skip
GOOD = {"measure": {"type": "count"}, "of": RUNS}
READ = Request(Count(), Carries(Hit(virus=("Coronaviridae",))) & Has("host", ("bats",)))


def proposed(*requests: object, cannot: str = "") -> Reply:
    return Reply(json.dumps({"requests": [json.dumps(one) for one in requests], "cannot": cannot}))


def read(
    con: duckdb.DuckDBPyConnection, replies: Sequence[Reply], *, text: str = QUESTION
) -> tuple[Reading, ScriptedServer]:
    """Return what a model whose server answers as scripted makes of an unread question."""
    with serve(list(replies)) as server:
        model = OpenAIModel(
            "scripted-8b", base_url=server.base_url, patience=Patience(max_retries=0)
        )
        unread = Reading(text, unknown=("murciélago",), choices=((Request(Count()),),))
        return read_with_model(con, unread, model), server


def test_a_request_that_runs_is_the_reading(sample_db: duckdb.DuckDBPyConnection) -> None:
    reading, _ = read(sample_db, [proposed(GOOD)])
    assert reading.requests == (READ,)
    assert (reading.choices, reading.unknown, reading.read_by) == ((), (), "scripted-8b")


@pytest.mark.parametrize(
    "wrong",
    [
        proposed(
            {
                "measure": {"type": "count"},
                "of": {"type": "carries", "hit": {"virus": "Nope virus"}},
            }
        ),
        proposed({"measure": {"type": "divine"}}),
        proposed("DROP TABLE run"),
    ],
)
def test_what_cannot_be_run_is_said_once_and_asked_again(
    sample_db: duckdb.DuckDBPyConnection, wrong: Reply
) -> None:
    reading, server = read(sample_db, [wrong, proposed(GOOD)])
    assert reading.requests == (READ,)
    assert "That cannot be run: " in server.requests[1]["messages"][-1]["content"]
    given_up, server = read(sample_db, [wrong, wrong])
    assert given_up.requests == ()
    assert given_up.unknown == ("murciélago",)
    assert len(server.requests) == 2


@pytest.mark.parametrize(
    "reply", [Reply("no JSON"), error(500, "out of memory"), Reply(None, refusal="I cannot")]
)
def test_a_model_that_fails_leaves_the_reading(
    sample_db: duckdb.DuckDBPyConnection, reply: Reply
) -> None:
    reading, _ = read(sample_db, [reply])
    assert (reading.requests, reading.read_by) == ((), "")


def test_a_model_may_say_why_it_cannot_be_answered(sample_db: duckdb.DuckDBPyConnection) -> None:
    reading, _ = read(sample_db, [proposed(cannot="the index holds no treatments")])
    assert reading.refusal == "the index holds no treatments"


@pytest.mark.parametrize(
    ("name", "requests", "asked"),
    [("scripted-8b", (), True), ("scripted-8b", (READ,), False), ("llama-1b", (), False)],
)
def test_only_a_large_model_is_asked_and_only_where_the_reader_is_not_sure(
    name: str, requests: tuple[Request, ...], asked: bool
) -> None:
    model = OpenAIModel(name, base_url="http://127.0.0.1:9/v1")
    choice = ModelChoice(model, profile_of(name), "")
    assert may_read(choice, Reading("?", requests)) is asked


def test_the_variable_asks_any_model_always(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VIROME_READ", "model")
    model = OpenAIModel("llama-1b", base_url="http://127.0.0.1:9/v1")
    assert may_read(ModelChoice(model, profile_of("llama-1b"), ""), Reading("?", (READ,)))


def test_the_prompt_has_the_schema_like_questions_and_the_names() -> None:
    names = (NameInQuestion("bats", 12, 16, "host", "Chiroptera", "NCBITaxon:9397"),)
    prompt = reading_prompt("How many bats carry coronaviruses?", names)
    assert "MEASURE: " in prompt.system
    assert "bats is the host Chiroptera" in prompt.user
    assert len(prompt.turns) == len(nearest_pairs("?"))
    for turn in prompt.turns:
        assert set(json.loads(turn.assistant)) == {"requests", "cannot"}


def test_reading_of_names_that_the_index_lacks_is_left_to_the_model(
    sample_db: duckdb.DuckDBPyConnection,
) -> None:
    with serve([proposed(GOOD)]) as server:
        model = OpenAIModel("scripted-8b", base_url=server.base_url)
        choice = ModelChoice(model, profile_of("scripted-8b"), "scripted", local=True)
        question = "What sets bat viromes apart from those of pigs?"
        asking = Asking(question, sample_db, Path("none"), QueryConfig(), choice)
        assert asking.read().requests == (READ,)
        assert (asking.usage.model, asking.usage.calls) == ("scripted-8b", 1)
