"""A real local server that speaks the OpenAI chat protocol and answers what a test scripts, one
reply after another.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from tests.serving import serving


@dataclass(frozen=True)
class Reply:
    """One answer of the server: a chat completion around ``content``, or ``body`` as it stands."""

    content: str | None = None
    status: int = 200
    finish_reason: str = "stop"
    refusal: str | None = None
    headers: Mapping[str, str] = field(default_factory=dict)
    body: str | None = None
    first: Callable[[ScriptedServer], object] = lambda _server: None
    """Called before it is sent."""
    prompt_tokens: int = 10
    completion_tokens: int = 5
    pieces: Iterable[str] | None = None
    """Sent one after the other where the request asks for a stream; after the last the connection
    breaks where ``breaks``.
    """
    breaks: bool = False
    stream: str | None = None
    """Sent as it stands where the request asks for a stream, in place of ``pieces``."""

    def events(self) -> Iterator[bytes]:
        """Yield the pieces as server-sent events, with what they cost at the end."""
        if self.stream is not None:
            yield self.stream.encode()
            return
        for piece in self.pieces or ():
            choice = {"index": 0, "delta": {"role": "assistant", "content": piece}}
            yield self._event([choice | {"finish_reason": None}])
        if self.breaks:
            return
        yield self._event([{"index": 0, "delta": {}, "finish_reason": self.finish_reason}])
        yield self._event([], usage=self._usage())
        yield b"data: [DONE]\n\n"

    def _event(self, choices: list[dict[str, Any]], **more: object) -> bytes:
        chunk = {"id": "1", "object": "chat.completion.chunk", "created": 0, "model": "scripted"}
        return f"data: {json.dumps(chunk | {'choices': choices} | more)}\n\n".encode()

    def _usage(self) -> dict[str, int]:
        return {
            "prompt_tokens": self.prompt_tokens,
            "completion_tokens": self.completion_tokens,
            "total_tokens": self.prompt_tokens + self.completion_tokens,
        }

    def encoded(self) -> bytes:
        if self.body is not None:
            return self.body.encode()
        message = {"role": "assistant", "content": self.content, "refusal": self.refusal}
        choice: dict[str, Any] = {
            "index": 0,
            "message": message,
            "finish_reason": self.finish_reason,
            "logprobs": None,
        }
        answer = {
            "id": "1",
            "object": "chat.completion",
            "created": 0,
            "model": "scripted",
            "choices": [choice],
        }
        return json.dumps(answer | {"usage": self._usage()}).encode()


def error(
    status: int, message: str, *, code: str | None = None, param: str | None = None, **headers: str
) -> Reply:
    """Return an error in the provider's form; ``retry_after="0"`` becomes the header ``retry-after:
    0``.
    """
    body = {
        "error": {"message": message, "type": "invalid_request_error", "param": param, "code": code}
    }
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return Reply(status=status, body=json.dumps(body), headers=named)


Script = Sequence[Reply] | Callable[[dict[str, Any]], Reply]


class ScriptedServer(ThreadingHTTPServer):
    """Answers ``POST /v1/chat/completions`` from ``script`` and remembers what it was asked."""

    daemon_threads = True

    def __init__(self, script: Script) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.script = script
        self.requests: list[dict[str, Any]] = []
        self.most_at_once = 0
        self.over = threading.Event()
        self._at_once = 0
        self._lock = threading.Lock()

    @property
    def base_url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}/v1"

    def choice(self, name: str = "scripted-8b", *, local: bool = True, **options: Any) -> Any:
        """Return a model of that name behind this server; ``options`` are of its client."""
        from index.models.choose import ModelChoice, OpenAIModel, profile_of

        model = OpenAIModel(name, base_url=self.base_url, **options)
        return ModelChoice(model, profile_of(name), "scripted", local=local)

    def reply(self, request: dict[str, Any]) -> Reply:
        with self._lock:
            self.requests.append(request)
            if callable(self.script):
                return self.script(request)
            return self.script[min(len(self.requests), len(self.script)) - 1]

    @contextmanager
    def counted(self) -> Iterator[None]:
        with self._lock:
            self._at_once += 1
            self.most_at_once = max(self.most_at_once, self._at_once)
        yield
        with self._lock:
            self._at_once -= 1


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: ScriptedServer

    def do_GET(self) -> None:
        if not self.path.endswith("/models"):
            self._send(404, b'{"error": {"message": "no such path"}}', {})
            return
        models = {
            "object": "list",
            "data": [{"id": "served-1b", "object": "model", "created": 0, "owned_by": "us"}],
        }
        self._send(200, json.dumps(models).encode(), {})

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["content-length"]))
        if not self.path.endswith("/chat/completions"):
            self._send(404, b'{"error": {"message": "no such path"}}', {})
            return
        request = json.loads(body)
        with self.server.counted():
            reply = self.server.reply(request)
            reply.first(self.server)
            if request.get("stream") and (reply.pieces or reply.stream) is not None:
                self._stream(reply)
                return
            self._send(reply.status, reply.encoded(), reply.headers)

    def _send(self, status: int, body: bytes, headers: Mapping[str, str]) -> None:
        try:
            self.send_response(status)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(body)))
            for name, value in headers.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(body)
        except BrokenPipeError:
            self.close_connection = True  # the client gave up waiting, as a test wanted

    def _stream(self, reply: Reply) -> None:
        self.send_response(200)
        self.send_header("content-type", "text/event-stream; charset=utf-8")
        self.send_header("transfer-encoding", "chunked")
        self.end_headers()
        try:
            for event in reply.events():
                self.wfile.write(b"%x\r\n%s\r\n" % (len(event), event))
            if not reply.breaks:
                self.wfile.write(b"0\r\n\r\n")
        except (BrokenPipeError, ConnectionResetError):
            pass  # the client stopped listening, as a test wanted
        self.close_connection = reply.breaks

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""


@contextmanager
def serve(script: Script) -> Iterator[ScriptedServer]:
    """Run a server for the length of a ``with`` block."""
    with serving(ScriptedServer(script)) as server:
        try:
            yield server
        finally:
            server.over.set()


def silent(server: ScriptedServer) -> None:
    """Let a reply come when nobody waits for it any more."""
    server.over.wait()
