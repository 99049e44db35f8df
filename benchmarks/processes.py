"""Measure in a process of its own, so that peak memory and caches belong to one contestant only."""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

_STATUS: Final = Path("/proc/self/status")


def measured_apart(
    module: str, arguments: Sequence[str], *, python: str = sys.executable
) -> dict[str, Any]:
    """Return the JSON object that ``python -m module arguments`` prints.

    Raises ``subprocess.CalledProcessError`` where that fails; what it wrote to stderr is shown as
    it comes.
    """
    command = [python, "-m", module, *arguments]
    printed = subprocess.run(
        command,
        check=True,
        stdout=subprocess.PIPE,
        text=True,
    ).stdout
    measured: dict[str, Any] = json.loads(printed)
    return measured


def peak_mb() -> int:
    """Return the largest resident size of this program so far, in MB.

    Linux counts it per program in ``VmHWM``; ``ru_maxrss`` would include the parent as it was at
    the fork.
    """
    if _STATUS.exists():
        line = next(line for line in _STATUS.read_text().splitlines() if line.startswith("VmHWM"))
        return int(line.split()[1]) // 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024


@contextmanager
def timed(seconds: dict[str, float], name: str) -> Iterator[None]:
    """Write the wall seconds of the block to ``seconds[name]`` and its CPU seconds to
    ``seconds[name_cpu]``.
    """
    wall, cpu = time.perf_counter(), time.process_time()
    yield
    seconds[name] = round(time.perf_counter() - wall, 3)
    seconds[f"{name}_cpu"] = round(time.process_time() - cpu, 3)
