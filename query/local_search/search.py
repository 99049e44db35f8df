"""A question answered from what surrounds its names: the counted answer, then triples."""

from __future__ import annotations

import time
from typing import Final

from query.answer import Answer, Usage
from query.answers import answer_reading
from query.local_search.surroundings import SHOWN, surroundings_of, surroundings_text
from query.mode import Asking
from query.request.request import to_json

MODE_LOCAL: Final = "local"


def answer_locally(asking: Asking) -> Answer:
    """Return the answer from the surroundings of the names in the question of ``asking``.

    Raises:
        BeyondCountsError: the index cannot answer it.
        NoEvidenceError: the index holds no run.
        UnknownNameError, AmbiguousNameError: of a name.
    """
    started = time.perf_counter()
    reading = asking.read()
    if reading.refusal is not None and "links" not in reading.needs:
        asking.readable()
    request = reading.requests[0] if reading.requests else None
    found = surroundings_of(asking.con, request, names=reading.names, text=reading.text)
    lead = answer_reading(asking.con, reading).lead if reading.requests else ""
    shown = asking.config.max_points if asking.config.shows_all else SHOWN
    return Answer(
        question=reading.text,
        mode=MODE_LOCAL,
        answer=surroundings_text(found, lead=lead, shown=shown),
        points=found.points,
        evidence=found.associations,
        usage=Usage(seconds=round(time.perf_counter() - started, 3)),
        steps=found.steps,
        read_as=reading.read_as,
        requests=tuple(to_json(one) for one in reading.requests),
    )
