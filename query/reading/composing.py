"""Requests composed from the items of one part of a question: what is measured, of which runs."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Final

from query.reading.conditions import Conditions, Group, conditions_of, stated_runs
from query.reading.items import Item
from query.request import (
    And,
    Carries,
    Compare,
    Count,
    Describe,
    Everything,
    Evidence,
    Exists,
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
from query.request.measures import Rank

VIRAL: Final = ("virus", "species", "genus", "family", "phylum", "stated", "reported", "sotu")


def composed(items: Sequence[Item], measure: str, before: RunSet | None = None) -> Request | None:
    """Return the request that ``items`` make as a measure of the kind ``measure``; None for none.

    ``before`` are the runs of the part before, where this one points back to them.
    """
    if measure not in _COMPOSED:
        return None
    read = conditions_of(items)
    try:
        return _COMPOSED[measure](_Part(tuple(items), read, before))
    except ValueError:
        return None


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
    has_hit = False
    for group in groups:
        if group.is_viral:
            sets += _carried(group, part.read)
            has_hit = True
        else:
            sets.append(stated_runs(group))
    if not has_hit and bare_hit and (part.read.hit != Hit() or _asks_any_virus(part)):
        sets.append(Carries(part.read.hit))
    sets += part.read.runs
    if part.read.searched:
        names = tuple(name for group in part.read.groups if group.is_viral for name in group.names)
        sources = tuple(name for group in groups if group.kind == "source" for name in group.names)
        if names or sources:
            sets = [one for one in sets if not _is_of(one, names)]
            sets.append(Searched(source=sources, virus=names))
    return _joined(sets)


def _asks_any_virus(part: _Part) -> bool:
    """Return whether runs must carry some virus, whichever: have a hit, any virus."""
    for place, item in enumerate(part.items):
        near = {other.text.lower() for other in part.items[max(0, place - 2) : place]}
        if item.value == "hit" and near & {"a", "any", "some", "have", "has", "with", "w", "w/"}:
            return True
        if item.value == "virus" and item.kind == "field" and near & {"a", "any", "some"}:
            return True
    return False


def _is_of(runs: RunSet, names: tuple[str, ...]) -> bool:
    return isinstance(runs, Carries) and runs.hit.virus == names


def _joined(sets: Sequence[RunSet]) -> RunSet:
    denied = {runs.of for runs in sets if isinstance(runs, Not)}
    distinct = list(dict.fromkeys(runs for runs in sets if runs not in denied))
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


# --- measures ---------------------------------------------------------------------------------


def _count(part: _Part) -> Request:
    unit = _counted(part)
    whole = _whole_counted(part)
    if whole and unit == "run":
        inside = [group for group in part.read.groups if group not in whole]
        return _share_within(part, whole, inside) or Request(Count(), run_set(part, [*whole, *inside]))
    viral = [group for group in part.read.groups if group.is_viral and not group.denied]
    if unit in VIRAL or unit == "detection":
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
                return "run" if following.text.lower().startswith("sample") else following.value
            if following.value == "hit":
                return "detection"
            if following.kind == "name" and place + 2 < len(part.items):
                continue
    return "run"


def _exists(part: _Part) -> Request:
    return Request(Exists(), run_set(part, part.read.groups))


def _share(part: _Part) -> Request | None:
    whole, inside = _whole_and_part(part)
    if part.read.stated:
        stated = _joined(part.read.stated)
        others = tuple(one for one in part.read.runs if one not in part.read.stated)
        of = run_set(replace(part, read=replace(part.read, runs=others)), part.read.groups)
        return Request(Share(stated), of)
    if not whole and len(inside) == 1 and _is_share_of_carriers(part, inside[0]):
        return Request(Share(Carries(hit_of(inside, part.read))), Carries(Hit(inside[0].names)))
    return _share_within(part, whole, inside)


def _share_within(part: _Part, whole: Sequence[Group], inside: Sequence[Group]) -> Request | None:
    """Return the share of the runs of ``whole`` that the groups ``inside`` hold for, too."""
    if not inside and not (part.read.hit != Hit() or _asks_any_virus(part)):
        return None
    of = run_set(part, whole, bare_hit=False)
    read = replace(part.read, runs=(), searched=False)
    made = run_set(replace(part, before=None, read=read), inside)
    return None if isinstance(made, Everything) else Request(Share(made), of)


def _whole_counted(part: _Part) -> list[Group]:
    """Return the groups that a count is out of: *of the Zika runs*, how many are human."""
    opening = [item.text.lower() for item in part.items[:2]]
    counts = [item.first for item in part.items if item.value == "count"]
    if not counts or not _OUT_OF.intersection(opening):
        return []
    places = {place: item.first for place, item in enumerate(part.items)}
    return [group for group in part.read.groups if places[group.place] < counts[0]]


_OUT_OF: Final = frozenset({"of", "among", "amongst", "within", "out of"})


def _is_share_of_carriers(part: _Part, group: Group) -> bool:
    """Return whether a bound divides the runs with a virus: rabies runs with over 1,000 reads."""
    following = part.items[group.last : group.last + 1]
    has_runs = bool(following) and following[0].kind == "unit"
    return group.is_viral and not group.denied and has_runs and part.read.hit != Hit()


def _whole_and_part(part: _Part) -> tuple[list[Group], list[Group]]:
    """Return the groups of the whole of a share, and those of its part.

    "Of A, what share B" and "what share of A are B" have the whole behind "of"; else viruses are
    the part, and without viruses the last name.
    """
    groups = list(part.read.groups)
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
    viral_named = any(group.is_viral and not group.denied for group in part.read.groups)
    asks = part.has("wh", "list", "found", "top")
    if (
        not by
        and not viral_named
        and asks
        and (part.read.groups or part.before or part.read.hit != Hit())
    ):
        by = ["virus"]
    if not by:
        return None
    level = _level(part, by)
    if level is not None:
        by = ["host"]
    of_hits = any(field_named(name).of == "hit" for name in by)
    excepted = [group for group in part.read.groups if group.excepted]
    groups = [group for group in part.read.groups if not group.excepted]
    left_out = [group for group in excepted if _fits(group, by)]
    groups += [replace(group, denied=True) for group in excepted if group not in left_out]
    if not of_hits:
        left_out += [group for group in groups if group.denied and _fits(group, by)]
    groups = [group for group in groups if group not in left_out]
    absent = _elsewhere(groups) if of_hits else None
    groups = [group for group in groups if group is not absent]
    viral = [group for group in groups if group.is_viral and not group.denied]
    hits: Hit | None = None
    if of_hits and not (_is_company(part) and viral):
        made = hit_of(viral, part.read)
        hits = made if made != Hit() else None
        groups = [group for group in groups if group not in viral]
    elif of_hits:
        left_out += viral
    under: tuple[str, ...] = ()
    kin = [group for group in groups if group.kind == by[0] and not group.denied and len(by) == 1]
    if kin and not of_hits:
        under = tuple(name for group in kin for name in group.names)
        groups = [group for group in groups if group not in kin]
    measure = Values(
        tuple(by),
        each=_each(part),
        hits=hits,
        level=level,
        under=under,
        other_than=tuple(name for group in left_out for name in group.names),
        absent_in=None if absent is None else stated_runs(replace(absent, denied=False)),
        order="fewest" if part.has("fewest") else "most",
        limit=_limit(part),
        at_least=part.read.at_least,
    )
    share = measure.each.type == "share"
    runs = [group for group in groups if not (share and group.is_viral)]
    return Request(measure, run_set(part, runs, bare_hit=not of_hits and not share))


def _level(part: _Part, by: Sequence[str]) -> Rank | None:
    """Return the rank that hosts are rolled up to: per plant family, Hemiptera genera."""
    for place, item in enumerate(part.items):
        rank = _RANKS.get(item.text.lower().removesuffix("s"), _RANKS.get(item.text.lower()))
        if rank is None or not place:
            continue
        before = part.items[place - 1]
        is_host = (before.kind == "name" and before.value == "host") or before.value == "host"
        if is_host and (by[0] in ("family", "genus", "species", "host") or rank == "order"):
            return rank
    return None


_RANKS: Final[dict[str, Rank]] = {
    "family": "family", "familie": "family", "genus": "genus", "genera": "genus",
    "order": "order", "class": "class", "classe": "class", "phyla": "phylum",
}  # fmt: skip


def _elsewhere(groups: Sequence[Group]) -> Group | None:
    """Return the denied group that a group of its kind stands against: in pigs, not in cattle."""
    for group in groups:
        others = [other for other in groups if other is not group and not other.denied]
        if (
            group.denied
            and not group.is_viral
            and any(other.kind == group.kind for other in others)
        ):
            return group
    return None


def _each(part: _Part) -> Count | Share | Summary:
    """Return what is measured for each value: its runs, the share of them with a virus, a mean."""
    numbers = [name for name in map(_field_of, part.items) if name and field_named(name).is_number]
    if part.has("summary") and numbers:
        return Summary(numbers[0])
    counted = _counted(part)
    if part.has("count") and counted not in ("run", "detection", *_listed_fields(part)):
        return Count(counted)
    viral = [group for group in part.read.groups if group.is_viral and not group.denied]
    if part.has("share") and part.has("per") and not viral and part.has("found"):
        return Share(Carries(part.read.hit))
    if part.has("share") and viral and part.has("per", "top", "wh"):
        return Share(_joined([one for group in viral for one in _carried(group, part.read)]))
    return Count()


def _fits(group: Group, by: Sequence[str]) -> bool:
    if group.is_viral:
        return by[0] in VIRAL
    return group.kind == by[0] or {group.kind, by[0]} <= {"country", "place"}


def _is_company(part: _Part) -> bool:
    """Return whether viruses are named as what others come with: other viruses with EBV."""
    return part.has("other", "both")


def _listed_fields(part: _Part) -> list[str]:
    """Return the fields whose values are listed, two at most: those that a word asks for first."""
    ranked: list[tuple[int, int, str]] = []
    for place, item in enumerate(part.items):
        name = _field_of(item)
        if name is None or (field_named(name).is_number and name != "year"):
            continue
        ranked.append((-_asked_for(part.items, place), place, name))
    if not ranked and part.has("record"):
        return ["community"]
    if not ranked:
        return ["country"] if any(item.value == "wh:place" for item in part.items) else []
    if part.has("per") and part.has("form"):
        return list(dict.fromkeys(name for _, _, name in ranked))[:2]
    best = min(weight for weight, _, _ in ranked)
    chosen = list(dict.fromkeys(name for weight, _, name in sorted(ranked) if weight == best))
    crossed = part.has("per") or any(item.text == "-" for item in part.items)
    return chosen[:2] if crossed and len(chosen) > 1 else chosen[:1]


def _asked_for(items: Sequence[Item], place: int) -> int:
    """Return how plainly the field at ``place`` is asked for: 2 after "which", 1 after a number."""
    for before in reversed(items[max(0, place - 3) : place]):
        tag = before.value.partition(":")[0]
        if tag in ("wh", "list", "top", "fewest", "per"):
            return 2
        if tag in ("count", "other"):
            return 1
        if before.kind in ("name", "unit", "sign"):
            return 0
    return 0


def _field_of(item: Item) -> str | None:
    if item.kind == "field":
        return item.value
    if item.kind == "name" and item.value == "attribute" and item.name is not None:
        return f"attribute:{item.name.name}"
    return None


def _limit(part: _Part) -> int | None:
    """Return how many values are asked for: top 5, ten commonest; one of "commonest host"."""
    for place, item in enumerate(part.items):
        if item.value not in ("top", "fewest"):
            continue
        around = (*part.items[place + 1 : place + 2], *part.items[max(0, place - 1) : place])
        for other in around:
            if other.kind == "number" and other.number and not other.percent:
                return int(other.number)
        following = part.items[place + 1 : place + 2]
        if following and following[0].kind == "field" and not _is_plural(following[0].text):
            return 1
    for number, named in zip(part.items, part.items[1:], strict=False):
        is_free = number.kind == "number" and number.number and not number.percent
        if is_free and named.kind == "field" and part.has("top", "fewest"):
            return int(number.number or 0) or None
    return None


def _is_plural(text: str) -> bool:
    lower = text.lower()
    return (lower.endswith("s") and not lower.endswith(("virus", "species", "genus"))) or lower in (
        "genera",
        "phyla",
    )


def _rows(part: _Part) -> Request:
    columns = ["run", *(name for name in _columns(part) if name != "run")]
    viral = [group for group in part.read.groups if group.is_viral and not group.denied]
    of_hits = any(name != "run" and field_named(name).of == "hit" for name in columns)
    hits = hit_of(viral, part.read) if of_hits else None
    numbers = [name for name in columns if name != "run" and field_named(name).is_number]
    order = None
    if part.has("top", "fewest", "ascending", "descending", "sort") and numbers:
        order = SortBy(numbers[0], descending=not part.has("fewest", "ascending"))
    limit = next((int(item.number) for item in part.items
                  if item.kind == "number" and item.number and not item.percent
                  and part.has("top", "fewest")), 100)  # fmt: skip
    groups = (
        [group for group in part.read.groups if group not in viral] if of_hits else part.read.groups
    )
    return Request(
        Rows(tuple(columns), hits=hits if hits != Hit() else None, order=order, limit=limit),
        run_set(part, groups, bare_hit=not of_hits),
    )


def _columns(part: _Part) -> list[str]:
    """Return the fields that are columns: those that no number bounds."""
    names: list[str] = []
    for place, item in enumerate(part.items):
        name = _field_of(item)
        if name is None or name in names:
            continue
        near = part.items[max(0, place - 3) : place + 3]
        bounded = any(other.kind in ("number", "date") for other in near) and any(
            other.kind == "bound" for other in near
        )
        if field_named(name).is_number and bounded:
            continue
        names.append(name)
    if (
        "latitude" in names
        and "longitude" not in names
        and any("coord" in item.text.lower() for item in part.items)
    ):
        names.append("longitude")
    return names


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
    groups = _merged_sides(groups)
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
    numbers = [name for name in map(_field_of, part.items) if name and field_named(name).is_number]
    if part.has("summary") and numbers:
        hits = hit_of(viral, part.read) if field_named(numbers[0]).of == "hit" else None
        rest = [group for group in others if group not in viral] if hits else others
        measure = Summary(numbers[0], hits if hits != Hit() else None)
        return Request(Compare(measure, sides), run_set(part, rest, bare_hit=False))
    unit = _counted(part)
    by = [name for name in _listed_fields(part) if name in VIRAL]
    if by and not viral and not side.is_viral and not part.has("count", "more", "oftener"):
        return Request(Compare(Values((by[0],)), sides), run_set(part, others, bare_hit=False))
    return Request(
        Compare(Count(unit if unit not in VIRAL or not side.is_viral else "run"), sides),
        run_set(part, others),
    )


def _merged_sides(groups: Sequence[Group]) -> tuple[Group, ...]:
    """Return ``groups`` with two of one kind as one: more tick runs or more mosquito runs."""
    merged: list[Group] = []
    for group in groups:
        twin = next(
            (other for other in merged if other.kind == group.kind and not other.denied), None
        )
        if twin is None or group.denied:
            merged.append(group)
            continue
        names = tuple(dict.fromkeys((*twin.names, *group.names)))
        merged[merged.index(twin)] = replace(twin, names=names, joiner="or", versus=True)
    return tuple(merged)


def _evidence(part: _Part) -> Request | None:
    viral = [group for group in part.read.groups if group.is_viral]
    if not viral and part.read.hit == Hit():
        return None
    others = [group for group in part.read.groups if not group.is_viral]
    return Request(Evidence(hit_of(viral, part.read)), run_set(part, others, bare_hit=False))


def _describe(part: _Part) -> Request | None:
    groups = part.read.groups
    if not groups or len(groups[0].names) != 1 or any(item.kind == "field" for item in part.items):
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
