"""Follow-ups: what a line changes in the request before it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields, replace
from itertools import pairwise
from typing import Final

from query.reading.asking import Part, asks_any_virus
from query.reading.composing import composed
from query.reading.conditions import Conditions, Group, conditions_of, stated_runs
from query.reading.items import Item
from query.request import (
    Between,
    Carries,
    Compare,
    Count,
    Describe,
    Evidence,
    Exists,
    Has,
    Hit,
    Like,
    Not,
    Or,
    Predicted,
    Records,
    Request,
    Rows,
    RunSet,
    Share,
    Summary,
    Values,
    intersect,
    parts_of,
)
from query.request.fields import field_named

_OPENS: Final = frozenset(
    ["and", "only", "just", "what", "how", "but", "also", "same", "without", "not", "instead",
     "then", "in", "from", "of", "or", "top", "with"]
)  # fmt: skip
"""Words that begin a follow-up."""
_MOST_WORDS: Final = 7
"""Most words of a line that changes a request without pointing back to it."""
_POINTS_BACK: Final = frozenset(
    ["they", "them", "those", "these", "it", "its", "their", "that", "ones", "same"]
)


_ALIKE: Final = ({"country", "place"}, {"environment", "biome"})
"""Fields whose names replace each other."""


def follows(items: Sequence[Item], *, parts: int) -> bool:
    """Return whether a line changes the question before it and is not a question of its own."""
    words = [item for item in items if item.kind != "sign"]
    if not words or parts > 1:
        return False
    if points_back(items):
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


def points_back(items: Sequence[Item]) -> bool:
    """Return whether one of the first words refers to the question before: "which of them"."""
    words = [item for item in items if item.kind != "sign"]
    return any(item.text.lower() in _POINTS_BACK for item in words[:6])


def followed(previous: Request, items: Sequence[Item], measure: str) -> Request | None:
    """Return ``previous`` as changed by a follow-up; None if it changes nothing.

    Names replace conditions of their kind, or add one; denied names are excluded; if the line asks
    for something else (a field, a count, runs), it is measured for the same runs.
    """
    if isinstance(previous.measure, Share) and any(item.value == "reverse" for item in items):
        return Request(Share(previous.of), previous.measure.part)
    items = _without_replaced(items)
    read = conditions_of(items)
    compared = _compared(previous, read.groups)
    if compared is not None:
        return compared
    before = whole_set(previous)
    if before is None:
        return None
    runs = _changed(before, items, read)
    measured = _measured(previous, items, measure, runs)
    if measured is not None:
        return measured
    changed = _edited(previous, items, read, runs)
    says_form = any(item.value.startswith("form:") for item in items)
    return changed if changed != previous or says_form else None


def _without_replaced(items: Sequence[Item]) -> Sequence[Item]:
    """Return ``items`` without the name that another one replaces: "instead of dengue, Zika"."""
    words = [item.text.lower() for item in items]
    begins = [place for place, word in enumerate(words) if word in ("instead", "instead of")]
    names = [place for place, item in enumerate(items) if item.kind == "name"]
    replaced = next((name for name in names if begins and name > begins[0]), None)
    if replaced is None or len(names) < 2 or replaced > begins[0] + 2:
        return items
    return [*items[: begins[0]], *items[replaced + 1 :]]


def _edited(previous: Request, items: Sequence[Item], read: Conditions, runs: RunSet) -> Request:
    """Return the measure of ``previous``, of ``runs``."""
    measure = previous.measure
    if isinstance(measure, Describe | Like | Predicted):
        return previous
    if isinstance(measure, Share):
        part = _changed_part(measure.part, items, read)
        of = previous.of if part != measure.part else _changed(previous.of, items, read)
        return Request(Share(part), of)
    if isinstance(measure, Compare) and isinstance(measure.measure, Share):
        part = _changed_part(measure.measure.part, items, read)
        if part != measure.measure.part:
            return replace(previous, measure=replace(measure, measure=Share(part)))
    if isinstance(measure, Evidence):
        carried = [part for part in parts_of(runs) if isinstance(part, Carries)]
        measure = replace(measure, hit=carried[-1].hit if carried else measure.hit)
        runs = intersect(*(part for part in parts_of(runs) if part not in carried[-1:]))
    elif isinstance(measure, Values) and (measure.hits is not None or _lists_viruses(measure)):
        carried = [part for part in parts_of(runs) if isinstance(part, Carries)]
        kept = carried[-1:] if measure.hits is not None or _is_viral(read) else []
        bounds = None if kept or read.hit == Hit() else read.hit
        measure = replace(measure, hits=kept[0].hit if kept else bounds)
        runs = intersect(*(part for part in parts_of(runs) if part not in kept))
    elif isinstance(measure, Count) and measure.hits is not None:
        measure = replace(measure, hits=None)
    elif isinstance(measure, Rows | Summary) and measure.hits is not None:
        carried = [part for part in parts_of(runs) if isinstance(part, Carries)]
        measure = replace(measure, hits=carried[-1].hit if carried else None)
        runs = intersect(*(part for part in parts_of(runs) if part not in carried[-1:]))
    limit = _limit(items)
    if limit is not None and isinstance(measure, Values | Rows):
        measure = replace(measure, limit=limit)
    return Request(measure, runs)


def _lists_viruses(measure: Values) -> bool:
    return field_named(measure.by[0]).of == "hit"


def _is_viral(read: Conditions) -> bool:
    """Return whether a follow-up restricts to the viruses that it names: "only flaviviruses"."""
    return any(group.is_viral and not group.denied for group in read.groups)


def _changed_part(part: RunSet, items: Sequence[Item], read: Conditions) -> RunSet:
    """Return the part of a share with the viruses or bounds that a follow-up names."""
    viral = tuple(group for group in read.groups if group.is_viral)
    return _changed(part, items, replace(read, groups=viral, runs=()))


def _compared(previous: Request, groups: Sequence[Group]) -> Request | None:
    """Return a comparison with one more side: the same with another name of its kind."""
    measure = previous.measure
    if not isinstance(measure, Compare):
        return None
    for group in groups:
        side = _condition(group, Hit())
        kinds = {type(side)} if isinstance(side, Carries) else {(type(side), group.kind)}
        sides = {
            type(runs) if isinstance(runs, Carries) else (type(runs), getattr(runs, "field", ""))
            for runs in measure.sides
        }
        if kinds == sides and not group.denied:
            return replace(previous, measure=replace(measure, sides=(*measure.sides, side)))
    return None


def whole_set(previous: Request) -> RunSet | None:
    """Return the runs of a request, with its hits; None for stored rows and a single run."""
    measure = previous.measure
    if isinstance(measure, Describe):
        if measure.kind == "virus":
            return Carries(Hit(virus=(measure.id,)))
        if measure.kind == "run":
            return None
        is_run_field = measure.kind in ("study", "project", "biosample", "community")
        return Has(measure.kind, (measure.id,)) if is_run_field else previous.of
    if isinstance(measure, Records):
        return None
    hits = measure.hit if isinstance(measure, Evidence) else getattr(measure, "hits", None)
    part = measure.part if isinstance(measure, Share) else None
    added = [Carries(hits)] if hits is not None else [part] if part is not None else []
    return intersect(previous.of, *added)


def unchanged_set(previous: Request, items: Sequence[Item]) -> RunSet | None:
    """Return the runs of a request without the conditions that names in ``items`` replace."""
    groups = conditions_of(items).groups
    before = whole_set(previous)
    if before is None:
        return None
    parts = parts_of(before)
    return intersect(
        *(part for part in parts if not any(_is_of_kind(part, group) for group in groups))
    )


def _changed(runs: RunSet, items: Sequence[Item], read: Conditions) -> RunSet:
    parts = [*parts_of(runs)]
    adds = any(
        item.text.lower() in ("too", "also", "well", "both") or item.value == "both"
        for item in items
    )
    for group in read.groups:
        made = _condition(group, read.hit)
        before = [part for part in parts if _is_of_kind(part, group)]
        if isinstance(made, Not) or (adds and group.is_viral):
            before = []
        elif adds and before:
            made = _either(before[0], made)
        parts = [*(part for part in parts if part not in (*before, Not(made))), made]
    if asks_any_virus(Part(tuple(items), read, None)):
        parts.append(Carries(Hit()))
    if not read.groups and read.hit != Hit():
        parts = [_with_bounds(part, read.hit) for part in parts]
    bounded = {part.field for part in read.runs if isinstance(part, Between)}
    remaining = [
        part for part in parts if not (isinstance(part, Between) and part.field in bounded)
    ]
    return intersect(*remaining, *read.runs)


def _either(one: RunSet, other: RunSet) -> RunSet:
    """Return the runs that state a value of either group of one field: "rats, too"."""
    if isinstance(one, Has) and isinstance(other, Has) and one.field == other.field:
        return replace(one, values=tuple(dict.fromkeys((*one.values, *other.values))))
    return Or((one, other))


def _condition(group: Group, bounds: Hit) -> RunSet:
    """Return the runs that a group of names includes, or excludes."""
    if not group.is_viral:
        made = stated_runs(group)
        return Not(made) if group.excepted and not isinstance(made, Not) else made
    carried = Carries(replace(bounds, virus=group.names))
    return Not(carried) if group.denied or group.excepted else carried


def _with_bounds(part: RunSet, bounds: Hit) -> RunSet:
    """Return ``part`` with its hits also within ``bounds``."""
    if not isinstance(part, Carries):
        return part
    default = Hit()
    given = {field.name: getattr(bounds, field.name) for field in fields(Hit)
             if getattr(bounds, field.name) != getattr(default, field.name)}  # fmt: skip
    return Carries(replace(part.hit, **given))


def _is_of_kind(part: RunSet, group: Group) -> bool:
    """Return whether ``part`` is a condition that a name of ``group`` replaces."""
    if isinstance(part, Carries):
        return group.is_viral
    if isinstance(part, Or):
        return all(_is_of_kind(inner, group) for inner in part.of)
    if not isinstance(part, Has):
        return False
    both = {part.field, group.kind}
    return len(both) == 1 or any(both <= alike for alike in _ALIKE)


def _measured(
    previous: Request, items: Sequence[Item], measure: str, runs: RunSet
) -> Request | None:
    """Return what else is asked about the same runs: "which tissues", "how many studies"."""
    read = conditions_of(items)
    denied = {part.of.field for part in read.runs
              if isinstance(part, Not) and isinstance(part.of, Has)}  # fmt: skip
    items = [item for item in items if item.value not in denied]
    has_any_virus = asks_any_virus(Part(tuple(items), read, None))
    if has_any_virus:
        items = [item for item in items if item.value != "virus"]
    named = [item.value for item in items if item.kind == "field"]
    listed = [name for name in named if getattr(read.hit, name, None) is None]
    tags = {item.value.partition(":")[0] for item in items}
    bare = [item for item in items if item.kind != "name"]
    is_listed = bool(tags & {"list", "rows", "wh"}) and any(item.kind == "unit" for item in bare)
    points = points_back(items) and ("list" in tags or (has_any_virus and "wh" in tags))
    is_listed = is_listed or (points and not named)
    made: Request | None = None
    if "count" in tags:
        made = composed(bare, "count")
    elif "share" in tags and not isinstance(previous.measure, Share | Compare):
        return _share_of(runs)
    elif "sort" in tags or is_listed or (measure == "rows" and "rows" in tags):
        made = composed(bare, "rows")
    elif named and isinstance(previous.measure, Summary) and field_named(named[0]).is_number:
        return Request(replace(previous.measure, number=named[0]), previous.of)
    elif listed and len(bare) == len(items) and isinstance(previous.measure, Rows):
        columns = dict.fromkeys((*previous.measure.columns, *listed))
        return replace(previous, measure=replace(previous.measure, columns=tuple(columns)))
    elif len(named) == 1 and not field_named(named[0]).is_listed:
        if not tags & {"wh"} or (hit := _carried_hit(runs)) is None:
            return None
        rest = [part for part in parts_of(runs) if part != Carries(hit)]
        return Request(Summary(named[0], hit), intersect(*rest))
    elif _asks_where_or_when(items) or _asks_for_values(items, tags):
        made = composed(bare, "values")
    elif "wh" in tags and not named and isinstance(previous.measure, Exists | Count):
        made = Request(Values(("virus",), hits=_carried_hit(runs)))
        runs = intersect(*(part for part in parts_of(runs) if not isinstance(part, Carries)))
    return None if made is None else replace(made, of=runs)


def _asks_for_values(items: Sequence[Item], tags: set[str]) -> bool:
    """Return whether a follow-up asks for fields: "which tissues", or just "and the tissues"."""
    is_alone = not any(item.kind == "name" or item.value == "any" for item in items)
    return any(item.kind == "field" for item in items) and (
        is_alone or bool(tags & {"wh", "list", "per", "top"})
    )


def _asks_where_or_when(items: Sequence[Item]) -> bool:
    return any(item.value in ("wh:place", "wh:date") for item in items)


def _carried_hit(runs: RunSet) -> Hit | None:
    return next((part.hit for part in parts_of(runs) if isinstance(part, Carries)), None)


def _share_of(runs: RunSet) -> Request | None:
    """Return the share of ``runs`` that also carries the last virus of its conditions."""
    parts = parts_of(runs)
    carried = [part for part in parts if isinstance(part, Carries)]
    if not carried:
        return None
    return Request(Share(carried[-1]), intersect(*(part for part in parts if part != carried[-1])))


def _limit(items: Sequence[Item]) -> int | None:
    for item, following in pairwise(items):
        if item.value == "top" and following.kind == "number" and following.number:
            return int(following.number)
    return None
