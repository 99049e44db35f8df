"""Choose among the tuned model's readings one that is likely and leaves nothing out.

Readings that differ only in words count as one. A reading that leaves out a name or a field of the
question counts for little, and so does a question that hardly anybody asks. Decision 0304.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain, pairwise
from typing import Any, Final

from query.compiler.held import SPECIES_IDENTITY
from query.reading.adjusting import adjusted
from query.reading.items import Item
from query.reading.leftovers import Leftovers, leftovers
from query.reading.tuned import TunedReading
from query.request import (
    Carries,
    Count,
    Evidence,
    Exists,
    Has,
    Not,
    Records,
    Request,
    Rows,
    Share,
    Values,
    intersect,
    parts_of,
    to_json,
)
from query.request.plainly import plainly

LEFT_OUT: Final = 0.03
"""Weight of a reading for each name or number that it leaves out."""
FIELD_LEFT_OUT: Final = 0.1
"""The same, for each field."""
ODD: Final = 0.05
"""Weight of a reading that hardly anybody asks: runs of two hosts at once."""
UNSAID: Final = 0.1
"""Weight of a reading that leaves out runs or values although no word of the question denies."""
REPEATED: Final = 0.3
"""Weight of a reading that says one request twice: part of the question is lost."""
WHOLE: Final = 0.5
"""How likely a reading must be, compared with those that ask a part of it, to answer these, too."""
_TOGETHER: Final = frozenset(
    ["together", "jointly", "simultaneously", "same", "co-occur", "co-occurring", "co-occurrence",
     "coinfection", "co-infection"]
)  # fmt: skip
"""First words of phrases that say that several viruses are in one run."""
_DENIALS: Final = frozenset({"not", "except", "other", "unsearched"})
"""Tags of cues that deny."""
_DENYING: Final = frozenset({
    "zero", "unknown", "null", "nulls", "missing", "blank", "empty", "nothing", "nobody", "none",
})  # fmt: skip
"""Other words that deny."""


@dataclass(frozen=True, slots=True)
class LikelyRequests:
    """Requests that a question may ask, and what they leave out.

    ``said`` is the probability with which the model says them, ``weight`` their weight, and
    ``share`` their share of the weight of all candidates. If several candidates ask the same, the
    one with the most weight represents them all.
    """

    requests: tuple[Request, ...]
    left: Leftovers
    said: float
    weight: float
    share: float = 0.0

    @property
    def is_doubtful(self) -> bool:
        """Whether it leaves something out, or says something that the question does not."""
        return self.weight < self.said / 2


def candidates_of(
    readings: Sequence[TunedReading], items: Sequence[Item]
) -> tuple[list[LikelyRequests], float]:
    """Return what a question may ask, the likeliest first, and how likely it cannot be answered.

    A candidate that asks a part of another adds to the share of both.
    """
    declined = sum(reading.share for reading in readings if not reading.requests)
    alike: dict[frozenset[str], list[LikelyRequests]] = {}
    for candidate in (_candidate(reading, items) for reading in readings if reading.requests):
        if candidate is not None:
            same = frozenset(chain.from_iterable(map(_asked, _without_totals(candidate.requests))))
            alike.setdefault(same, []).append(candidate)
    merged = {asked: _merged(candidates) for asked, candidates in alike.items()}
    total = declined + sum(candidate.weight for candidate in merged.values())
    if not total:
        return [], 0.0
    whole = {asked: _with_parts(asked, merged) for asked in merged}
    shared = [replace(candidate, share=candidate.weight / total) for candidate in whole.values()]
    return sorted(shared, key=lambda candidate: -candidate.share), declined / total


def _with_parts(
    asked: frozenset[str], candidates: Mapping[frozenset[str], LikelyRequests]
) -> LikelyRequests:
    """Return the candidate for ``asked``, with the weight of those that are a part of it.

    It answers these, too, unless it is much less likely than they are.
    """
    candidate = candidates[asked]
    parts = [other for wanted, other in candidates.items() if wanted < asked]
    weight = sum(part.weight for part in parts)
    if candidate.weight < WHOLE * weight:
        return candidate
    said = candidate.said + sum(part.said for part in parts)
    return replace(candidate, said=said, weight=candidate.weight + weight)


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


def _asked(request: Request) -> frozenset[str]:
    """Return what ``request`` asks: equal for all requests that get the same answer.

    A count, a yes or no and a list of runs say how many there are, and so does the evidence. A list
    says which value is the first. Further columns do no harm.
    """
    plain = _without_own_hit(plainly(request))
    if _is_presence(plain):
        return frozenset({json.dumps(_with_species(to_json(Request(Count(), plain.of))))})
    record = _with_species(to_json(plain))
    record["measure"].pop("columns", None)
    listed = record["measure"].get("measure", record["measure"])
    if listed["type"] == "records":
        listed.pop("limit", None)
    if listed["type"] == "values" and listed.get("order") != "fewest":
        listed.pop("limit", None)
        listed.pop("order", None)
    if not isinstance(plain.measure, Evidence):
        return frozenset({json.dumps(record)})
    carried = plainly(Request(Count(hits=plain.measure.hit), plain.of))
    return frozenset({json.dumps(record), json.dumps(_with_species(to_json(carried)))})


def _with_species(part: Any) -> Any:
    """Return a part of a request in JSON, "at least 90 % identity" as "supports the species"."""
    if isinstance(part, list):
        return [_with_species(inner) for inner in part]
    if not isinstance(part, dict):
        return part
    if part.get("identity") == {"at_least": SPECIES_IDENTITY}:
        part = {key: inner for key, inner in part.items() if key != "identity"}
        part |= {"evidence": "species"}
    return {key: _with_species(part[key]) for key in sorted(part)}


def _without_own_hit(request: Request) -> Request:
    """Return ``request`` without the condition that runs carry the hit of its evidence."""
    parts = parts_of(request.of)
    if not isinstance(request.measure, Evidence) or Carries(request.measure.hit) not in parts:
        return request
    rest = (part for part in parts if part != Carries(request.measure.hit))
    return replace(request, of=intersect(*rest))


def _is_presence(request: Request) -> bool:
    measure = request.measure
    is_count = isinstance(measure, Count) and measure.unit == "run" and measure.hits is None
    is_list = isinstance(measure, Rows) and request == Request(Rows(), request.of)
    return is_count or is_list or isinstance(measure, Exists)


def _without_totals(requests: tuple[Request, ...]) -> tuple[Request, ...]:
    """Return ``requests`` without counts of runs whose values are listed: a list says how many."""
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
    """Return the weight of a reading."""
    weight = reading.share * LEFT_OUT ** len(left.names) * FIELD_LEFT_OUT ** len(left.fields)
    if any(map(is_odd, requests)) or _lacks_viruses_of_hosts(items, requests):
        weight *= ODD
    if any(item.text.lower().split()[0] in _TOGETHER for item in items if item.value == "both"):
        weight *= 1.0 if any(map(_is_of_several, requests)) else ODD
    if any(map(_denies, requests)) and not any(map(_is_denial, items)):
        weight *= UNSAID
    return weight * REPEATED if reading.repeats else weight


def _is_of_several(request: Request) -> bool:
    """Return whether runs must carry several viruses, or others in addition to the named one."""
    measure = request.measure
    carried = sum(isinstance(part, Carries) for part in parts_of(request.of))
    if isinstance(measure, Share):
        carried += isinstance(measure.part, Carries)
    listed = isinstance(measure, Values) and (measure.other_than or measure.found_in is not None)
    return carried > 1 or bool(listed) or isinstance(measure, Records)


def _is_denial(item: Item) -> bool:
    return item.value in _DENIALS or item.text.lower() in _DENYING


def _denies(request: Request) -> bool:
    """Return whether a request excludes runs or values: "not from humans", "hosts other than mice".

    Viruses other than the one that the runs carry are those found with it, which needs no denial.
    """
    if '"type": "not"' in json.dumps(to_json(request)):
        return True
    measure = request.measure
    return isinstance(measure, Values) and bool(measure.other_than) and "virus" not in measure.by


def _lacks_viruses_of_hosts(items: Sequence[Item], requests: Sequence[Request]) -> bool:
    """Return whether viruses are named after hosts ("plant viruses in rice") that requests lack."""
    hosts = [item for item in items if item.value == "host" and item.kind == "name"]
    called = [item for item, behind in pairwise(items) if behind.text.lower() == "viruses"]
    is_called = len(hosts) > 1 and any(item in hosts for item in called)
    is_called = is_called or any(item.value.startswith("infects:") for item in items)
    said = [json.dumps(to_json(request)) for request in requests]
    return is_called and not any('"infects"' in text for text in said)


def is_odd(request: Request) -> bool:
    """Return whether a request is odd: two hosts or two sexes at once, or a contradiction."""
    parts = parts_of(request.of)
    is_void = any(isinstance(part, Not) and part.of in parts for part in parts)
    return is_void or any(has_two(request, name) for name in ("host", "sex", "country"))


def has_two(request: Request, field: str) -> bool:
    """Return whether a request is for runs that have two values of a field at once."""
    parts = parts_of(request.of)
    return sum(isinstance(part, Has) and part.field == field for part in parts) > 1
