"""A build that is cancelled, or whose stage takes too long, ends like one that fails: what was
published stays, and nothing half-written is left.

Signals reach Python between two of its own steps: a stage inside one long computation of a library
ends when that does.
"""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Final

from flows.errors import StageTimeoutError

TERMINATED: Final = 128 + signal.SIGTERM
"""Exit code of a process that SIGTERM ends, as shells report it."""


@contextmanager
def terminable() -> Iterator[None]:
    """Let SIGTERM, which services and clusters cancel with, unwind the block as Ctrl-C does."""

    with _handled(signal.SIGTERM, lambda: SystemExit(TERMINATED)):
        yield


@contextmanager
def limited(stage: str, seconds: float) -> Iterator[None]:
    """Raise ``StageTimeoutError`` in the block when ``seconds`` have passed; 0 is no limit.

    Outside the main thread, where no signal arrives, nothing is limited.
    """
    if not seconds or not _gets_signals():
        yield
        return
    with _handled(signal.SIGALRM, lambda: StageTimeoutError(stage, seconds=seconds)):
        signal.setitimer(signal.ITIMER_REAL, seconds)
        try:
            yield
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)


@contextmanager
def _handled(number: signal.Signals, error: Callable[[], BaseException]) -> Iterator[None]:
    """Raise what ``error`` returns in the block when the signal comes."""
    if not _gets_signals():
        yield
        return

    def leave(_number: int, _frame: FrameType | None) -> None:
        raise error()

    before = signal.signal(number, leave)
    try:
        yield
    finally:
        signal.signal(number, before)


def _gets_signals() -> bool:
    return threading.current_thread() is threading.main_thread()
