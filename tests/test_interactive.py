"""The prompt of ``query``: lines in, text out, and the terminal around it."""

from __future__ import annotations

import os
import pty
import subprocess
import sys
from pathlib import Path

import duckdb
import pytest
from prompt_toolkit.application import create_app_session
from prompt_toolkit.input import create_pipe_input
from prompt_toolkit.output import DummyOutput
from typer.testing import CliRunner

from query.ask.talk import HELP, Talk, known_names, reply
from query.cli.app import app
from query.cli.prompt import completions, typed_lines
from query.config import QueryConfig
from query.mode import Asking
from tests.conftest import ROOT, BuiltIndex


@pytest.fixture
def talk(
    sample_db: duckdb.DuckDBPyConnection,
    sample_index: BuiltIndex,
    monkeypatch: pytest.MonkeyPatch,
) -> Talk:
    monkeypatch.setenv("VIROME_ENTREZ_REPLAY", str(ROOT / "data" / "sample" / "entrez.jsonl"))
    return Talk(Asking("", sample_db, sample_index.path, QueryConfig()))


def said(talk: Talk, *lines: str) -> list[str]:
    """Return what each of ``lines`` gets, one after the other."""
    texts = []
    for line in lines:
        given = reply(talk, line)
        texts.append(given.text or "")
        talk = given.talk
    return texts


def test_a_question_is_answered_and_why_says_which_way(talk: Talk) -> None:
    answer, why = said(talk, "Which chromosome is rs7412 on?", "/why")
    assert answer.startswith("rs7412 is on chromosome 19")
    assert why.splitlines()[1].startswith("- entrez (0.9): it names rs7412")


def test_a_way_of_asking_is_kept_until_it_is_changed(talk: Talk) -> None:
    lines = ["/mode entrez", "Which viruses infect pigs?", "/mode auto", "/mode"]
    chosen, refused, back, listed = said(talk, *lines)
    assert (chosen, back) == ("asking: entrez", "asking: auto")
    assert "no way of asking suits it" in refused
    assert "search: Find passages" in listed


def test_the_last_question_is_asked_again_in_sql(talk: Talk) -> None:
    _, rows = said(talk, "How many runs carry coronaviruses?", "/sql")
    assert "SELECT" in rows


@pytest.mark.parametrize(
    ("line", "text"),
    [
        ("", ""),
        ("/help", HELP),
        ("/why", "nothing was asked yet"),
        ("/sql", "nothing was asked yet"),
        ("/fly", "/fly: no such command"),
        ("/mode oracle", "oracle: no such way of asking"),
        ("?", "the question is empty"),
        ("What cures dengue?", "the index holds sequencing runs, and no treatments"),
        ("bats " * 500, "at most 1,000 are read"),
    ],
    ids=[
        "empty",
        "help",
        "why first",
        "sql first",
        "no command",
        "no mode",
        "no word",
        "cure",
        "huge",
    ],
)
def test_a_line_that_cannot_be_answered_says_so_and_the_talk_goes_on(
    line: str, text: str, talk: Talk
) -> None:
    given = reply(talk, line)
    assert given.text is not None
    assert text in given.text
    assert reply(given.talk, "/quit").text is None


def test_names_that_runs_carry_are_completed(sample_db: duckdb.DuckDBPyConnection) -> None:
    names = known_names(sample_db)
    assert "Homo sapiens" in names
    assert len(names) == len(set(names)) <= 5000


def test_what_is_typed_is_kept(tmp_path: Path) -> None:
    with (
        create_pipe_input() as keys,
        create_app_session(input=keys, output=DummyOutput()),
    ):
        keys.send_text("first\nsecond\n\x04")
        lines = typed_lines(commands=("/quit",), history=tmp_path / "history")
        assert list(lines) == ["first", "second"]
    assert "+second" in (tmp_path / "history").read_text()


@pytest.mark.parametrize(
    ("text", "found"),
    [("in rhino", "Rhinolophus sinicus"), ("of Homo sap", "Homo sapiens"), ("/w", "/why")],
)
def test_names_of_several_words_and_commands_are_completed(text: str, found: str) -> None:
    names = ("Homo sapiens", "Rhinolophus sinicus", "/why")
    assert [name for name, _ in completions(text, names)] == [found]


def test_without_a_terminal_query_shows_its_help() -> None:
    given = CliRunner().invoke(app, [])
    assert given.exit_code == 2
    assert "Usage:" in given.stdout


def test_in_a_terminal_query_opens_a_prompt(sample_index: BuiltIndex, tmp_path: Path) -> None:
    """Typed into a real pseudo-terminal, answered, left by /quit."""
    ours, theirs = pty.openpty()
    env = {**os.environ, "VIROME_DB": str(sample_index.path), "TERM": "dumb"}
    env["VIROME_ENTREZ_REPLAY"] = str(ROOT / "data" / "sample" / "entrez.jsonl")
    command = [sys.executable, "-m", "query"]
    with subprocess.Popen(command, stdin=theirs, stdout=theirs, stderr=theirs, env=env) as process:
        os.close(theirs)
        os.write(ours, b"Which chromosome is rs7412 on?\r/quit\r")
        shown = b""
        while chunk := _read(ours):
            shown += chunk
        assert process.wait(timeout=120) == 0
    os.close(ours)
    assert b"chromosome 19" in shown


def _read(terminal: int) -> bytes:
    try:
        return os.read(terminal, 65536)
    except OSError:
        return b""  # the other side closed
