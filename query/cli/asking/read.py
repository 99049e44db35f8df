"""``query read``: what a question was understood to ask, before anything is counted."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from query.cli.console import AsJson, Database, index_opened, print_json, reported, say

if TYPE_CHECKING:
    from query.reading import Reading


def read(
    question: Annotated[str, typer.Argument(help="The question, in words.", show_default=False)],
    db: Database = None,
    as_json: AsJson = False,
) -> None:
    """Show how a question is read: requests, names, and words that are not understood.

    \b
    Examples:
      query read "Which viruses turn up in bat gut samples?"
      query read "liver but not lung" --json
    """
    with reported(as_json=as_json), index_opened(db) as con:
        from query.reading import read as read_question

        reading = read_question(con, question)
        print_reading(reading, as_json=as_json)


def print_reading(reading: Reading, *, as_json: bool) -> None:
    """Print ``reading``: one line for each request, name and leftover word, or JSON."""
    from query.reading.reading import reading_record, reading_text

    if as_json:
        print_json(reading_record(reading))
    else:
        say(reading_text(reading))
