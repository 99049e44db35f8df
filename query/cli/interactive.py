"""``query`` without a command, in a terminal: a conversation about the index."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from query.cli.answering import asking_of, config_of, keep_answer, print_result
from query.cli.console import index_opened, print_prose, reported, say
from query.cli.prompt import typed_lines
from query.config import database_path

if TYPE_CHECKING:
    from query.answer import Answer

_ROWS: Final = 20
"""Rows of a table that the prompt shows."""


def talk_in_terminal() -> None:
    """Answer what is typed until /quit or the end of the input.

    What was typed is kept beside the index (NAME.history), answers in its journal.
    """
    with reported(as_json=False), index_opened(None) as con:
        from query.chat.talking import COMMANDS, HELP, Conversation, known_names, reply

        path = database_path(None)
        config = config_of(full=False, risk_policy=None)
        conversation = Conversation(asking_of(con, "", None, config, no_llm=True))
        say(f"{HELP}\n")
        history = path.with_name(f"{path.name}.history")
        for line in typed_lines(commands=COMMANDS, names=known_names(con), history=history):
            given = reply(conversation, line)
            if given.text is None:
                return
            print_prose(given.text, paged=False)
            if given.answer is not None:
                _print_rows(given.answer)
                keep_answer(given.answer, path)
            conversation = given.conversation


def _print_rows(answer: Answer) -> None:
    """Print the first rows of an answer that has several, and how to get the others."""
    table = answer.table
    if table is None or len(table.rows) < 2:
        return
    first = replace(table, rows=table.rows[:_ROWS])
    print_result(first)
    hidden = len(table.rows) - len(first.rows)
    if hidden:
        say(f'{hidden:,} more: query sql "{answer.question}" --output rows.csv')
