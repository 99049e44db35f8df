"""An answer as it comes: how the question is read, what is counted, then what a model adds."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from fastapi.sse import ServerSentEvent

from ontology_etl.errors import ViromeError
from query.answer import answer_record
from query.answer_text import association_line, cost_text, coverage_text, source_line
from query.modes import mode_named
from query.web.served_index import ServedIndex, WebQuestion

if TYPE_CHECKING:
    import duckdb

    from query.answer import Answer
    from query.mode import Asking
    from query.reading.question import Question

Record = dict[str, Any]


def answer_events(site: ServedIndex, asked: WebQuestion) -> Iterator[ServerSentEvent]:
    """Yield the events of an answer.

    ``reading`` how the question is read; ``facts`` the whole answer without a model, where one
    goes on to word it; ``wording`` the name of that model; ``answer`` the answer; ``refused`` the
    message and the remedy where there is none. The last is ``answer`` or ``refused``.
    """
    try:
        with site.opened() as con:
            asking = site.asking(asked.question, con, worded=True)
            yield _event("reading", read_record(con, asked.question))
            yield from _answered(asking, asked.mode)
    except ViromeError as error:
        name = type(error).__name__
        refusal = {"name": name, "message": error.message, "remedy": error.remedy}
        yield _event("refused", refusal)


def read_record(con: duckdb.DuckDBPyConnection, text: str) -> Record:
    """Return how ``text`` is read, with the words of each name in it (``words``)."""
    from query.reading.question import clean_question, read_question
    from query.reading.reading import reading_record

    question = read_question(con, clean_question(text))
    return {**reading_record(question.reading), "words": _words(question)}


def _words(question: Question) -> list[Record]:
    """Return each stretch of the question that names something, in its order."""
    named = sorted((*question.mentions, *question.absent), key=lambda one: one.start)
    return [{"text": one.text, "name": one.name, "group": one.group} for one in named]


def _answered(asking: Asking, mode_name: str) -> Iterator[ServerSentEvent]:
    mode = mode_named(mode_name)
    if asking.model is None or mode.name != "global":
        yield _given("answer", mode.answer(asking))
        return
    from query.global_search.ask import begin, finish

    begun = begin(asking)
    yield _given("facts", begun.facts)
    yield _event("wording", {"model": asking.model.name})
    yield _given("answer", finish(asking, begun))


def _given(name: str, answer: Answer) -> ServerSentEvent:
    """Return ``answer`` as an event, with the lines that a reader sees below its text."""
    below = {
        "association_lines": [association_line(one) for one in answer.evidence],
        "source_lines": [source_line(one) for one in answer.sources],
        "ledger": coverage_text(answer.coverage, answer.usage)
        if answer.coverage.communities
        else cost_text(answer.usage),
    }
    return _event(name, {**answer_record(answer), **below})


def _event(name: str, record: Record) -> ServerSentEvent:
    return ServerSentEvent(event=name, data=record)
