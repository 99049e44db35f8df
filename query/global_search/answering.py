"""An answer from the whole index: counted sentences, then the communities behind them.

All counting is complete before a model is called, and the model changes none of it: it ranks the
communities and adds an interpretation under its own label.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

from query.answer import MODE_GLOBAL, Answer, Coverage
from query.answers import WordedAnswer, answer_reading
from query.global_search.interpreting import interpreted, planned
from query.global_search.planning import PricedPlan
from query.global_search.selecting import CommunityEvidence, communities_of
from query.mode import Asking
from query.reading import Reading
from query.request.measures import STORED, Compare, Values
from query.request.request import Request, to_json

_MOST_SIDES: Final = 10
_MOST_FIELDS: Final = 2
"""Run sets of a comparison, and fields of a list, at most."""


def answer_globally(asking: Asking) -> Answer:
    """Return the answer to the question of ``asking``, with what its model adds.

    Raises:
        BeyondCountsError: the index cannot answer it.
        UnclearQuestionError: it can be read in several ways, or a word is not understood.
        UnknownNameError, AmbiguousNameError: a name means nothing here, or several things.
    """
    started = time.perf_counter()
    reading = asking.readable()
    worded = answer_reading(asking.con, reading, full=asking.config.shows_all)
    found = _communities(asking, reading)
    found = replace(found, usage=asking.usage)
    facts = _timed(_answer_from(reading, worded, found), started)
    if asking.model is None or not found.points:
        return facts
    if asking.watch is not None:
        asking.watch.facts(facts)
    lead = " ".join(part for part in (worded.lead, worded.certainty) if part)
    added = interpreted(asking, found, lead=lead)
    return _timed(_answer_from(reading, worded, added), started)


def plan_answer(asking: Asking) -> PricedPlan | None:
    """Return what ``answer_globally`` would ask a model at most; None where it would ask none.

    No model is asked, not even to read the question. Raises as ``answer_globally`` does.
    """
    return planned(asking, _communities(asking, asking.without_model().readable()))


def _communities(asking: Asking, reading: Reading) -> CommunityEvidence:
    """Return the communities of the first request that has any."""
    requests = at_once(reading.requests)
    found = (_communities_of(asking, reading.text, request) for request in requests)
    first = next(found)
    return first if first.points else next((other for other in found if other.points), first)


def at_once(requests: Sequence[Request]) -> Iterator[Request]:
    """Yield lists of the same, or of several fields, as one request; then each of ``requests``."""
    first = requests[0].measure
    runs = requests[0].of
    lists = [
        (request.of, request.measure) for request in requests if isinstance(request.measure, Values)
    ]
    run_sets = dict.fromkeys(of for of, measure in lists if measure == first)
    fields = dict.fromkeys(name for of, measure in lists if of == runs for name in measure.by)
    if isinstance(first, Values) and len(run_sets) > 1:
        yield Request(Compare(first, tuple(run_sets)[:_MOST_SIDES]))
    elif isinstance(first, Values) and len(fields) > len(first.by):
        yield Request(Values(by=tuple(fields)[:_MOST_FIELDS], hits=first.hits), runs)
    yield from requests


def _communities_of(asking: Asking, text: str, request: Request) -> CommunityEvidence:
    """Return the communities of ``request``; none for stored rows."""
    if isinstance(request.measure, STORED):
        nothing = Coverage(0, 0, 0, 0, 0, 0, 0, 0)
        return CommunityEvidence(request, (), (), nothing)
    return communities_of(asking.con, request, text=text, config=asking.config, level=asking.level)


def _answer_from(reading: Reading, worded: WordedAnswer, found: CommunityEvidence) -> Answer:
    return Answer(
        question=reading.text,
        mode=MODE_GLOBAL,
        answer=worded.text,
        points=found.points,
        evidence=found.associations,
        coverage=found.coverage,
        usage=found.usage,
        table=worded.table,
        chart=worded.chart,
        groups=found.groups,
        interpretation=found.interpretation,
        read_as=reading.read_as,
        form=reading.form,
        unused=reading.unused,
        corrected=reading.corrected,
        requests=tuple(to_json(request) for request in reading.requests),
        lead=worded.lead,
    )


def _timed(answer: Answer, started: float) -> Answer:
    seconds = round(time.perf_counter() - started, 3)
    return replace(answer, usage=replace(answer.usage, seconds=seconds))
