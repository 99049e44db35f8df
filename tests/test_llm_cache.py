"""The response cache: never pay twice, never keep junk, survive a kill."""

from __future__ import annotations

import asyncio
import signal
import subprocess
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
from pydantic import BaseModel

from index.errors import ModelJunkError, StoreError
from index.models.choose import CachedModel, OpenAIModel, Prompt, ResponseCache, Turn
from tests.scripted_openai import Reply, ScriptedServer, serve


class Host(BaseModel):
    name: str


class Aged(BaseModel):
    name: str
    age: int = 0


PROMPT = Prompt(system="Answer in JSON.", user="Which host?")
GOOD = Reply('{"name": "bat"}', prompt_tokens=21, completion_tokens=7)


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


def test_junk_is_not_kept(tmp_path: Path) -> None:
    async def try_twice(model: CachedModel) -> str:
        with pytest.raises(ModelJunkError):
            await model.complete(PROMPT, Host, max_tokens=50)
        return (await model.complete(PROMPT, Host, max_tokens=50)).parsed.name

    with serve([Reply("no idea"), GOOD]) as server:
        assert with_cache(server, tmp_path / "llm.sqlite", try_twice) == "bat"
    assert len(server.requests) == 2


def test_scores_are_kept_too(tmp_path: Path) -> None:
    with serve([Reply("Yes", first_token={"Yes": -0.1, "No": -2.0}), Reply("?")]) as server:
        ask = lambda model: model.yes_probability(PROMPT)  # noqa: E731
        first = with_cache(server, tmp_path / "llm.sqlite", ask)
        again = with_cache(server, tmp_path / "llm.sqlite", ask)
    assert first == again
    assert len(server.requests) == 1


def test_answers_survive_a_kill(tmp_path: Path) -> None:
    path = tmp_path / "llm.sqlite"
    program = (
        "import sys, itertools; from pathlib import Path; from index.models.cache import ResponseCache\n"
        f"cache = ResponseCache(Path({str(path)!r}))\n"
        "for n in itertools.count():\n"
        "    cache.keep_answer(str(n), model='m', text='t' * 500, prompt_tokens=1, completion_tokens=1)\n"
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


def test_a_file_that_is_no_cache_is_named(tmp_path: Path) -> None:
    path = tmp_path / "llm.sqlite"
    path.write_bytes(b"not a database, " * 100)
    with pytest.raises(StoreError, match=r"not a response cache .*\n  -> delete .*asked for again"):
        ResponseCache(path)
