"""An answer as it comes: facts before the model is asked, then each sentence of its
interpretation; Ctrl-C, a broken connection and a server that cannot stream keep what was there.
"""

from __future__ import annotations

import json
import os
import pty
import re
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from index.models.choose import Patience
from query.answer import Answer
from query.cli.app import app
from query.config import QueryConfig
from query.global_search.answering import answer_globally
from query.mode import Asking
from tests.community_index import make_community_index as make_index
from tests.query_index import opened
from tests.scripted_openai import Reply, ScriptedServer, error, serve

pytestmark = pytest.mark.usefixtures("composed_only")
QUESTION = "Which viruses turn up in bat gut samples?"
FIRST = "Such hits may come from what was eaten."
FALSE = "Coronaviridae (7 runs) lead."
LAST = "An independent study would tell."
CONFIG = QueryConfig()


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_index(tmp_path_factory.mktemp("watching") / "index.duckdb")


class Seen:
    """Keeps what a watch sees, and when."""

    def __init__(self) -> None:
        self.events: list[tuple[str, str]] = []
        self.has_sentence = threading.Event()
        self.answer: Answer | None = None

    def facts(self, answer: Answer) -> None:
        self.answer = answer
        self._note("facts", answer.answer)

    def step(self, text: str) -> None:
        self._note("step", text)

    def sentence(self, text: str) -> None:
        self._note("sentence", text)
        self.has_sentence.set()

    def said(self, kind: str) -> list[str]:
        return [text for name, text in self.events if name == kind]

    def _note(self, kind: str, text: str) -> None:
        self.events.append((kind, text))


def answer_of(sentences: list[str]) -> str:
    return json.dumps({"sentences": sentences})


def pieces_of(text: str, *, length: int = 12) -> list[str]:
    return [text[start : start + length] for start in range(0, len(text), length)]


def words(reply: Reply) -> Callable[[dict[str, Any]], Reply]:
    """Return a server that scores nothing, and interprets as ``reply``."""

    def answer(request: dict[str, Any]) -> Reply:
        shape = request["response_format"]["json_schema"]["schema"]["properties"]
        return Reply('{"communities": []}') if "communities" in shape else reply

    return answer


def ask(index: Path, script: Callable[[dict[str, Any]], Reply], seen: Seen) -> Answer:
    with serve(script) as server, opened(index) as con:
        choice = server.choice(patience=Patience(max_retries=1))
        return answer_globally(Asking(QUESTION, con, index, CONFIG, choice, watch=seen))


def from_facts(index: Path) -> Answer:
    with opened(index) as con:
        return answer_globally(Asking(QUESTION, con, index, CONFIG))


def test_sentences_that_hold_are_seen_while_the_model_goes_on(index: Path) -> None:
    text = answer_of([FIRST, FALSE, LAST])
    seen = Seen()

    def pieces() -> Iterator[str]:
        rest = text.index(LAST)
        yield from pieces_of(text[:rest])
        assert seen.has_sentence.wait(600)
        yield text[rest:]

    def script(request: dict[str, Any]) -> Reply:
        return words(Reply(text, pieces=pieces()))(request)

    answer = ask(index, script, seen)
    kinds = [kind for kind, _ in seen.events]
    assert kinds == ["facts", "step", "step", "sentence", "sentence"]
    assert seen.said("sentence") == [FIRST, LAST]
    assert answer.coverage.sentences_dropped == 1
    assert (answer.usage.calls, answer.usage.completion_tokens) == (3, 15)


def test_facts_are_seen_before_the_model_is_asked(index: Path) -> None:
    seen, before = Seen(), []

    def script(request: dict[str, Any]) -> Reply:
        before.append(seen.said("facts"))
        return words(Reply(answer_of([FIRST])))(request)

    ask(index, script, seen)
    assert before[0] == [from_facts(index).answer]


def no_stream(request: dict[str, Any]) -> Reply:
    if request.get("stream"):
        return error(400, "stream is not supported", param="stream")
    return words(Reply(answer_of([FIRST, LAST])))(request)


WHOLE = {
    "sends the answer whole": words(Reply(answer_of([FIRST, LAST]))),
    "refuses to stream": no_stream,
    "streams it in one piece": words(
        Reply("", pieces=[answer_of([FIRST, LAST])]),
    ),
    "thinks before it answers": words(
        Reply("", pieces=["<think>{", '"sentences": [1, 2]}', "</think>", answer_of([FIRST, LAST])])
    ),
}


@pytest.mark.parametrize("case", WHOLE)
def test_server_that_streams_otherwise_or_not_at_all_gives_the_same_answer(
    index: Path, case: str
) -> None:
    seen = Seen()
    answer = ask(index, WHOLE[case], seen)
    assert seen.said("sentence") == [FIRST, LAST]
    assert answer.interpretation == (FIRST, LAST)
    assert answer.coverage.notes == ()


def test_sentences_that_had_come_stay_where_the_connection_breaks(index: Path) -> None:
    text = answer_of([FIRST, LAST, LAST])
    half = Reply("", pieces=pieces_of(text[: text.index(LAST) + 9]), breaks=True)
    seen = Seen()
    answer = ask(index, words(half), seen)
    assert seen.said("sentence") == [FIRST]
    assert answer.interpretation == (FIRST,)
    assert answer.coverage.notes == ("its answer broke off",)


# --- the terminal ---------------------------------------------------------------------------------


@pytest.fixture
def slow(index: Path) -> Iterator[ScriptedServer]:
    """A server that says two sentences and begins a third, which ends with the test."""
    text, over = answer_of([FIRST, LAST, FIRST]), threading.Event()

    def pieces() -> Iterator[str]:
        yield from pieces_of(text[: text.rindex(FIRST) + 9])
        over.wait()

    with serve(words(Reply("", pieces=pieces()))) as server:
        yield server
        over.set()


READ_BY_RULES = """
from query.cli.app import main
from query.reading import reader
reader.read_tuned = lambda _question: None
main()
"""
"""What ``python -m query`` does, without the tuned model, which takes a second."""


def in_terminal(
    index: Path, server: ScriptedServer, mode: str
) -> tuple[int, subprocess.Popen[Any]]:
    """Ask in a pseudo-terminal of its own; return our side of it and the process.

    A shell opens the terminal as the leader of its session, so that Ctrl-C is a signal there.
    """
    ours, theirs = pty.openpty()
    env = {**os.environ, **endpoint(server), "VIROME_DB": str(index), "TERM": "xterm"}
    env |= {"TERMINAL": os.ttyname(theirs), "COLUMNS": "100"}
    opened_there = 'exec "$@" <"$TERMINAL" >"$TERMINAL" 2>&1'
    asked = [sys.executable, "-c", READ_BY_RULES, mode, QUESTION, "--no-journal"]
    command = ["sh", "-c", opened_there, "sh", *asked]
    process = subprocess.Popen(
        command, stdin=theirs, stdout=theirs, stderr=theirs, env=env, start_new_session=True
    )
    os.close(theirs)
    return ours, process


def endpoint(server: ScriptedServer) -> dict[str, str]:
    return {"OPENAI_BASE_URL": server.base_url, "VIROME_MODEL": "scripted-8b"}


def shown_until(terminal: int, text: str | None) -> str:
    """Return what the terminal shows until ``text`` is among it, or until it closes."""
    shown = ""
    while text is None or text not in plain(shown):
        try:
            piece = os.read(terminal, 65536)
        except OSError:
            break
        if not piece:
            break
        shown += piece.decode(errors="replace")
    return shown


def plain(text: str) -> str:
    """Return what a terminal shows, without colours, on one line."""
    return " ".join(re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]", "", text).split())


@pytest.mark.usefixtures("interruptible")
def test_ctrl_c_in_the_middle_keeps_the_facts_and_the_sentences_that_came(
    index: Path, slow: ScriptedServer
) -> None:
    terminal, process = in_terminal(index, slow, "global")
    before = shown_until(terminal, FIRST)
    os.write(terminal, b"\x03")
    after = shown_until(terminal, None)
    assert process.wait() == 0
    os.close(terminal)
    assert from_facts(index).answer.split("\n")[0] in plain(before)
    assert "scripted-8b interprets the answer" in plain(before)
    assert "Of the model: scripted-8b was stopped." in plain(after)
    assert FIRST not in plain(after)
    assert "Traceback" not in after


def test_sentences_are_not_printed_again_at_the_end(index: Path) -> None:
    text = answer_of([FIRST, FALSE, LAST])
    with serve(words(Reply(text, pieces=pieces_of(text)))) as server:
        terminal, process = in_terminal(index, server, "ask")
        shown = plain(shown_until(terminal, None))
        assert process.wait() == 0
    os.close(terminal)
    assert shown.count("Interpretation by scripted-8b: not counted in the index") == 1
    assert shown.count(FIRST) == shown.count(LAST) == 1
    assert "(7 runs) lead" not in shown
    assert "1 sentence of the model left out" in shown


def test_a_pipe_gets_the_sentences_as_one_paragraph(
    index: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = answer_of([FIRST, LAST])
    with serve(words(Reply(text, pieces=pieces_of(text)))) as server:
        for name, value in endpoint(server).items():
            monkeypatch.setenv(name, value)
        asked = ["global", QUESTION, "--db", str(index), "--no-journal"]
        done = CliRunner().invoke(app, asked)
    (paragraph,) = [
        one for one in done.stdout.split("\n\n") if one.startswith("Interpretation by scripted-8b")
    ]
    assert FIRST in paragraph
    assert LAST in paragraph
    assert done.stdout.count(FIRST) == 1
    assert "scripted-8b interprets the answer" in done.stderr
