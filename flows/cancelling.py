"""Cancelled and timed-out builds: the published index stays, and no half-written file is left.

Signals reach Python between two of its own steps, so a stage inside a long computation of a library
ends only when that computation does. Ctrl-C may come at any time, even while a library starts a
thread or a callback swallows the exception. Whichever exception follows it ends the build with one
line and code 130, and the next stage does not begin.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Final, NoReturn

from flows.errors import StageTimeoutError

TERMINATED: Final = 128 + signal.SIGTERM
"""Exit code of a process that SIGTERM ends, as shells report it."""
INTERRUPTED: Final = 128 + signal.SIGINT
"""Exit code of a process that Ctrl-C ends."""
_SAID: Final = "cancelled: what was published before stays as it was"
_interrupted = threading.Event()
_SOON_S: Final = 0.001
"""Delay of an alarm that is due; 0 would cancel it."""


def leave_at_once() -> None:
    """Let Ctrl-C end this process at once, for as long as it only loads code."""
    if _gets_signals() and signal.getsignal(signal.SIGINT) is not signal.SIG_IGN:
        signal.signal(signal.SIGINT, _leave)


@contextmanager
def interruptible() -> Iterator[None]:
    """Let Ctrl-C unwind the block, then end the program with one line and exit code 130.

    Whichever exception ends the block after Ctrl-C counts as this end, and messages of other
    threads and finalisers about it are not printed. A block that succeeds is not affected. A
    process that ignores Ctrl-C, such as one started by a shell in the background, goes on ignoring
    it.
    """
    before = signal.getsignal(signal.SIGINT)
    if not _gets_signals() or before is signal.SIG_IGN:
        yield
        return
    signal.signal(signal.SIGINT, _interrupt)
    hooks = sys.unraisablehook, threading.excepthook
    try:
        yield
    except BaseException:
        if not _interrupted.is_set():
            raise
        if before is _leave:
            _leave(signal.SIGINT, None)
        print(_SAID, file=sys.stderr, flush=True)
        raise SystemExit(INTERRUPTED) from None
    finally:
        sys.unraisablehook, threading.excepthook = hooks
        signal.signal(signal.SIGINT, before)
        _interrupted.clear()


def stop_if_interrupted() -> None:
    """Raise ``SystemExit`` if Ctrl-C came but its exception was swallowed."""
    if _interrupted.is_set():
        raise SystemExit(INTERRUPTED)


def _interrupt(_number: int, _frame: FrameType | None) -> None:
    """Unwind once: a second signal does not interrupt the clean-up."""
    if _interrupted.is_set():
        return
    _interrupted.set()
    sys.unraisablehook = threading.excepthook = _say_nothing
    raise KeyboardInterrupt


def _say_nothing(_unraised: object) -> None:
    """Print nothing about exceptions in finalisers or threads."""


def _leave(_number: int, _frame: FrameType | None) -> NoReturn:
    """Print why, and end the process without waiting for its threads."""
    sys.stdout.flush()
    sys.stderr.write(f"{_SAID}\n")
    sys.stderr.flush()
    os._exit(INTERRUPTED)


@contextmanager
def terminable() -> Iterator[None]:
    """Let SIGTERM, by which services and clusters cancel, unwind the block as Ctrl-C does."""

    with _handled(signal.SIGTERM, lambda: SystemExit(TERMINATED)):
        yield


@contextmanager
def limited(stage: str, seconds: float) -> Iterator[None]:
    """Raise ``StageTimeoutError`` if the block takes more than ``seconds``; 0 means no limit.

    An alarm that is already set, such as Prefect's for the whole run, goes off at its time: if that
    is sooner, the block has no alarm of its own. Outside the main thread, where no signal arrives,
    nothing is limited.
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
    """Raise ``error()`` in the block when the signal comes."""
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
