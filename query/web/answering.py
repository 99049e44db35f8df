"""An answer as it arrives: how the question is read, what is counted, then what a model adds."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from fastapi.sse import ServerSentEvent

from ontology_etl.errors import ViromeError
from query.answer import Answer, answer_record
from query.answer_text import association_line, cost_text, coverage_text, source_line
from query.ask.ask import CAN_ASK, MODE_ASK, TITLE_ASK, answer_by
from query.ask.routing import route
from query.errors import QueryError
from query.mode import Asking, Mode
from query.modes import all_modes, mode_named
from query.reading.reading import reading_record
from query.sql_search.checking import is_statement
from query.web.served_index import ServedIndex, WebQuestion

Record = dict[str, Any]


def answer_events(site: ServedIndex, asked: WebQuestion) -> Iterator[ServerSentEvent]:
    """Yield the events of an answer.

    ``reading`` how the question is read; ``facts`` the whole answer without a model, if one goes on
    to add to it; ``interpreting`` the name of that model; last ``answer``, or else ``refused`` with
    the message and the remedy.
    """
    try:
        with site.opened() as con:
            asking = site.asking(asked, con, worded=True)
            if not is_statement(asking.question):
                yield _event("reading", reading_record(asking.read()))
            yield from _answered(asking, asked.mode)
    except ViromeError as error:
        name = type(error).__name__
        refusal = {"name": name, "message": error.message, "remedy": error.remedy}
        yield _event("refused", refusal)


def list_modes() -> list[Record]:
    """Return the ways of asking, what each can do, and examples; the one that chooses a way comes
    first.

    Its examples are answered from the index: none sends anything to NCBI.
    """
    modes = list(all_modes().values())
    examples = [mode.examples[0] for mode in modes if mode.name != "entrez"]
    chooser = {"name": MODE_ASK, "title": TITLE_ASK, "can": CAN_ASK, "examples": examples}
    return [chooser, *(_described(mode) for mode in modes)]


def _described(mode: Mode) -> Record:
    return {"name": mode.name, "title": mode.title, "can": mode.can, "examples": mode.examples}


def _answered(asking: Asking, mode_name: str) -> Iterator[ServerSentEvent]:
    """Yield the answer from facts, then the one that a model adds to, or that only it finds."""
    name = route(asking).mode if mode_name == MODE_ASK else mode_name
    if asking.model is None:
        yield _given("answer", answer_by(asking, name))
        return
    from_facts = _without_model(asking, name)
    if from_facts is not None and not (mode_named(name).interpreted and from_facts.points):
        yield _given("answer", from_facts)
        return
    if from_facts is not None:
        yield _given("facts", from_facts)
    yield _event("interpreting", {"model": asking.model.name})
    yield _given("answer", answer_by(asking, name))


def _without_model(asking: Asking, mode_name: str) -> Answer | None:
    """Return the answer from facts; None if it needs a model."""
    try:
        return answer_by(replace(asking, choice=None), mode_name)
    except QueryError:
        return None


def _given(name: str, answer: Answer) -> ServerSentEvent:
    """Return ``answer`` as an event, with the lines that a reader sees below its text."""
    below = {
        "association_lines": [
            association_line(test) for test in answer.evidence if test.significant
        ],
        "source_lines": [source_line(source) for source in answer.sources],
        "ledger": coverage_text(answer.coverage, answer.usage)
        if answer.coverage.communities
        else cost_text(answer.usage),
    }
    return _event(name, {**answer_record(answer), **below})


def _event(name: str, record: Record) -> ServerSentEvent:
    return ServerSentEvent(event=name, data=record)
