"""``query chat``, and ``query`` without a command in a terminal: one question after the other."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Final

from query.cli.answering import asking_of, config_of, keep_answer, print_result
from query.cli.console import AsJson, Database, index_opened, print_prose, reported, say
from query.config import database_path

if TYPE_CHECKING:
    import duckdb

    from query.answer import Answer
    from query.chat.talking import Reply

_ROWS: Final = 20
"""Rows of a table that a terminal shows."""


def chat(db: Database = None, as_json: AsJson = False) -> None:
    """Ask one question after another; a follow-up changes part of the last one.

    Each answer says how the question was read; /help lists other input. No model is used. A pipe is
    read line by line. In a terminal what was typed is kept next to the index (NAME.history), and
    answers in its journal.

    \b
    Examples:
      query chat
      printf 'Which hosts carry endornaviruses?\\nand in roots?\\n' | query chat
      printf 'Which viruses infect pigs?\\nwhat about cattle?\\n' | query chat --json
    """
    with reported(as_json=as_json), index_opened(db) as con:
        from query.chat.talking import HELP, Conversation, reply

        is_terminal = sys.stdin.isatty()
        path = database_path(db)
        config = config_of(full=False, risk_policy=None)
        conversation = Conversation(asking_of(con, "", db, config, no_llm=True))
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
    from query.cli.prompt import typed_lines

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
