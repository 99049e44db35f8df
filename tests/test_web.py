"""``query serve``: answers, evidence, SQL and pages over HTTP; who may call.

What a browser shows: tests/test_browser.py.
"""

from __future__ import annotations

import base64
import csv
import hashlib
import json
import re
import shutil
from pathlib import Path
from typing import Any

import duckdb
import pytest
from starlette.testclient import TestClient

from query.web.answering import answer_events
from query.web.app import make_app
from query.web.guard import COOKIE
from query.web.served_index import ServedIndex, WebQuestion
from tests.community_index import make_community_index as make_index
from tests.conftest import BuiltIndex
from tests.scripted_openai import Reply, serve

pytestmark = pytest.mark.usefixtures("composed_only")
HERE = frozenset({"testserver"})
BATS = "Which viruses are found in bats?"
ABOUT = "What is known about Coronaviridae?"
REFUSED = "What is the mortality rate of dengue?"


@pytest.fixture(scope="module")
def client(sample_index: BuiltIndex) -> TestClient:
    return TestClient(make_app(ServedIndex(sample_index.path, HERE)))


@pytest.fixture(scope="module")
def communities(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_index(tmp_path_factory.mktemp("web") / "index.duckdb")


def test_runs_behind_a_citation_are_those_that_the_report_counted(
    client: TestClient, sample_db: duckdb.DuckDBPyConnection
) -> None:
    cited = sample_db.execute(
        "SELECT community, key, value, runs FROM citation "
        "WHERE key IN ('host', 'family', 'species', 'tissue') "
        "ORDER BY md5(community || key || value) LIMIT 12"
    ).fetchall()

    assert len(cited) == 12
    for community, key, value, runs in cited:
        asked = {"community": community, "key": key, "value": value}
        found = client.get("/api/runs", params=asked).json()
        assert found["total"] == runs, asked


def test_runs_can_be_downloaded_as_csv(client: TestClient) -> None:
    asked = {"key": "family", "value": "Coronaviridae", "format": "csv", "limit": "10000"}

    response = client.get("/api/runs", params=asked)

    rows = list(csv.DictReader(response.text.splitlines()))
    total = client.get("/api/runs", params={**asked, "format": "json"}).json()["total"]
    assert len(rows) == total > 0
    assert "attachment" in response.headers["content-disposition"]


def test_a_key_that_no_citation_has_is_refused(client: TestClient) -> None:
    response = client.get("/api/runs", params={"key": "colour", "value": "red"})

    assert response.status_code == 422
    assert "citations have no such key" in response.json()["message"]


def test_one_select_runs_and_nothing_else(client: TestClient) -> None:
    selected = client.post("/api/sql", json={"sql": "SELECT count(*) AS n FROM run"})
    written = client.post("/api/sql", json={"sql": "DROP TABLE run"})
    read = client.post("/api/sql", json={"sql": "SELECT * FROM read_text('/etc/passwd')"})

    assert selected.json()["table"]["rows"] == [[2500]]
    assert (written.status_code, read.status_code) == (422, 422)


@pytest.mark.parametrize(
    ("given", "status"),
    [
        ({}, 401),
        ({"headers": {"authorization": "Bearer wrong"}}, 401),
        ({"headers": {"authorization": "Bearer secret"}}, 200),
        ({"params": {"token": "secret"}}, 200),
        ({"headers": {"cookie": f"{COOKIE}=secret"}}, 200),
    ],
)
def test_beyond_this_machine_a_token_is_needed(
    sample_index: BuiltIndex, given: dict[str, dict[str, str]], status: int
) -> None:
    fresh = TestClient(make_app(ServedIndex(sample_index.path, HERE, token="secret")))

    assert fresh.get("/api/modes", **given).status_code == status  # type: ignore[arg-type]


def test_pages_run_no_script_but_their_own(client: TestClient) -> None:
    page = client.get("/")
    policy = page.headers["content-security-policy"]
    scripts = re.findall(r"<script>(.*?)</script>", page.text, re.DOTALL)

    digests = {
        base64.b64encode(hashlib.sha256(script.encode()).digest()).decode() for script in scripts
    }
    assert digests == set(re.findall(r"sha256-([^']+)", policy))
    assert "connect-src 'self'" in policy
    assert page.headers["x-frame-options"] == "DENY"
    assert "script" not in client.get("/api").headers["content-security-policy"]


def test_the_interface_lists_every_operation(client: TestClient) -> None:
    described = client.get("/openapi.json").json()
    page = client.get("/api").text

    assert len(described["paths"]) >= 8
    assert [path for path in described["paths"] if path not in page] == []


def test_a_newly_published_index_is_shown_at_once(sample_index: BuiltIndex, tmp_path: Path) -> None:
    db = tmp_path / "index.duckdb"
    shutil.copyfile(sample_index.path, db)
    client = TestClient(make_app(ServedIndex(db, HERE)))
    before = client.get("/").text

    other = tmp_path / "other.duckdb"
    shutil.copyfile(sample_index.path, other)
    with duckdb.connect(other) as connection:
        connection.execute("UPDATE report SET title = 'Freshly published' || community")
    other.replace(db)

    listed = client.get("/api/communities").json()["communities"]
    assert listed[0]["title"].startswith("Freshly published")
    assert client.get("/").text != before


def test_an_index_that_is_gone_is_503_with_the_next_command(tmp_path: Path) -> None:
    client = TestClient(make_app(ServedIndex(tmp_path / "none.duckdb", HERE)))

    response = client.get("/health")

    assert response.status_code == 503
    assert "flows.index" in response.json()["remedy"]


def events(client: TestClient, **asked: str) -> list[tuple[str, dict[str, Any]]]:
    """Return the server-sent events of an answer, name and record."""
    text = client.get("/api/answer", params=asked).text
    found = re.findall(r"event: (\w+)\r?\ndata: (.*)", text)
    return [(name, json.loads(record)) for name, record in found]


def test_an_answer_from_facts_comes_after_its_reading(client: TestClient) -> None:
    (first, reading), (second, answer) = events(client, question=BATS)

    assert (first, second) == ("reading", "answer")
    assert reading["read_as"] == answer["read_as"]
    assert reading["requests"] == answer["requests"]
    assert [(name["kind"], name["text"]) for name in reading["names"]] == [("host", "bats")]
    assert answer["points"]
    assert answer["ledger"].startswith("Coverage: ")


def test_a_refusal_is_an_event_with_its_remedy(client: TestClient) -> None:
    given = events(client, question=REFUSED)

    assert [name for name, _ in given] == ["reading", "refused"]
    assert given[-1][1]["remedy"]


def test_a_request_is_asked_and_a_follow_up_edits_it(client: TestClient) -> None:
    asked = {
        "measure": {"type": "count"},
        "of": {"type": "has", "field": "host", "values": ["bats"]},
    }
    picked = {"question": "whatever", "request": json.dumps(asked)}

    first = client.post("/api/ask", json=picked).json()
    after = {"question": "and in pigs?", "previous": json.dumps(first["requests"][-1])}
    second = client.post("/api/ask", json=after).json()

    assert first["requests"][0]["of"]["values"] == ["bats"]
    assert second["requests"][0]["measure"] == first["requests"][0]["measure"]
    assert second["requests"][0]["of"] != first["requests"][0]["of"]
    bad = {"question": "?", "request": '{"measure": {"type": "divine"}}'}
    for refused in (bad, {"question": REFUSED}):
        response = client.post("/api/ask", json=refused)
        assert response.status_code == 422
        assert response.json()["remedy"]


def test_the_way_that_suits_answers_where_none_is_chosen(client: TestClient) -> None:
    names = [mode["name"] for mode in client.get("/api/modes").json()]
    answer = client.post("/api/ask", json={"question": BATS, "mode": "ask"}).json()

    assert names == ["ask", "global", "entrez", "search", "sql", "local"]
    assert answer["mode"] == "global"
    assert answer["steps"][0].startswith("answered by global, because ")


@pytest.mark.parametrize(
    ("mode", "text", "calls"),
    [("sql", BATS, 0), ("local", BATS, 0), ("global", BATS, 1), ("global", ABOUT, 0)],
)
def test_every_mode_shows_facts_before_a_model_is_asked(
    communities: Path, mode: str, text: str, calls: int
) -> None:
    asked: list[int] = []

    def script(_: dict[str, Any]) -> Reply:
        asked.append(1)
        return Reply(status=500)

    with serve(script) as server:
        site = ServedIndex(communities, HERE, choose=server.choice)
        question = WebQuestion(question=text, mode=mode)
        seen = [(event.event, len(asked)) for event in answer_events(site, question)]

    shown = [("reading", 0), ("facts", 0), ("interpreting", 0)] if calls else [("reading", 0)]
    assert seen[:-1] == shown
    assert seen[-1][0] == "answer"
    assert bool(asked) == bool(calls)
