"""An answer as it comes: how the question is read, what is counted, then what a model adds."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from fastapi.sse import ServerSentEvent

from ontology_etl.errors import ViromeError
from query.answer import answer_record
from query.answer_text import association_line, cost_text, coverage_text, source_line
from query.ask.ask import CAN_ASK, MODE_ASK, answer_by
from query.errors import QueryError
from query.mode import UNEDITED, ReadingEdit, edited
from query.modes import all_modes, mode_named
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
    goes on to add to it; ``interpreting`` the name of that model; ``answer`` the answer;
    ``refused`` the message and the remedy where there is none. The last is either of these two.
    """
    try:
        with site.opened() as con:
            asking = site.asking(asked, con, worded=True)
            yield _event("reading", read_record(con, asked.question, asked.edit))
            yield from _answered(asking, asked.mode)
    except ViromeError as error:
        name = type(error).__name__
        refusal = {"name": name, "message": error.message, "remedy": error.remedy}
        yield _event("refused", refusal)


def list_modes() -> list[Record]:
    """Return the ways of asking, what each can do, examples, and whether its answer follows the
    reading; first the one that chooses among them.
    """
    modes = list(all_modes().values())
    examples = [one.examples[0] for one in modes]
    listed: list[Record] = [{"name": MODE_ASK, "can": CAN_ASK, "examples": examples, "reads": True}]
    for mode in modes:
        record = {"name": mode.name, "can": mode.can, "examples": mode.examples}
        listed.append({**record, "reads": mode.reads})
    return listed


def read_record(con: duckdb.DuckDBPyConnection, text: str, edit: ReadingEdit = UNEDITED) -> Record:
    """Return how ``text`` is read after ``edit``, with the words of each name in it (``words``)."""
    from query.ask.routing import read_any
    from query.reading.reading import reading_record

    question = edited(read_any(con, text), edit)
    return {**reading_record(question.reading), "words": _words(question)}


def _words(question: Question) -> list[Record]:
    """Return each stretch of the question that names something, in its order."""
    named = sorted((*question.mentions, *question.absent), key=lambda one: one.start)
    return [{"text": one.text, "name": one.name, "group": one.group} for one in named]


def _answered(asking: Asking, mode_name: str) -> Iterator[ServerSentEvent]:
    """Yield what facts answer, then that with what a model adds, or where only a model finds it."""
    if asking.model is None:
        yield _given("answer", answer_by(asking, mode_name))
        return
    from_facts = _without_model(asking, mode_name)
    if from_facts is not None and not _goes_on(from_facts):
        yield _given("answer", from_facts)
        return
    if from_facts is not None:
        yield _given("facts", from_facts)
    yield _event("interpreting", {"model": asking.model.name})
    yield _given("answer", answer_by(asking, mode_name))


def _goes_on(answer: Answer) -> bool:
    """Return whether a model adds to what facts gave; of several answers it may add to one."""
    return answer.mode == MODE_ASK or mode_named(answer.mode).interpreted


def _without_model(asking: Asking, mode_name: str) -> Answer | None:
    """Return what facts answer, None where a model has to be asked."""
    try:
        return answer_by(replace(asking, choice=None), mode_name)
    except QueryError:
        return None


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
