"""How sure a reading is: the odds that its requests are what was asked.

A logistic model over what a reading leaves over (names, numbers, fields and words that no request
uses), how plain its measure is, and what the question has. The weights are fitted to questions
whose requests are known (``python -m query.evaluation.fit_certainty``). Decision 0301.
"""

from __future__ import annotations

import functools
import json
import math
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final

from query.reading.items import Item
from query.reading.leftovers import Leftovers, leftovers
from query.request import Everything, Request, to_json

WEIGHTS: Final = Path(__file__).parent / "data" / "certainty.json"
_TAGS: Final = frozenset({"cue", "bound"})
_MOST_ODDS: Final = 4.0
"""Log-odds of a measure beyond which it is no surer."""


def certainty(
    parts: Sequence[Sequence[Item]], requests: Sequence[Request], shares: Sequence[float]
) -> float:
    """Return how likely ``requests`` are what ``parts`` ask, from 0 to 1.

    ``shares`` are how likely the measure of each part is.
    """
    weights = certainty_weights()
    seen = features_of(parts, requests, shares)
    score = sum(weights.get(name, 0.0) * value for name, value in seen.items())
    return 1 / (1 + math.exp(-score))


@functools.cache
def certainty_weights() -> Mapping[str, float]:
    """Return the weight of each feature."""
    stored: dict[str, float] = json.loads(WEIGHTS.read_text(encoding="utf-8"))["weights"]
    return stored


def features_of(
    parts: Sequence[Sequence[Item]], requests: Sequence[Request], shares: Sequence[float]
) -> dict[str, float]:
    """Return what the model sees of a reading: the value of each feature that is not 0."""
    items = [item for part in parts for item in part]
    left = leftovers(items, requests)
    seen = {"bias": 1.0, "odds": min(map(_odds, shares), default=0.0)}
    seen |= dict.fromkeys(_of_leftovers(left), 1.0)
    seen |= dict.fromkeys(_of_question(items, len(parts), len(requests)), 1.0)
    seen |= dict.fromkeys(_of_requests(requests), 1.0)
    return seen


def _odds(share: float) -> float:
    """Return the log-odds of ``share``, bounded."""
    bounded = min(max(share, 1e-6), 1 - 1e-6)
    return min(math.log(bounded / (1 - bounded)), _MOST_ODDS)


def _of_leftovers(left: Leftovers) -> Iterator[str]:
    groups = {"names": left.names, "fields": left.fields, "unknown": left.unknown,
              "ignored": left.ignored}  # fmt: skip
    for name, words in groups.items():
        for number in range(1, min(len(words), 3) + 1):
            yield f"left {name} {number}"


def _of_question(items: Sequence[Item], parts: int, requests: int) -> Iterator[str]:
    """Yield what a question has that is often misread: several parts, names of several kinds."""
    if parts > 1:
        yield "several parts"
    if parts != requests:
        yield "a part without request"
    for least in (8, 14, 20):
        if len(items) >= least:
            yield f"length {least}"
    for item in items:
        if item.name is not None:
            yield f"kind {item.value}"
            if item.name.also:
                yield "name of several kinds"
        if item.kind in _TAGS:
            yield f"tag {item.value.partition(':')[0]}"


def _of_requests(requests: Sequence[Request]) -> Iterator[str]:
    for request in requests:
        yield f"measure {request.measure.type}"
        if isinstance(request.of, Everything):
            yield f"all runs {request.measure.type}"
        conditions = len(to_json(request).get("of", {}).get("of", ()))
        if conditions > 2:
            yield "many conditions"
