"""A prompt for questions of any kind: lines in, text out; what a terminal adds is elsewhere."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

import duckdb

from query.answer import Answer
from query.answer_text import answer_text
from query.ask.ask import answer_any, explain
from query.ask.routing import Route
from query.errors import QueryError
from query.mode import Asking, Mode
from query.modes import all_modes, mode_named

HELP: Final = """\
Ask anything: Which viruses infect pigs? · Which studies mention bees? · Where is rs7412?

/mode NAME  ask in one way only; /mode auto lets the question decide; /mode lists the ways
/why        which way answered the last question, and which others suit it
/sql        the last question as SQL
/quit       leave"""
_SHOWN_HELP: Final = f"```\n{HELP}\n```"
COMMANDS: Final = ("/mode", "/why", "/sql", "/help", "/quit")
AUTO: Final = "auto"
MOST_NAMES: Final = 5_000


@dataclass(frozen=True, slots=True)
class Talk:
    """The state of a prompt: how questions are asked, the mode chosen, the last question."""

    asking: Asking
    mode: str = AUTO
    last: str = ""


@dataclass(frozen=True, slots=True)
class LineReply:
    """What a line gets, and the state after it; ``text`` None ends the talk.

    ``answer`` is the answer where one was given, for the journal.
    """

    text: str | None
    talk: Talk
    answer: Answer | None = None


def reply(talk: Talk, line: str) -> LineReply:
    """Return what ``line`` gets: a command is carried out, anything else is a question."""
    words = line.split()
    if not words:
        return LineReply("", talk)
    command, *others = words
    if not command.startswith("/"):
        asked = replace(talk, last=line)
        return _answered(asked, modes_of(talk))
    if command in ("/quit", "/exit", "/q"):
        return LineReply(None, talk)
    if command == "/mode":
        return _with_mode(talk, others)
    if command == "/help":
        return LineReply(_SHOWN_HELP, talk)
    if command not in COMMANDS:
        return LineReply(f"{command}: no such command\n\n{_SHOWN_HELP}", talk)
    if not talk.last:
        return LineReply("nothing was asked yet", talk)
    if command == "/why":
        return _why(talk)
    only_sql = {"sql": mode_named("sql")}
    return _answered(talk, only_sql)


def modes_of(talk: Talk) -> dict[str, Mode]:
    """Return the ways of asking that ``talk`` allows."""
    if talk.mode == AUTO:
        return dict(all_modes())
    mode = mode_named(talk.mode)
    return {talk.mode: mode}


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


def _with_mode(talk: Talk, words: list[str]) -> LineReply:
    modes = all_modes()
    if not words:
        lines = [f"- {name}: {mode.can}" for name, mode in modes.items()]
        listed = "\n".join(lines)
        text = f"asking: {talk.mode}\n\n{listed}"
        return LineReply(text, talk)
    wanted = words[0]
    allowed = [*modes, AUTO]
    if wanted not in allowed:
        names = ", ".join(allowed)
        refusal = f"{wanted}: no such way of asking; {names}"
        return LineReply(refusal, talk)
    changed = replace(talk, mode=wanted)
    return LineReply(f"asking: {wanted}", changed)


def _answered(talk: Talk, modes: dict[str, Mode]) -> LineReply:
    asking = replace(talk.asking, question=talk.last)
    try:
        answer = answer_any(asking, modes)
    except QueryError as error:
        refusal = f"{error.message}\n\n-> {error.remedy}"
        return LineReply(refusal, talk)
    text = answer_text(answer)
    return LineReply(text, talk, answer)


def _why(talk: Talk) -> LineReply:
    asking = replace(talk.asking, question=talk.last)
    modes = all_modes()
    try:
        parts = explain(asking, modes)
    except QueryError as error:
        return LineReply(error.message, talk)
    lines = []
    for text, routes in parts:
        lines.append(text)
        lines += [_suits(route) for route in routes]
    listed = "\n".join(lines)
    return LineReply(listed, talk)


def _suits(route: Route) -> str:
    fit = route.fit
    name = route.mode.name
    score = f"{fit.score:.1f}"
    return f"- {name} ({score}): {fit.why}"
