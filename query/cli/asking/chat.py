"""``query chat``, and ``query`` without a command: questions typed at a prompt (prompt_toolkit)."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Final

import duckdb

from index.store.private import private_file
from query.answer import Answer
from query.cli.answering import ModeOptions, asking_for, keep_answer, print_result
from query.cli.console import AsJson, Database, opened, print_prose, say
from query.config import database_path

if TYPE_CHECKING:
    from prompt_toolkit import PromptSession
    from prompt_toolkit.history import History

    from query.chat.talking import Reply


_ROWS: Final = 20
"""Rows of a table that a terminal shows."""


def chat(db: Database = None, as_json: AsJson = False) -> None:
    """Ask one question after another; a follow-up changes part of the last one.

    Each answer says how the question was read; /help lists other input. No model is used. A pipe is
    read line by line. In a terminal your input is stored next to the index (NAME.history), and
    answers in its journal.

    \b
    Examples:
      query chat
      printf 'Which hosts carry endornaviruses?\\nand in roots?\\n' | query chat
      printf 'Which viruses infect pigs?\\nwhat about cattle?\\n' | query chat --json
    """
    with opened(db, as_json=as_json) as con:
        from query.chat.talking import HELP, Conversation, reply

        is_terminal = sys.stdin.isatty()
        path = database_path(db)
        conversation = Conversation(asking_for(con, ModeOptions("", db, no_llm=True)))
        lines = _typed(con, path) if is_terminal else sys.stdin
        empty = True
        for line in lines:
            if not line.strip():
                continue
            empty = False
            given = reply(conversation, line.rstrip("\n"))
            if given.text is None:
                return
            _print(line.rstrip("\n"), given, as_json=as_json)
            if is_terminal and given.answer is not None:
                _print_rows(given.answer, as_json=as_json)
                keep_answer(given.answer, path)
            conversation = given.conversation
        if empty and not is_terminal:
            say(HELP)


def _typed(con: duckdb.DuckDBPyConnection, path: Path) -> Iterable[str]:
    """Return what is typed at a prompt, after the help."""
    from query.chat.talking import COMMANDS, HELP, known_names

    say(f"{HELP}\n")
    history = path.with_name(f"{path.name}.history")
    return typed_lines(commands=COMMANDS, names=known_names(con), history=history)


def _print(line: str, given: Reply, *, as_json: bool) -> None:
    """Print ``given``: one line of JSON, or the text followed by an empty line."""
    from query.chat.talking import reply_record

    if as_json:
        say(json.dumps(reply_record(line, given), ensure_ascii=False, default=str))
        return
    print_prose(given.text or "", paged=False)
    say("")


def _print_rows(answer: Answer, *, as_json: bool) -> None:
    """Print the first rows of an answer that has several, and how to get the others."""
    table = answer.table
    if as_json or table is None or len(table.rows) < 2:
        return
    first = replace(table, rows=table.rows[:_ROWS])
    print_result(first)
    hidden = len(table.rows) - len(first.rows)
    if hidden:
        say(f'{hidden:,} more: query sql "{answer.question}" --output rows.csv')


PROMPT: Final = "query> "
MOST_WORDS: Final = 5
"""Words of the longest name that is completed."""
LEAST_LETTERS: Final = 2
MOST_SHOWN: Final = 50


def typed_lines(*, commands: Sequence[str], names: Sequence[str], history: Path) -> Iterator[str]:
    """Yield what is typed until the input ends; Ctrl-C drops the line, Ctrl-D ends.

    ``commands`` complete a line that begins with them, ``names`` the words being typed.
    ``history`` is the file that keeps what was typed, where it can be written.
    """
    session = _session(commands, names, history)
    while True:
        try:
            yield session.prompt(PROMPT)
        except KeyboardInterrupt:
            continue
        except EOFError:
            return


def completions(text: str, names: Sequence[str]) -> list[tuple[str, int]]:
    """Return the names that the last words of ``text`` begin, with how many letters they replace.

    The longest stretch of words that begins a name decides.

    >>> completions("viruses of Homo sap", ["Homo sapiens", "Sus scrofa"])
    [('Homo sapiens', 8)]
    """
    starts = [0, *(place + 1 for place, sign in enumerate(text) if sign == " ")]
    for start in starts[-MOST_WORDS:]:
        typed = text[start:].casefold()
        found = [name for name in names if name.casefold().startswith(typed)]
        if len(typed) >= LEAST_LETTERS and found:
            return [(name, len(typed)) for name in found[:MOST_SHOWN]]
    return []


def _session(commands: Sequence[str], names: Sequence[str], history: Path) -> PromptSession[str]:
    from prompt_toolkit import PromptSession
    from prompt_toolkit.completion import CompleteEvent, Completer, Completion
    from prompt_toolkit.document import Document

    class NameCompleter(Completer):
        def get_completions(
            self,
            document: Document,
            complete_event: CompleteEvent,  # noqa: ARG002 - its interface
        ) -> Iterator[Completion]:
            text = document.text_before_cursor
            words = commands if text.startswith("/") else names
            for name, length in completions(text, words):
                yield Completion(name, start_position=-length)

    return PromptSession(
        completer=NameCompleter(), complete_while_typing=False, history=_history(history)
    )


def _history(path: Path) -> History:
    from prompt_toolkit.history import FileHistory, InMemoryHistory

    if not os.access(path.parent, os.W_OK):
        return InMemoryHistory()
    return FileHistory(str(private_file(path)))
