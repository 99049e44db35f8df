"""Adjust the requests of the tuned model to what a question plainly says.

Numbers are those of the question; a plural means more than one value; "in the largest number of
hosts" ranks by hosts; "how many of each" counts each; an unknown host is one that is not stated.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import chain
from typing import Any, Final

from ontology_etl.missing import NO_VALUE
from query.reading.conditions import VIRAL_KINDS
from query.reading.following import whole_set
from query.reading.items import Item
from query.reading.numbers import with_own_numbers
from query.request import (
    Carries,
    Compare,
    Count,
    Everything,
    Evidence,
    Exists,
    Has,
    Hit,
    Not,
    Records,
    Request,
    RequestError,
    RunSet,
    Share,
    SortBy,
    Values,
    from_json,
    intersect,
    parts_of,
    to_json,
)
from query.request.fields import field_named
from query.words import singular

_DATES: Final = ("released", "year", "month", "collected", "collection_year", "sources", "builds")
"""Fields and tables that say when."""
MOST_NOVEL: Final = 100
"""Number of novel viruses that are listed if the question has no number."""
_PROJECT: Final = re.compile(r"(?i)(?:PRJ[A-Z]{2}|SYNP)\d+")
_EVERY: Final = frozenset({"every", "all", "each"})
_NONE: Final = frozenset(NO_VALUE)
"""Values that mean "no value"."""


def adjusted(requests: Sequence[Request], items: Sequence[Item]) -> tuple[Request, ...] | None:
    """Return ``requests`` adjusted to the words of ``items``; None if a number in them is not in
    the question.
    """
    each = chain.from_iterable(_of_each(request, items) for request in requests)
    named = (_of_codes(_of_risk(_of_every(request, items), items), items) for request in each)
    alike = (_of_project(_as_novel(_without_other_kinds(request, items))) for request in named)
    stated = (
        without_rival(_of_its_own(_without_no_value(request), items), items) for request in alike
    )
    plain = [_counting(_of_several(request, items), items) for request in stated]
    own = [with_own_numbers(request, items) for request in plain]
    known = [_consistent(request) for request in own if request is not None]
    return None if None in own else _with_dates(_without_repeats(known), items)


def _without_other_kinds(request: Request, items: Sequence[Item]) -> Request:
    """Return a list of viruses other than a name only if the name is a virus.

    Likewise, a list of other values is returned only if the name is not a virus.
    """
    measure = request.measure
    if not isinstance(measure, Values) or not measure.other_than:
        return request
    viruses = {item.name.name for item in items
               if item.name is not None and item.name.kind in VIRAL_KINDS}  # fmt: skip
    others = {item.name.name for item in items if item.name is not None} - viruses
    foreign = others if field_named(measure.by[0]).of == "hit" else viruses
    own_kind = tuple(name for name in measure.other_than if name not in foreign)
    return replace(request, measure=replace(measure, other_than=own_kind))


def _as_novel(request: Request) -> Request:
    """Return a count or list of novel viruses instead of all unnamed viruses."""
    measure = request.measure
    if not isinstance(measure, Values | Count) or request.of != Everything():
        return request
    if measure.hits != Hit(named=False):
        return request
    if isinstance(measure, Count):
        return Request(Records("novel", count=True)) if measure.unit == "virus" else request
    if measure.by != ("virus",):
        return request
    most = SortBy("runs", descending=True)
    return Request(Records("novel", order=most, limit=measure.limit or MOST_NOVEL))


def _of_codes(request: Request, items: Sequence[Item]) -> Request:
    """Return runs that carry an unnamed virus instead of runs of a study named by its code."""
    codes = {item.name.name for item in items if item.name is not None and item.value == "sotu"}
    parts = parts_of(request.of)
    others = tuple(
        Carries(Hit(sotu=part.values))
        if isinstance(part, Has) and part.values and codes.issuperset(part.values)
        else part
        for part in parts
    )
    return request if others == parts else replace(request, of=intersect(*others))


def _of_every(request: Request, items: Sequence[Item]) -> Request:
    """Return a share instead of a yes or no: "does every run of HeLa cells …"."""
    parts = parts_of(request.of)
    carried = tuple(part for part in parts if isinstance(part, Carries))
    first_words = [item.text.lower() for item in items[:2]]
    if (
        not isinstance(request.measure, Exists)
        or not carried
        or not _EVERY.intersection(first_words)
    ):
        return request
    rest = tuple(part for part in parts if part not in carried)
    return Request(Share(intersect(*carried)), intersect(*rest)) if rest else request


def _of_risk(request: Request, items: Sequence[Item]) -> Request:
    """Return a list of viruses restricted to the risk group in the question: "most dangerous"."""
    groups = tuple(item.value.partition(":")[2] for item in items
                   if item.value.startswith("risk:"))  # fmt: skip
    measure = request.measure
    if not groups or not isinstance(measure, Values) or '"risk"' in json.dumps(to_json(request)):
        return request
    if field_named(measure.by[0]).of != "hit":
        return request
    hits = replace(measure.hits or Hit(), risk=groups)  # type: ignore[arg-type]
    return replace(request, measure=replace(measure, hits=hits))


def _of_project(request: Request) -> Request:
    """Return tests of a project instead of tests of an attribute or value with its accession."""
    measure = request.measure
    if not isinstance(measure, Records) or measure.table not in ("tests", "effects"):
        return request
    named = {part for part in measure.where if part.column in ("attribute", "value")
             and part.values and all(map(_PROJECT.fullmatch, part.values))}  # fmt: skip
    if not named:
        return request
    where = tuple(replace(part, column="bioproject") if part in named else part
                  for part in measure.where)  # fmt: skip
    return replace(request, measure=replace(measure, table="tests", where=where, columns=()))


def _without_no_value(request: Request) -> Request:
    """Return ``request`` with "design unknown" as runs that do not state the field."""
    try:
        return from_json(_stated(to_json(request)))
    except RequestError:  # a field that every run has
        return request


def _stated(part: Any) -> Any:
    if isinstance(part, list):
        return [_stated(inner) for inner in part]
    if not isinstance(part, dict):
        return part
    values = part.get("values", ())
    is_none = part.get("type") == "has" and bool(values) and set(map(str.lower, values)) <= _NONE
    if is_none:
        return {"type": "not", "of": {"type": "has", "field": part["field"]}}
    return {key: _stated(inner) for key, inner in part.items()}


def _consistent(request: Request) -> Request:
    """Return ``request`` without contradictions: rodents other than rodents, mice or rats."""
    parts = parts_of(request.of)
    had = {(part.field, value) for part in parts if isinstance(part, Has) for value in part.values}
    remaining: list[RunSet] = []
    for part in parts:
        denied = part.of if isinstance(part, Not) and isinstance(part.of, Has) else None
        if denied is None or not denied.values:
            remaining.append(part)
            continue
        others = tuple(value for value in denied.values if (denied.field, value) not in had)
        remaining += [Not(replace(denied, values=others))] if others else []
    if not remaining or tuple(remaining) == parts:
        return request
    return replace(request, of=intersect(*remaining))


def _of_its_own(request: Request, items: Sequence[Item]) -> Request:
    """Return a list of the viruses that a name covers, not all viruses of the runs that carry it.

    This applies if only the name says viruses: "which coronaviruses are in bats".
    """
    measure, parts = request.measure, parts_of(request.of)
    carried = [part for part in parts if isinstance(part, Carries) and part.hit.virus]
    if not isinstance(measure, Values) or measure.hits or measure.other_than or len(carried) != 1:
        return request
    listed = field_named(measure.by[0])
    if listed.of != "hit" or any(item.kind == "field" and _is_viral(item) for item in items):
        return request
    rest = intersect(*(part for part in parts if part != carried[0]))
    return Request(replace(measure, hits=carried[0].hit), rest)


def without_rival(request: Request, items: Sequence[Item]) -> Request:
    """Return the evidence for the virus in doubt, without the one that may explain it instead.

    Example: "is the variola real, or confusion with vaccinia?"; the evidence names relatives.
    """
    measure = request.measure
    doubts = [place for place, item in enumerate(items) if item.value == "doubt"]
    if not isinstance(measure, Evidence) or not doubts:
        return request
    names = {item.name.name for item in items[: doubts[0]] if item.name is not None}
    virus = tuple(name for name in measure.hit.virus if name in names)
    if not virus:
        return request
    parts = parts_of(request.of)
    remaining = (
        part for part in parts if not isinstance(part, Carries) or names & {*part.hit.virus}
    )
    return Request(Evidence(replace(measure.hit, virus=virus)), intersect(*remaining))


def _is_viral(item: Item) -> bool:
    return field_named(item.value).of == "hit"


def _of_several(request: Request, items: Sequence[Item]) -> Request:
    """Return ``request`` without a limit of one if the question is plural, or asks for a table.

    Examples: "which tissues have most", "runs per country, biggest first", "novel viruses".
    """
    measure = request.measure
    if isinstance(measure, Records) and measure.limit == 1:
        is_plural = any(item.kind == "field" and singular(item.text) != item.text.lower()
                        for item in items)  # fmt: skip
        whole = Records(measure.table).limit
        return replace(request, measure=replace(measure, limit=whole)) if is_plural else request
    if not isinstance(measure, Values) or measure.limit != 1:
        return request
    field_words = {item.text.lower() for item in items if item.kind == "field"}
    is_table = any(item.value == "per" or item.value.startswith("form:") for item in items)
    if field_named(measure.by[0]).plural not in field_words and not is_table:
        return request
    return replace(request, measure=replace(measure, limit=None))


def _counting(request: Request, items: Sequence[Item]) -> Request:
    """Return ``request`` with values ranked by the field whose number is in question.

    Examples: "the virus in the largest number of host species", "the host with most viruses".
    """
    measure = request.measure
    if not isinstance(measure, Values) or measure.each != Count():
        return request
    for place, item in enumerate(items):
        counted = _counted(items, place + 1) if item.value in ("count", "top") else None
        if counted is None or counted.value in (*measure.by, "biosample"):
            continue
        is_several = item.value == "count" or singular(counted.text) != counted.text.lower()
        if is_several and field_named(counted.value).is_listed:
            return replace(request, measure=replace(measure, each=Count(counted.value)))
    return request


def _counted(items: Sequence[Item], place: int) -> Item | None:
    """Return the field from ``place`` on, after small words; None if it is a kind of runs."""
    while place < len(items) and items[place].kind == "stop":
        place += 1
    if place == len(items) or items[place].kind != "field":
        return None
    behind = items[place + 1 : place + 2]
    is_kind = bool(behind) and behind[0].kind in ("unit", "name", "field")  # plant runs
    return None if is_kind else items[place]


def _of_each(request: Request, items: Sequence[Item]) -> tuple[Request, ...]:
    """Return ``request`` for each of several viruses joined by "and".

    If words say that the runs carry all of them at once, it stays as it is.

    Without "each", a count comes with the runs that carry all, so that it is right
    either way.
    """
    parts = parts_of(request.of)
    carried = [part for part in parts if isinstance(part, Carries) and part.hit.virus]
    asks_each = any("each" in item.text.lower().split() for item in items)
    is_counted = isinstance(request.measure, Count | Exists | Compare)
    is_together = any(item.value == "both" for item in items)
    if len(carried) < 2 or is_together or not (is_counted or asks_each):
        return (request,)
    rest = tuple(part for part in parts if part not in carried)
    apart = (replace(request, of=intersect(virus, *rest)) for virus in carried)
    return (*apart,) if asks_each or not isinstance(request.measure, Count) else (*apart, request)


def _with_dates(requests: tuple[Request, ...], items: Sequence[Item]) -> tuple[Request, ...]:
    """Return ``requests`` with the years of sampling, if words ask "when" and no request does."""
    said = json.dumps([to_json(request) for request in requests])
    asks = any(item.value == "wh:date" for item in items)
    if not requests or not asks or any(f'"{name}"' in said for name in _DATES):
        return requests
    runs = whole_set(requests[-1])
    dates = Request(Values(("collection_year",), order="value"), runs) if runs else None
    return requests if dates is None else (*requests, dates)


def _without_repeats(requests: Sequence[Request]) -> tuple[Request, ...]:
    """Return ``requests`` without duplicates, and without counts that another request answers.

    A request that asks whether there are any runs answers how many there are, too.
    """
    present = {request.of for request in requests if isinstance(request.measure, Exists)}
    remaining = (
        request for request in requests if request.measure != Count() or request.of not in present
    )
    return tuple(dict.fromkeys(remaining))
