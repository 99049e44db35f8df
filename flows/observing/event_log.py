"""Progress as JSON lines on stderr, one event a line, for log collectors.

    {"time": "2026-11-22T02:00:01.204+00:00", "event": "stage_ended", "stage": "load ontologies",
     "seconds": 7.41, "cpu_seconds": 6.9, "peak_mb": 812, "rows": 5300123, "bytes": 412345678}

Events are ``stage_started``, ``stage_ended``, ``stage_failed`` (with ``error``),
``stage_unchanged`` and ``detail`` (with ``text``, a step inside the stage).
"""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Final

DIGITS: Final = 3
"""Decimals of seconds."""


def to_stderr_as_json(event: str, stage: str, fields: Mapping[str, object]) -> None:
    """Print one event as a line of JSON."""
    print(as_json_line(event, stage, fields, now=datetime.now(UTC)), file=sys.stderr, flush=True)


def as_json_line(event: str, stage: str, fields: Mapping[str, object], *, now: datetime) -> str:
    """Return an event as JSON; seconds are rounded to milliseconds.

    >>> when = datetime(2026, 11, 22, 2, tzinfo=UTC)
    >>> as_json_line("stage_ended", "publish", {"seconds": 0.01234}, now=when)[51:]
    '"stage_ended", "stage": "publish", "seconds": 0.012}'
    """
    time = now.isoformat(timespec="milliseconds")
    plain = {name: _rounded(value) for name, value in fields.items()}
    return json.dumps({"time": time, "event": event, "stage": stage, **plain})


def _rounded(value: object) -> object:
    return round(value, DIGITS) if isinstance(value, float) else value
