"""Make the numbers of a request those of the question, bounded as the words next to them say.

The tuned model copies numbers digit by digit, and sometimes makes mistakes.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from query.reading.bounds import bound_at, bounds_of
from query.reading.items import Item
from query.request import Request, RequestError, from_json, to_json
from query.request.hits import NUMBERS

_SIDES: Final = (("above", "at_least"), ("below", "at_most"))
_BOUNDS: Final = frozenset(bound for side in _SIDES for bound in side)
_COUNTED: Final = frozenset({*_BOUNDS, "limit"})
"""Keys of a request whose numbers must be in the question."""
_UNSAID: Final = frozenset({0.0, 0.05, 1.0, 50.0, 90.0, 100.0})
"""Numbers that words imply: significant, the first, half, at species level, so many rows."""
_DIGITS: Final = re.compile(r"\d+(?:[.,]\d+)*")


def with_own_numbers(request: Request, items: Sequence[Item]) -> Request | None:
    """Return ``request`` with its numbers bounded as the words next to them say.

    At least 95 % is not above 95, and more than 10,000 reads are not an identity.

    If one number of the request is not in the question, and one of the question is not in the
    request, the latter replaces the former; None if there are more of either.
    """
    said = {item.number: bound for place, item in enumerate(items)
            if item.kind == "number" and (bound := bound_at(items, place))}  # fmt: skip
    record = _bounded(_with_ranges(to_json(request), items), said)
    foreign = {number for number in _numbers(record) if not _is_said(number, items)}
    if foreign:
        unused = {item.number for item in items if item.kind == "number"} - {*_numbers(record)}
        if len(foreign) > 1 or len(unused) != 1:
            return None
        record = _replaced(record, foreign.pop(), unused.pop())
    try:
        return from_json(record)
    except RequestError:
        return None


def _with_ranges(record: Any, items: Sequence[Item]) -> Any:
    """Return ``record``; if only one hit has bounds, it gets those that the words plainly make."""
    plain = {name: bounds.bounds() for name, bounds in bounds_of(items)[0].ranges.items()}
    hits = [part for part in _parts(record) if any(name in part for name in NUMBERS)]
    bounded = [{name: part[name] for name in NUMBERS if name in part} for part in hits]
    if len(bounded) != 1 or len(bounded[0]) != len(plain) or bounded[0].keys() == plain.keys():
        return record
    hits[0].update(plain)
    for name in bounded[0].keys() - plain.keys():
        del hits[0][name]
    return record


def _parts(part: Any) -> Iterator[dict[str, Any]]:
    """Yield the objects in a part of a request."""
    if isinstance(part, dict):
        yield part
        part = list(part.values())
    if isinstance(part, list):
        for inner in part:
            yield from _parts(inner)


def _numbers(part: Any) -> Iterator[float]:
    """Yield the bounds and limits of a request, except degrees, which words imply: tropical."""
    if isinstance(part, list):
        for inner in part:
            yield from _numbers(inner)
    if not isinstance(part, dict) or part.get("field") in ("latitude", "longitude"):
        return
    for key, value in part.items():
        if key in _COUNTED and isinstance(value, int | float):
            yield float(value)
        yield from _numbers(value)


def _is_said(number: float, items: Sequence[Item]) -> bool:
    """Return whether ``number``, or one less, is in the question: over three is at least four."""
    if number in _UNSAID:
        return True
    said = {item.number for item in items if item.number is not None}
    said |= {_value(found) for item in items for found in _DIGITS.findall(item.text)}
    return number in said or number - 1 in said


def _value(digits: str) -> float:
    """Return the value of digits with commas or points between thousands.

    >>> _value("10,000"), _value("99.5"), _value("1.000.000")
    (10000.0, 99.5, 1000000.0)
    """
    plain = digits.replace(",", "")
    return float(plain.replace(".", "") if plain.count(".") > 1 else plain)


def _replaced(part: Any, wrong: float, number: float | None) -> Any:
    """Return a part of a request with the number ``wrong`` replaced."""
    if isinstance(part, list):
        return [_replaced(inner, wrong, number) for inner in part]
    if not isinstance(part, dict):
        return part
    return {
        key: number if key in _COUNTED and value == wrong else _replaced(value, wrong, number)
        for key, value in part.items()
    }


def _bounded(part: Any, said: Mapping[float | None, str]) -> Any:
    """Return a part of a request whose bounds are on the side that words say."""
    if isinstance(part, list):
        return [_bounded(inner, said) for inner in part]
    if not isinstance(part, dict):
        return part
    number = next(iter(part.values()), None)
    if len(part) == 1 and part.keys() <= _BOUNDS and isinstance(number, int | float):
        (key,) = part
        side = next(side for side in _SIDES if key in side)
        bound = said.get(number)
        return {bound if bound in side else key: number}
    return {key: _bounded(inner, said) for key, inner in part.items()}
