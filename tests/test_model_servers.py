"""What servers of models are reported to answer: odd streams, errors of every shape, chatty JSON.

Each case is what one kind of server sends, said by a real server on this machine.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from index.errors import ModelError, ModelJunkError, ModelTruncatedError, ModelUnavailableError
from index.models.choose import Completion, OpenAIModel, Patience
from tests.scripted_openai import Reply, serve
from tests.serving import pass_time
from tests.test_llm import GOOD, PROMPT, Host, ask, within

ONCE = Patience(max_retries=0, loading_pause_s=0.01)


def event(content: str = "", **more: Any) -> str:
    """Return an event with a piece of an answer."""
    choice = {"index": 0, "delta": {"content": content}, "finish_reason": None}
    chunk = {"id": "1", "object": "chat.completion.chunk", "created": 0, "model": "m"}
    return f"data: {json.dumps({**chunk, 'choices': [choice], **more})}\n\n"


END = 'data: {"choices": [{"finish_reason": "stop"}]}\n\ndata: [DONE]\n\n'
HALVES = event('{"name": ') + "%s" + event('"bat"}') + END

ALIVE = {
    "an event of another type": 'event: ping\ndata: {"type": "ping"}\n\n',
    "an event without data": "event: ping\n\n",
    "empty data": "data:\n\n",
    "a comment": ": keep-alive\n\n",
    "a word": "data: ping\n\n",
    "a list": "data: []\n\n",
    "no choices": 'data: {"choices": null}\n\n',
    "an empty error": 'data: {"error": null, "usage": {}}\n\n',
    "usage alone": 'data: {"choices": [], "usage": {"prompt_tokens": 3}}\n\n',
    "several lines with carriage returns": 'data: {"type":\r\ndata: "ping"}\r\n\r\n',
}


def heard(reply: Reply) -> Any:
    """Return the answer to a request that asks for a stream, and what was heard last."""
    pieces: list[str] = []
    with serve([reply]) as server:
        answer = within(
            server,
            lambda model: model.complete(PROMPT, Host, max_tokens=50, hear=pieces.append),
            patience=ONCE,
        )
    assert server.requests[0]["stream"] is True
    return answer.parsed.name, pieces[-1]


@pytest.mark.parametrize("case", ALIVE)
def test_an_event_that_is_no_piece_of_the_answer_is_passed_over(case: str) -> None:
    alive = ALIVE[case]
    assert heard(Reply(stream=alive + HALVES % alive)) == ("bat", '{"name": "bat"}')


FAILING_STREAMS: dict[str, tuple[str, type[ModelError], str]] = {
    "error as an object": (
        event("{") + 'data: {"error": {"message": "CUDA out of memory"}}\n\n',
        ModelUnavailableError,
        "CUDA out of memory",
    ),
    "error as text": (
        'data: {"error": "request exceeds the available context size"}\n\n',
        ModelTruncatedError,
        "longer than the model's context",
    ),
    "a piece that is cut": (
        event('{"name": ') + 'data: {"choices": [{"delta"\n\n' + END,
        ModelJunkError,
        "not a stream of a completion",
    ),
    "choices that are none": (
        'data: {"choices": [7]}\n\n',
        ModelJunkError,
        "not a stream of a completion",
    ),
    "pings alone": ('data: {"type": "ping"}\n\n', ModelJunkError, "the stream contains no answer"),
}


@pytest.mark.parametrize("case", FAILING_STREAMS)
def test_a_stream_that_fails_says_why(case: str) -> None:
    stream, raised, says = FAILING_STREAMS[case]
    with pytest.raises(raised, match=says):
        heard(Reply(stream=stream))


TOO_LONG = """
500 | {"error": {"code": 500, "message": "Context size has been exceeded."}}
400 | {"error": {"code": 400, "message": "the request exceeds the available context size"}}
400 | {"error": "context overflows; the model is loaded with context length of only 4096 tokens"}
400 | {"object": "error", "message": "The maximum context length is 4096 tokens"}
400 | {"error": {"message": "The decoder prompt is longer than the maximum model length of 4096"}}
422 | {"error": "`inputs` tokens + `max_new_tokens` must be <= 4096"}
400 | [{"error": {"message": "The token count exceeds the maximum number of tokens allowed"}}]
413 | {"error": {"message": "prompt is too long: 210000 tokens > 200000"}}
200 | {"error": {"message": "maximum context length is 2048 tokens"}}
"""
"""As llama.cpp, LM Studio, vLLM, TGI, Gemini and gateways say it."""


@pytest.mark.parametrize("case", TOO_LONG.strip().splitlines())
def test_a_prompt_that_is_too_long_is_called_so(case: str) -> None:
    status, body = case.split(" | ")
    with (
        serve([Reply(status=int(status), body=body)]) as server,
        pytest.raises(
            ModelTruncatedError, match="the prompt is longer than the model's context: "
        ) as caught,
    ):
        ask(server, patience=ONCE)
    assert "VIROME_MODEL" in caught.value.remedy
    assert len(server.requests) == 1


SHOWN = """
400 | {"error": "wrong model format"} | refuses the request: wrong model format
422 | {"detail": [{"loc": ["body", "n"], "msg": "Input should be 1"}]} | body.n: Input should be 1
400 | [{"error": {"message": "API key expired"}}] | API key expired
500 | no more\\n disk | status 500: no more disk
502 | <html><body>Bad gateway</body></html> | status 502
200 | {"error": {"message": "no such adapter"}} | fails: no such adapter
200 | {"error": "busy"} | the server fails: busy
200 | {"choices": [{"error": {"message": "is down"}, "message": {"content": ""}}]} | is down
500 | | the server fails with status 500
404 | {"error": "model not found, try pulling it"} | no such model: model not
404 | <html>Not Found</html> | no model is served at http
403 | {"error": {"message": "Not in your country"}} | Not in your country
402 | {"error": {"message": "No credits"}} | has to be paid for: No credits
400 | DEEP | the server refuses the request
"""
DEEP = '{"error": ' * 50 + '"x"' + "}" * 50


@pytest.mark.parametrize("case", SHOWN.strip().splitlines())
def test_what_a_server_says_is_shown(case: str) -> None:
    status, body, says = (cell.strip() for cell in case.split("|"))
    body = body.replace("DEEP", DEEP).replace("\\n", "\n")
    with (
        serve([Reply(status=int(status), body=body)]) as server,
        pytest.raises(ModelUnavailableError) as caught,
    ):
        ask(server, patience=ONCE)
    assert says in caught.value.message
    assert "html" not in caught.value.message


WHOLE = '{"choices": [{"index": 0, "finish_reason": "stop", "message": %s}]}'
NO_ANSWER = {
    "a page": (Reply(body="<html>Sign in</html>"), "a web page", "mostly ends in /v1"),
    "reasoning alone": (
        Reply(body=WHOLE % '{"content": "", "reasoning_content": "A bat?"}'),
        "its reasoning and no answer",
        "switch its reasoning off",
    ),
    "prose alone": (Reply("I cannot say."), "contains no JSON object: I cannot say.", "run again"),
    "a limit": (
        Reply(
            status=429,
            body='[{"error": {"message": "Daily quota"}}]',
            headers={"retry-after": "9"},
        ),
        "rate limit reached: Daily quota",
        "run again in 9 s",
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", NO_ANSWER)
def test_an_answer_that_is_none_says_why_and_what_to_do(case: str) -> None:
    reply, says, remedy = NO_ANSWER[case]
    with serve([reply]) as server, pytest.raises(ModelError) as caught:
        ask(server, patience=ONCE)
    assert says in caught.value.message
    assert remedy in caught.value.remedy


def test_an_answer_in_parts_is_joined() -> None:
    parts = json.dumps({"content": [{"type": "text", "text": '{"name": '}, {"text": '"bat"}'}]})
    with serve([Reply(body=WHOLE % parts)]) as server:
        assert ask(server, patience=ONCE).parsed.name == "bat"


UNCONNECTED = {
    "it hangs up": ("http://%s/v1", b"", "the connection broke before the answer was whole"),
    "it is cut": (
        "http://%s/v1",
        b'HTTP/1.1 200 OK\r\ncontent-length: 500\r\n\r\n{"cho',
        "the connection broke before the answer was whole",
    ),
    "another service": ("http://%s/v1", b"SSH-2.0-OpenSSH\r\n\r\n", "no model server"),
    "no certificate": ("https://%s/v1", b"HTTP/1.0 400 x\r\n\r\n", "no secure connection"),
    "no such machine": ("http://no-such-machine.invalid/%s", b"", "no machine is called so"),
}


@pytest.mark.parametrize("case", UNCONNECTED)
def test_a_connection_that_fails_says_how(case: str) -> None:
    address, sent, says = UNCONNECTED[case]
    with bytes_for_every_caller(sent) as place:
        model = OpenAIModel("m", base_url=address % place, patience=ONCE)
        with pytest.raises(ModelUnavailableError, match=says):
            asyncio.run(model.complete(PROMPT, Host, max_tokens=50))


@contextmanager
def bytes_for_every_caller(sent: bytes) -> Iterator[str]:
    """Run a server that sends ``sent`` to whoever connects, and hangs up."""
    with socket.create_server(("127.0.0.1", 0)) as listening:

        def answer() -> None:
            with contextlib.suppress(OSError):
                while True:
                    caller, _ = listening.accept()
                    caller.recv(65_536)
                    caller.sendall(sent)
                    caller.shutdown(socket.SHUT_RDWR)
                    caller.close()

        threading.Thread(target=answer, daemon=True).start()
        yield f"127.0.0.1:{listening.getsockname()[1]}"


LOADING = Reply(status=503, body='{"error": {"code": 503, "message": "Loading model"}}')


def test_a_server_that_is_loading_its_model_is_waited_for() -> None:
    with serve([LOADING, LOADING, LOADING, GOOD]) as server:
        assert ask(server, patience=ONCE).parsed.name == "bat"
    assert len(server.requests) == 4


def test_a_server_that_never_loads_is_given_up_and_that_is_said(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async def sleep(seconds: float) -> None:
        pass_time(seconds)

    async def begun(model: OpenAIModel) -> Completion[Host]:
        pass_time(0.0)
        return await model.complete(PROMPT, Host, max_tokens=50)

    monkeypatch.setattr(asyncio, "sleep", sleep)
    with (
        serve([LOADING]) as server,
        pytest.raises(ModelUnavailableError, match="its server is still loading it: Loading model"),
    ):
        within(server, begun, patience=Patience(max_retries=0, loading_pause_s=80.0))
    assert len(server.requests) == 2


SCHEMA_REFUSED = """
422 | {"detail": [{"loc": ["body", "response_format"], "msg": "extra"}]}
400 | [{"error": {"message": "Unknown name \\"additionalProperties\\""}}]
500 | {"error": {"message": "failed to parse grammar"}}
200 | {"error": "response_format is not supported"}
400 | {"error": "json_schema: unsupported"}
"""


@pytest.mark.parametrize("case", SCHEMA_REFUSED.strip().splitlines())
def test_a_server_that_takes_no_schema_is_asked_without(case: str) -> None:
    status, body = case.split(" | ")

    def answer(request: dict[str, Any]) -> Reply:
        return Reply(status=int(status), body=body) if "response_format" in request else GOOD

    with serve(answer) as server:
        assert ask(server, patience=ONCE).parsed.name == "bat"
    assert "schema" in server.requests[-1]["messages"][0]["content"]


OBJECT = '{"name": "bat"}'
CHATTY = {
    "prose with braces": f"Here is {{it}}: ```json\n{OBJECT}\n``` Let me know {{more}}!",
    "twice": OBJECT + OBJECT,
    "another first": '{"thought": {"name": "dog"}} ' + OBJECT,
    "thinking after it": f"{OBJECT}<think>or {{a dog}}?</think>",
    "thinking that does not end": f"{OBJECT}\n<think>or " + '{"name": "dog"}',
    "thinking that does not begin": '{"name": "dog"}? No.</think>' + OBJECT,
    "an end of thinking after it": f"<think>a dog?</think>{OBJECT}</think>",
    "after channels": f'<|message|>{{"name": "dog"}}<|end|><|channel|>final<|message|>{OBJECT}',
    "line breaks in it": OBJECT.replace(" ", "\n\n"),
}


@pytest.mark.parametrize("case", CHATTY)
def test_the_object_asked_for_is_found(case: str) -> None:
    with serve([Reply(CHATTY[case])]) as server:
        assert ask(server, patience=ONCE).parsed.name == "bat"
