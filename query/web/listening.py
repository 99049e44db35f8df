"""A server that limits the time for a request to arrive, so that half-open ones do not pile up."""

from __future__ import annotations

import asyncio
from typing import Any, Final

import h11
import uvicorn
from starlette.types import ASGIApp
from uvicorn.protocols.http.h11_impl import H11Protocol

_ARRIVED: Final = (h11.DONE, h11.MUST_CLOSE, h11.CLOSED, h11.ERROR)


class PunctualProtocol(H11Protocol):
    """HTTP/1.1 in which a request, head and body, must arrive within ``request_s``."""

    request_s: float = 20.0
    _deadline: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Start waiting for the first request."""
        super().connection_made(transport)
        self._wait()

    def data_received(self, data: bytes) -> None:
        """Take a part of a request; the first part of one starts its time."""
        if self._deadline is None:
            self._wait()
        super().data_received(data)
        if self.conn.their_state in _ARRIVED:
            self._stop_waiting()

    def connection_lost(self, exc: Exception | None) -> None:
        """Wait no longer."""
        self._stop_waiting()
        super().connection_lost(exc)

    def _wait(self) -> None:
        self._deadline = self.loop.call_later(self.request_s, self.transport.close)

    def _stop_waiting(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None


def make_listener(app: ASGIApp, *, host: str, port: int, **settings: Any) -> uvicorn.Server:
    """Return a server of ``app``, which ``run`` starts."""
    config = uvicorn.Config(
        app,
        host=host,
        port=port,
        http=PunctualProtocol,
        ws="none",
        log_level="warning",
        server_header=False,
        **settings,
    )
    return uvicorn.Server(config)


def shown_host(host: str) -> str:
    """Return ``host`` as an address names it.

    >>> shown_host("::1"), shown_host("localhost")
    ('[::1]', 'localhost')
    """
    return f"[{host}]" if ":" in host else host
