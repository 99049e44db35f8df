"""What comes back for a line of a conversation: an answer, a refusal, or what a command shows."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

import duckdb

from query.answer import Answer
from query.answer_text import answer_text
from query.chat.conversation import Conversation, next_question, reading_line
from query.config import QueryConfig
from query.errors import QueryError
from query.global_search.search import answer_from_facts, select_read
from query.reading.question import Question
from query.reading.reading import Reading, reading_record, reading_text

HELP: Final = """\
Ask a question, then change it: and in leaves? · only China · what about cattle · without lung ·
compare with pigs · pigs too · top 10 · which tissues? · how many runs?

/reading    how the present question is read     /drop NAME  take a name out of it
/more       the whole last answer                /back       the question before
/new        forget all questions                 /quit       leave"""
_LISTS_FOLLOW: Final = re.compile(r"\n\n(?:- |Where they are\n)")
"""What ends the short answer: lists of values and of communities, which /more shows."""


@dataclass(frozen=True, slots=True)
class Reply:
    """What comes back, and the conversation after it.

    ``text`` None ends the conversation; ``reading`` is None where nothing was asked.
    """

    text: str | None
    conversation: Conversation
    reading: Reading | None = None
    answer: Answer | None = None
    error: QueryError | None = None


@dataclass(frozen=True, slots=True)
class TalkSetting:
    """The index that a conversation is about, and how its questions are answered."""

    con: duckdb.DuckDBPyConnection
    config: QueryConfig


def reply(
    table: TalkSetting, conversation: Conversation, line: str, *, last: Answer | None
) -> Reply:
    """Return what comes back for ``line``; ``last`` is the answer given before.

    A question that cannot be answered leaves the conversation as it was.
    """
    word, _, rest = line.strip().partition(" ")
    command = _COMMANDS.get(word.lower())
    if command:
        return command(table, conversation, rest.strip(), last)

    if word.startswith("/"):
        return Reply(f"{word}: no such command\n{HELP}", conversation)
    try:
        return _answered(table, conversation, next_question(table.con, conversation, line))
    except QueryError as error:
        return Reply(_refusal(error), conversation, error=error)


def reply_record(line: str, given: Reply) -> dict[str, object]:
    """Return a reply as plain values: what was asked, how it was read, and what came back."""
    error = given.error
    return {
        "asked": line,
        "reading": reading_record(given.reading) if given.reading else None,
        "answer": given.answer.answer if given.answer else None,
        "text": None if given.answer or error else given.text,
        "error": type(error).__name__ if error else None,
        "message": error.message if error else None,
        "remedy": error.remedy if error else None,
    }


def _answered(table: TalkSetting, conversation: Conversation, question: Question) -> Reply:
    read = f"[{reading_line(question.reading)}]"
    try:
        selection = select_read(table.con, question, config=table.config)
        answer = answer_from_facts(table.con, selection, config=table.config)
    except QueryError as error:
        text = f"{read}\n{_refusal(error)}"
        return Reply(text, conversation, question.reading, error=error)
    opening = _LISTS_FOLLOW.split(answer.answer, maxsplit=1)[0]
    continued = conversation.asked(question)

    return Reply(f"{read}\n{opening}", continued, question.reading, answer)


def _refusal(error: QueryError) -> str:
    return f"{error.message}\n  -> {error.remedy}"


def _show_reading(_: TalkSetting, conversation: Conversation, __: str, ___: Answer | None) -> Reply:
    present = conversation.present
    if present is None:
        return Reply("nothing is asked yet", conversation)
    return Reply(reading_text(present.reading), conversation, present.reading)


def _drop(table: TalkSetting, conversation: Conversation, rest: str, _: Answer | None) -> Reply:
    changed = conversation.without(rest)
    if changed is None or changed.present is None:
        return Reply(f"the present question does not name {rest or 'that'}", conversation)
    return _answered(table, conversation, changed.present)


def _back(_: TalkSetting, conversation: Conversation, __: str, ___: Answer | None) -> Reply:
    before = conversation.back()
    if before.present is None:
        return Reply("nothing was asked before", before)
    return Reply(f"[{reading_line(before.present.reading)}]", before, before.present.reading)


def _more(_: TalkSetting, conversation: Conversation, __: str, last: Answer | None) -> Reply:
    return Reply(answer_text(last) if last else "nothing is asked yet", conversation)


def _new(_: TalkSetting, __: Conversation, ___: str, ____: Answer | None) -> Reply:
    return Reply("a new conversation", Conversation())


def _help(_: TalkSetting, conversation: Conversation, __: str, ___: Answer | None) -> Reply:
    return Reply(HELP, conversation)


def _quit(_: TalkSetting, conversation: Conversation, __: str, ___: Answer | None) -> Reply:
    return Reply(None, conversation)


_Command = Callable[[TalkSetting, Conversation, str, Answer | None], Reply]
_COMMANDS: Final[Mapping[str, _Command]] = {
    "/reading": _show_reading,
    "/drop": _drop,
    "/back": _back,
    "/more": _more,
    "/new": _new,
    "/help": _help,
    "/quit": _quit,
    "/exit": _quit,
}
COMMANDS: Final = tuple(_COMMANDS)
