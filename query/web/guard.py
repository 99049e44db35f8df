"""Check every request before it is answered: who may call, and with how much data.

A foreign page can make a browser on this machine call a server on this machine. So the name in
``Host`` is checked (a foreign name can be made to lead here), and so is the site that a browser
says the call comes from. A body is read up to a limit, whether or not it states its length.
"""

from __future__ import annotations

import json
import secrets
from http.cookies import SimpleCookie
from typing import Any, Final
from urllib.parse import urlsplit

from starlette.datastructures import MutableHeaders
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

LONGEST_BODY: Final = 100_000
"""Bytes: twice the longest question or SQL, each character of it written as JSON escapes."""
LOOPBACK: Final = frozenset({"127.0.0.1", "localhost", "::1"})
COOKIE: Final = "virome_token"
HEADERS: Final = {
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-store",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}
PAGES: Final = frozenset({"/", "/api"})
"""Pages that a link elsewhere may lead to: they show, and ask nothing."""
_OWN_SITES: Final = frozenset({"same-origin", "none"})
_DEFAULT_PORTS: Final = {"http": 80, "https": 443}
_NO_ADDRESS: Final = frozenset("@/?#\\ ")


class SafeJSON(Response):
    """JSON that can be sent whatever text or number it contains."""

    media_type = "application/json"

    def render(self, content: Any) -> bytes:
        """Return ``content`` as ASCII, with escapes for text that is not Unicode."""
        return json.dumps(content, default=str).encode("ascii")


class Guard:
    """Passes requests on to ``app`` that come to one of ``hosts`` (``*``: any), have the ``token``
    if there is one, and are not too long.
    """

    def __init__(self, app: ASGIApp, *, hosts: frozenset[str], token: str | None = None) -> None:
        self._app = app
        self._hosts = hosts
        self._token = token

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, or say why it is not answered."""
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        if scope["type"] != "http":
            return
        request = Request(scope)
        answer = self._with_headers(request, send)
        refusal = self._refusal(request)
        if refusal is not None:
            await refusal(scope, receive, answer)
            return
        body = await self._read(receive)
        if body is None:
            return
        if len(body) > LONGEST_BODY:
            await _too_large()(scope, receive, answer)
            return
        await self._app(scope, _again(body, receive), answer)

    def _refusal(self, request: Request) -> Response | None:
        """Return why ``request`` is not answered, None if it is."""
        host = host_of(request.headers.get("host", ""))
        if "*" not in self._hosts and host not in self._hosts:
            return said(421, f"{host or 'no name'}: this server does not answer to that name")
        if _is_from_elsewhere(request):
            return said(403, "a page of another site may not call this server")
        try:
            length = int(request.headers.get("content-length") or 0)
        except ValueError:
            return said(400, "the length of the body is not a number")
        if length > LONGEST_BODY:
            return _too_large()
        if self._token and not _has_token(self._token, request):
            return said(401, "a token is needed: open the address that `query serve` printed")
        return None

    async def _read(self, receive: Receive) -> bytes | None:
        """Return the body, read only until it is too large; None if the caller has gone."""
        body = bytearray()
        while True:
            message = await receive()
            if message["type"] != "http.request":
                return None
            body += message.get("body", b"")
            if len(body) > LONGEST_BODY or not message.get("more_body", False):
                return bytes(body)

    def _with_headers(self, request: Request, send: Send) -> Send:
        """Return ``send`` that adds the headers of every answer, and the token as a cookie."""

        async def sent(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    headers.setdefault(name, value)
                given = request.query_params.get("token")
                if self._token and given and _is_same(given, self._token):
                    headers.append("set-cookie", _cookie(self._token))
            await send(message)

        return sent


def _too_large() -> Response:
    return said(413, f"more than {LONGEST_BODY:,} bytes")


def for_this_machine(app: ASGIApp) -> Guard:
    """Return ``app`` for callers of this machine's own names."""
    return Guard(app, hosts=LOOPBACK)


def said(status: int, message: str, **more: str) -> Response:
    """Return a refusal as JSON: what is wrong, and what to do."""
    return SafeJSON({"message": message, **more}, status_code=status)


def host_of(address: str) -> str:
    """Return the name in a ``Host`` header, without port and brackets; "" if it is not valid.

    >>> host_of("[::1]:8000"), host_of("[::1]"), host_of("LocalHost:80"), host_of("a@localhost")
    ('::1', '::1', 'localhost', '')
    """
    if not _NO_ADDRESS.isdisjoint(address):
        return ""
    try:
        return urlsplit(f"//{address}").hostname or ""
    except ValueError:
        return ""


def _is_from_elsewhere(request: Request) -> bool:
    """Return whether a browser calls for a page of another site, or of another port.

    Following a link to a page does not count. A program that is not a browser says nothing about
    it.
    """
    site = request.headers.get("sec-fetch-site")
    if site is not None and site not in _OWN_SITES:
        is_followed = request.headers.get("sec-fetch-mode") == "navigate"
        return not (is_followed and request.method == "GET" and request.url.path in PAGES)
    origin = request.headers.get("origin")
    return origin is not None and not _is_origin(origin, request.headers.get("host", ""))


def _is_origin(origin: str, host: str) -> bool:
    try:
        page, here = urlsplit(origin), urlsplit(f"//{host}")
        default = _DEFAULT_PORTS.get(page.scheme)
        theirs = page.hostname, page.port or default
        return default is not None and theirs == (here.hostname, here.port or default)
    except ValueError:
        return False


def _has_token(token: str, request: Request) -> bool:
    given = (
        request.query_params.get("token"),
        request.cookies.get(COOKIE),
        request.headers.get("authorization", "").removeprefix("Bearer "),
    )
    return any(one and _is_same(one, token) for one in given)


def _is_same(given: str, token: str) -> bool:
    return secrets.compare_digest(given.encode("utf-8", "replace"), token.encode())


def _cookie(token: str) -> str:
    morsel = SimpleCookie({COOKIE: token})[COOKIE]
    morsel["httponly"] = True
    morsel["samesite"] = "strict"
    morsel["path"] = "/"
    return morsel.OutputString()


def _again(body: bytes, receive: Receive) -> Receive:
    """Return a receiver that gives ``body`` first, then what ``receive`` gives: that the caller is
    gone.
    """
    waiting: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

    async def given() -> Message:
        return waiting.pop() if waiting else await receive()

    return given
