"""The edge to a model: whatever an endpoint does, one clear reason, and the key is never shown."""

from __future__ import annotations

import asyncio
import itertools
import json
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from index.errors import ModelError, ModelJunkError, ModelTimeoutError, ModelUnavailableError
from index.models.choose import CachedModel, OpenAIModel, Patience, choose_model, open_cache
from index.models.metered import MeteredModel
from index.models.openai_answers import parse_answer
from index.models.transport import MOST_BYTES
from tests.scripted_openai import Reply, error, serve, silent
from tests.test_llm import PROMPT, Host, ask

KEY = "sk-very-secret-key-0123456789"
GOOD = '{"name": "bat"}'
MESSAGE = {"role": "assistant", "content": GOOD}


def completion(**changes: Any) -> str:
    """Return the body of a good answer with ``changes``."""
    choice = {"index": 0, "message": MESSAGE, "finish_reason": "stop"}
    usage = {"prompt_tokens": 21, "completion_tokens": 7, "total_tokens": 28}
    body = {"id": "1", "object": "chat.completion", "created": 0, "model": "m"}
    return json.dumps({**body, "choices": [choice], "usage": usage, **changes})


def message(**changes: Any) -> str:
    said = {**MESSAGE, **changes}
    return completion(choices=[{"index": 0, "message": said, "finish_reason": "stop"}])


USAGES: list[object] = [
    None, "many", [], {}, {"prompt_tokens": None}, {"prompt_tokens": "21",
    "completion_tokens": "x"},
    {"prompt_tokens": -5, "completion_tokens": -1}, {"prompt_tokens": 10**30,
    "completion_tokens": 1e300},
]  # fmt: skip


def test_odd_usage_is_replaced_by_an_estimate() -> None:
    for usage in USAGES:
        with serve([Reply(body=completion(usage=usage))]) as server:
            answer = ask(server)
        assert answer.parsed.name == "bat"
        assert 0 < answer.prompt_tokens < 100
        assert 0 < answer.completion_tokens < 100


BROKEN = {
    "content as number": message(content=7),
    "no message": completion(choices=[{"index": 0, "finish_reason": "stop"}]),
    "message null": completion(choices=[{"index": 0, "message": None}]),
    "choice null": completion(choices=[None]),
    "choices a word": completion(choices="none"),
    "choices null": completion(choices=None),
    "a list": "[]",
    "null": "null",
    "a number": "7",
    "no JSON": "<html><body>Welcome</body></html>",
    "cut": completion()[:60],
    "empty": "",
    "deep": "[" * 100_000,
}


@pytest.mark.parametrize("case", BROKEN)
def test_an_answer_of_another_shape_has_one_clear_reason(case: str) -> None:
    with serve([Reply(body=BROKEN[case])]) as server, pytest.raises(ModelError) as raised:
        ask(server, patience=Patience(max_retries=0))
    assert "\n" not in raised.value.reason
    assert len(raised.value.reason) < 300


ADDRESSES = [
    "http://127.0.0.1:99999/v1", "http://127.0.0.1:0/v1", "http://127.0.0.1:1\n/v1",
    "127.0.0.1:8080", "http://",
    "ftp://host/v1", "http://[::1/v1", "http://a b/v1", "javascript:alert(1)", "http://h:port/v1",
]  # fmt: skip


def test_an_address_that_is_none_is_named_before_anything_is_sent() -> None:
    for address in ADDRESSES:
        environment = {"OPENAI_BASE_URL": address, "OPENAI_API_KEY": KEY, "VIROME_MODEL": "m"}
        with pytest.raises(ModelUnavailableError, match="OPENAI_BASE_URL is not the address"):
            choose_model(environment)


def test_a_key_that_no_request_can_carry_is_named_and_not_shown() -> None:
    for key in ("schlüssel-0123456789", "sk-1\nx-evil: 1", "sk-\x00-0123", "sk-\u200b-0123"):
        with pytest.raises(ModelUnavailableError, match="OPENAI_API_KEY") as raised:
            choose_model({"OPENAI_API_KEY": key, "VIROME_MODEL": "m"})
        assert key not in str(raised.value)


@contextmanager
def raw_server(chunks: Iterator[bytes], pause_s: float = 0.0) -> Iterator[str]:
    """Run a server that sends ``chunks`` to its first caller, with pauses; yield its address."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        over = threading.Event()

        def send() -> None:
            connection, _ = listening.accept()
            with connection:
                connection.recv(65536)
                for chunk in chunks:
                    if over.is_set():
                        return
                    try:
                        connection.sendall(chunk)
                    except OSError:
                        return
                    time.sleep(pause_s)

        thread = threading.Thread(target=send, daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{listening.getsockname()[1]}/v1"
        over.set()
        thread.join()


def call(base_url: str, *, timeout_s: float) -> None:
    async def run() -> None:
        patience = Patience(timeout_s=timeout_s, max_retries=0)
        model = OpenAIModel("m", base_url=base_url, patience=patience)
        try:
            await model.complete(PROMPT, Host, max_tokens=50)
        finally:
            await model.aclose()

    asyncio.run(run())


def test_a_drip_of_bytes_ends_at_the_total_time_of_a_call() -> None:
    head = b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 999\r\n\r\n"
    drip = itertools.chain([head], itertools.repeat(b"x"))
    with raw_server(drip, 0.05) as url, pytest.raises(ModelTimeoutError):
        call(url, timeout_s=0.2)


@pytest.mark.parametrize("packed", ["", "content-encoding: gzip\r\n"])
def test_an_answer_that_is_too_large_or_packed_is_refused(packed: str) -> None:
    head = f"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n{packed}connection: close\r\n\r\n"
    body = [b" " * 2**20] * (MOST_BYTES // 2**20 + 4)
    with (
        raw_server(iter([head.encode(), *body])) as url,
        pytest.raises(ModelJunkError, match="the answer is"),
    ):
        call(url, timeout_s=30)


def test_cleaning_an_answer_takes_linear_time() -> None:
    """With texts of this length anything but linear time would not end."""
    for text in ("<think>" * 100_000, "</think>" * 100_000, "{" * 500_000, "```" * 200_000):
        with pytest.raises(ModelJunkError):
            parse_answer(text, Host, model="m")


ECHOES = [
    Reply(body=message(content=json.dumps({"name": KEY}))),
    Reply(body=message(content=None, refusal=f"no, {KEY}")),
    error(400, f"bad key {KEY}"),
    error(401, f"bad key {KEY}"),
    error(500, f"bad key {KEY}"),
    Reply(body=message(content=f"not JSON {KEY}")),
    Reply(body=message(content=json.dumps({KEY: KEY}))),
]


@pytest.mark.parametrize("reply", ECHOES)
def test_the_key_is_never_shown_nor_kept(reply: Reply, tmp_path: Path) -> None:
    said = ""
    with serve([reply]) as server:
        base_url = server.base_url.replace("http://", f"http://user:{KEY}@") + f"?api-key={KEY}x"

        async def run() -> str:
            model = OpenAIModel(
                "m", base_url=base_url, api_key=KEY, patience=Patience(max_retries=0)
            )
            cached = CachedModel(model, open_cache(tmp_path / "cache.sqlite"))
            try:
                return repr(await cached.complete(PROMPT, Host, max_tokens=50))
            except ModelError as failure:
                return f"{failure} {failure.reason} {failure.message} {failure.remedy} {failure!r}"
            finally:
                await cached.aclose()

        said = asyncio.run(run())
        chosen = choose_model(
            {"OPENAI_BASE_URL": base_url, "OPENAI_API_KEY": KEY, "VIROME_MODEL": "m"}
        )
    assert KEY not in said
    assert KEY not in chosen.reason
    assert not any(KEY.encode() in path.read_bytes() for path in tmp_path.iterdir())


def test_a_silent_endpoint_is_waited_for_once_and_that_is_said(
    caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("index.models.metered.SAID_AFTER_S", 0.01)

    async def run(base_url: str) -> list[BaseException | Any]:
        model = OpenAIModel("m", base_url=base_url, patience=Patience(timeout_s=60, max_retries=5))
        metered = MeteredModel(model, silence_s=0.2)
        try:
            asked = [metered.complete(PROMPT, Host, max_tokens=50) for _ in range(5)]
            first = await asyncio.gather(*asked, return_exceptions=True)
            later = metered.complete(PROMPT, Host, max_tokens=50)
            return [*first, *await asyncio.gather(later, return_exceptions=True)]
        finally:
            await metered.aclose()

    with serve([Reply(GOOD, first=silent)]) as server:
        failures = asyncio.run(run(server.base_url))
        assert len(server.requests) <= 5, "the later call is not sent"
    assert {type(failure) for failure in failures} == {ModelTimeoutError}
    assert [one.message for one in caplog.records if "waiting for m" in one.message]
