"""Telling the person who waits what is going on, and keeping the times."""

from __future__ import annotations

import resource
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Protocol, TypeVar

T = TypeVar("T")


class Stage(Protocol):
    """Runs one named piece of work: in place, or as a Prefect task."""

    def __call__(self, name: str, work: Callable[[], T]) -> T:
        """Return what ``work`` returns."""
        ...


def to_stderr(text: str) -> None:
    """Print one line of progress where it does not mix with results."""
    print(text, file=sys.stderr, flush=True)


def silent(text: str) -> None:
    """Say nothing."""


def in_place(name: str, work: Callable[[], T]) -> T:  # noqa: ARG001 - the Stage that adds nothing
    """Return what ``work`` returns."""
    return work()


@dataclass
class Progress:
    """Says each stage and each noteworthy step through ``say_line``, runs stages through ``stage``, keeps seconds."""

    say_line: Callable[[str], None] = to_stderr
    stage: Stage = in_place
    started: float = field(default_factory=time.perf_counter)
    seconds: dict[str, float] = field(default_factory=dict)

    def run(self, name: str, work: Callable[[], T]) -> T:
        """Return what ``work`` returns, having announced it and timed it."""
        began = time.perf_counter()
        self.say(name)
        result = self.stage(name, work)
        self.seconds[name] = time.perf_counter() - began
        return result

    def say(self, text: str) -> None:
        """Say ``text`` behind the time since the start."""
        self.say_line(f"[{self.total():7.1f} s] {text}")

    def detail(self, text: str) -> None:
        """Say ``text`` as a step inside the running stage."""
        self.say(f"  {text}")

    def total(self) -> float:
        """Return the seconds since the start."""
        return time.perf_counter() - self.started


def peak_memory_mb() -> int:
    """Return the largest resident size of this process so far, in MB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
