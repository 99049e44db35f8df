"""A real HTTP server on this machine that does what a script says: fails, hangs up, resumes."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import MappingProxyType
from typing import ClassVar

from tests.serving import serving

BODY = bytes(range(256)) * 40


@dataclass
class Script:
    """What the server does: ``cuts`` are lengths after which it hangs up, ``failures`` are
    statuses, in order.
    """

    body: bytes = BODY
    etag: str = '"one"'
    cuts: list[int] = field(default_factory=list)
    failures: list[int] = field(default_factory=list)
    seen: list[tuple[str, str | None]] = field(default_factory=list)
    retry_after: str = ""
    length: str = ""
    """What it says of the length of an answer; else the truth."""
    stall_s: float = 0.0


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    script: ClassVar[Script]

    def do_GET(self) -> None:
        script = self.script
        wanted, condition = self.headers["Range"], self.headers["If-None-Match"]
        script.seen.append((self.path, wanted or condition))
        time.sleep(script.stall_s)
        if script.failures:
            self.answer(script.failures.pop(0), b"")
        elif condition == script.etag:
            self.answer(304, b"")
        elif wanted and script.etag in (self.headers["If-Range"], self.headers["If-Match"]):
            start = int(wanted.removeprefix("bytes=").partition("-")[0])
            whole = len(script.body)
            inside = {"Content-Range": f"bytes {start}-{whole - 1}/{whole}"}
            if start < whole:
                self.answer(206, script.body[start:], inside)
            else:
                self.answer(416, b"")
        else:
            self.answer(200, script.body)

    def answer(
        self, status: int, content: bytes, headers: Mapping[str, str] = MappingProxyType({})
    ) -> None:
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        if status != 304:
            self.send_header("Content-Length", self.script.length or str(len(content)))
        if self.script.etag:
            self.send_header("ETag", self.script.etag)
        if self.script.retry_after and status in (429, 503):
            self.send_header("Retry-After", self.script.retry_after)
        self.end_headers()
        cut = self.script.cuts.pop(0) if content and self.script.cuts else None
        self.wfile.write(content[:cut])
        self.close_connection = True

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""


@contextmanager
def running_server(script: Script) -> Iterator[str]:
    """Yield the address of a server that follows ``script``."""
    handler = type("Scripted", (Handler,), {"script": script})
    with serving(ThreadingHTTPServer(("127.0.0.1", 0), handler)) as running:
        yield f"http://127.0.0.1:{running.server_port}"
