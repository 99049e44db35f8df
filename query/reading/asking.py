"""A part of a question: its items and conditions, the runs that they mean, and what is counted."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Final

from query.reading.conditions import Conditions, Group, stated_runs
from query.reading.items import Item
from query.request import Carries, Everything, Hit, Not, RunSet, Searched, intersect
from query.request.fields import field_named

VIRAL: Final = ("virus", "species", "genus", "family", "phylum", "stated", "reported", "sotu")


@dataclass(frozen=True, slots=True)
class Part:
    """A part of a question: its items, and the conditions that its names and numbers make."""

    items: tuple[Item, ...]
    read: Conditions
    before: RunSet | None

    def tags(self) -> set[str]:
        """Return the tags of its cues."""
        return {
            item.value.partition(":")[0] for item in self.items if item.kind in ("cue", "bound")
        }

    def has(self, *tags: str) -> bool:
        """Return whether a cue has one of ``tags``."""
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


def run_set(part: Part, groups: Sequence[Group], *, bare_hit: bool = True) -> RunSet:
    """Return the runs that all of ``groups`` and the bounds of runs hold for."""
    sets: list[RunSet] = []
    if part.before is not None and not isinstance(part.before, Everything):
        sets.append(part.before)
    has_hit = False
    for group in groups:
        if group.is_viral:
            sets += carried(group, part.read)
            has_hit = True
        else:
            sets.append(stated_runs(group))
    if not has_hit and bare_hit and (part.read.hit != Hit() or asks_any_virus(part)):
        sets.append(Carries(part.read.hit))
    sets += part.read.runs
    if part.read.searched:
        names = tuple(name for group in part.read.groups if group.is_viral for name in group.names)
        sources = tuple(name for group in groups if group.kind == "source" for name in group.names)
        if names or sources:
            sets = [run_set for run_set in sets if not _is_of(run_set, names)]
            sets.append(Searched(source=sources, virus=names))
    return joined(sets)


_SOME_VIRUS: Final = frozenset(
    {"a", "any", "some", "carry", "carries", "carried", "carrying", "contain", "contains"}
)
"""Words before "virus" or "viruses" that make it any virus: then it is not a column."""


def asks_any_virus(part: Part) -> bool:
    """Return whether runs must carry some virus, no matter which: "any virus", "carry viruses"."""
    for place, item in enumerate(part.items):
        near = {other.text.lower() for other in part.items[max(0, place - 2) : place]}
        if item.value == "hit" and near & {"a", "any", "some", "have", "has", "with", "w", "w/"}:
            return True
        if item.value == "virus" and item.kind == "field" and near & _SOME_VIRUS:
            return True
    return False


def _is_of(runs: RunSet, names: tuple[str, ...]) -> bool:
    return isinstance(runs, Carries) and runs.hit.virus == names


def joined(sets: Sequence[RunSet]) -> RunSet:
    """Return the runs that are in all of ``sets``; if a set is also denied, the denial counts."""
    denied = {runs.of for runs in sets if isinstance(runs, Not)}
    return intersect(*(runs for runs in sets if runs not in denied))


def carried(group: Group, read: Conditions) -> list[RunSet]:
    """Return the runs that carry the viruses of ``group``: any of them, or each."""
    hit = hit_of([group], read)
    if len(group.names) > 1 and (group.joiner == "and" or read.together):
        each = [Carries(hit_of([replace(group, names=(name,))], read)) for name in group.names]
        sets: list[RunSet] = [Not(part) for part in each] if group.denied else list(each)
        return sets
    return [Not(Carries(hit)) if group.denied else Carries(hit)]


def counted_unit(part: Part) -> str:
    """Return what is counted: the field after "how many", else runs."""
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
