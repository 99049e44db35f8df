"""Bound what an endpoint may send back, and hide the secrets of a call.

An answer is bounded in bytes and not compressed, so that no server fills the memory. The key of an
endpoint, and the secrets in its address, are replaced wherever a server echoes them.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import TYPE_CHECKING, Final, TypeVar
from urllib.parse import parse_qsl, urlsplit, urlunsplit

import httpx2

from index.errors import ModelError, ModelUnavailableError

if TYPE_CHECKING:
    from collections.abc import Iterable

MOST_BYTES: Final = 8 * 2**20
"""Bytes of an answer; the longest answer requested has some tens of thousands."""
MOST_TOKENS: Final = 100_000_000
_SHORTEST_SECRET: Final = 8
_HIDDEN: Final = "[key]"
_PLAIN_ENCODINGS: Final = ("", "identity")
ErrorT = TypeVar("ErrorT", bound=ModelError)


class AnswerTooLargeError(httpx2.TransportError):
    """The server sends a compressed answer, or one that is larger than any answer may be."""


async def bound_answer(response: httpx2.Response) -> None:
    """Make reading ``response`` raise ``AnswerTooLargeError`` if it is too large or compressed."""
    packed = response.headers.get("content-encoding", "").strip().lower()
    if packed not in _PLAIN_ENCODINGS:
        raise AnswerTooLargeError(
            f"the answer is packed ({packed}) although it was requested uncompressed"
        )
    if isinstance(response.stream, httpx2.AsyncByteStream):
        response.stream = _Bounded(response.stream)


class _Bounded(httpx2.AsyncByteStream):
    """A stream that fails once more than ``MOST_BYTES`` have come."""

    def __init__(self, stream: httpx2.AsyncByteStream) -> None:
        self._stream = stream

    async def __aiter__(self) -> AsyncIterator[bytes]:
        come = 0
        async for chunk in self._stream:
            come += len(chunk)
            if come > MOST_BYTES:
                raise AnswerTooLargeError(f"the answer is longer than {MOST_BYTES:,} bytes")
            yield chunk

    async def aclose(self) -> None:
        await self._stream.aclose()


def check_endpoint(model: str, base_url: str | None, api_key: str) -> None:
    """Raise ``ModelUnavailableError`` for an address or a key that no request can carry."""
    if not api_key.isascii() or not api_key.isprintable():
        reason = "OPENAI_API_KEY holds characters that no key has"
        raise ModelUnavailableError(model, reason, remedy="copy the key again, without blanks")
    if base_url is not None and not _is_address(base_url):
        reason = "OPENAI_BASE_URL is not the address of a server"
        remedy = "write it like http://127.0.0.1:11434/v1"
        raise ModelUnavailableError(model, reason, remedy=remedy)


def _is_address(url: str) -> bool:
    """Return whether ``url`` names a server over http, with a port that there is."""
    if not url.isprintable() or " " in url:
        return False
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        return False
    return parts.scheme in ("http", "https") and bool(parts.hostname) and port != 0


def shown_address(url: str | None) -> str:
    """Return ``url`` without what may be secret in it: user, password and query.

    >>> shown_address("https://me:pass@models.example:8443/v1?api-key=abc")
    'https://models.example:8443/v1'
    """
    if url is None:
        return "api.openai.com"
    parts = urlsplit(url)
    host = parts.netloc.rpartition("@")[2]
    return urlunsplit((parts.scheme, host, parts.path, "", ""))


def secrets_of(base_url: str | None, api_key: str) -> tuple[str, ...]:
    """Return what must not be shown: the key, and user, password and query of the address.

    Values of fewer than eight characters are words such as ``none``, not secrets.
    """
    parts = urlsplit(base_url or "")
    values = [value for _, value in parse_qsl(parts.query)]
    candidates = [api_key, parts.username or "", parts.password or "", *values]
    return tuple(secret for secret in candidates if len(secret) >= _SHORTEST_SECRET)


def without(text: str, secrets: Iterable[str]) -> str:
    """Return ``text`` with each of ``secrets`` replaced."""
    for secret in secrets:
        text = text.replace(secret, _HIDDEN)
    return text


def hide(error: ErrorT, secrets: tuple[str, ...]) -> ErrorT:
    """Return ``error`` with ``secrets`` removed from its message."""
    error.reason = without(error.reason, secrets)
    error.message = without(error.message, secrets)
    error.remedy = without(error.remedy, secrets)
    error.args = (without(str(error), secrets),)
    return error


def tokens_or(stated: object, estimate: int) -> int:
    """Return the number of tokens that a server states, ``estimate`` where it states none.

    >>> [tokens_or(stated, 5) for stated in (21, "21", -3, 10**30, True)]
    [21, 5, 5, 5, 5]
    """
    if not isinstance(stated, int) or isinstance(stated, bool):
        return estimate
    return stated if 0 <= stated <= MOST_TOKENS else estimate
