"""``query read`` and ``query run``: a question as a request, and a request in JSON answered."""

from __future__ import annotations

import sys
from dataclasses import astuple, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from query.cli.answering import Words
from query.cli.console import (
    AsJson,
    Database,
    index_opened,
    opened,
    print_json,
    print_table,
    reported,
    say,
)
from query.cli.listing import ListedColumn
from query.cli.usage import argument, optional, takes
from query.request import from_json, json_schema

if TYPE_CHECKING:
    from query.compiler import Result, RunTally


def read(question: Words, db: Database = None, as_json: AsJson = False) -> None:
    """Show how a question is read: requests, names, and words that are not understood.

    \b
    Examples:
      query read "Which viruses turn up in bat gut samples?"
      query read "liver but not lung" --json
    """
    with opened(db, as_json=as_json) as con:
        from query.reading import read as read_question
        from query.reading.reading import reading_record, reading_text

        reading = read_question(con, question)
    if as_json:
        print_json(reading_record(reading))
    else:
        say(reading_text(reading))


@dataclass(frozen=True)
class RequestOptions:
    """Options of ``query run``."""

    request: Annotated[
        str, argument("A file with a request in JSON, - for standard input, or the JSON itself.")
    ] = "-"
    db: Database = None
    as_json: AsJson = False
    sql: Annotated[bool, optional("Show the SQL that was run, too.", "--sql")] = False
    schema: Annotated[bool, optional("Print the JSON Schema of a request.", "--schema")] = False


@takes(RequestOptions)
def run(options: RequestOptions) -> None:
    """Run a request: a measure of a set of runs, as JSON. For programs, notebooks and agents.

    An unreadable request or an unknown name is an error with exit code 8 and a suggestion.

    \b
    Examples:
      query run '{"type": "count", "hits": {"virus": ["Coronaviridae"]}}'
      query run '{"type": "values", "by": "host", "hits": {"virus": "Coronaviridae"}}' --sql
      query run '{"measure": {"type": "count"}, "of": {"type": "has", "field": "sex"}}' --json
      query run --schema
    """
    from query.compiler import run_explained

    if options.schema:
        print_json(json_schema())
        return
    with reported(as_json=options.as_json):
        request = from_json(_text_of(options.request))
        with index_opened(options.db) as con:
            result, statements = run_explained(con, request)
    if options.as_json:
        print_json(result.to_json())
    else:
        _print(result)
    if options.sql:
        say("\n\n".join(statements), err=options.as_json)


def _text_of(argument: str) -> str:
    """Return the JSON that an argument names: a file, standard input, or itself."""
    if argument.lstrip().startswith("{"):
        return argument
    if argument == "-":
        return sys.stdin.read()
    path = Path(argument)
    if not path.is_file():
        raise typer.BadParameter(f"{argument}: no such file")
    return path.read_text(encoding="utf-8")


def _print(result: Result) -> None:
    """Print the request in words, the number, the tally, the rows, and what was left out."""
    say(result.said)
    headline = _headline(result)
    if headline:
        say(headline)
    if result.columns:
        numeric = [_is_number(result, place) for place in range(len(result.columns))]
        columns = [ListedColumn(column.name, number=is_number, cut=not is_number)
                   for column, is_number in zip(result.columns, numeric, strict=True)]  # fmt: skip
        print_table(columns, result.rows)
    elif result.tally is not None:
        say(_tally_text(result.tally))
    for part in result.left_out:
        say(f"left out: {part.number:,} {part.what}", err=True)


def _headline(result: Result) -> str:
    parts = [] if result.verdict is None else [str(result.verdict)]
    if result.number is not None:
        digits = ",d" if isinstance(result.number, int) else ",.2f"
        parts.append(f"{result.number:{digits}} {result.unit}")
    return ": ".join(parts)


def _tally_text(tally: RunTally) -> str:
    names = ("runs", "searched", "positive", "at 90 % identity", "samples", "stated")
    return ", ".join(f"{name} {number:,}"
                     for name, number in zip(names, astuple(tally), strict=True))  # fmt: skip


def _is_number(result: Result, place: int) -> bool:
    cells = [row[place] for row in result.rows if row[place] is not None]
    return bool(cells) and all(isinstance(cell, int | float) for cell in cells)
