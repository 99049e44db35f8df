"""Report progress and measure what each stage costs."""

from __future__ import annotations

import os
import resource
import sys
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final, ParamSpec, Protocol, TypeVar

from flows.cancelling import limited, stop_if_interrupted

if TYPE_CHECKING:
    from flows.scaling.parts import Cluster
    from ontology_etl.releases.transfer import DownloadProgress

P = ParamSpec("P")
T = TypeVar("T")

_CLEAR_REFS: Final = Path("/proc/self/clear_refs")
"""Writing 5 resets the peak of the resident size, proc(5)."""

SMALL_BYTES: Final = 1 << 24
SECONDS_BETWEEN_SMALL: Final = 2.0


class EventLog(Protocol):
    """Takes an event, its stage, and the figures of the event."""

    def __call__(self, event: str, stage: str, fields: Mapping[str, object]) -> None:
        """Take one event; ``flows.observing.event_log`` lists them."""
        ...


class Runner(Protocol):
    """Runs one named piece of work: in place, or as a Prefect task."""

    def __call__(self, name: str, work: Callable[[], T]) -> T:
        """Return what ``work`` returns."""
        ...


def to_stderr(text: str) -> None:
    """Print one line of progress to stderr, apart from results."""
    print(text, file=sys.stderr, flush=True)


def silent(text: str) -> None:
    """Say nothing."""


def no_log(event: str, stage: str, fields: Mapping[str, object]) -> None:
    """Log nothing."""


def both(first: EventLog, second: EventLog) -> EventLog:
    """Return a log that passes every event to two logs."""

    def log(event: str, stage: str, fields: Mapping[str, object]) -> None:
        first(event, stage, fields)
        second(event, stage, fields)

    return log


def in_place(name: str, work: Callable[[], T]) -> T:  # noqa: ARG001 - the Runner that adds nothing
    """Return what ``work`` returns."""
    return work()


@dataclass
class Progress:
    """Announces stages and steps, runs stages through ``runner``, and measures their time."""

    say_line: Callable[[str], None] = to_stderr
    runner: Runner = in_place
    skip: Callable[[str], None] = silent
    """Takes the name of a stage that need not run."""
    started: float = field(default_factory=time.perf_counter)
    seconds: dict[str, float] = field(default_factory=dict)
    cpu_seconds: dict[str, float] = field(default_factory=dict)
    peak_mb: dict[str, int] = field(default_factory=dict)
    kept: list[str] = field(default_factory=list)
    """Stages that did not run: their result is that of an earlier build."""
    rows: dict[str, int] = field(default_factory=dict)
    """Rows that each stage wrote."""
    bytes: dict[str, int] = field(default_factory=dict)
    """Bytes of these rows in memory."""
    log: EventLog = no_log
    cluster: Cluster | None = None
    """What computes parts of stages; None: this process."""
    max_stage_s: float = 0.0
    """Seconds that a stage may take; 0 is any number."""
    running: str = ""
    """The stage that runs."""

    def stage(self, name: str) -> Callable[[Callable[P, T]], Callable[P, T]]:
        """Return a decorator that announces, times and measures the memory of a stage.

        ``stage("load ontologies")(load_ontologies)(paths)`` returns what ``load_ontologies(paths)``
        does. Work between two stages counts towards the peak of the later one.
        """

        def staged(function: Callable[P, T]) -> Callable[P, T]:
            def run(*args: P.args, **kwargs: P.kwargs) -> T:
                work = partial(function, *args, **kwargs)
                began, cpu = time.perf_counter(), cpu_seconds()
                try:
                    stop_if_interrupted()
                    self._begin(name)
                    result = self.runner(name, lambda: self._within_limit(name, work))
                except BaseException as error:
                    self.log("stage_failed", name, {"error": str(error) or type(error).__name__})
                    raise
                self.seconds[name] = time.perf_counter() - began
                self.cpu_seconds[name] = cpu_seconds() - cpu
                self.peak_mb[name] = forget_peak()
                self.log("stage_ended", name, self._costs(name))
                return result

            return run

        return staged

    def wrote(self, rows: int, nbytes: int) -> None:
        """Add to the rows and bytes that the running stage wrote."""
        self.rows[self.running] = self.rows.get(self.running, 0) + rows
        self.bytes[self.running] = self.bytes.get(self.running, 0) + nbytes

    def _begin(self, name: str) -> None:
        self.running = name
        self.say(name)
        self.log("stage_started", name, {})

    def _within_limit(self, name: str, work: Callable[[], T]) -> T:
        with limited(name, self.max_stage_s):
            return work()

    def _costs(self, name: str) -> dict[str, object]:
        costs: dict[str, object] = {
            "seconds": self.seconds[name],
            "cpu_seconds": self.cpu_seconds[name],
            "peak_mb": self.peak_mb[name],
        }
        if name in self.rows:
            costs |= {"rows": self.rows[name], "bytes": self.bytes[name]}
        return costs

    def unchanged(self, name: str) -> None:
        """Report that a stage was skipped."""
        self.kept.append(name)
        self.log("stage_unchanged", name, {})
        self.skip(name)
        self.say(f"{name}: unchanged")

    def say(self, text: str) -> None:
        """Print ``text`` after the time since the start."""
        self.say_line(f"[{self.total():7.1f} s] {text}")

    def detail(self, text: str) -> None:
        """Print ``text`` as a step of the running stage."""
        self.say(f"  {text}")
        self.log("detail", self.running, {"text": text})

    def bytes_shown(self) -> DownloadProgress:
        """Return a function that reports the share of a file received: every tenth, every 16 MB if
        the size is unknown, and for small files every other second.
        """
        shown: dict[str, int] = {}
        last_said = -SECONDS_BETWEEN_SMALL

        def show(name: str, done: int, total: int | None) -> None:
            nonlocal last_said
            step = 10 * done // total if total else done >> 24
            is_small = total is not None and total < SMALL_BYTES
            waits = is_small and self.total() - last_said < SECONDS_BETWEEN_SMALL
            if shown.get(name) != step and not waits:
                shown[name] = step
                last_said = self.total()
                of_all = f" of {total >> 20:,}" if total else ""
                self.detail(f"{name}: {done >> 20:,}{of_all} MB")

        return show

    def total(self) -> float:
        """Return the seconds since the start."""
        return time.perf_counter() - self.started

    def highest_mb(self) -> int:
        """Return the largest resident size of this process so far, in MB."""
        return max([peak_memory_mb(), *self.peak_mb.values()])


def cpu_seconds() -> float:
    """Return the CPU seconds of this process and its finished children."""
    return sum(os.times()[:4])


def peak_memory_mb() -> int:
    """Return the largest resident size of this process since ``forget_peak``, in MB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024


def forget_peak() -> int:
    """Return the peak memory so far and reset it; without /proc (not Linux), peaks only grow."""
    peak = peak_memory_mb()
    with suppress(OSError):
        _CLEAR_REFS.write_text("5", encoding="ascii")
    return peak
