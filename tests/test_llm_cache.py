"""The response cache: never pay twice, never keep junk, survive a kill."""

from __future__ import annotations

import asyncio
import json
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Awaitable, Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from pydantic import BaseModel

from index.errors import ModelUnavailableError
from index.models.choose import (
    CachedModel,
    OpenAIModel,
    Patience,
    Prompt,
    ResponseCache,
    Turn,
    open_cache,
)
from index.models.metered import GIVE_UP_AFTER, MeteredModel, Spent
from tests.scripted_openai import Reply, ScriptedServer, serve
from tests.test_llm import GOOD, PROMPT, Host


class Aged(BaseModel):
    name: str
    age: int = 0


def with_cache(
    server: ScriptedServer, path: Path, call: Callable[[CachedModel], Awaitable[Any]]
) -> Any:
    async def run() -> Any:
        model = OpenAIModel("scripted", base_url=server.base_url)
        with ResponseCache(path) as cache:
            try:
                return await call(CachedModel(model, cache))
            finally:
                await model.aclose()

    return asyncio.run(run())


def test_same_question_is_paid_once_across_processes(tmp_path: Path) -> None:
    with serve([GOOD]) as server:
        ask = lambda model: model.complete(PROMPT, Host, max_tokens=50)  # noqa: E731
        first = with_cache(server, tmp_path / "llm.sqlite", ask)
        again = with_cache(server, tmp_path / "llm.sqlite", ask)
    assert len(server.requests) == 1
    assert (first.cached, again.cached) == (False, True)
    assert (again.parsed, again.prompt_tokens, again.completion_tokens) == (Host(name="bat"), 21, 7)


@pytest.mark.parametrize(
    ("prompt", "schema", "max_tokens", "asked"),
    [
        (PROMPT, Host, 50, 1),
        (PROMPT, Host, 60, 2),
        (PROMPT, Aged, 50, 2),
        (Prompt("Answer in JSON.", "Which virus?"), Host, 50, 2),
        (Prompt("Answer in JSON.", "Which host?", (Turn("a", "b"),)), Host, 50, 2),
    ],
)
def test_another_question_is_another_answer(
    tmp_path: Path, prompt: Prompt, schema: type[BaseModel], max_tokens: int, asked: int
) -> None:
    async def both(model: CachedModel) -> None:
        await model.complete(PROMPT, Host, max_tokens=50)
        await model.complete(prompt, schema, max_tokens=max_tokens)

    with serve([Reply('{"name": "bat"}')]) as server:
        with_cache(server, tmp_path / "llm.sqlite", both)
    assert len(server.requests) == asked


def test_answers_survive_a_kill(tmp_path: Path) -> None:
    path = tmp_path / "llm.sqlite"
    program = (
        "import sys, itertools; from pathlib import Path; from index.models.cache import "
        "ResponseCache\n"
        f"cache = ResponseCache(Path({str(path)!r}))\n"
        "for n in itertools.count():\n"
        "    cache.keep_answer(str(n), model='m', text='t' * 500, prompt_tokens=1, "
        "completion_tokens=1)\n"
        "    print(n, flush=True)\n"
    )
    root = Path(__file__).resolve().parents[1]
    with subprocess.Popen(
        [sys.executable, "-c", program], stdout=subprocess.PIPE, text=True, cwd=root
    ) as writer:
        assert writer.stdout is not None
        acknowledged = [int(writer.stdout.readline()) for _ in range(200)]
        writer.send_signal(signal.SIGKILL)
        writer.wait()
    with ResponseCache(path) as cache:
        assert all(cache.answer(str(n)) == ("t" * 500, 1, 1) for n in acknowledged)


def test_two_processes_share_the_file(tmp_path: Path) -> None:
    with (
        ResponseCache(tmp_path / "llm.sqlite") as one,
        ResponseCache(tmp_path / "llm.sqlite") as other,
    ):
        one.keep_answer("k", model="m", text="first", prompt_tokens=1, completion_tokens=2)
        other.keep_answer("k", model="m", text="second", prompt_tokens=3, completion_tokens=4)
        assert one.answer("k") == other.answer("k") == ("first", 1, 2)
        assert len(other) == 1


# --- what was paid for always comes ---------------------------------------------------------------


def test_what_is_in_the_cache_comes_without_a_budget_and_without_a_server(tmp_path: Path) -> None:
    impatient = Patience(max_retries=0)

    async def ask(base_url: str, budget_tokens: int | None, others: int = 0) -> Spent:
        model = OpenAIModel("scripted", base_url=base_url, patience=impatient)
        metered = MeteredModel(model, budget_tokens=budget_tokens)
        with ResponseCache(tmp_path / "llm.sqlite") as cache:
            asked = CachedModel(metered, cache, spent=metered.spent)
            for number in range(others):
                other = Prompt("Answer in JSON.", str(number))
                with pytest.raises(ModelUnavailableError):
                    await asked.complete(other, Host, max_tokens=50)
            answer = await asked.complete(PROMPT, Host, max_tokens=50)
            await asked.aclose()
        assert answer.parsed.name == "bat"
        return metered.spent

    with serve([GOOD]) as server:
        paid = asyncio.run(ask(server.base_url, 1_000))
        assert paid == Spent(calls=1, prompt_tokens=21, completion_tokens=7)
        assert asyncio.run(ask(server.base_url, 0)) == Spent(calls=1, cached=1)
    dead = asyncio.run(ask("http://127.0.0.1:9/v1", None, others=GIVE_UP_AFTER + 1))
    assert dead.cached == 1


# --- a cache that cannot be used ------------------------------------------------------------------


def foreign_schema(path: Path) -> None:
    with closing(sqlite3.connect(path)) as other:
        other.execute("CREATE TABLE answer (question TEXT, reply TEXT)")
        other.commit()


def schema_that_is_no_text(path: Path) -> None:
    ResponseCache(path).close()
    path.write_bytes(path.read_bytes().replace(b"NOT NULL", b"NOT N\xaaLL"))


def no_database(path: Path) -> None:
    path.write_bytes(b"not a database, " * 100)


def folder_in_its_place(path: Path) -> None:
    path.mkdir()


def file_in_place_of_its_folder(path: Path) -> None:
    path.parent.rmdir()
    path.parent.write_text("a file")


@pytest.mark.parametrize(
    ("spoil", "says"),
    [
        (
            foreign_schema,
            "not a response cache (table answer has the columns question, reply) -> delete",
        ),
        (schema_that_is_no_text, "not a response cache ('utf-8' codec can't decode"),
        (no_database, "not a response cache (file is not a database) -> delete"),
        (folder_in_its_place, "a folder that can be written to"),
        (file_in_place_of_its_folder, "a folder that can be written to"),
    ],
)
def test_unusable_cache_is_said_once_and_costs_no_answer(
    tmp_path: Path, spoil: Callable[[Path], None], says: str
) -> None:
    path = tmp_path / "kept" / "llm.sqlite"
    path.parent.mkdir()
    spoil(path)
    said: list[str] = []
    with serve([GOOD]) as server, open_cache(path, say=said.append) as cache:
        model = CachedModel(OpenAIModel("scripted", base_url=server.base_url), cache)

        async def ask_twice() -> tuple[str, bool]:
            first = await model.complete(PROMPT, Host, max_tokens=50)
            again = await model.complete(PROMPT, Host, max_tokens=50)
            await model.aclose()
            return first.parsed.name, again.cached

        assert asyncio.run(ask_twice()) == ("bat", True)
    assert len(said) == 1
    assert says in said[0]


def test_disk_that_fills_up_is_said_once_and_costs_no_answer(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async def ask(model: CachedModel) -> None:
        for number in range(3):
            await model.complete(Prompt("Answer in JSON.", f"{number}"), Host, max_tokens=50)
        await model.aclose()

    long = Reply(json.dumps({"name": "b" * 200_000}))
    path = tmp_path / "llm.sqlite"
    with serve([long]) as server, ResponseCache(path) as cache:
        cache._connection.execute("PRAGMA max_page_count = 8")
        model = OpenAIModel("scripted", base_url=server.base_url)
        asyncio.run(ask(CachedModel(model, cache)))
    assert [record.levelname for record in caplog.records if "not kept" in record.message] == [
        "WARNING"
    ]
    assert "database or disk is full" in caplog.text
