"""NCBI over the network: hosts, pace, retries, limits and answers that are none; the cache."""

from __future__ import annotations

import json
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path

import httpx2
import pytest

from query.entrez_search import calls
from query.entrez_search.calls import Call
from query.entrez_search.client import CachedService, Caller, Limits, NcbiClient
from query.entrez_search.session import Session
from query.errors import ServiceError
from tests.serving import Tape, ToThisMachine

FOUND = json.dumps({"esearchresult": {"count": "1", "idlist": ["7157"]}})
SEARCH = calls.search("gene", "p53")
PAGE = "<!DOCTYPE html><html><body>Service Unavailable</body></html>"


Handler = Callable[[httpx2.Request], httpx2.Response]


def client(handler: Handler, tape: Tape | None = None, caller: Caller | None = None) -> NcbiClient:
    tape = tape or Tape()
    transport = httpx2.MockTransport(handler)
    return NcbiClient(caller or Caller(), clock=tape.clock, transport=transport)


def always(status: int, text: str) -> Handler:
    return lambda _: httpx2.Response(status, text=text)


def test_every_request_says_who_asks_and_the_kept_address_does_not() -> None:
    seen: list[httpx2.URL] = []

    def handler(request: httpx2.Request) -> httpx2.Response:
        seen.append(request.url)
        return httpx2.Response(200, text=FOUND)

    client(handler, caller=Caller("a@b.org", "secret")).get(SEARCH)
    said = dict(seen[0].params)
    assert (said["tool"], said["email"], said["api_key"]) == (
        "virome-graphrag",
        "a@b.org",
        "secret",
    )


@pytest.mark.parametrize(("key", "gap"), [("", 1 / 3), ("secret", 0.1)])
def test_requests_are_a_third_of_a_second_apart_or_a_tenth_with_a_key(key: str, gap: float) -> None:
    tape = Tape()
    asked = client(always(200, FOUND), tape, Caller(api_key=key))
    for _ in range(4):
        asked.get(SEARCH)
    assert tape.seconds == pytest.approx(3 * gap)


def timing_out(request: httpx2.Request) -> httpx2.Response:
    raise httpx2.ReadTimeout("no bytes for 30 s", request=request)


def redirecting(request: httpx2.Request) -> httpx2.Response:
    assert request.url.host == "eutils.ncbi.nlm.nih.gov"
    return httpx2.Response(302, headers={"location": "https://evil.example/"})


@pytest.mark.parametrize(
    ("handler", "said", "waits"),
    [
        (always(503, "busy"), "HTTP 503", [0.0, 1.0, 2.0]),
        (timing_out, "ReadTimeout: no bytes for 30 s", [0.0, 1.0, 2.0]),
        (always(200, PAGE), "it answered with a web page", [0.0]),
        (always(400, "bad"), "HTTP 400", [0.0]),
        (redirecting, "HTTP 302", [0.0]),
    ],
    ids=["busy", "timeout", "web page", "refused", "redirect"],
)
def test_a_failure_is_said_and_is_asked_again_only_where_that_may_help(
    handler: Handler, said: str, waits: list[float]
) -> None:
    tape = Tape()
    with pytest.raises(ServiceError, match=said) as failed:
        client(handler, tape).get(SEARCH)
    assert tape.waits == waits
    assert "--replay" in failed.value.remedy


@pytest.mark.parametrize(
    "first",
    [
        httpx2.Response(502),
        httpx2.Response(200, text='{"error":"API rate limit exceeded","count":"11"}'),
    ],
    ids=["bad gateway", "asked too fast"],
)
def test_a_service_that_recovers_is_believed(first: httpx2.Response) -> None:
    replies = iter([first, httpx2.Response(200, text=FOUND)])
    assert client(lambda _: next(replies)).get(SEARCH) == FOUND


@pytest.mark.parametrize(
    ("asked", "waited"),
    [
        ("7", [0.0, 7.0, 7.0]),
        ("86400", [0.0, 30.0, 30.0]),
        ("Fri, 31 Dec 1999 23:59:55 GMT", [0.0, 5.0, 5.0]),
        ("a while", [0.0, 1.0, 2.0]),
    ],
)
def test_a_service_that_asks_to_be_left_alone_is(asked: str, waited: list[float]) -> None:
    tape = Tape()
    said = {"Retry-After": asked, "Date": "Fri, 31 Dec 1999 23:59:50 GMT"}
    busy = httpx2.Response(429, headers=said)
    with pytest.raises(ServiceError, match="HTTP 429"):
        client(lambda _: busy, tape).get(SEARCH)
    assert tape.waits == waited


def test_an_answer_without_end_is_left_at_the_limit() -> None:
    def endless() -> Iterator[bytes]:
        while True:
            yield b"x" * 65536

    def handler(request: httpx2.Request) -> httpx2.Response:
        return httpx2.Response(200, content=endless())

    limits = Limits(most_bytes=1_000_000)
    asked = NcbiClient(
        Caller(), limits=limits, clock=Tape().clock, transport=httpx2.MockTransport(handler)
    )
    with pytest.raises(ServiceError, match="more than 1,000,000 bytes"):
        asked.get(SEARCH)


@contextmanager
def raw_server(answer: bytes) -> Iterator[int]:
    """Serve ``answer``, byte for byte, to every connection."""
    with socket.create_server(("127.0.0.1", 0)) as server:

        def run() -> None:
            while True:
                try:
                    connection, _ = server.accept()
                except OSError:
                    return
                with connection:
                    connection.recv(65536)
                    connection.sendall(answer)

        threading.Thread(target=run, daemon=True).start()
        yield server.getsockname()[1]
        server.shutdown(socket.SHUT_RDWR)


def test_an_answer_shorter_than_its_length_says_is_no_answer() -> None:
    body = FOUND.encode()
    head = f"HTTP/1.1 200 OK\r\ncontent-length: {len(body) + 500}\r\n\r\n".encode()
    with raw_server(head + body) as port:
        asked = NcbiClient(Caller(), clock=Tape().clock, transport=ToThisMachine(port))
        with pytest.raises(ServiceError, match="RemoteProtocolError"):
            asked.get(SEARCH)


@pytest.mark.parametrize(
    "body", ["", "null", "[]", "{}", '{"esearchresult": {"ERROR": "no"}}', "plain words"]
)
def test_an_answer_that_is_no_search_is_said_to_be_none(body: str) -> None:
    session = Session(client(always(200, body)))
    with pytest.raises(ServiceError, match="not the JSON of a search"):
        session.search("gene", "p53")


def test_summaries_that_were_cut_short_are_those_before_the_cut() -> None:
    whole = json.dumps({"result": {"uids": ["1", "2"], "1": {"uid": "1"}, "2": {"uid": "2"}}})
    session = Session(client(always(200, whole[:-8])))
    assert list(session.documents("snp", ["1", "2"])) == ["1"]


def blast_service(statuses: list[str]) -> Handler:
    """Answer a BLAST search: each poll has the next of ``statuses``."""
    left = iter(statuses)

    def handler(request: httpx2.Request) -> httpx2.Response:
        if "CMD=Put" in str(request.url):
            return httpx2.Response(200, text="QBlastInfoBegin\n RID = AB12CD34EF5\n RTOE = 20\n")
        return httpx2.Response(200, text=f"<p>QBlastInfoBegin\n\tStatus={next(left)}\n")

    return handler


def test_blast_is_asked_for_its_result_once_a_minute_until_it_is_ready() -> None:
    tape = Tape()
    service = client(blast_service(["WAITING", "WAITING", "READY"]))
    session = Session(service, sleep=tape.sleep)
    assert session.blast("ACGT" * 10, "nt") == []
    assert tape.waits == [20.0, 60.0, 60.0]
    assert session.made == 2


@pytest.mark.parametrize(
    ("statuses", "said"),
    [(["FAILED"], "the search ended: failed"), (["WAITING"] * 99, "no result after 9")],
)
def test_a_search_that_fails_or_never_ends_is_said(statuses: list[str], said: str) -> None:
    session = Session(client(blast_service(statuses)), sleep=Tape().sleep)
    with pytest.raises(ServiceError, match=said):
        session.blast("ACGT" * 10, "nt")


def test_an_answer_is_asked_for_once_and_again_when_it_is_old(tmp_path: Path) -> None:
    made: list[Call] = []

    class Counting:
        def get(self, call: Call) -> str:
            made.append(call)
            return FOUND

    path = tmp_path / "index.duckdb.entrez.jsonl"
    week_ago = datetime.now(UTC) - timedelta(days=7)
    for _ in range(3):
        assert CachedService(Counting(), path, since=week_ago).get(SEARCH) == FOUND
    assert len(made) == 1
    CachedService(Counting(), path, since=datetime.now(UTC) + timedelta(seconds=2)).get(SEARCH)
    assert len(made) == 2


def test_the_cache_never_answers_one_search_with_another(tmp_path: Path) -> None:
    class Echo:
        def get(self, call: Call) -> str:
            return call.shown

    service = CachedService(Echo(), tmp_path / "c.jsonl", since=datetime(2020, 1, 1, tzinfo=UTC))
    human = calls.blast_put("ACGT" * 10, calls.HUMAN_GENOME)
    every = calls.blast_put("ACGT" * 10, calls.NUCLEOTIDES)
    assert service.get(human) != service.get(every)
    kept = CachedService(Echo(), tmp_path / "c.jsonl", since=datetime(2020, 1, 1, tzinfo=UTC))
    assert kept.get(human) == human.shown
