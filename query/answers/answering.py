"""From a reading or a request to an answer in words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import duckdb

from index.claims import NotToldApart

from query.answers.counting import draft_count, draft_exists, draft_share
from query.answers.drafting import Asked, Draft, table_of, worded
from query.answers.listing import draft_values
from query.answers.names import Names
from query.answers.widening import widened_result
from query.answers.worded import WordedAnswer
from query.compiler import run
from query.request import Count, Exists, Request, Share, Values

if TYPE_CHECKING:
    from query.reader.reading import Form, NameInQuestion, Reading


def answer_request(
    con: duckdb.DuckDBPyConnection,
    request: Request,
    *,
    names: Sequence[NameInQuestion] = (),
    form: Form = "sentence",
    full: bool = False,
) -> WordedAnswer:
    """Return the answer to ``request``; ``names`` are how the user wrote what it names.

    Raises ``UnknownNameError`` and ``AmbiguousNameError`` for names.
    """
    result = run(con, request)
    wide = widened_result(con, result)
    if wide is None:
        asked = Asked(con, request, result, Names(result.names, names), form, full)
        return worded(draft(asked), asked)
    found, wider = wide
    called = Names(result.names, names)
    asked = Asked(con, found.request, found, Names(found.names, names), form, full)
    made = draft(asked)
    apart = [NotToldApart(virus=called.called(name, "virus"),
                          species=asked.names.called(curie, "virus"))
             for name, curie in wider.items()]  # fmt: skip
    return worded(replace(made, lead=[*apart, *made.lead]), asked)


def answer_reading(
    con: duckdb.DuckDBPyConnection, reading: Reading, *, full: bool = False
) -> WordedAnswer:
    """Return one answer to all parts of a question."""
    answers = [
        answer_request(con, request, names=reading.names, form=reading.form, full=full)
        for request in reading.requests
    ]
    return together(answers)


def together(answers: Sequence[WordedAnswer]) -> WordedAnswer:
    """Return the answers to the parts of a question as one."""
    if len(answers) == 1:
        return answers[0]
    return WordedAnswer(
        lead=" ".join(answer.lead for answer in answers),
        certainty=" ".join(answer.certainty for answer in answers if answer.certainty),
        bullets=tuple(bullet for answer in answers for bullet in answer.bullets[:1]),
        links=tuple(dict.fromkeys(link for answer in answers for link in answer.links)),
        claims=tuple(claim for answer in answers for claim in answer.claims),
        results=tuple(result for answer in answers for result in answer.results),
        table=next((answer.table for answer in answers if answer.table), None),
    )


def draft(asked: Asked) -> Draft:
    """Return the claims of the answer, by what is asked."""
    match asked.request.measure:
        case Count() as measure:
            return draft_count(asked, measure)
        case Exists():
            return draft_exists(asked)
        case Share() as measure:
            return draft_share(asked, measure)
        case Values() as measure:
            return draft_values(asked, measure)
    return Draft((), table=table_of(asked.result))
