"""The plain form of a request, which is the same for all requests that get the same numbers."""

from __future__ import annotations

import json
from dataclasses import replace
from functools import partial
from typing import Any

from query.request.fields import field_named, fields_of
from query.request.measures import Compare, Count, Values
from query.request.request import Request, from_json, to_json
from query.request.run_sets import Carries, Has, intersect, parts_of


def plainly(request: Request) -> Request:
    """Return ``request`` with hits as conditions on runs, and conditions in a fixed order.

    "Hosts of runs with EBV" and "hosts, of hits of EBV" list the same values; which of two
    conditions comes first changes nothing.

    >>> from query.request import Has, Hit
    >>> counted = Request(Count(hits=Hit("EBV")), Has("host", "bat"))
    >>> asked = Request(Count(), Carries(Hit("EBV")) & Has("host", "bat"))
    >>> plainly(counted) == plainly(asked)
    True
    """
    return from_json(_ordered(to_json(_without_empty_condition(_with_hits_as_condition(request)))))


def _without_empty_condition(request: Request) -> Request:
    """Return a list of values without the condition that runs state one: those listed do."""
    measure, of = request.measure, request.of
    if not isinstance(measure, Values) or len(measure.by) > 1:
        return request
    if field_named(measure.by[0]).of == "hit":
        return request
    stated = Has(measure.by[0])
    return Request(measure, intersect(*(part for part in parts_of(of) if part != stated)))


def _with_hits_as_condition(request: Request) -> Request:
    measure, of = request.measure, request.of
    inner = measure.measure if isinstance(measure, Compare) else measure
    if not isinstance(inner, Count | Values) or inner.hits is None:
        return request
    if isinstance(inner, Values) and any(field_named(name).of == "hit" for name in inner.by):
        return request
    if isinstance(inner, Count) and inner.unit not in ("run", *fields_of("run")):
        return request
    moved = replace(inner, hits=None)
    carrying = intersect(of, Carries(inner.hits))
    if isinstance(measure, Compare):
        return Request(replace(measure, measure=moved), carrying)
    return Request(moved, carrying)


def _ordered(part: Any) -> Any:
    """Return a part of a request in JSON, with conditions that must all hold in one order."""
    if isinstance(part, list):
        return [_ordered(inner) for inner in part]
    if not isinstance(part, dict):
        return part
    ordered = {key: _ordered(inner) for key, inner in part.items()}
    if ordered.get("type") in ("and", "or"):
        ordered["of"] = sorted(ordered["of"], key=partial(json.dumps, sort_keys=True))
    return ordered
