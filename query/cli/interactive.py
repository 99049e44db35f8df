"""``query`` without a command, in a terminal: a prompt for questions of any kind."""

from __future__ import annotations

from query.cli.answering import asking_of, config_of, keep_answer
from query.cli.console import index_opened, print_prose, reported, say
from query.cli.prompt import typed_lines
from query.config import database_path


def talk_in_terminal() -> None:
    """Answer what is typed until /quit or the end of the input.

    What was typed is kept beside the index (NAME.history), answers in its journal.
    """
    with reported(as_json=False), index_opened(None) as con:
        from query.ask.talk import COMMANDS, HELP, Talk, known_names, reply

        path = database_path(None)
        config = config_of(full=False, allow_risk=None)
        talk = Talk(asking_of(con, "", None, config, no_llm=True))
        say(f"{HELP}\n")
        history = path.with_name(f"{path.name}.history")
        for line in typed_lines(commands=COMMANDS, names=known_names(con), history=history):
            given = reply(talk, line)
            if given.text is None:
                return
            print_prose(given.text, paged=False)
            if given.answer is not None:
                keep_answer(given.answer, path)
            talk = given.talk
