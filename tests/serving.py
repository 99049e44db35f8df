"""Servers of the tests: one in a thread of its own, the way to it, ports, and time to wait in."""

from __future__ import annotations

import asyncio
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from socketserver import BaseServer
from typing import Any, TypeVar

import httpx2
from starlette.types import ASGIApp

from query.entrez_search.client import Clock

ServerT = TypeVar("ServerT", bound=BaseServer)


@contextmanager
def serving(server: ServerT) -> Iterator[ServerT]:
    """Let ``server`` answer until the block ends, however it ends.

    A thread that goes on after its socket is closed would spin and slow every later test.
    """
    with server:
        thread = threading.Thread(
            target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True
        )
        thread.start()
        try:
            yield server
        finally:
            server.shutdown()
            thread.join()


@contextmanager
def listening(app: ASGIApp, host: str) -> Iterator[int]:
    """Let ``app`` answer on a free port of ``host`` until the block ends; yield the port."""
    from query.web.listening import make_listener

    server = make_listener(app, host=host, port=0)
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    while not server.started:
        assert thread.is_alive(), "the server did not start"
        time.sleep(0.01)
    try:
        yield server.servers[0].sockets[0].getsockname()[1]
    finally:
        server.should_exit = True
        thread.join()


def free_port() -> int:
    """Return a port of this machine that nothing listens on."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])


def wait_for(port: int, seconds: float = 600) -> None:
    """Return when something listens on ``port`` of this machine; raise ``TimeoutError`` if none
    does in time.
    """
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.1)
    raise TimeoutError(f"nothing listens on {port}")


class ToThisMachine(httpx2.HTTPTransport):
    """Sends every request to one port of this machine, whatever its host."""

    def __init__(self, port: int) -> None:
        super().__init__()
        self._port = port

    def handle_request(self, request: httpx2.Request) -> httpx2.Response:
        request.url = request.url.copy_with(scheme="http", host="127.0.0.1", port=self._port)
        return super().handle_request(request)


def pass_time(seconds: float) -> None:
    """Let the clock of the running event loop be ahead by so many seconds."""
    loop: Any = asyncio.get_running_loop()
    if not hasattr(loop, "ahead_s"):
        before, loop.ahead_s = loop.time, 0.0
        loop.time = lambda: before() + loop.ahead_s
    loop.ahead_s += seconds


@dataclass
class Tape:
    """Time that passes only where somebody waits."""

    seconds: float = 0.0
    waits: list[float] = field(default_factory=list)

    def now(self) -> float:
        return self.seconds

    def sleep(self, seconds: float) -> None:
        self.waits.append(round(seconds, 3))
        self.seconds += seconds

    @property
    def clock(self) -> Clock:
        return Clock(self.now, self.sleep)
