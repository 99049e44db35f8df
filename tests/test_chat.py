"""Conversations: a follow-up edits the request before it; numbers pick; commands look back."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import duckdb
import pytest
from typer.testing import CliRunner

from query.chat.talking import Conversation, Reply, known_names, reply
from query.cli.app import app
from query.config import QueryConfig
from query.mode import Asking
from query.request import Carries, Count, Has, Hit, Request, Values, say
from tests.conftest import BuiltIndex

pytestmark = pytest.mark.usefixtures("composed_only")
BATS = Request(Values(("family",)), Has("host", ("bats",)))
PIGS = Request(Values(("family",)), Has("host", ("pigs",)))


@pytest.fixture
def begun(sample_db: duckdb.DuckDBPyConnection, sample_index: BuiltIndex) -> Conversation:
    return Conversation(Asking("", sample_db, sample_index.path, QueryConfig()))


def talked(conversation: Conversation, *lines: str) -> list[Reply]:
    """Return what comes back for each line in turn."""
    replies = []
    for line in lines:
        given = reply(conversation, line)
        conversation = given.conversation
        replies.append(given)
    return replies


DIALOGUES = """
first                              | then
Which virus families are in bats?  | what about humans
How many runs carry coronaviruses? | only in bats
"""


def rows(table: str) -> list[list[str]]:
    return [[cell.strip() for cell in line.split("|")] for line in table.strip().splitlines()[1:]]


@pytest.mark.parametrize(("first", "then"), rows(DIALOGUES))
def test_a_follow_up_keeps_the_measure_and_changes_the_runs(
    begun: Conversation, first: str, then: str
) -> None:
    before, after = talked(begun, first, then)
    assert before.answer is not None, before.text
    assert after.answer is not None, after.text
    (one,), (other,) = before.conversation.requests, after.conversation.requests[1:]
    assert one.measure == other.measure
    assert one.of != other.of


def test_a_number_picks_one_of_the_questions_offered(begun: Conversation) -> None:
    offered = replace(begun, choices=((BATS,), (PIGS,)))
    (given,) = talked(offered, "2")
    assert given.conversation.present == PIGS
    assert given.conversation.choices == ()


def test_back_and_reading_show_the_request_before(begun: Conversation) -> None:
    asked = replace(begun, requests=(BATS, PIGS))
    shown, back, empty, none = talked(asked, "/reading", "/back", "/back", "/back")
    assert shown.text == say(PIGS)
    assert back.text == say(BATS)
    assert empty.text == none.text == "nothing was asked before"


def test_a_question_that_fails_leaves_the_requests_as_they_were(begun: Conversation) -> None:
    asked = replace(begun, requests=(BATS,))
    (given,) = talked(asked, "zorbs frobnicate the glimmering snargle?")
    assert given.error is not None
    assert given.conversation.requests == (BATS,)


COMMANDS = """
typed      | says
/mode      | - sql:
/mode sql  | asking: sql
/mode odd  | no such way of asking
/more      | nothing is asked yet
/sql       | nothing is asked yet
/why       | nothing is asked yet
/odd       | no such command
/help      | /quit
/new       | a new conversation
"""


@pytest.mark.parametrize(("typed", "says"), rows(COMMANDS))
def test_commands_answer_without_a_question(begun: Conversation, typed: str, says: str) -> None:
    (given,) = talked(begun, typed)
    assert says in (given.text or "")
    assert given.answer is None


def test_quit_ends_it(begun: Conversation) -> None:
    assert talked(begun, "/quit")[0].text is None


def test_the_present_question_as_sql(begun: Conversation) -> None:
    request = Request(Count(), Carries(Hit(virus=("Coronaviridae",))))
    (given,) = talked(replace(begun, requests=(request,)), "/sql")
    assert "```sql" in (given.text or "")


def test_names_to_complete_are_those_of_runs(sample_db: duckdb.DuckDBPyConnection) -> None:
    assert "Homo sapiens" in known_names(sample_db)


def test_json_lines_have_the_same_keys(sample_index: BuiltIndex, tmp_path: Path) -> None:
    lines = "Which virus families are in bats?\nand in pigs?\n/help\nzorbs of the snargle?\n"
    env = {"VIROME_DB": str(sample_index.path)}
    done = CliRunner().invoke(app, ["chat", "--json"], input=lines, env=env)
    records = [json.loads(line) for line in done.stdout.splitlines()]
    assert {" ".join(record) for record in records} == {
        "line read_as requests answer choices text error message remedy"
    }
    assert records[0]["requests"][0]["of"] != records[1]["requests"][0]["of"]
    assert records[3]["error"]
