"""Follow-ups: what a line changes of the request before it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from query.reading.composing import composed
from query.reading.conditions import Conditions, Group, conditions_of, stated_runs
from query.reading.items import Item
from query.request import (
    And,
    Carries,
    Count,
    Everything,
    Has,
    Hit,
    Not,
    Request,
    Rows,
    RunSet,
    Values,
)

_OPENS: Final = frozenset(
    [
        "and",
        "only",
        "just",
        "what",
        "how",
        "but",
        "also",
        "same",
        "without",
        "not",
        "instead",
        "then",
        "in",
        "from",
        "of",
        "or",
        "top",
        "with",
    ]
)
"""Words that begin a follow-up."""
_MOST_WORDS: Final = 7
"""Words of the longest line that changes a request without pointing back to it."""
_POINTS_BACK: Final = frozenset(
    ["they", "them", "those", "these", "it", "its", "their", "that", "ones", "same"]
)


def follows(items: Sequence[Item], *, parts: int) -> bool:
    """Return whether a line changes the question before it, and is none of its own."""
    words = [item for item in items if item.kind != "sign"]
    if not words or parts > 1:
        return False
    if any(item.text.lower() in _POINTS_BACK for item in words[:6]):
        return True
    asks = any(
        item.value.partition(":")[0] in ("count", "wh", "share", "exists", "list") for item in words
    )
    names = any(item.kind == "name" for item in words)
    opens = words[0].text.lower().split()[0] in _OPENS
    is_about = [item.text.lower() for item in words[:2]] in (["what", "about"], ["how", "about"])
    if is_about or (opens and not asks):
        return True
    return len(words) <= _MOST_WORDS and not (asks and names)


def followed(previous: Request, items: Sequence[Item], measure: str) -> Request | None:
    """Return ``previous`` as a follow-up changes it; None where it changes nothing.

    Names replace conditions of their kind, or add one; denied names are ruled out; a field that is
    asked for, or a count, is measured of the same runs.
    """
    read = conditions_of(items)
    runs = _changed(_whole_set(previous), items, read)
    asked = _measured(items, measure, runs)
    if asked is not None:
        return asked
    limit = _limit(items)
    changed = replace(previous, of=_without_hits(previous, runs))
    kept = changed.measure
    if isinstance(kept, Values) and kept.hits is not None:
        carried = [part for part in _parts(runs) if isinstance(part, Carries)]
        kept = replace(kept, hits=carried[0].hit if carried else None)
    if isinstance(kept, Count) and kept.hits is not None:
        kept, changed = replace(kept, hits=None), replace(previous, of=runs)
    if limit is not None and isinstance(kept, Values | Rows):
        kept = replace(kept, limit=limit)
    changed = replace(changed, measure=kept)
    return changed if changed != previous else None


def _whole_set(previous: Request) -> RunSet:
    """Return the runs of a request, with the hits that it is of as a condition."""
    hits = getattr(previous.measure, "hits", None)
    return previous.of if hits is None else _joined([*_parts(previous.of), Carries(hits)])


def _without_hits(previous: Request, runs: RunSet) -> RunSet:
    """Return ``runs`` without the hits that the measure of ``previous`` holds itself."""
    if not isinstance(previous.measure, Values) or previous.measure.hits is None:
        return runs
    return _joined([part for part in _parts(runs) if not isinstance(part, Carries)])


def _changed(runs: RunSet, items: Sequence[Item], read: Conditions) -> RunSet:
    parts = _parts(runs)
    adds = any(
        item.text.lower() in ("too", "also", "well", "both") or item.value == "both"
        for item in items
    )
    for group in read.groups:
        made = stated_runs(group)
        if group.is_viral:
            made = Carries(replace(read.hit, virus=group.names))
            made = Not(made) if group.denied else made
        if not group.denied and not group.excepted and not adds:
            parts = [part for part in parts if not _is_of_kind(part, group)]
        if group.excepted and not isinstance(made, Not):
            made = Not(made)
        parts.append(made)
    if not read.groups and read.hit != Hit():
        parts = [_with_bounds(part, read.hit) for part in parts]
    return _joined([*parts, *read.runs])


def _with_bounds(part: RunSet, bounds: Hit) -> RunSet:
    if not isinstance(part, Carries):
        return part
    return Carries(replace(bounds, virus=part.hit.virus, other_than=part.hit.other_than))


def _is_of_kind(part: RunSet, group: Group) -> bool:
    """Return whether ``part`` is a condition that a name of ``group`` replaces."""
    if isinstance(part, Carries):
        return group.is_viral
    places = {"country", "place"}
    if not isinstance(part, Has):
        return False
    return part.field == group.kind or {part.field, group.kind} <= places


def _measured(items: Sequence[Item], measure: str, runs: RunSet) -> Request | None:
    """Return what else is asked of the same runs: which tissues, how many studies, what share."""
    has_field = any(item.kind == "field" for item in items)
    tags = {item.value.partition(":")[0] for item in items}
    bare = [item for item in items if item.kind != "name"]
    if "count" in tags:
        made = composed(bare, "count")
        return None if made is None else replace(made, of=runs)
    if has_field and tags & {"wh", "list", "per", "top"}:
        made = composed(bare, "values")
        return None if made is None else replace(made, of=runs)
    if measure == "rows" and "rows" in tags:
        made = composed(bare, "rows")
        return None if made is None else replace(made, of=runs)
    return None


def _limit(items: Sequence[Item]) -> int | None:
    for item, following in zip(items, items[1:], strict=False):
        if item.value == "top" and following.kind == "number" and following.number:
            return int(following.number)
    return None


def _parts(runs: RunSet) -> list[RunSet]:
    if isinstance(runs, Everything):
        return []
    return list(runs.of) if isinstance(runs, And) else [runs]


def _joined(parts: Sequence[RunSet]) -> RunSet:
    distinct = list(dict.fromkeys(parts))
    if not distinct:
        return Everything()
    return distinct[0] if len(distinct) == 1 else And(tuple(distinct))
