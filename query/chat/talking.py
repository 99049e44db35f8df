"""Reply to a line of a conversation, and carry the conversation on."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Final

import duckdb

from query.answer import Answer
from query.answer_text import answer_text
from query.ask.ask import MODE_ASK, answer_by
from query.ask.routing import route
from query.errors import QueryError, UnclearQuestionError
from query.mode import Asking
from query.modes import all_modes
from query.reading.reading import Choice, choice_record
from query.request import Request
from query.request.request import from_json
from query.request.saying import say, say_all

HELP: Final = """\
Ask a question, then change it: and in leaves? · only China · what about cattle · without lung ·
top 10 · which tissues? · how many runs?

1, 2, 3     pick one of the questions offered     /back  the question before
/reading    how the present question is read      /new   forget all questions
/mode NAME  ask in one way only; auto: any way    /why   which way answered, and why
/sql        the present question as SQL           /more  the whole last answer
/quit       leave"""
AUTO: Final = "auto"
MOST_NAMES: Final = 5_000


@dataclass(frozen=True, slots=True)
class Conversation:
    """A conversation: how questions are asked, the requests so far, and what was offered to choose
    from.

    ``unclear`` is the question for which ``choices`` were offered.
    """

    asking: Asking
    mode: str = AUTO
    requests: tuple[Request, ...] = ()
    choices: tuple[Choice, ...] = ()
    unclear: str = ""
    last: Answer | None = None

    @property
    def present(self) -> Request | None:
        """The request that a follow-up edits, None at the beginning."""
        return self.requests[-1] if self.requests else None


@dataclass(frozen=True, slots=True)
class Reply:
    """The reply to a line, and the conversation after it; ``text`` is None at its end."""

    text: str | None
    conversation: Conversation
    answer: Answer | None = None
    error: QueryError | None = None


def reply(conversation: Conversation, line: str) -> Reply:
    """Return the reply to ``line``: a command is carried out, a number picks a choice, anything
    else is a question. A question that cannot be answered leaves the requests as they were.
    """
    words = line.split()
    if not words:
        return Reply("", conversation)
    command = _COMMANDS.get(words[0].lower())
    if command is not None:
        return command(conversation, " ".join(words[1:]))
    if line.strip().startswith("/"):
        return Reply(f"{words[0]}: no such command\n\n{HELP}", conversation)
    if line.strip().isdecimal() and 0 < int(line) <= len(conversation.choices):
        return _answered(conversation, _picking(conversation, int(line)))
    asking = replace(conversation.asking, question=line, previous=conversation.present, requests=())
    return _answered(conversation, asking)


def reply_record(line: str, given: Reply) -> dict[str, object]:
    """Return a reply as plain values: the line, how it was read, and what came back."""
    error, answer = given.error, given.answer
    return {
        "line": line,
        "read_as": answer.read_as if answer else None,
        "requests": list(answer.requests) if answer else [],
        "answer": answer.answer if answer else None,
        "choices": [choice_record(choice) for choice in given.conversation.choices],
        "text": None if answer or error else given.text,
        "error": type(error).__name__ if error else None,
        "message": error.message if error else None,
        "remedy": error.remedy if error else None,
    }


def known_names(con: duckdb.DuckDBPyConnection) -> list[str]:
    """Return names that runs carry, most runs first: hosts, tissues, diseases, places, viruses."""
    rows = con.execute(
        "SELECT value FROM ("
        " SELECT value, count(DISTINCT run) AS runs FROM annotation"
        " WHERE value IS NOT NULL GROUP BY value"
        " UNION ALL SELECT coalesce(species, reported_name), count(DISTINCT run) FROM detection"
        " GROUP BY ALL"
        ") WHERE value IS NOT NULL GROUP BY value ORDER BY max(runs) DESC, value LIMIT $most",
        {"most": MOST_NAMES},
    ).fetchall()
    return [str(row[0]) for row in rows]


def _picking(conversation: Conversation, number: int) -> Asking:
    """Return the unclear question, read as what was offered as ``number``."""
    picked = conversation.choices[number - 1]
    question = conversation.unclear or say_all(picked)
    return replace(conversation.asking, question=question, requests=picked, previous=None)


def _answered(conversation: Conversation, asking: Asking, *, mode: str = "") -> Reply:
    name = mode or (MODE_ASK if conversation.mode == AUTO else conversation.mode)
    try:
        answer = answer_by(asking, name)
    except QueryError as error:
        offered = asking.read().choices if isinstance(error, UnclearQuestionError) else ()
        text = f"{error.message}\n  -> {error.remedy}"
        after = replace(conversation, choices=offered, unclear=asking.question)
        return Reply(text, after, error=error)
    requests = tuple(from_json(request) for request in answer.requests)
    after = replace(
        conversation, requests=(*conversation.requests, *requests[-1:]), choices=(), last=answer
    )
    return Reply(answer_text(answer), after, answer)


def _show_reading(conversation: Conversation, _: str) -> Reply:
    present = conversation.present
    return Reply(say(present) if present else "nothing is asked yet", conversation)


def _back(conversation: Conversation, _: str) -> Reply:
    before = replace(conversation, requests=conversation.requests[:-1], choices=())
    present = before.present
    return Reply(say(present) if present else "nothing was asked before", before)


def _more(conversation: Conversation, _: str) -> Reply:
    last = conversation.last
    return Reply(answer_text(last, full=True) if last else "nothing is asked yet", conversation)


def _new(conversation: Conversation, _: str) -> Reply:
    return Reply("a new conversation", replace(conversation, requests=(), choices=(), last=None))


def _why(conversation: Conversation, _: str) -> Reply:
    last = conversation.last
    if last is None:
        return Reply("nothing is asked yet", conversation)
    chosen = route(replace(conversation.asking, question=last.question, requests=()))
    return Reply(f"{chosen.mode}, because {chosen.why}", conversation)


def _as_sql(conversation: Conversation, _: str) -> Reply:
    present = conversation.present
    if present is None:
        return Reply("nothing is asked yet", conversation)
    asking = replace(conversation.asking, question=say(present), requests=(present,), previous=None)
    return _answered(conversation, asking, mode="sql")


def _with_mode(conversation: Conversation, name: str) -> Reply:
    modes = all_modes()
    if not name:
        listed = "\n".join(f"- {mode.name}: {mode.can}" for mode in modes.values())
        return Reply(f"asking: {conversation.mode}\n\n{listed}", conversation)
    if name not in (*modes, AUTO):
        known = ", ".join([*modes, AUTO])
        return Reply(f"{name}: no such way of asking; {known}", conversation)
    return Reply(f"asking: {name}", replace(conversation, mode=name))


def _help(conversation: Conversation, _: str) -> Reply:
    return Reply(f"```\n{HELP}\n```", conversation)


def _quit(conversation: Conversation, _: str) -> Reply:
    return Reply(None, conversation)


_Command = Callable[[Conversation, str], Reply]
_COMMANDS: Final[Mapping[str, _Command]] = {
    "/reading": _show_reading,
    "/back": _back,
    "/more": _more,
    "/new": _new,
    "/mode": _with_mode,
    "/why": _why,
    "/sql": _as_sql,
    "/help": _help,
    "/quit": _quit,
    "/exit": _quit,
}
COMMANDS: Final = tuple(_COMMANDS)
