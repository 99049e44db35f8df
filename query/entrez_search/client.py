"""NCBI over the network: two hosts, at most 3 requests a second (10 with a key), retries, limits.

Source: the usage policy of E-utilities (NBK25497) and of the BLAST URL API: every request names the
tool and an e-mail address, and a BLAST result is requested at most once a minute. Answers are
cached next to the index; a recording can answer instead.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Final, Protocol
from urllib.parse import urlsplit

import httpx2

from ontology_etl.releases.transfer import asked_wait
from query.config import NcbiSettings
from query.entrez_search.blast_text import status_of
from query.entrez_search.calls import HOSTS, Call
from query.entrez_search.recording import Recording, append_call
from query.errors import NotRecordedError, ServiceError

TOOL: Final = "virome-graphrag"
LONGEST_ADDRESS: Final = 2000
"""Characters; a longer request is posted."""
_PASSING: Final = (429, 500, 502, 503, 504)
_PAGE: Final = ("<!doctype html", "<html")
_TOO_FAST: Final = "API rate limit exceeded"


class NcbiService(Protocol):
    """Something that answers calls: NCBI, a recording of it, or both."""

    def get(self, call: Call) -> str:
        """Return the body of the answer to ``call``; raises ``QueryError``."""


@dataclass(frozen=True, slots=True)
class Limits:
    """Limits of one request."""

    attempts: int = 3
    wait_s: float = 1.0
    """Before the second attempt; doubled each time, and at least what the service asks for."""
    longest_wait_s: float = 30.0
    """However long it asks to be left alone."""
    timeout_s: float = 30.0
    """Of the whole request, and of each pause in it."""
    most_bytes: int = 20_000_000


@dataclass(frozen=True, slots=True)
class Caller:
    """Who asks: NCBI wants an address to write to before it blocks, and allows more with a key."""

    email: str = ""
    api_key: str = ""

    @property
    def gap_s(self) -> float:
        """Seconds between two requests."""
        return 1 / (10 if self.api_key else 3)

    def parameters(self) -> dict[str, str]:
        """Return what a request says of the caller."""
        said = {"tool": TOOL, "email": self.email, "api_key": self.api_key}
        return {name: value for name, value in said.items() if value}


@dataclass
class Clock:
    """Time, which a test replaces."""

    now: Callable[[], float] = time.monotonic
    sleep: Callable[[float], None] = time.sleep


class NcbiClient:
    """NCBI itself."""

    def __init__(
        self,
        caller: Caller,
        *,
        limits: Limits | None = None,
        clock: Clock | None = None,
        transport: httpx2.BaseTransport | None = None,
    ) -> None:
        self._caller = caller
        self._limits = limits or Limits()
        self._clock = clock or Clock()
        self._next = 0.0
        self._client = httpx2.Client(
            timeout=self._limits.timeout_s, follow_redirects=False, transport=transport
        )

    def get(self, call: Call) -> str:
        """Return the body of the answer to ``call``.

        Raises ``ServiceError`` if NCBI cannot be reached or its answer is unusable.
        """
        if urlsplit(call.url).hostname not in HOSTS:
            raise ServiceError(call.shown, "no host of NCBI")
        reason, asked_s = "", 0.0
        for attempt in range(self._limits.attempts):
            self._clock.sleep(self._pause(attempt, asked_s))
            try:
                status, body, asked_s = self._send(call)
            except httpx2.HTTPError as error:
                reason, asked_s = f"{type(error).__name__}: {error}", 0.0
                continue
            reason = _refusal(status, body)
            if not reason:
                return _checked(call, body)
            if status not in (httpx2.codes.OK, *_PASSING):
                break
        raise ServiceError(call.shown, reason)

    def _pause(self, attempt: int, asked_s: float) -> float:
        """Return how many seconds to wait before an attempt, and reserve the time of the next.

        ``asked_s`` is the wait that the service requested in its last answer.
        """
        now = self._clock.now()
        start = max(now + max(self._backoff(attempt), asked_s), self._next)
        self._next = start + self._caller.gap_s
        return start - now

    def _backoff(self, attempt: int) -> float:
        """Return the seconds to wait because earlier attempts failed."""
        if not attempt:
            return 0.0
        return min(self._limits.wait_s * 2.0 ** (attempt - 1), self._limits.longest_wait_s)

    def _send(self, call: Call) -> tuple[int, str, float]:
        """Return status, body and the seconds that the service asks to wait.

        An endless answer is cut off at the limit.
        """
        started = self._clock.now()
        limits = self._limits
        address, posted = _request(call, self._caller)
        method = "POST" if posted else "GET"
        content = bytearray()
        with self._client.stream(method, address, data=posted or None) as response:
            for part in response.iter_bytes():
                content += part
                if len(content) > limits.most_bytes:
                    reason = f"the answer has more than {limits.most_bytes:,} bytes"
                    raise ServiceError(call.shown, reason)
                if self._clock.now() - started > limits.timeout_s:
                    raise httpx2.ReadTimeout(f"not whole after {limits.timeout_s:g} s")
        asked_s = asked_wait(response.headers, most_s=limits.longest_wait_s)
        return response.status_code, content.decode("utf-8", errors="replace"), asked_s


class CachedService:
    """A service with a cache of its answers since ``since``: records of NCBI change."""

    def __init__(self, service: NcbiService, path: Path, *, since: datetime) -> None:
        self._service = service
        self._path = path
        path.touch()
        self._kept = Recording(path, since=since, exact=True)

    def get(self, call: Call) -> str:
        """Return the cached answer to ``call``, else the service's; raises ``QueryError``."""
        try:
            return self._kept.get(call)
        except NotRecordedError:
            body = self._service.get(call)
        if call.utility != "blast_get" or status_of(body) == "READY":
            append_call(self._path, call, body)
        return body


def _request(call: Call, caller: Caller) -> tuple[str, dict[str, str]]:
    """Return the address of a request, and what is posted: nothing, unless it is long."""
    said = caller.parameters()
    address = httpx2.URL(call.url)
    whole = address.copy_merge_params(said)
    if len(str(whole)) <= LONGEST_ADDRESS:
        return str(whole), {}
    return str(address.copy_with(query=None)), dict(whole.params)


def _checked(call: Call, body: str) -> str:
    """Return ``body``; raises ``ServiceError`` if it is a web page instead of an answer."""
    is_page = body.lstrip()[:40].lower().startswith(_PAGE)
    if is_page and not call.utility.startswith("blast"):
        raise ServiceError(call.shown, "it answered with a web page")
    return body


def _refusal(status: int, body: str) -> str:
    """Return why an answer is a refusal, "" if it is not."""
    if status != httpx2.codes.OK:
        return f"HTTP {status}"
    return _TOO_FAST if _TOO_FAST in body[:200] else ""


KEPT_DAYS: Final = 7
"""Days that a cached answer is used."""


def choose_service(db: Path, settings: NcbiSettings) -> NcbiService:
    """Return what answers calls; it caches them next to ``db`` if it can write to the folder."""
    if settings.replay is not None:
        return Recording(settings.replay)
    client = NcbiClient(Caller(settings.email, settings.api_key))
    if not os.access(db.parent, os.W_OK):
        return client
    since = datetime.now(UTC) - timedelta(days=KEPT_DAYS)
    return CachedService(client, db.with_name(f"{db.name}.entrez.jsonl"), since=since)
