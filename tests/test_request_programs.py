"""Requests from Python, the command line and HTTP give the same answer."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient
from typer.testing import CliRunner

from query import Index
from query.cli.app import app
from query.request import Count, Has, Hit, Request, Values
from query.web.app import make_app
from query.web.served_index import ServedIndex
from tests.query_index import make_index

HOSTS = {"type": "values", "by": ["host"], "limit": 2}
BATS = {"measure": HOSTS, "of": {"type": "has", "field": "host", "values": ["Chiroptera"]}}


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_index(tmp_path_factory.mktemp("requests") / "virome.duckdb")


@pytest.fixture(scope="module")
def client(path: Path) -> TestClient:
    return TestClient(make_app(ServedIndex(path, frozenset({"testserver"}))))


def typed(*words: str, given: str = "") -> Any:
    return CliRunner().invoke(app, ["run", *words], input=given)


def test_python_takes_requests_measures_and_json(path: Path) -> None:
    with Index(path) as index:
        by_request = index.run(Request(Values(("host",), limit=2), Has("host", ("Chiroptera",))))
        by_measure = index.run(Values(("host",), limit=2), Has("host", ("Chiroptera",)))
        by_json = index.run(BATS)

    assert by_request == by_measure == by_json
    frame = by_json.pl()
    assert frame.select("host", "runs").rows() == [
        ("Rhinolophus ferrumequinum", 8),
        ("Myotis lucifugus", 4),
    ]


def test_a_number_is_a_frame_of_its_tally(path: Path) -> None:
    with Index(path) as index:
        frame = index.run(Count(hits=Hit(("Coronaviridae",))), Has("host", ("bats",))).pl()

    # no search of this index states that it looks for this family
    assert frame.select("number", "runs", "searched").row(0) == (0, 12, 0)


@pytest.mark.parametrize("form", ["text", "file", "standard input"])
def test_the_command_reads_json_from_anywhere(path: Path, tmp_path: Path, form: str) -> None:
    text = json.dumps(BATS)
    file = tmp_path / "request.json"
    file.write_text(text)
    argument = {"text": text, "file": str(file), "standard input": "-"}[form]

    answered = typed(argument, "--db", str(path), "--json", given=text)

    assert answered.exit_code == 0, answered.output
    record = json.loads(answered.stdout)
    assert record["asked"] == "List the 2 most frequent hosts of runs from the host Chiroptera."
    assert [row[0] for row in record["rows"]] == ["Rhinolophus ferrumequinum", "Myotis lucifugus"]


@pytest.mark.parametrize(
    ("request_given", "error"),
    [
        ('{"type": "cont"}', "RequestError"),
        ("{", "RequestError"),
        ('{"type": "count", "hits": {"virus": ["Krakenpox virus"]}}', "UnknownNameError"),
    ],
)
def test_the_command_fails_with_what_is_wrong(path: Path, request_given: str, error: str) -> None:
    failed = typed(request_given, "--db", str(path), "--json")

    assert failed.exit_code == 8
    assert json.loads(failed.stdout.splitlines()[0])["error"] == error


def test_a_person_reads_the_number_its_tally_and_what_was_left_out(path: Path) -> None:
    shown = typed('{"type": "exists"}', "--db", str(path))
    assert "Are there any runs?" in shown.output
    assert "yes: 36 runs" in shown.output
    assert "searched 36" in shown.output
    assert typed("absent.json", "--db", str(path)).exit_code == 2


def test_the_schema_is_printed_and_the_sql_shown(path: Path) -> None:
    assert "$defs" in json.loads(typed("--schema").stdout)
    shown = typed('{"type": "count"}', "--db", str(path), "--sql")
    assert "FROM flagged" in shown.output


def test_http_answers_as_the_command_does(path: Path, client: TestClient) -> None:
    answered = client.post("/api/query", json=BATS)

    assert answered.status_code == 200
    assert answered.json() == json.loads(
        typed(json.dumps(BATS), "--db", str(path), "--json").stdout
    )


def test_http_refuses_what_is_no_request_and_names_unknown_names(client: TestClient) -> None:
    wrong = client.post("/api/query", json={"measure": {"type": "cont"}})
    unknown = {"measure": {"type": "count", "hits": {"virus": ["Krakenpox virus"]}}}
    refused = client.post("/api/query", json=unknown)

    assert wrong.status_code == 422
    assert refused.status_code == 422
    assert refused.json()["name"] == "UnknownNameError"
