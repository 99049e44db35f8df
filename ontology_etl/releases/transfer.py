"""Download one file over HTTP: resumed after a break, requested again only if it changed.

A download grows as ``NAME.part``, with the validator that the server gave it (strong ETag or
Last-Modified, RFC 9110) in ``NAME.part.json``.
"""

from __future__ import annotations

import json
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from email.message import Message
from email.utils import parsedate_to_datetime
from http.client import HTTPException, HTTPResponse
from pathlib import Path
from typing import Final, NamedTuple

from ontology_etl.addresses import shown
from ontology_etl.errors import DownloadError

_BLOCK: Final = 1 << 20
_NOT_MODIFIED: Final = 304
_PARTIAL: Final = 206
_RANGE_REFUSED: Final = 416
_PASSING: Final = (408, 425, 429, 500, 502, 503, 504)
LEAST_PER_S: Final = 100
"""A slower download, in bytes a second, is stopped and tried again."""
PACE_S: Final = 60.0
"""Seconds over which its pace is measured."""
MOST_WAIT_S: Final = 120.0
"""Most seconds that a server may ask to wait."""


DownloadProgress = Callable[[str, int, int | None], None]
"""Takes the file's name, the bytes so far, and the total; None if the server does not say."""


class BrokenOffError(Exception):
    """The transfer ended early; ``wait_s`` is what the server asks to wait before resuming it."""

    def __init__(self, reason: str, *, wait_s: float = 0.0) -> None:
        super().__init__(reason)
        self.wait_s = wait_s


@dataclass(frozen=True)
class PartialDownload:
    """The unfinished download of ``url`` that will become ``target``."""

    target: Path
    url: str

    @property
    def path(self) -> Path:
        """Path of the growing file."""
        return self.target.with_name(f"{self.target.name}.part")

    @property
    def note(self) -> Path:
        """Path of the note with its address and validator."""
        return self.target.with_name(f"{self.target.name}.part.json")

    @property
    def shown(self) -> str:
        """The address without passwords and signatures."""
        return shown(self.url)

    def size(self) -> int:
        """Return the bytes received so far."""
        return self.path.stat().st_size if self.path.exists() else 0

    def validator(self) -> str:
        """Return the server's validator for the bytes received; "" if they cannot be resumed."""
        noted = self.noted()
        return noted.get("validator", "") if self.size() and noted.get("url") == self.url else ""

    def noted(self) -> dict[str, str]:
        """Return the note of the download; empty if it is missing or damaged."""
        try:
            noted = json.loads(self.note.read_bytes())
        except (FileNotFoundError, ValueError):
            return {}
        return noted if isinstance(noted, dict) else {}

    def begin(self, validator: str) -> None:
        """Start from zero, with the validator of this response."""
        self.discard()
        note = {"url": self.url, "validator": validator}
        self.note.write_text(json.dumps(note))

    def discard(self) -> None:
        """Delete what was received."""
        self.path.unlink(missing_ok=True)
        self.note.unlink(missing_ok=True)

    def remedy(self) -> str:
        """Return advice for a download that did not complete."""
        if size := self.size():
            return f"run it again: it resumes after the {size} bytes that came"
        return remedy_for(self.target)


def transfer(
    part: PartialDownload, known: str | None, *, timeout_s: float, progress: DownloadProgress | None
) -> bool:
    """Complete the download ``part``; return False if the server says that nothing changed.

    ``known`` is the validator of the present file. Raises ``BrokenOffError`` for a passing fault,
    ``DownloadError`` for a permanent one.
    """
    request = urllib.request.Request(
        part.url,
        headers=_headers(part, known),
    )
    try:
        with urllib.request.urlopen(request, timeout=timeout_s) as response:
            _receive(response, part, progress)
    except urllib.error.HTTPError as error:
        error.close()
        if error.code == _NOT_MODIFIED:
            return False
        _judge_status(error, part)
    except (urllib.error.URLError, HTTPException, ConnectionError, TimeoutError) as error:
        raise BrokenOffError(str(error) or type(error).__name__) from error
    return True


class _Pace(NamedTuple):
    """Progress of a download at one moment."""

    done: int
    at: float

    def checked(self, done: int, now: float) -> _Pace:
        """Return the pace to measure from next; raise ``BrokenOffError`` for a mere trickle."""
        if now - self.at < PACE_S:
            return self
        if done - self.done < LEAST_PER_S * PACE_S:
            raise BrokenOffError(f"only {done - self.done} bytes in {now - self.at:.0f} s")
        return _Pace(done, now)


def _judge_status(error: urllib.error.HTTPError, part: PartialDownload) -> None:
    """Raise the error of an HTTP status; after a refused range, start again from zero."""
    reason = f"HTTP {error.code} {error.reason}"
    if error.code == _RANGE_REFUSED:
        part.discard()
    elif error.code not in _PASSING:
        raise DownloadError(part.shown, reason, remedy=remedy_for(part.target)) from error
    raise BrokenOffError(reason, wait_s=asked_wait(error.headers)) from error


def asked_wait(headers: Mapping[str, str] | Message, *, most_s: float = MOST_WAIT_S) -> float:
    """Return the seconds that a Retry-After header asks for, at most ``most_s``; 0 without one.

    It states seconds or a date (RFC 9110, 10.2.3). A date counts from the Date of the same answer,
    so that the clocks of both machines need not agree; without one, from now.

    >>> asked_wait({"Retry-After": "2"}), asked_wait({"Retry-After": "86400"})
    (2.0, 120.0)
    >>> at = "Fri, 31 Dec 1999 23:59:{} GMT"
    >>> asked_wait({"Retry-After": at.format("59"), "Date": at.format("50")})
    9.0
    >>> asked_wait({"Retry-After": "soon"})
    0.0
    """
    text = headers.get("Retry-After", "").strip()
    if text.isdecimal():
        return min(float(text), most_s)
    until = _moment(text)
    if until is None:
        return 0.0
    sent = _moment(headers.get("Date", "")) or datetime.now(UTC)
    left_s = (until - sent).total_seconds()
    return min(max(left_s, 0.0), most_s)


def _moment(text: str) -> datetime | None:
    """Return the time of an HTTP date, or None if it is not one."""
    try:
        stated = parsedate_to_datetime(text)
    except ValueError:
        return None
    return stated if stated.tzinfo else stated.replace(tzinfo=UTC)


def _headers(part: PartialDownload, known: str | None) -> dict[str, str]:
    """Return the request headers that resume a partial file, or ask whether it changed."""
    headers = {"User-Agent": "virome-graphrag", "Accept-Encoding": "identity"}
    validator = part.validator()
    if validator:
        headers["Range"] = f"bytes={part.size()}-"
        headers["If-Range"] = validator
    elif known:
        is_etag = known.startswith('"')
        condition = "If-None-Match" if is_etag else "If-Modified-Since"
        headers[condition] = known
    return headers


def _receive(
    response: HTTPResponse, part: PartialDownload, progress: DownloadProgress | None
) -> None:
    if response.status != _PARTIAL:
        part.begin(_validator_of(response))
    done = part.size()
    total = None if response.length is None else done + response.length
    pace = _Pace(done, time.monotonic())
    with part.path.open("ab") as out:
        while block := response.read1(_BLOCK):
            out.write(block)
            done += len(block)
            if progress is not None:
                progress(part.target.name, done, total)
            pace = pace.checked(done, time.monotonic())
    if total is not None and done != total:
        raise BrokenOffError(f"ended after {done} of {total} bytes")


def _validator_of(response: HTTPResponse) -> str:
    """Return the strong ETag of the response, else its Last-Modified, else ""."""
    etag = response.headers["ETag"] or ""
    return etag if etag.startswith('"') else response.headers["Last-Modified"] or ""


def remedy_for(target: Path) -> str:
    """Return advice for a file that cannot be fetched."""
    return (
        "check the address, or fetch the file by hand and set its path in the inputs manifest "
        f"(wanted: {target.name})"
    )
