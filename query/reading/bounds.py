"""What numbers and dates of a question limit: identity, reads, years, runs of each value."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from query.reading.items import Item
from query.request import Between, Hit, Range, RunSet
from query.request.fields import field_named
from query.request.hits import NUMBERS

_NEAR: Final = 4
"""Number of items around a number in which the field that it bounds is looked for."""


def bounds_of(items: Sequence[Item]) -> tuple[Hit, list[RunSet], set[int]]:
    """Return the hit and the runs that numbers and dates bound, and the items they use."""
    ranges: dict[str, dict[str, float | str]] = {}
    used: set[int] = set()
    for place, item in enumerate(items):
        if item.kind == "number" and item.number is not None:
            bound = bound_at(items, place)
            name = _field_near(items, place, percent=item.percent)
            following = items[place + 1 : place + 2]
            if following and following[0].kind == "unit":
                continue
            if bound is None or name is None:
                continue
            ranges.setdefault(name, {})[bound] = item.number
            used.add(place)
        if item.kind == "date":
            name = _date_field(items)
            for bound, text in _date_bounds(items, place).items():
                ranges.setdefault(name, {})[bound] = text
            used.add(place)
    hit_ranges = {name: _range(bounds) for name, bounds in ranges.items() if name in NUMBERS}
    hit = Hit(**{name: bounds for name, bounds in hit_ranges.items() if bounds})  # type: ignore[arg-type]
    runs: list[RunSet] = []
    for name, bounds in ranges.items():
        made = _range(bounds)
        if name not in NUMBERS and made is not None:
            runs.append(Between(name, made))
    return hit, runs, used


def least_counted(items: Sequence[Item], used: set[int]) -> float | None:
    """Return the least number of runs that a value must have: in at least 20 runs."""
    for place, item in enumerate(items):
        if item.kind != "number" or place in used or item.percent:
            continue
        bound = bound_at(items, place)
        near = items[place + 1 : place + 5]
        if bound in ("at_least", "above") and any(neighbour.kind == "unit" for neighbour in near):
            return (item.number or 0) + (bound == "above")
    return None


def _range(bounds: dict[str, float | str]) -> Range | None:
    try:
        return Range(**bounds)
    except ValueError:
        return None


def bound_at(items: Sequence[Item], place: int) -> str | None:
    """Return how the number at ``place`` bounds, from the words before it, else after it."""
    for before in reversed(items[max(0, place - 2) : place]):
        if before.kind == "bound" and before.value.startswith("bound:"):
            return before.value.partition(":")[2]
    for after in items[place + 1 : place + 4]:
        if after.value.startswith("bound_after:"):
            return after.value.partition(":")[2]
    around = [item.value for item in items[max(0, place - 4) : place]]
    if "between" in around:
        numbers = [item for item in items[max(0, place - 4) : place] if item.kind == "number"]
        return "at_most" if numbers else "at_least"
    following = items[place + 1 : place + 2]
    if items[place].percent and following and following[0].value == "identity":
        return "at_least"  # at 90 % identity
    return None


def _field_near(items: Sequence[Item], place: int, *, percent: bool) -> str | None:
    """Return the field that is bounded: the nearest one, or the identity for percent."""
    best: tuple[int, str] | None = None
    for other in range(max(0, place - _NEAR), min(len(items), place + _NEAR)):
        item = items[other]
        if item.kind != "field" or not field_named(item.value).is_number:
            continue
        distance = abs(other - place) + (other < place)
        if best is None or distance < best[0]:
            best = (distance, item.value)
    if best is not None and not (percent and best[1] != "identity"):
        return best[1]
    return "identity" if percent else None


def _date_field(items: Sequence[Item]) -> str:
    for item in items:
        if item.value.startswith("released:"):
            return item.value.partition(":")[2]
        if item.value == "collected":
            return "collected"
    return "released"


def _date_bounds(items: Sequence[Item], place: int) -> dict[str, str]:
    """Return the bounds that the date at ``place`` makes."""
    date = items[place].value
    before = [item.value for item in items[max(0, place - 4) : place]]
    for value in reversed(before):
        if value == "between":
            earlier = any(item.kind == "date" for item in items[max(0, place - 4) : place])
            return {"at_most" if earlier else "at_least": date}
        if value.startswith(("date:", "bound:")) and not value.endswith(":in"):
            return {value.partition(":")[2]: date}
        if value == "from" and any(
            item.text.lower() in ("to", "until", "-") for item in items[place + 1 : place + 3]
        ):
            return {"at_least": date}
    for item in items[place + 1 : place + 3]:
        if item.value.startswith("bound_after:"):
            return {item.value.partition(":")[2]: date}
    if any(
        item.text.lower() in ("to", "until", "-", "–") for item in items[max(0, place - 1) : place]
    ) and any(item.kind == "date" for item in items[max(0, place - 3) : place]):
        return {"at_most": date}
    return {"at_least": date, "at_most": date}
