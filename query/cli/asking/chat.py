"""``query chat``: questions one after the other, each follow-up changing the one before."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from query.cli.answering import asking_of, config_of
from query.cli.console import AsJson, Database, index_opened, print_prose, reported, say

if TYPE_CHECKING:
    from query.chat.talking import Reply


def chat(db: Database = None, as_json: AsJson = False) -> None:
    """Ask one question after another; a follow-up changes part of the last one.

    Each answer says how the question was read; /help lists other input. No model is used. A pipe is
    read line by line.

    \b
    Examples:
      query chat
      printf 'Which hosts carry endornaviruses?\\nand in roots?\\n' | query chat
      printf 'Which viruses infect pigs?\\nwhat about cattle?\\n' | query chat --json
    """
    with reported(as_json=as_json), index_opened(db) as con:
        from query.chat.talking import HELP, Conversation, reply

        config = config_of(full=False, risk_policy=None)
        conversation = Conversation(asking_of(con, "", db, config, no_llm=True))
        empty = True
        for line in _lines():
            if not line.strip():
                continue
            empty = False
            given = reply(conversation, line)
            if given.text is None:
                return
            _print(line, given, as_json=as_json)
            conversation = given.conversation
        if empty:
            say(HELP)


def _print(line: str, given: Reply, *, as_json: bool) -> None:
    """Print ``given``: one line of JSON, or the text followed by an empty line."""
    from query.chat.talking import reply_record

    if as_json:
        say(json.dumps(reply_record(line, given), ensure_ascii=False, default=str))
        return
    print_prose(given.text or "", paged=False)
    say("")


def _lines() -> Iterable[str]:
    """Return the lines of a pipe, or those typed at a prompt."""
    if sys.stdin.isatty():
        return _typed()
    return (line.rstrip("\n") for line in sys.stdin)


def _typed() -> Iterator[str]:
    """Yield what is typed at a prompt that keeps a history and completes commands."""
    from query.chat.talking import COMMANDS, HELP
    from query.cli.prompt import typed_lines

    say(HELP + "\n")
    yield from typed_lines(commands=list(COMMANDS))
