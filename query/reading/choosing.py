"""What a question asks, of all that the tuned model may read: likely, and leaving nothing out.

What differs only in words is one reading. A reading that leaves out a name or a field of the
question counts for little, and so does one that hardly anybody asks. Decision 0304.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Final

from query.reading.adjusting import adjusted
from query.reading.items import Item
from query.reading.leftovers import Leftovers, leftovers
from query.reading.tuned import TunedReading
from query.request import And, Count, Exists, Has, Not, Request, Rows, Values, to_json
from query.request.plainly import plainly

LEFT_OUT: Final = 0.03
"""What a reading counts for each name or number that it leaves out."""
FIELD_LEFT_OUT: Final = 0.1
"""The same, for each field."""
ODD: Final = 0.05
"""What a reading counts that hardly anybody asks: runs of two hosts at once."""
UNSAID: Final = 0.1
"""What a reading counts that leaves out runs or values where no word of the question denies."""
REPEATED: Final = 0.3
"""What a reading counts that says one request twice: part of the question is lost."""
_DENIALS: Final = frozenset({"not", "except", "other", "unsearched"})
"""What cues do that deny."""
_DENYING: Final = frozenset({"zero", "unknown", "null", "nulls", "missing", "blank", "empty"})
"""Words that deny, too."""


@dataclass(frozen=True, slots=True)
class LikelyRequests:
    """Requests that a question may ask, and what they leave out.

    ``said`` is the probability with which the model says them, ``weight`` what they count, and
    ``share`` their part of what all candidates count. Of candidates that ask the same, the one that
    counts most stands for all.
    """

    requests: tuple[Request, ...]
    left: Leftovers
    said: float
    weight: float
    share: float = 0.0

    @property
    def is_doubtful(self) -> bool:
        """Whether it leaves something out, or says what the question does not."""
        return self.weight < self.said / 2


def candidates_of(
    readings: Sequence[TunedReading], items: Sequence[Item]
) -> tuple[list[LikelyRequests], float]:
    """Return what a question may ask, the likeliest first, and how likely it asks for nothing that
    the index has; all shares add up to 1.
    """
    declined = sum(reading.share for reading in readings if not reading.requests)
    alike: dict[tuple[str, ...], list[LikelyRequests]] = {}
    for candidate in (_candidate(reading, items) for reading in readings if reading.requests):
        if candidate is not None:
            same = tuple(map(_asked, _without_totals(candidate.requests)))
            alike.setdefault(same, []).append(candidate)
    merged = [_merged(candidates) for candidates in alike.values()]
    total = declined + sum(candidate.weight for candidate in merged)
    if not total:
        return [], 0.0
    shared = [replace(candidate, share=candidate.weight / total) for candidate in merged]
    return sorted(shared, key=lambda candidate: -candidate.share), declined / total


def _candidate(reading: TunedReading, items: Sequence[Item]) -> LikelyRequests | None:
    requests = adjusted(reading.requests, items)
    if requests is None:
        return None
    left = leftovers(items, requests)
    return LikelyRequests(requests, left, reading.share, _weight(reading, requests, left, items))


def _merged(alike: Sequence[LikelyRequests]) -> LikelyRequests:
    return replace(
        max(alike, key=lambda candidate: candidate.weight),
        said=sum(candidate.said for candidate in alike),
        weight=sum(candidate.weight for candidate in alike),
    )


def _asked(request: Request) -> str:
    """Return what ``request`` shares with those that get the same answer: a count, a yes or no and
    a list of runs say how many there are, and columns that nobody asked for do no harm.
    """
    plain = plainly(request)
    asked = to_json(Request(Count(), plain.of) if _is_presence(plain) else plain)
    asked["measure"].pop("columns", None)
    return json.dumps(asked)


def _is_presence(request: Request) -> bool:
    measure = request.measure
    is_count = isinstance(measure, Count) and measure.unit == "run" and measure.hits is None
    is_list = isinstance(measure, Rows) and request == Request(Rows(), request.of)
    return is_count or is_list or isinstance(measure, Exists)


def _without_totals(requests: tuple[Request, ...]) -> tuple[Request, ...]:
    """Return ``requests`` without counts of runs whose values are listed: the list says how many
    runs there are.
    """
    plain = [plainly(request) for request in requests]
    listed = [request.of for request in plain if isinstance(request.measure, Values)]
    return tuple(
        request
        for request, said in zip(requests, plain, strict=True)
        if not (_is_presence(said) and said.of in listed)
    )


def _weight(
    reading: TunedReading, requests: Sequence[Request], left: Leftovers, items: Sequence[Item]
) -> float:
    """Return how much a reading counts."""
    weight = reading.share * LEFT_OUT ** len(left.names) * FIELD_LEFT_OUT ** len(left.fields)
    if any(map(is_odd, requests)) or _lacks_viruses_of_hosts(items, requests):
        weight *= ODD
    if any(map(_denies, requests)) and not any(map(_is_denial, items)):
        weight *= UNSAID
    return weight * REPEATED if reading.repeats else weight


def _is_denial(item: Item) -> bool:
    return item.value in _DENIALS or item.text.lower() in _DENYING


def _denies(request: Request) -> bool:
    """Return whether a request leaves out runs, or values: not from humans, hosts other than mice.

    Viruses other than the one that the runs carry are those found with it, which needs no denial.
    """
    if '"type": "not"' in json.dumps(to_json(request)):
        return True
    measure = request.measure
    return isinstance(measure, Values) and bool(measure.other_than) and "virus" not in measure.by


def _lacks_viruses_of_hosts(items: Sequence[Item], requests: Sequence[Request]) -> bool:
    """Return whether viruses are called after hosts (plant viruses in rice), and requests lack
    these.
    """
    hosts = [item for item in items if item.value == "host" and item.kind == "name"]
    called = [item for item, behind in pairwise(items) if behind.text.lower() == "viruses"]
    is_called = len(hosts) > 1 and any(item in hosts for item in called)
    is_called = is_called or any(item.value.startswith("infects:") for item in items)
    said = [json.dumps(to_json(request)) for request in requests]
    return is_called and not any('"infects"' in text for text in said)


def is_odd(request: Request) -> bool:
    """Return whether runs are asked for that have two hosts at once, or two sexes: hardly any; or
    that have something and do not have it.
    """
    parts = request.of.of if isinstance(request.of, And) else ()
    is_void = any(isinstance(part, Not) and part.of in parts for part in parts)
    return is_void or any(has_two(request, name) for name in ("host", "sex", "country"))


def has_two(request: Request, field: str) -> bool:
    """Return whether runs are asked for that have two values of a field at once."""
    parts = request.of.of if isinstance(request.of, And) else ()
    return sum(isinstance(part, Has) and part.field == field for part in parts) > 1
