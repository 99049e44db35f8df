"""An answer from the whole index: counted sentences, then the communities behind them.

What is counted is complete before a model is asked, and a model changes none of it: it ranks the
communities and adds an interpretation under its own label.
"""

from __future__ import annotations

import time
from dataclasses import replace
from typing import TYPE_CHECKING

from query.answer import MODE_GLOBAL, Answer
from query.answers import answer_reading
from query.communities import communities_of
from query.request.request import to_json

if TYPE_CHECKING:
    from query.answers import WordedAnswer
    from query.communities import CommunityEvidence
    from query.mode import Asking
    from query.reading import Reading


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
    found = communities_of(
        asking.con,
        reading.requests[0],
        text=reading.text,
        config=asking.config,
        level=asking.level,
    )
    facts = _answer_from(asking, reading, worded, found)
    return _timed(facts, started)


def _answer_from(
    asking: Asking, reading: Reading, worded: WordedAnswer, found: CommunityEvidence
) -> Answer:
    """Return the answer that facts give."""
    return Answer(
        question=reading.text,
        mode=MODE_GLOBAL,
        answer=worded.text,
        points=found.points,
        evidence=found.evidence,
        coverage=found.coverage,
        table=worded.table,
        read_as=reading.read_as,
        requests=tuple(to_json(request) for request in reading.requests),
    )


def _timed(answer: Answer, started: float) -> Answer:
    seconds = round(time.perf_counter() - started, 3)
    return replace(answer, usage=replace(answer.usage, seconds=seconds))
