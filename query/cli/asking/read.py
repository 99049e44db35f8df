"""``query read``: what a question was understood to ask, before anything is counted."""

from __future__ import annotations

from query.cli.answering import Words
from query.cli.console import AsJson, Database, index_opened, print_json, reported, say


def read(question: Words, db: Database = None, as_json: AsJson = False) -> None:
    """Show how a question is read: requests, names, and words that are not understood.

    \b
    Examples:
      query read "Which viruses turn up in bat gut samples?"
      query read "liver but not lung" --json
    """
    with reported(as_json=as_json), index_opened(db) as con:
        from query.reading import read as read_question
        from query.reading.reading import reading_record, reading_text

        reading = read_question(con, question)
    if as_json:
        print_json(reading_record(reading))
    else:
        say(reading_text(reading))
