"""Any question: its reading decides which way of asking answers it, and a refusal is an answer."""

from __future__ import annotations

import json
from pathlib import Path

import duckdb
import pytest
from typer.testing import CliRunner

from query.ask.ask import answer_any, answer_by
from query.ask.routing import route, route_of
from query.cli.app import app
from query.config import QueryConfig
from query.errors import BeyondCountsError, UnclearQuestionError, UnknownModeError
from query.mode import Asking
from query.reading import Form, Need, Reading
from query.request import Carries, Count, Hit, Request, Values
from tests.conftest import ROOT, BuiltIndex

pytestmark = pytest.mark.usefixtures("composed_only")
REQUEST = Request(Count(), Carries(Hit(virus=("Coronaviridae",))))


@pytest.fixture(autouse=True)
def replayed(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Answer NCBI's part from the sample, and keep no documents."""
    monkeypatch.setenv("VIROME_ENTREZ_REPLAY", str(ROOT / "data" / "sample" / "entrez.jsonl"))
    monkeypatch.setenv("VIROME_DOCUMENTS", str(tmp_path / "none.duckdb"))


def asking(con: duckdb.DuckDBPyConnection, question: str, **options: object) -> Asking:
    return Asking(question, con, Path("index.duckdb"), QueryConfig(), **options)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("form", "needs", "mode"),
    [
        ("sentence", frozenset(), "global"),
        ("table", frozenset(), "sql"),
        ("csv", frozenset(), "sql"),
        ("list", frozenset(), "sql"),
        ("sentence", frozenset({"associations"}), "global"),
        ("sentence", frozenset({"links"}), "local"),
    ],
)
def test_the_form_and_the_needs_of_a_reading_choose_the_way(
    form: Form, needs: frozenset[Need], mode: str
) -> None:
    assert route_of(Reading("?", (REQUEST,), form=form, needs=needs)).mode == mode


@pytest.mark.parametrize(("elsewhere", "mode"), [("entrez", "entrez"), ("passages", "search")])
def test_what_no_run_holds_is_asked_elsewhere(elsewhere: str, mode: str) -> None:
    assert route_of(Reading("?", elsewhere=elsewhere)).mode == mode  # type: ignore[arg-type]


def test_sql_is_run_as_it_is_typed(sample_db: duckdb.DuckDBPyConnection) -> None:
    assert route(asking(sample_db, "SELECT count(*) FROM run")).mode == "sql"


def test_an_answer_says_which_way_gave_it_how_it_was_read_and_its_requests(
    sample_db: duckdb.DuckDBPyConnection,
) -> None:
    answer = answer_any(asking(sample_db, "Which viruses are found in bats?"))
    assert answer.steps[0].startswith("answered by global, because ")
    assert answer.read_as
    assert answer.requests[0]["measure"]["type"] == "values"


def test_a_request_is_asked_like_words(sample_db: duckdb.DuckDBPyConnection) -> None:
    request = Request(Values(("family",), limit=1), Carries(Hit(virus=("Coronaviridae",))))
    answer = answer_any(asking(sample_db, "whatever", requests=(request,)))
    assert answer.requests[0]["measure"]["limit"] == 1


def test_a_refusal_ends_there(sample_db: duckdb.DuckDBPyConnection) -> None:
    with pytest.raises((BeyondCountsError, UnclearQuestionError)):
        answer_any(asking(sample_db, "Should I vaccinate my dog against rabies?"))


def test_an_unknown_way_is_named_with_those_there_are(
    sample_db: duckdb.DuckDBPyConnection,
) -> None:
    with pytest.raises(UnknownModeError, match="oracle"):
        answer_by(asking(sample_db, "bats"), "oracle")


def test_the_command_says_why_without_asking(sample_index: BuiltIndex) -> None:
    words = ["ask", "Which viruses are found in bats?", "--why", "--json"]
    done = CliRunner().invoke(app, words, env={"VIROME_DB": str(sample_index.path)})
    assert json.loads(done.stdout)["mode"] == "global"
