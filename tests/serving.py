"""A server of the tests, in a thread of its own."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from socketserver import BaseServer
from typing import TypeVar

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
