"""``query read``: what a question was understood to ask, before anything is counted."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from query.cli.console import AsJson, Database, index_opened, print_json, reported, say

if TYPE_CHECKING:
    import duckdb


def read(
    question: Annotated[str, typer.Argument(help="The question, in words.", show_default=False)],
    db: Database = None,
    as_json: AsJson = False,
) -> None:
    """Say how a question is read: kind, names and their parts, and what is not understood.

    \b
    Examples:
      query read "Which viruses turn up in bat gut samples?"
      query read "liver but not lung" --json
    """
    with reported(as_json=as_json), index_opened(db) as con:
        print_reading(con, question, as_json=as_json)


def print_reading(
    con: duckdb.DuckDBPyConnection, question: str, *, as_json: bool, err: bool = False
) -> None:
    """Print the reading of ``question``; raises ``QueryError`` where it is empty or too long."""
    from query.reading.question import clean_question, read_question
    from query.reading.reading import reading_record, reading_text

    reading = read_question(con, clean_question(question)).reading
    if as_json:
        print_json(reading_record(reading))
    else:
        say(reading_text(reading), err=err)
