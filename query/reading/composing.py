"""Compose requests from the items of one part of a question: what is measured, of which runs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from query.reading.asking import (
    VIRAL,
    Part,
    asks_any_virus,
    carried,
    counted_unit,
    hit_of,
    joined,
    run_set,
)
from query.reading.conditions import Group, conditions_of
from query.reading.items import Item
from query.reading.listing import field_of, listed_fields, rows_asked, values_asked
from query.request import (
    Carries,
    Compare,
    Count,
    Describe,
    Everything,
    Evidence,
    Exists,
    Hit,
    Measure,
    Request,
    RunSet,
    Share,
    Summary,
    Values,
)
from query.request.fields import field_named


def composed(items: Sequence[Item], measure: str, before: RunSet | None = None) -> Request | None:
    """Return the request of the kind ``measure`` that ``items`` make; None if they make none.

    ``before`` are the runs of the part before, if this one points back to them.
    """
    if measure not in _COMPOSED:
        return None
    read = conditions_of(items)
    try:
        return _COMPOSED[measure](Part(tuple(items), read, before))
    except ValueError:
        return None


# --- measures ---------------------------------------------------------------------------------


def _count(part: Part) -> Request:
    unit = counted_unit(part)
    whole = _whole_counted(part)
    if whole and unit == "run":
        inside = [group for group in part.read.groups if group not in whole]
        share = _share_within(part, whole, inside)
        return share or Request(Count(), run_set(part, part.read.groups))
    viral = [group for group in part.read.groups if group.is_viral and not group.denied]
    if unit in VIRAL or unit == "detection":
        others = [group for group in part.read.groups if group not in viral]
        hits = hit_of(viral, part.read)
        return Request(
            Count(unit, hits if hits != Hit() else None), run_set(part, others, bare_hit=False)
        )
    return Request(Count(unit), run_set(part, part.read.groups))


def _exists(part: Part) -> Request:
    return Request(Exists(), run_set(part, part.read.groups))


def _share(part: Part) -> Request | None:
    whole, inside = _whole_and_part(part)
    if part.read.stated:
        stated = joined(part.read.stated)
        others = tuple(other for other in part.read.runs if other not in part.read.stated)
        of = run_set(replace(part, read=replace(part.read, runs=others)), part.read.groups)
        return Request(Share(stated), of)
    if not whole and len(inside) == 1 and _is_share_of_carriers(part, inside[0]):
        return Request(Share(Carries(hit_of(inside, part.read))), Carries(Hit(inside[0].names)))
    return _share_within(part, whole, inside)


def _share_within(part: Part, whole: Sequence[Group], inside: Sequence[Group]) -> Request | None:
    """Return the share of the runs of ``whole`` that also meet the groups ``inside``."""
    if not inside and not (part.read.hit != Hit() or asks_any_virus(part)):
        return None
    of = run_set(part, whole, bare_hit=False)
    read = replace(part.read, runs=(), searched=False)
    made = run_set(replace(part, before=None, read=read), inside)
    return None if isinstance(made, Everything) else Request(Share(made), of)


def _whole_counted(part: Part) -> list[Group]:
    """Return the groups that a count is out of: *of the Zika runs*, how many are human."""
    opening = [item.text.lower() for item in part.items[:2]]
    counts = [item.first for item in part.items if item.value == "count"]
    if not counts or not _OUT_OF.intersection(opening):
        return []
    places = {place: item.first for place, item in enumerate(part.items)}
    return [group for group in part.read.groups if places[group.place] < counts[0]]


_OUT_OF: Final = frozenset({"of", "among", "amongst", "within"})


def _is_share_of_carriers(part: Part, group: Group) -> bool:
    """Return whether a bound divides the runs with a virus: rabies runs with over 1,000 reads."""
    following = part.items[group.last : group.last + 1]
    has_runs = bool(following) and following[0].kind == "unit"
    return group.is_viral and not group.denied and has_runs and part.read.hit != Hit()


def _whole_and_part(part: Part) -> tuple[list[Group], list[Group]]:
    """Return the groups of the whole of a share, and those of its part.

    "Of A, what share B" and "what share of A are B" have the whole after "of"; otherwise viruses
    are the part or, without viruses, the last name.
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
    if not viral and part.read.hit != Hit():
        return groups, []
    if viral and len(viral) < len(groups):
        return [group for group in groups if not group.is_viral], viral
    if len(groups) >= 2:
        return groups[:-1], groups[-1:]
    return ([], groups) if groups else ([], [])


def _verb_after_share(part: Part) -> int | None:
    """Return the place of the verb between whole and part: what share of A *carry* B.

    It is the last verb with names on both sides: "of bat runs that are from China, what share carry
    B".
    """
    found = None
    for place, item in enumerate(part.items):
        is_verb = item.value in ("found", "exists") or item.text.lower() in _SHARE_VERBS
        is_further = place > 0 and part.items[place - 1].value == "and"
        sides = {group.place < place for group in part.read.groups}
        seen_of = any(other.text.lower() in _OUT_OF for other in part.items[:place])
        if is_verb and seen_of and not is_further and len(sides) == 2:
            found = place
    return found


_SHARE_VERBS: Final = frozenset({"with", "are", "is", "come", "comes", "state", "states", "give"})


def _summary(part: Part) -> Request | None:
    numbers = [
        name for item in part.items if (name := field_of(item)) and field_named(name).is_number
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


def _compare(part: Part) -> Request | None:
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
        run_set(
            replace(part, before=None, read=replace(part.read, runs=())), [group], bare_hit=False
        )
        for group in each
    )
    measure: Measure
    if viral and not side.is_viral and part.has("oftener", "share"):
        rest = [group for group in others if group not in viral]
        measure = Share(joined([runs for group in viral for runs in carried(group, part.read)]))
        return Request(Compare(measure, sides), run_set(part, rest, bare_hit=False))
    numbers = [name for name in map(field_of, part.items) if name and field_named(name).is_number]
    if part.has("summary") and numbers:
        hits = hit_of(viral, part.read) if field_named(numbers[0]).of == "hit" else None
        rest = [group for group in others if group not in viral] if hits else others
        measure = Summary(numbers[0], hits if hits != Hit() else None)
        return Request(Compare(measure, sides), run_set(part, rest, bare_hit=False))
    unit = counted_unit(part)
    by = [name for name in listed_fields(part) if name in VIRAL]
    if by and not viral and not side.is_viral and not part.has("count", "more", "oftener"):
        return Request(Compare(Values((by[0],)), sides), run_set(part, others, bare_hit=False))
    return Request(
        Compare(Count(unit if unit not in VIRAL or not side.is_viral else "run"), sides),
        run_set(part, others),
    )


def _merged_sides(groups: Sequence[Group]) -> tuple[Group, ...]:
    """Return ``groups`` with two of a kind merged: "more tick runs or more mosquito runs"."""
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


def _evidence(part: Part) -> Request | None:
    viral = [group for group in part.read.groups if group.is_viral]
    if not viral and part.read.hit == Hit():
        return None
    others = [group for group in part.read.groups if not group.is_viral]
    return Request(Evidence(hit_of(viral, part.read)), run_set(part, others, bare_hit=False))


def _describe(part: Part) -> Request | None:
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
    "values": values_asked,
    "rows": rows_asked,
    "summary": _summary,
    "compare": _compare,
    "evidence": _evidence,
    "describe": _describe,
}
