"""``query global``: one question to the whole index."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated

import typer

from query.console import AsJson, Database, index_opened, print_prose, reported


def answer_globally(
    question: Annotated[str, typer.Argument(help="The question, in words.", show_default=False)],
    db: Database = None,
    as_json: AsJson = False,
    no_llm: Annotated[bool, typer.Option("--no-llm", help="Compose the answer from facts; no model is used.")] = False,
    level: Annotated[int | None, typer.Option(help="Read communities of this level only.", show_default=False)] = None,
) -> None:
    """Answer a question from the whole index, with citations, associations and a coverage ledger.

    \b
    Examples:
      query global "Which viruses turn up in bat gut samples, and what goes with them?"
      query global "Where are flaviviruses found?" --no-llm
      query global "viruses of the human lung" --json | jq .points
    """
    with reported(as_json=as_json), index_opened(db) as con:
        from query.answer import answer_json, answer_text
        from query.config import QueryConfig
        from query.global_search import answer_from_facts, read_for

        config = QueryConfig()
        reading = read_for(con, question, config=config, level=level)
        answer = answer_from_facts(con, reading, config=config)
        if as_json:
            typer.echo(answer_json(replace(answer)))
        else:
            print_prose(answer_text(answer))
