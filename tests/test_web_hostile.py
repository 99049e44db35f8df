"""``query serve`` and ``query mcp`` over HTTP, met with what no friendly caller sends."""

from __future__ import annotations

import json
import re
import socket
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from starlette.testclient import TestClient
from starlette.types import ASGIApp

from index.exposure import POLICIES
from query.gate import Gate
from query.mcp.server import make_server
from query.screening.screen import MAX_CHARACTERS
from query.web.app import make_app
from query.web.guard import LONGEST_BODY, LOOPBACK, for_this_machine
from query.web.listening import PunctualProtocol, shown_host
from query.web.served_index import ServedIndex
from tests.conftest import BuiltIndex
from tests.serving import listening, pass_time

pytestmark = pytest.mark.usefixtures("composed_only")
HERE = frozenset({"testserver", *LOOPBACK})
JSON = {"content-type": "application/json"}
HAS_IPV6 = socket.has_ipv6


@contextmanager
def connected(app: ASGIApp, host: str = "127.0.0.1") -> Iterator[tuple[socket.socket, int]]:
    """Yield a connection to ``app``, which listens, and its port."""
    with (
        listening(app, host) as port,
        socket.create_connection((host, port), timeout=600) as caller,
    ):
        yield caller, port


@pytest.fixture(scope="module")
def app(sample_index: BuiltIndex) -> ASGIApp:
    return make_app(ServedIndex(sample_index.path, HERE))


@pytest.fixture(scope="module")
def mcp_app(sample_index: BuiltIndex) -> ASGIApp:
    gate = Gate(POLICIES["open"], local=True)
    return for_this_machine(make_server(sample_index.path, gate).streamable_http_app())


@pytest.fixture(scope="module")
def client(app: ASGIApp) -> TestClient:
    return TestClient(app, raise_server_exceptions=False)


@pytest.fixture(scope="module")
def guarded(sample_index: BuiltIndex) -> TestClient:
    site = ServedIndex(sample_index.path, HERE, token="secret")
    return TestClient(make_app(site), raise_server_exceptions=False)


def status_of(received: bytes) -> int:
    """Return the status of an answer, 0 where there is none."""
    found = re.match(rb"HTTP/1.1 (\d+)", received)
    return int(found[1]) if found else 0


def read_until(caller: socket.socket, end: bytes) -> bytes:
    """Return what arrives up to ``end``, in however many parts."""
    received = b""
    while not received.endswith(end):
        part = caller.recv(1_000)
        assert part, received
        received += part
    return received


# --- bodies ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("served", ["app", "mcp_app"])
def test_a_body_that_states_no_length_is_read_to_the_limit_and_no_further(
    served: str, request: pytest.FixtureRequest
) -> None:
    path = {"app": "/api/ask", "mcp_app": "/mcp"}[served]
    chunk = b"%x\r\n%s\r\n" % (2**16, b"x" * 2**16)
    with connected(request.getfixturevalue(served)) as (caller, port):
        caller.sendall(
            b"POST %s HTTP/1.1\r\nHost: localhost:%d\r\nContent-Type: application/json\r\n"
            b"Transfer-Encoding: chunked\r\n\r\n" % (path.encode(), port)
        )
        for _ in range(LONGEST_BODY // 2**16 + 1):
            caller.sendall(chunk)
        assert status_of(caller.recv(1_000)) == 413


def test_every_text_that_the_schema_allows_is_read(client: TestClient) -> None:
    text = "\N{MICROBE}" * (MAX_CHARACTERS - len("SELECT '' AS text"))
    schema = client.get("/openapi.json").json()["components"]["schemas"]
    longest = f"SELECT '{text}' AS text"

    escaped = json.dumps({"sql": longest})
    answer = client.post("/api/sql", content=escaped, headers=JSON)

    assert answer.status_code == 200
    assert answer.json()["table"]["rows"] == [[text]]
    assert schema["SqlText"]["properties"]["sql"]["maxLength"] == len(longest)
    assert client.post("/api/sql", json={"sql": f"{longest} "}).status_code == 422
    unreadable = client.post("/api/sql", json={"sql": "\0" * MAX_CHARACTERS}).text
    assert "characters" not in unreadable


@pytest.mark.parametrize(
    "sent",
    [
        b"",
        b"GET /health HTTP/1.1\r\nHost: loc",
        b"POST /api/ask HTTP/1.1\r\nHost: localhost\r\nContent-Length: 40\r\n\r\n{",
    ],
    ids=["nothing", "half of the headers", "half of the body"],
)
def test_a_request_that_does_not_arrive_is_not_waited_for(
    app: ASGIApp, sent: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(PunctualProtocol, "request_s", 0.2)
    with connected(app) as (caller, _):
        caller.sendall(sent)
        assert caller.recv(1_000) == b""


def test_an_answer_may_take_longer_than_its_request() -> None:
    async def slow(scope: object, receive: object, send: object) -> None:
        del scope, receive
        pass_time(3600.0)
        assert callable(send)
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": b"done"})

    with connected(slow) as (caller, _):  # type: ignore[arg-type]
        for _ in range(2):
            caller.sendall(b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
            assert status_of(read_until(caller, b"0\r\n\r\n")) == 200


# --- where a call comes from ----------------------------------------------------------------------

FETCH = {"sec-fetch-mode": "cors", "sec-fetch-dest": "empty"}
FOLLOWED = {"sec-fetch-mode": "navigate", "sec-fetch-dest": "document"}


@pytest.mark.parametrize(
    ("path", "headers", "status"),
    [
        ("/api/answer?question=x", {"sec-fetch-site": "cross-site", **FETCH}, 403),
        ("/api/answer?question=x", {"sec-fetch-site": "same-site", **FETCH}, 403),
        ("/api/answer?question=x", {"sec-fetch-site": "cross-site", **FOLLOWED}, 403),
        ("/api/answer?question=x", {"origin": "http://evil.example"}, 403),
        ("/api/answer?question=x", {"origin": "null"}, 403),
        ("/api/answer?question=x", {"origin": "http://testserver:8000"}, 403),
        ("/api/answer?question=x", {"origin": "http://testserver"}, 200),
        ("/api/answer?question=x", {"sec-fetch-site": "same-origin", **FETCH}, 200),
        ("/api/answer?question=x", {"sec-fetch-site": "none", **FOLLOWED}, 200),
        ("/api/answer?question=x", {}, 200),
        ("/", {"sec-fetch-site": "cross-site", **FOLLOWED}, 200),
        ("/", {"sec-fetch-site": "cross-site", **FETCH}, 403),
        ("/api", {"sec-fetch-site": "cross-site", **FOLLOWED}, 200),
        ("/health", {"host": "evil.example"}, 421),
        ("/health", {"host": "evil.example:80@localhost"}, 421),
        ("/health", {"host": "localhost.evil.example"}, 421),
        ("/health", {"host": "[::1"}, 421),
        ("/health", {"host": "[::1]"}, 200),
        ("/health", {"host": "[::1]:8000"}, 200),
        ("/health", {"host": "LOCALHOST:8000"}, 200),
        ("/health", {"host": "[::1]:8000", "origin": "http://[::1]:8000"}, 200),
        ("/health", {"host": "[::1]:8000", "origin": "http://[::1]:8001"}, 403),
    ],
)
def test_a_page_elsewhere_cannot_call(
    client: TestClient, path: str, headers: dict[str, str], status: int
) -> None:
    assert client.get(path, headers=headers).status_code == status


def test_a_page_elsewhere_cannot_call_the_tools(mcp_app: ASGIApp) -> None:
    elsewhere = TestClient(mcp_app, base_url="http://localhost")
    for headers in ({"host": "evil.example"}, {"origin": "http://evil.example"}):
        assert elsewhere.post("/mcp", json={}, headers=headers).status_code in {403, 421}


@pytest.mark.skipif(not HAS_IPV6, reason="this machine has no IPv6")
def test_the_other_loopback_address_is_this_machine_too(app: ASGIApp) -> None:
    with connected(app, "::1") as (caller, port):
        named = f"{shown_host('::1')}:{port}".encode()
        caller.sendall(b"GET /health HTTP/1.1\r\nHost: %s\r\n\r\n" % named)
        assert status_of(caller.recv(1_000)) == 200


# --- values that are none -------------------------------------------------------------------------

NO_TOKENS: list[dict[str, bytes]] = [
    {"authorization": b"Bearer \xff\xfe"},
    {"authorization": b"secret\x00"},
    {"cookie": b"virome_token=\xff"},
    {"cookie": b"=;;;virome_token"},
]


@pytest.mark.parametrize("headers", NO_TOKENS)
def test_a_token_that_is_no_text_is_no_token(
    guarded: TestClient, headers: dict[str, bytes]
) -> None:
    assert guarded.get("/health", headers=headers).status_code == 401
    assert guarded.get("/health", params={"token": "\N{MICROBE}"}).status_code == 401
    assert guarded.get("/health?token=%ff%00").status_code == 401


def test_a_length_that_is_no_number_is_refused(client: TestClient) -> None:
    for length in ("abc", "9" * 5_000, "1e3"):
        refused = client.get("/health", headers={"content-length": length})
        assert refused.status_code in {400, 413}


BODIES = [
    b'{"question": "\\ud800"}', b'{"question": NaN}', b'{"question": 1e999}', b"[" * 50_000,
    b'{"question":' * 8_000, b"\xff\xfe", b"", b"null", b"[]", b"7", b'{"\\ud800": 1}',
    b'{"question": "zzz", "limit": ' + b"9" * 5_000 + b"}",
    b'{"question": NaN, "limit": 5}', b'{"question": "zzz", "kind": "\\udfff"}',
    b'{"question": {"\\ud800": 1}}', b'{"sql": "\\ud800"}', b'{"sql": ["SELECT 1"]}',
]  # fmt: skip


@pytest.mark.parametrize("path", ["/api/ask", "/api/sql"])
@pytest.mark.parametrize("kind", ["application/json", "text/plain", "multipart/form-data"])
def test_a_body_that_is_no_question_is_refused(client: TestClient, path: str, kind: str) -> None:
    for body in BODIES:
        refused = client.post(path, content=body, headers={"content-type": kind})
        assert 400 <= refused.status_code < 500, body[:60]


CALLS = {
    "/api/communities": ("like", "level", "limit"),
    "/api/runs": ("key", "value", "community", "limit", "format"),
    "/api/associations": ("family", "term", "limit"),
    "/api/read": ("question",),
    "/api/reports/%s": (),
}
HOSTILE = st.one_of(
    st.text(max_size=40),
    st.sampled_from(
        ["", "\0", "NaN", "-1", "9" * 40, "9" * 5_000, "%", "'; DROP TABLE run", "host"]
    ),
)


@given(st.sampled_from(sorted(CALLS)), st.lists(HOSTILE, min_size=5, max_size=5))
@example("/api/communities", ["bat", "9" * 40, "1", "", ""])
@example("/api/runs", ["host", "a\0b", "C0", "5", "json"])
@settings(max_examples=60)
def test_no_parameter_makes_the_server_fail(
    client: TestClient, call: str, values: list[str]
) -> None:
    path = call.replace("%s", "".join(f"%{byte:02x}" for byte in values[0].encode()) or "x")
    asked = dict(zip(CALLS[call], values, strict=False))
    assert client.get(path, params=asked).status_code < 500


SQL_VALUES = [
    "'nan'::DOUBLE", "'-inf'::FLOAT", r"'\xFF\x00a'::BLOB", r"[{'a': '\xFF'::BLOB}]",
    "MAP {'a': 'nan'::DOUBLE}", "INTERVAL 1 YEAR", "DATE '99999-01-01'", "chr(0)", "uuid()",
    "170141183460469231731687303715884105727::HUGEINT", "'101'::BIT", "TIMETZ '10:00:00+01'",
    "MAP {[1]: 2}",
]  # fmt: skip


def test_every_value_of_sql_can_be_sent(client: TestClient) -> None:
    named = ", ".join(f"{value} AS v{number}" for number, value in enumerate(SQL_VALUES))
    answer = client.post("/api/sql", json={"sql": f"SELECT {named}"})
    assert answer.status_code == 200
    ((*values,),) = answer.json()["table"]["rows"]
    assert len(values) == len(SQL_VALUES)
