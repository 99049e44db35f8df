"""Lists that a part of a question asks for: values of fields, and rows of runs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from query.reading.asking import VIRAL, Part, carried, counted_unit, hit_of, joined, run_set
from query.reading.conditions import Group, stated_runs
from query.reading.items import Item
from query.request import Carries, Count, Hit, Not, Request, Rows, Share, SortBy, Summary, Values
from query.request.fields import field_named
from query.request.measures import Rank


def values_asked(part: Part) -> Request | None:
    """Return the list of values that ``part`` asks for; None where it names nothing to list."""
    by = listed_fields(part)
    viral_named = any(group.is_viral and not group.denied for group in part.read.groups)
    asks = part.has("wh", "list", "found", "top")
    if (
        not by
        and not _asks_for_number(part)
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


def _asks_for_number(part: Part) -> bool:
    """Return whether the question asks for a number: "at what identity"."""
    return any(
        item.value.startswith("wh") and named is not None and field_named(named).is_number
        for item, named in zip(part.items, map(field_of, part.items[1:]), strict=False)
    )


def _level(part: Part, by: Sequence[str]) -> Rank | None:
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
    """Return the denied group that contrasts with another of its kind: "in pigs, not in cattle"."""
    for group in groups:
        others = [other for other in groups if other is not group and not other.denied]
        if (
            group.denied
            and not group.is_viral
            and any(other.kind == group.kind for other in others)
        ):
            return group
    return None


def _each(part: Part) -> Count | Share | Summary:
    """Return what is measured for each value: its runs, their share with a virus, or a mean."""
    numbers = [name for name in map(field_of, part.items) if name and field_named(name).is_number]
    if part.has("summary") and numbers:
        return Summary(numbers[0])
    counted = counted_unit(part)
    if part.has("count") and counted not in ("run", "detection", *listed_fields(part)):
        return Count(counted)
    viral = [group for group in part.read.groups if group.is_viral and not group.denied]
    if part.has("share") and part.has("per") and not viral and part.has("found"):
        return Share(Carries(part.read.hit))
    if part.has("share") and viral and part.has("per", "top", "wh"):
        return Share(joined([runs for group in viral for runs in carried(group, part.read)]))
    return Count()


def _fits(group: Group, by: Sequence[str]) -> bool:
    if group.is_viral:
        return by[0] in VIRAL
    return group.kind == by[0] or {group.kind, by[0]} <= {"country", "place"}


def _is_company(part: Part) -> bool:
    """Return whether viruses are named as companions of others: "other viruses with EBV"."""
    return part.has("other", "both")


def listed_fields(part: Part) -> list[str]:
    """Return the fields whose values are listed, at most two; those after "which" come first."""
    ranked: list[tuple[int, int, str]] = []
    for place, item in enumerate(part.items):
        name = field_of(item)
        if name is None or not field_named(name).is_listed:
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
    """Return how explicitly a question names a field: 2 after "which", 1 after a number."""
    for before in reversed(items[max(0, place - 3) : place]):
        tag = before.value.partition(":")[0]
        if tag in ("wh", "list", "top", "fewest", "per"):
            return 2
        if tag in ("count", "other"):
            return 1
        if before.kind in ("name", "unit", "sign"):
            return 0
    return 0


def field_of(item: Item) -> str | None:
    """Return the field, or attribute as submitted, that ``item`` names."""
    if item.kind == "field":
        return item.value
    if item.kind == "name" and item.value == "attribute" and item.name is not None:
        return f"attribute:{item.name.name}"
    return None


def _limit(part: Part) -> int | None:
    """Return how many values to list: top 5, ten commonest; one for "commonest host"."""
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


def rows_asked(part: Part) -> Request:
    """Return the rows of runs that ``part`` asks for, with the fields that it names."""
    columns = ["run", *(name for name in _columns(part) if name != "run")]
    if Not(Carries(Hit())) in part.read.runs:  # "no virus" is not a column
        columns = [name for name in columns if name == "run" or field_named(name).of != "hit"]
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


def _columns(part: Part) -> list[str]:
    """Return the fields that are columns: those not bounded by a number."""
    names: list[str] = []
    for place, item in enumerate(part.items):
        name = field_of(item)
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
