"""The client of OpenAI-compatible endpoints against a local server, and the choice of a model."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from functools import partial
from types import SimpleNamespace
from typing import Any, TypeVar

import pytest
from pydantic import BaseModel, ConfigDict

from index.errors import (
    ModelError,
    ModelJunkError,
    ModelRateLimitError,
    ModelRefusalError,
    ModelTruncatedError,
    ModelUnavailableError,
)
from index.models.choose import (
    Completion,
    EmbeddedModel,
    OpenAIModel,
    Patience,
    Prompt,
    choose_model,
)
from index.models.profiles import profile_of
from index.models.rate_limit import RateLimiter
from tests.scripted_openai import Reply, ScriptedServer, error, serve

ResultT = TypeVar("ResultT")


class Host(BaseModel):
    model_config = ConfigDict(extra="forbid")

    name: str


PROMPT = Prompt(system="Answer in JSON.", user="Which host?")
GOOD = Reply('{"name": "bat"}', prompt_tokens=21, completion_tokens=7)


def ask(server: ScriptedServer, **options: Any) -> Completion[Host]:
    return within(server, lambda model: model.complete(PROMPT, Host, max_tokens=50), **options)


def within(server: ScriptedServer, call: Any, **options: Any) -> Any:
    async def run() -> Any:
        model = OpenAIModel("scripted", base_url=server.base_url, **options)
        try:
            return await call(model)
        finally:
            await model.aclose()

    return asyncio.run(run())


def run(coroutine: Coroutine[Any, Any, ResultT]) -> ResultT:
    return asyncio.run(coroutine)


def test_answer_comes_parsed_with_its_cost() -> None:
    with serve([GOOD]) as server:
        answer = ask(server)
    assert answer == Completion(
        Host(name="bat"), '{"name": "bat"}', prompt_tokens=21, completion_tokens=7
    )


def test_request_is_deterministic_and_bound_to_the_schema() -> None:
    with serve([GOOD]) as server:
        ask(server)
    (request,) = server.requests
    assert request["temperature"] == 0
    assert request["seed"] == 42
    assert request["max_tokens"] == 50
    assert request["messages"] == [
        {"role": "system", "content": "Answer in JSON."},
        {"role": "user", "content": "Which host?"},
    ]
    shape = request["response_format"]["json_schema"]
    assert shape["strict"] is True
    assert shape["schema"] == {
        "type": "object",
        "properties": {"name": {"type": "string"}},
        "required": ["name"],
        "additionalProperties": False,
    }


@pytest.mark.parametrize(
    ("reply", "raised", "says"),
    [
        (Reply("a bat, I think"), ModelJunkError, "the answer contains no JSON object: a bat"),
        (Reply('{"host": "bat"}'), ModelJunkError, "name Field required"),
        (Reply('{"name": "bat", "age": 3}'), ModelJunkError, "age Extra inputs are not permitted"),
        (Reply(""), ModelJunkError, "the answer is empty"),
        (Reply(body="<html>proxy</html>"), ModelJunkError, "a web page"),
        (Reply(body='{"choices": []}'), ModelJunkError, "the answer contains no choice"),
        (Reply('{"name": "b', finish_reason="length"), ModelTruncatedError, "ran into max_tokens"),
        (Reply(None, refusal="No pathogens, please"), ModelRefusalError, "No pathogens, please"),
        (Reply('{"name": "b', finish_reason="content_filter"), ModelRefusalError, "content filter"),
        (error(400, "blocked", code="content_filter"), ModelRefusalError, "filter refused the pro"),
        (error(400, "is 4096", code="context_length_exceeded"), ModelTruncatedError, "context"),
        (error(401, "bad key"), ModelUnavailableError, "the key is refused"),
        (error(404, "no model"), ModelUnavailableError, "the server has no such model: no model"),
        (error(503, "overloaded"), ModelUnavailableError, "status 503"),
        (error(429, "no", code="insufficient_quota"), ModelUnavailableError, "quota is spent"),
        (error(429, "slow down", retry_after="7"), ModelRateLimitError, "rate limit reached"),
    ],
)
def test_each_failure_has_its_own_error(reply: Reply, raised: type[ModelError], says: str) -> None:
    with serve([reply]) as server, pytest.raises(raised) as caught:
        ask(server, patience=Patience(max_retries=0))
    assert says in str(caught.value)
    assert caught.value.model == "scripted"


def test_call_is_repeated_after_the_time_the_server_asks_for_and_not_without_end() -> None:
    with serve(
        [error(429, "slow down", retry_after="0.05"), error(500, "oops", retry_after="0.05"), GOOD]
    ) as server:
        assert ask(server, patience=Patience(max_retries=2)).parsed.name == "bat"
    assert len(server.requests) == 3
    replies = [error(429, "slow down", retry_after="0.01")]
    with serve(replies) as server, pytest.raises(ModelRateLimitError):
        ask(server, patience=Patience(max_retries=2))
    assert len(server.requests) == 3


@pytest.mark.parametrize("status", [302, 307])
def test_prompt_does_not_follow_a_redirect(status: int) -> None:
    with serve([GOOD]) as elsewhere:
        target = f"{elsewhere.base_url}/chat/completions"
        away = Reply(status=status, body="{}", headers={"location": target})
        with (
            serve([away]) as server,
            pytest.raises(ModelUnavailableError, match=r"redirects to 127\.0\.0\.1:.*no redirect"),
        ):
            ask(server)
        assert len(server.requests) == 1
        assert elsewhere.requests == []


def test_nothing_listening_is_unavailable_and_says_what_to_do() -> None:
    model = OpenAIModel(
        "absent", base_url="http://127.0.0.1:9/v1", patience=Patience(max_retries=0)
    )
    with pytest.raises(
        ModelUnavailableError, match=r"nothing listens there: .*\n  -> start the server"
    ) as caught:
        run(model.complete(PROMPT, Host, max_tokens=5))
    assert caught.value.exit_code == 7


def test_what_a_server_refuses_is_left_out_from_then_on() -> None:
    def picky(request: dict[str, Any]) -> Reply:
        for parameter in ("max_tokens", "temperature", "seed"):
            if parameter in request:
                return error(
                    400,
                    f"Unsupported parameter: '{parameter}'",
                    param=parameter,
                    code="unsupported_parameter",
                )
        if request.get("response_format", {}).get("type") == "json_schema":
            return error(400, "response_format json_schema is unavailable now")
        return GOOD

    async def twice(model: OpenAIModel) -> str:
        await model.complete(PROMPT, Host, max_tokens=50)
        return (await model.complete(PROMPT, Host, max_tokens=50)).parsed.name

    with serve(picky) as server:
        assert within(server, twice) == "bat"
    *refused, first, second = server.requests
    assert len(refused) == 4
    assert first == second
    assert first["max_completion_tokens"] == 50
    assert first["response_format"] == {"type": "json_object"}
    assert "schema" in first["messages"][0]["content"]


def test_token_count_without_a_tokenizer_is_an_estimate() -> None:
    with serve([GOOD]) as server:
        count = within(server, lambda model: model.count_tokens(PROMPT))
    assert (count.tokens, count.exact) == (15, False)


# --- rate limits ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("limit", "remaining", "reset", "cost", "wait"),
    [
        ("1000", "400", "6s", 400, 0.0),
        ("1000", "400", "6s", 500, 1.0),
        ("1000", "0", "1m0s", 500, 30.0),
        ("1000", "0", "500ms", 5000, 0.5),
        ("1000", "0", "soon", 500, 0.0),
    ],
)
def test_wait_follows_the_headers(
    limit: str, remaining: str, reset: str, cost: int, wait: float
) -> None:
    limiter = RateLimiter(clock=lambda: 100.0)
    names = {"limit": limit, "remaining": remaining, "reset": reset}
    limiter.update({f"x-ratelimit-{name}-tokens": value for name, value in names.items()})
    assert limiter.wait_s(tokens=cost) == pytest.approx(wait)


def test_calls_under_way_share_the_allowance() -> None:
    limiter = RateLimiter(clock=lambda: 0.0)
    limiter.update({"x-ratelimit-limit-tokens": "100", "x-ratelimit-remaining-tokens": "100"})
    limiter.update(
        {
            "x-ratelimit-limit-requests": "2",
            "x-ratelimit-remaining-requests": "1",
            "x-ratelimit-reset-requests": "1s",
        }
    )
    assert run(limiter.acquire(tokens=10)) == 0.0
    assert limiter.wait_s(tokens=10) == pytest.approx(1.0)


def test_client_waits_for_the_allowance_it_was_given(monkeypatch: pytest.MonkeyPatch) -> None:
    spent = {
        "x-ratelimit-limit-requests": "10",
        "x-ratelimit-remaining-requests": "0",
        "x-ratelimit-reset-requests": "3s",
    }

    async def twice(model: OpenAIModel) -> None:
        for _ in range(2):
            await model.complete(PROMPT, Host, max_tokens=5)

    slept: list[float] = []

    async def sleep(seconds: float) -> None:
        slept.append(seconds)

    still = partial(RateLimiter, clock=lambda: 0.0)
    monkeypatch.setattr("index.models.openai.RateLimiter", still)
    monkeypatch.setattr("index.models.rate_limit.asyncio", SimpleNamespace(sleep=sleep))
    with serve([Reply(GOOD.content, headers=spent)]) as server:
        within(server, twice)
    assert slept == [pytest.approx(0.3)]


# --- choice ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("environment", "name", "reason"),
    [
        ({"VIROME_MODEL": "none", "OPENAI_API_KEY": "k"}, None, "VIROME_MODEL=none"),
        ({"OPENAI_API_KEY": "k"}, "gpt-4.1-mini", "gpt-4.1-mini at api.openai.com"),
        ({"OPENAI_API_KEY": "k", "VIROME_MODEL": "big"}, "big", "big at api.openai.com"),
        ({"OPENAI_BASE_URL": "http://127.0.0.1:9/v1", "VIROME_MODEL": "llama3.2:3b"},
         "llama3.2:3b", "llama3.2:3b at http://127.0.0.1:9/v1"),
        ({"OPENAI_BASE_URL": "http://127.0.0.1:9/v1"}, None, "does not say which model it serves"),
        ({"VIROME_GGUF": "/models/a-7b.gguf", "OPENAI_API_KEY": "k"},
         "a-7b", "a-7b in this process: VIROME_GGUF"),
    ],
)  # fmt: skip
def test_choice_follows_the_environment(
    environment: dict[str, str], name: str | None, reason: str
) -> None:
    choice = choose_model(environment)
    assert (choice.model.name if choice.model else None) == name
    assert reason in choice.reason


def test_model_that_nothing_leads_to_is_an_error_and_never_another_model() -> None:
    with pytest.raises(ModelUnavailableError, match="set OPENAI_API_KEY") as raised:
        choose_model({"VIROME_MODEL": "qwen2.5:1.5b", "OPENAI_BASE_URL": ""})
    assert "VIROME_MODEL names it, and nothing says where it is" in str(raised.value)
    assert "VIROME_MODEL=embedded" in str(raised.value)


def test_endpoint_without_a_model_name_is_asked_for_one() -> None:
    with serve([GOOD]) as server:
        choice = choose_model({"OPENAI_BASE_URL": server.base_url})
    assert choice.model is not None
    assert choice.model.name == "served-1b"
    assert choice.profile == profile_of("served-1b")
    assert choice.local


@pytest.mark.parametrize(
    ("name", "tier"),
    [
        ("SmolLM2-135M-Instruct.Q4_1", "tiny"),
        ("qwen2.5-coder-0.5b-instruct-q4_k_m", "small"),
        ("qwen2.5:1.5b", "small"),
        ("meta-llama/Llama-3.1-8B-Instruct", "medium"),
        ("Llama-3.3-70B", "large"),
        ("gpt-4.1-mini", "large"),
    ],
)
def test_profile_is_read_from_the_name(name: str, tier: str) -> None:
    assert profile_of(name).tier == tier


@pytest.mark.parametrize(
    ("content", "says"), [(None, "cannot read"), (b"not a model", "is not a GGUF file")]
)
def test_gguf_that_cannot_be_used_is_unavailable(
    tmp_path: Any, content: bytes | None, says: str
) -> None:
    path = tmp_path / "a-1b.gguf"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(ModelUnavailableError, match=says):
        run(EmbeddedModel(path).complete(PROMPT, Host, max_tokens=5))
