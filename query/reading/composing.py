"""Requests composed from the items of one part of a question: what is measured, of which runs."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Final

from query.reading.conditions import Conditions, Group, conditions_of
from query.reading.items import Item
from query.reading.lexicon import regions
from query.request import (
    And,
    Carries,
    Compare,
    Count,
    Describe,
    Everything,
    Evidence,
    Exists,
    Has,
    Hit,
    Measure,
    Not,
    Request,
    Rows,
    RunSet,
    Searched,
    Share,
    SortBy,
    Summary,
    Values,
)
from query.request.fields import field_named

VIRAL: Final = ("virus", "species", "genus", "family", "phylum", "stated", "reported", "sotu")


def composed(items: Sequence[Item], measure: str, before: RunSet | None = None) -> Request | None:
    """Return the request that ``items`` make as a measure of the kind ``measure``; None for none.

    ``before`` are the runs of the part before, where this one points back to them.
    """
    read = conditions_of(items)
    return _COMPOSED[measure](_Part(tuple(items), read, before))


@dataclass(frozen=True, slots=True)
class _Part:
    """A part of a question: its items, and the conditions that its names and numbers make."""

    items: tuple[Item, ...]
    read: Conditions
    before: RunSet | None

    def tags(self) -> set[str]:
        return {
            item.value.partition(":")[0] for item in self.items if item.kind in ("cue", "bound")
        }

    def has(self, *tags: str) -> bool:
        return not self.tags().isdisjoint(tags)


# --- runs -------------------------------------------------------------------------------------


def hit_of(groups: Iterable[Group], read: Conditions) -> Hit:
    """Return the hit that groups of viruses and the bounds of hits ask for."""
    virus: list[str] = []
    reported: list[str] = []
    sotu: list[str] = []
    for group in groups:
        target = {"reported": reported, "sotu": sotu}.get(group.kind, virus)
        target += group.names
    return replace(read.hit, virus=tuple(virus), reported=tuple(reported), sotu=tuple(sotu))


def run_set(part: _Part, groups: Sequence[Group], *, bare_hit: bool = True) -> RunSet:
    """Return the runs that all of ``groups`` and the bounds of runs hold for."""
    sets: list[RunSet] = []
    if part.before is not None and not isinstance(part.before, Everything):
        sets.append(part.before)
    viral = [group for group in groups if group.is_viral]
    has_hit = False
    for group in groups:
        if group.is_viral:
            sets += _carried(group, part.read)
            has_hit = True
        else:
            sets.append(_stated(group))
    if not has_hit and bare_hit and part.read.hit != Hit():
        sets.append(Carries(part.read.hit))
    sets += part.read.runs
    if part.read.searched:
        names = tuple(name for group in part.read.groups if group.is_viral for name in group.names)
        sources = tuple(name for group in groups if group.kind == "source" for name in group.names)
        if names or sources:
            sets = [one for one in sets if not _is_of(one, names)]
            sets.append(Searched(source=sources, virus=names))
    del viral
    return _joined(sets)


def _is_of(runs: RunSet, names: tuple[str, ...]) -> bool:
    return isinstance(runs, Carries) and runs.hit.virus == names


def _joined(sets: Sequence[RunSet]) -> RunSet:
    distinct = list(dict.fromkeys(sets))
    if not distinct:
        return Everything()
    return distinct[0] if len(distinct) == 1 else And(tuple(distinct))


def _carried(group: Group, read: Conditions) -> list[RunSet]:
    """Return the runs that carry the viruses of ``group``: any of them, or each."""
    one = hit_of([group], read)
    if len(group.names) > 1 and (group.joiner == "and" or read.together):
        each = [Carries(hit_of([replace(group, names=(name,))], read)) for name in group.names]
        sets: list[RunSet] = [Not(part) for part in each] if group.denied else list(each)
        return sets
    return [Not(Carries(one)) if group.denied else Carries(one)]


def _stated(group: Group) -> RunSet:
    """Return the runs that state one of the names of ``group``, or that do not."""
    runs: RunSet
    names = group.names
    if group.kind == "place" and names[0] in regions():
        runs = Has("country", regions()[names[0]])
    elif group.kind == "attribute":
        runs = Has(f"attribute:{names[0]}")
    elif group.kind == "source":
        runs = Searched(source=names)
    else:
        runs = Has(group.kind, names)
    return Not(runs) if group.denied else runs


# --- measures ---------------------------------------------------------------------------------


def _count(part: _Part) -> Request:
    unit = _counted(part)
    viral = [group for group in part.read.groups if group.is_viral and not group.denied]
    if unit in VIRAL:
        others = [group for group in part.read.groups if group not in viral]
        hits = hit_of(viral, part.read)
        return Request(
            Count(unit, hits if hits != Hit() else None), run_set(part, others, bare_hit=False)
        )
    return Request(Count(unit), run_set(part, part.read.groups))


def _counted(part: _Part) -> str:
    """Return what is counted: the field behind "how many", else runs."""
    for place, item in enumerate(part.items):
        if item.value != "count":
            continue
        for following in part.items[place + 1 : place + 4]:
            if following.kind == "unit":
                return "run"
            if following.kind == "field" and not field_named(following.value).is_number:
                return "run" if following.value == "biosample" else following.value
            if following.value == "hit":
                return "detection"
            if following.kind == "name" and place + 2 < len(part.items):
                continue
    return "run"


def _exists(part: _Part) -> Request:
    return Request(Exists(), run_set(part, part.read.groups))


def _share(part: _Part) -> Request | None:
    whole, inside = _whole_and_part(part)
    if not inside:
        return None
    of = run_set(part, whole, bare_hit=False)
    bare = replace(part, before=None)
    return Request(Share(run_set(replace(bare, read=replace(part.read, runs=())), inside)), of)


def _whole_and_part(part: _Part) -> tuple[list[Group], list[Group]]:
    """Return the groups of the whole of a share, and those of its part.

    "Of A, what share B" and "what share of A are B" have the whole behind "of"; else viruses are
    the part, and without viruses the last name.
    """
    groups = [group for group in part.read.groups]
    if len(groups) < 2 and part.before is not None:
        return [], groups
    verb = _verb_after_share(part)
    if verb is not None:
        inside = [group for group in groups if group.place > verb]
        whole = [group for group in groups if group.place < verb]
        if inside and whole:
            return whole, inside
    viral = [group for group in groups if group.is_viral]
    if viral and len(viral) < len(groups):
        return [group for group in groups if not group.is_viral], viral
    if len(groups) >= 2:
        return groups[:-1], groups[-1:]
    return ([], groups) if groups else ([], [])


def _verb_after_share(part: _Part) -> int | None:
    """Return where the verb is behind the whole: what share of A *carry* B."""
    seen_of = False
    for item in part.items:
        if item.value == "of" or item.text.lower() in ("of", "among"):
            seen_of = True
        is_verb = item.value in ("found", "exists") or item.text.lower() in (
            "with",
            "are",
            "is",
            "come",
            "comes",
            "state",
            "states",
            "give",
        )
        if seen_of and is_verb and any(group.place < item.first for group in part.read.groups):
            return item.first
    return None


def _values(part: _Part) -> Request | None:
    by = _listed_fields(part)
    if not by:
        return None
    groups = part.read.groups
    excepted = [group for group in groups if group.excepted]
    groups = tuple(group for group in groups if not group.excepted)
    of_hits = any(field_named(name).of == "hit" for name in by)
    viral = [group for group in groups if group.is_viral and not group.denied]
    others = [group for group in groups if group not in viral]
    hits: Hit | None = None
    if not of_hits or _is_company(part):
        others = list(groups)
        if _is_company(part) and of_hits and viral:
            excepted = [*excepted, *viral]
    else:
        made = hit_of(viral, part.read)
        hits = made if made != Hit() else None
    measure = Values(
        tuple(by),
        hits=hits,
        other_than=tuple(name for group in excepted for name in group.names if _fits(group, by)),
        order=_order(part),
        limit=_limit(part),
    )
    of = run_set(
        part,
        [*others, *(replace(group, denied=True) for group in excepted if not _fits(group, by))],
        bare_hit=hits is None and not of_hits,
    )
    return Request(_with_each(part, measure), of)


def _fits(group: Group, by: Sequence[str]) -> bool:
    if group.is_viral:
        return by[0] in VIRAL
    return group.kind == by[0] or {group.kind, by[0]} <= {"country", "place"}


def _is_company(part: _Part) -> bool:
    """Return whether viruses are named as what others come with: other viruses with EBV."""
    return part.has("other", "both")


def _with_each(part: _Part, measure: Values) -> Values:
    return measure


def _listed_fields(part: _Part) -> list[str]:
    """Return the fields whose values are listed, two at most."""
    asked: list[str] = []
    for place, item in enumerate(part.items):
        name = _field_of(item)
        if name is None:
            continue
        field_of = field_named(name)
        if field_of.is_number and name != "year":
            continue
        before = [other for other in part.items[max(0, place - 3) : place]]
        tags = {other.value.partition(":")[0] for other in before}
        weight = 0
        if tags & {"wh", "list", "top", "fewest", "per", "count"}:
            weight = 2
        asked.append((weight, place, name))  # type: ignore[arg-type]
    if not asked:
        return ["country"] if any(item.value == "wh:place" for item in part.items) else []
    best = max(weight for weight, _, _ in asked)  # type: ignore[misc]
    chosen = [name for weight, _, name in asked if weight == best]  # type: ignore[misc]
    distinct = list(dict.fromkeys(chosen))
    return distinct[:2] if part.has("per") or len(distinct) == 1 else distinct[:1]


def _field_of(item: Item) -> str | None:
    if item.kind == "field":
        return item.value
    if item.kind == "name" and item.value == "attribute" and item.name is not None:
        return f"attribute:{item.name.name}"
    return None


def _order(part: _Part) -> str:
    return "fewest" if part.has("fewest") else "most"


def _limit(part: _Part) -> int | None:
    """Return how many values are asked for: top 5, the ten commonest, the most common one."""
    for place, item in enumerate(part.items):
        if item.value not in ("top", "fewest"):
            continue
        for other in (*part.items[place + 1 : place + 2], *part.items[max(0, place - 1) : place]):
            if other.kind == "number" and other.number and not other.percent:
                return int(other.number)
        return (
            None
            if any(one.kind == "field" and one.text.lower().endswith("s") for one in part.items)
            else 1
        )
    return None


def _rows(part: _Part) -> Request:
    columns = ["run"]
    for item in part.items:
        name = _field_of(item)
        if name and name not in columns and name != "attribute":
            columns.append(name)
    viral = [group for group in part.read.groups if group.is_viral and not group.denied]
    of_hits = any(name != "run" and field_named(name).of == "hit" for name in columns)
    hits = hit_of(viral, part.read) if of_hits else None
    order = None
    numbers = [name for name in columns if name != "run" and field_named(name).is_number]
    if part.has("top", "fewest") and numbers:
        order = SortBy(numbers[0], descending=part.has("top"))
    limit = next((int(item.number) for item in part.items
                  if item.kind == "number" and item.number and not item.percent
                  and part.has("top", "fewest")), 100)  # fmt: skip
    return Request(
        Rows(tuple(columns), hits=hits if hits != Hit() else None, order=order, limit=limit),
        run_set(part, part.read.groups),
    )


def _summary(part: _Part) -> Request | None:
    numbers = [
        name for item in part.items if (name := _field_of(item)) and field_named(name).is_number
    ]
    if not numbers:
        return None
    number = numbers[0]
    groups = part.read.groups
    if field_named(number).of == "hit":
        viral = [group for group in groups if group.is_viral and not group.denied]
        hits = hit_of(viral, part.read)
        others = [group for group in groups if group not in viral]
        return Request(
            Summary(number, hits if hits != Hit() else None), run_set(part, others, bare_hit=False)
        )
    return Request(Summary(number), run_set(part, groups))


def _compare(part: _Part) -> Request | None:
    groups = part.read.groups
    sided = [group for group in groups if len(group.names) > 1 and group.joiner != "none"]
    if not sided:
        return None
    side = next((group for group in sided if group.versus), sided[-1])
    others = [group for group in groups if group is not side]
    viral = [group for group in others if group.is_viral and not group.denied]
    each = [replace(side, names=(name,)) for name in side.names]
    sides = tuple(
        run_set(replace(part, before=None, read=replace(part.read, runs=())), [one], bare_hit=False)
        for one in each
    )
    measure: Measure
    if viral and not side.is_viral and part.has("oftener", "share"):
        rest = [group for group in others if group not in viral]
        measure = Share(_joined([one for group in viral for one in _carried(group, part.read)]))
        return Request(Compare(measure, sides), run_set(part, rest, bare_hit=False))
    unit = _counted(part)
    by = [name for name in _listed_fields(part) if name in VIRAL]
    if by and not viral and not side.is_viral and not part.has("count", "more", "oftener"):
        return Request(Compare(Values((by[0],)), sides), run_set(part, others, bare_hit=False))
    return Request(
        Compare(Count(unit if unit not in VIRAL or not side.is_viral else "run"), sides),
        run_set(part, others),
    )


def _evidence(part: _Part) -> Request | None:
    viral = [group for group in part.read.groups if group.is_viral]
    if not viral and part.read.hit == Hit():
        return None
    others = [group for group in part.read.groups if not group.is_viral]
    return Request(Evidence(hit_of(viral, part.read)), run_set(part, others, bare_hit=False))


def _describe(part: _Part) -> Request | None:
    groups = part.read.groups
    if len(groups) != 1 or len(groups[0].names) != 1:
        return None
    group = groups[0]
    kind = group.kind if group.kind in _DESCRIBED else "virus" if group.is_viral else "term"
    return Request(Describe(kind, group.names[0]))  # type: ignore[arg-type]


_DESCRIBED: Final = ("run", "study", "project", "biosample", "community", "virus")
_COMPOSED: Final = {
    "count": _count,
    "exists": _exists,
    "share": _share,
    "values": _values,
    "rows": _rows,
    "summary": _summary,
    "compare": _compare,
    "evidence": _evidence,
    "describe": _describe,
}
