"""A token bucket that follows the rate-limit headers of the provider.

OpenAI-compatible providers state with each answer how many requests and tokens remain and when the
allowance is whole again (``x-ratelimit-{limit,remaining,reset}-{requests,tokens}``). A server that
sends none of them is not limited.
"""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

MAX_WAIT_S: Final = 60.0
_DURATION: Final = re.compile(r"(\d+(?:\.\d+)?)(ms|s|m|h|d)?")
_SECONDS: Final = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0, None: 1.0, "": 1.0}


@dataclass
class _Bucket:
    """What is left of an allowance, and how fast it comes back."""

    remaining: float
    limit: float
    per_second: float
    at: float

    def wait_s(self, cost: float, now: float) -> float:
        """Return the seconds until ``cost``, or all of the allowance, is available."""
        short = min(cost, self.limit) - self._left(now)
        if short <= 0 or self.per_second <= 0:
            return 0.0
        return short / self.per_second

    def spend(self, cost: float, now: float) -> None:
        self.remaining = self._left(now) - cost
        self.at = now

    def _left(self, now: float) -> float:
        """Return what is left ``now``: what was left, and what came back since."""
        elapsed = now - self.at
        refilled = self.remaining + elapsed * self.per_second
        return min(self.limit, refilled)


class RateLimiter:
    """Delays calls so that they stay within what the provider last said is left."""

    def __init__(self, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._buckets: dict[str, _Bucket] = {}

    async def acquire(self, *, tokens: int) -> float:
        """Return the seconds waited, at most a minute, until ``tokens`` are covered."""
        wait = min(MAX_WAIT_S, self.wait_s(tokens=tokens))
        now = self._clock()
        for unit, bucket in self._buckets.items():
            bucket.spend(_cost(unit, tokens), now)
        if wait > 0:
            await asyncio.sleep(wait)
        return wait

    def wait_s(self, *, tokens: int) -> float:
        """Return the seconds until a request of ``tokens`` tokens is covered."""
        now = self._clock()
        waits = [bucket.wait_s(_cost(unit, tokens), now) for unit, bucket in self._buckets.items()]
        return max(waits, default=0.0)

    def update(self, headers: Mapping[str, str]) -> None:
        """Take over what the provider states; absent or unreadable headers change nothing."""
        for unit in ("requests", "tokens"):
            remaining = _number(headers.get(f"x-ratelimit-remaining-{unit}"))
            reset = duration_s(headers.get(f"x-ratelimit-reset-{unit}") or "")
            if remaining is None or reset is None:
                continue
            stated_limit = _number(headers.get(f"x-ratelimit-limit-{unit}"))
            limit = stated_limit or max(remaining, 1.0)
            spent = limit - remaining
            rate = spent / reset if reset > 0 else limit
            now = self._clock()
            self._buckets[unit] = _Bucket(remaining, limit, rate, now)


def _cost(unit: str, tokens: int) -> float:
    """Return what one request of ``tokens`` tokens takes of an allowance of ``unit``."""
    return 1.0 if unit == "requests" else float(tokens)


def duration_s(text: str) -> float | None:
    """Return a duration as providers write it in seconds, or None.

    >>> duration_s("6m0s"), duration_s("20ms"), duration_s("1.5"), duration_s("soon")
    (360.0, 0.02, 1.5, None)
    """
    pieces = _DURATION.findall(text)
    read = "".join(number + unit for number, unit in pieces)
    if not pieces or read != text.strip():
        return None
    seconds = [float(number) * _SECONDS[unit] for number, unit in pieces]
    return sum(seconds)


def _number(text: str | None) -> float | None:
    try:
        return None if text is None else float(text)
    except ValueError:
        return None
