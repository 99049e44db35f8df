"""A build that is cancelled, or whose stage takes too long, ends like one that fails: what was
published stays, and nothing half-written is left.

Signals reach Python between two of its own steps: a stage inside one long computation of a library
ends when that does.
"""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Final

from flows.errors import StageTimeoutError

TERMINATED: Final = 128 + signal.SIGTERM
"""Exit code of a process that SIGTERM ends, as shells report it."""
_SOON_S: Final = 0.001
"""Of an alarm that is due; 0 would cancel it."""


@contextmanager
def terminable() -> Iterator[None]:
    """Let SIGTERM, which services and clusters cancel with, unwind the block as Ctrl-C does."""

    with _handled(signal.SIGTERM, lambda: SystemExit(TERMINATED)):
        yield


@contextmanager
def limited(stage: str, seconds: float) -> Iterator[None]:
    """Raise ``StageTimeoutError`` in the block when ``seconds`` have passed; 0 is no limit.

    An alarm that is set already, as that of Prefect for the whole run, goes off when it would have:
    where that is sooner, the block has no alarm of its own. Outside the main thread, where no
    signal arrives, nothing is limited.
    """
    is_limited = bool(seconds) and _gets_signals()
    left, _ = signal.getitimer(signal.ITIMER_REAL)
    if not is_limited or 0 < left <= seconds:
        yield
        return
    began = time.monotonic()
    try:
        with _handled(signal.SIGALRM, lambda: StageTimeoutError(stage, seconds=seconds)):
            signal.setitimer(signal.ITIMER_REAL, seconds)
            try:
                yield
            finally:
                signal.setitimer(signal.ITIMER_REAL, 0)
    finally:
        if left:
            remaining = left - (time.monotonic() - began)
            signal.setitimer(signal.ITIMER_REAL, max(remaining, _SOON_S))


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
