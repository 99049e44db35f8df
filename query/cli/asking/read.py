"""``query read``: what a question was understood to ask, before anything is counted."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from query.cli.answering import config_of
from query.cli.console import AsJson, Database, index_opened, print_json, reported, say
from query.config import cache_path, database_path, model_choice

if TYPE_CHECKING:
    from pathlib import Path

    import duckdb

    from query.reading.reading import Reading


def read(
    question: Annotated[str, typer.Argument(help="The question, in words.", show_default=False)],
    db: Database = None,
    as_json: AsJson = False,
    no_llm: Annotated[
        bool, typer.Option("--no-llm", help="Read by rules alone, though they refuse it.")
    ] = False,
) -> None:
    """Say how a question is read: kind, names and their parts, and what is not understood.

    Where rules refuse a question, a configured model of 4 billion parameters or more is asked once
    to make it plain; what it proposes is read by the same rules, and said.

    \b
    Examples:
      query read "Which viruses turn up in bat gut samples?"
      query read "liver but not lung" --json
    """
    with reported(as_json=as_json), index_opened(db) as con:
        if no_llm:
            print_reading(con, question, as_json=as_json)
            return
        _print(_read_with_model(con, question, db), as_json=as_json, err=False)


def _read_with_model(con: duckdb.DuckDBPyConnection, question: str, db: Path | None) -> Reading:
    """Return how ``question`` is read, with the configured model where rules refuse it."""
    from query.global_search.ask import read_asked
    from query.mode import Asking
    from query.reading.question import clean_question, read_question
    from query.reading.refusal import is_not_understood

    read = read_question(con, clean_question(question))
    if not is_not_understood(read):
        return read.reading
    config = config_of(full=False, risk_policy=None)
    path = database_path(db)
    asking = Asking(question, con, path, config, model_choice(), cache=cache_path(path))
    return read_asked(asking).reading


def print_reading(
    con: duckdb.DuckDBPyConnection, question: str, *, as_json: bool, err: bool = False
) -> None:
    """Print the reading of ``question``; raises ``QueryError`` where it is empty or too long."""
    from query.reading.question import clean_question, read_question

    reading = read_question(con, clean_question(question)).reading
    _print(reading, as_json=as_json, err=err)


def _print(reading: Reading, *, as_json: bool, err: bool) -> None:
    from query.reading.reading import reading_record, reading_text

    if as_json:
        print_json(reading_record(reading))
    else:
        say(reading_text(reading), err=err)
