"""The conditions made by the names, numbers and dates of a question, and by denials."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Final, Literal

from query.reading.bounds import bounds_of, least_counted
from query.reading.items import Item
from query.reading.stated import (
    attribute_values,
    kinds_listed,
    mentioned_words,
    stated_fields,
    without_virus,
)
from query.request import Has, Hit, Not, Or, Range, RunSet, Searched
from query.request.run_sets import SHARED

Joiner = Literal["none", "and", "or", ","]
VIRAL_KINDS: Final = ("virus", "reported", "sotu")
_BETWEEN_NAMES: Final = frozenset({",", "/", "&", "(", ")", "+", "-", "–"})
"""Signs that may be between names of one group."""
_JOINING: Final = frozenset({"and", "or", "versus", "than", "both"})
"""Cues that join names."""
_SMALL: Final = frozenset({"the", "a", "an", "in", "from", "with", "of", "either", "for", "to"})
"""Words that may be between names of one group."""


@dataclass(frozen=True, slots=True)
class Group:
    """Neighbouring names of one kind: any of them, or each.

    ``denied``  the runs must not have them
    ``excepted``  they are left out of a list, or of the whole
    ``versus``  they are set against each other
    ``mostly``  the runs must be of them by more than half
    """

    kind: str
    names: tuple[str, ...]
    place: int
    last: int
    joiner: Joiner = "none"
    denied: bool = False
    excepted: bool = False
    versus: bool = False
    mostly: bool = False

    @property
    def is_viral(self) -> bool:
        """Whether the names are those of viruses."""
        return self.kind in VIRAL_KINDS


@dataclass(frozen=True, slots=True)
class Conditions:
    """What a part of a question requires of runs and hits.

    ``groups`` of names; ``hit`` bounds of hits; ``runs`` bounds of runs; ``searched``: the question
    is which runs were searched, not in which a virus was found; ``together``: several viruses must
    be in one run.
    """

    groups: tuple[Group, ...] = ()
    hit: Hit = field(default_factory=Hit)
    runs: tuple[RunSet, ...] = ()
    stated: tuple[RunSet, ...] = ()
    """The conditions in ``runs`` that a field must be stated at all."""
    searched: bool = False
    together: bool = False
    at_least: float | None = None
    """Least number of what is counted: hosts with 20 runs or more."""
    used: frozenset[int] = frozenset()
    """Places of the items that made a condition."""


def conditions_of(items: Sequence[Item]) -> Conditions:
    """Return the conditions of a part of a question."""
    groups = _explained(items, _groups(items))
    groups = _denied(items, groups)
    hit, runs, used = bounds_of(items)
    hit = _classes(items, hit)
    mentioned, span = mentioned_words(items)
    groups = [group for group in groups if group.place not in span]
    stated = stated_fields(items)
    runs = [*runs, *stated, *mentioned, *attribute_values(items), *kinds_listed(items)]
    runs += without_virus(items)
    if "searched" not in [item.value for item in items]:
        sources = tuple(name for group in groups if group.kind == "source" for name in group.names)
        groups = [group for group in groups if group.kind != "source"]
        hit = replace(hit, source=sources) if len(sources) == 1 else hit
    tags = [item.value for item in items]
    return Conditions(
        groups=tuple(groups),
        hit=hit,
        runs=tuple(runs),
        stated=tuple(stated),
        searched="searched" in tags
        and "found" not in tags
        and not any(g.denied and g.is_viral for g in groups),
        together="both" in tags,
        at_least=least_counted(items, used),
        used=frozenset(used),
    )


# --- names ------------------------------------------------------------------------------------


def _groups(items: Sequence[Item]) -> list[Group]:
    """Return the names in groups: neighbours of one kind joined by commas, "and" or "or"."""
    groups: list[Group] = []
    for place, item in enumerate(items):
        if item.kind != "name" or item.name is None or item.value == "attribute":
            continue
        kind, name = _kind_here(items, place), item.name.name
        previous = groups[-1] if groups else None
        between = items[previous.last : place] if previous else ()
        if previous is not None and previous.kind == kind and _joins(between):
            joiner, versus = _joiner(between)
            groups[-1] = replace(
                previous,
                names=tuple(dict.fromkeys((*previous.names, name))),
                last=place + 1,
                joiner=joiner
                if joiner != ","
                else previous.joiner
                if previous.joiner != "none"
                else ",",
                versus=previous.versus or versus,
            )
        else:
            before = [other.value for other in items[:place] if other.kind != "stop"]
            mostly = kind == SHARED and before[-1:] == ["mostly"]
            groups.append(Group(kind, (name,), place, place + 1, mostly=mostly))
    return groups


def _explained(items: Sequence[Item], groups: list[Group]) -> list[Group]:
    """Return ``groups`` without names that brackets explain: SCN (Heterodera glycines)."""
    remaining: list[Group] = []
    for group in groups:
        before = items[group.place - 1].text if group.place else ""
        previous = remaining[-1] if remaining else None
        is_named = (
            group.kind in _EXPLAINING and previous is not None and previous.kind in _EXPLAINING
        )
        if before == "(" and is_named and previous is not None and previous.last == group.place - 1:
            remaining[-1] = replace(group, place=previous.place, last=group.last)
        else:
            remaining.append(group)
    return remaining


_EXPLAINING: Final = ("virus", "host", "tissue", "disease", "reported", "attribute", "environment")
"""Kinds of names that brackets after a name explain."""


def _kind_here(items: Sequence[Item], place: int) -> str:
    """Return the field of a name: the field named just before it decides ("label Zika")."""
    item = items[place]
    before = items[place - 1] if place else None
    if before is not None and before.text in (":", "=", "is") and place > 1:
        before = items[place - 2]
    if before is None or before.kind != "field" or item.value not in _VALUED:
        return item.value
    return before.value if before.value in _NAMED_FIELDS else item.value


_NAMED_FIELDS: Final = ("label", "k_mers", "organism", "reported")
"""Fields that, when named before a value, say that the value is theirs."""
_VALUED: Final = ("virus", "host", "environment", "tissue", "reported")


def _joins(between: Sequence[Item]) -> bool:
    """Return whether only words that join names are between two names."""
    if not between:
        return False
    joined = False
    for item in between:
        if item.value in _JOINING or item.text.lower() in ("/", "&", "+", ",", "nor"):
            joined = True
        elif (
            item.text in _BETWEEN_NAMES
            or item.text.lower() in _SMALL
            or item.kind == "unit"
            or (item.kind == "field" and item.value in ("biosample",))
        ):
            continue
        else:
            return False
    return joined


def _joiner(between: Sequence[Item]) -> tuple[Joiner, bool]:
    values = {item.value for item in between}
    texts = {item.text.lower() for item in between}
    versus = bool(values & {"versus", "than"})
    if "or" in values or "nor" in texts or "/" in texts:
        return "or", versus
    if values & {"and"} or texts & {"&", "+"}:
        return "and", versus
    return ("or", versus) if versus else (",", versus)


def _denied(items: Sequence[Item], groups: list[Group]) -> list[Group]:
    """Return ``groups``, marked where a word of denial or exception comes before them."""
    marked = list(groups)
    for place, item in enumerate(items):
        tag = item.value.partition(":")[0]
        if tag not in ("not", "except"):
            continue
        following = items[place + 1 : place + 3]
        if any(other.value in ("searched",) for other in following) and tag == "not":
            continue
        if any(other.text.lower() == "only" for other in following[:1]):
            continue
        index = _group_meant(items, marked, place)
        if index is None:
            continue
        if tag == "except":
            marked[index] = replace(marked[index], excepted=True)
        else:
            marked[index] = replace(marked[index], denied=True)
    return [
        replace(group, denied=True, excepted=False)
        if group.excepted and not _lists(items)
        else group
        for group in marked
    ]


def _lists(items: Sequence[Item]) -> bool:
    """Return whether a part lists values, so that some may be left out."""
    return any(item.value in ("wh", "list", "other", "top", "per") for item in items)


def _group_meant(items: Sequence[Item], groups: Sequence[Group], place: int) -> int | None:
    """Return the group that a denial at ``place`` applies to: the next one, or the one before."""
    after = items[place + 1 : place + 3]
    ends = place + 1 >= len(items) or items[place + 1].kind == "sign"
    is_behind = ends or (
        after
        and after[0].value == "found"
        and not any(item.kind == "name" for item in items[place + 2 : place + 6])
    )
    if is_behind:
        before = [
            index for index, group in enumerate(groups) if group.last <= place and group.is_viral
        ]
        if before:
            return before[-1]
    nearest = [index for index, group in enumerate(groups) if group.place > place]
    if not nearest:
        return None
    between = items[place + 1 : groups[nearest[0]].place]
    if any(item.text in (".", "?", ";") for item in between):
        return None
    return nearest[0]


def _classes(items: Sequence[Item], hit: Hit) -> Hit:
    """Return ``hit`` with the kind of evidence, names, genome and risk that words ask for."""
    for item in items:
        tag, _, value = item.value.partition(":")
        if tag == "evidence_class" and value:
            hit = replace(hit, evidence=value)  # type: ignore[arg-type]
        if tag == "hit_named":
            hit = replace(hit, named=value == "true")
        if tag == "genome" and value:
            hit = replace(hit, genome=(value,))  # type: ignore[arg-type]
        if tag == "risk" and value:
            hit = replace(hit, risk=(value,))  # type: ignore[arg-type]
        if tag == "infects" and value:
            hit = replace(hit, infects=(value,))
    identity = hit.identity
    if identity is not None and identity == Range(at_least=90.0) and hit.evidence == "any":
        hit = replace(hit, identity=None, evidence="species")
    return hit


def stated_runs(group: Group) -> RunSet:
    """Return the runs that state one of the names of ``group``, or that do not."""
    runs: RunSet
    names = group.names
    if group.kind == "attribute":
        runs = Has(f"attribute:{names[0]}")
    elif group.kind == "source":
        runs = Searched(source=names)
    elif group.mostly:
        shares = tuple(Has(group.kind, (name,), share=Range(above=50)) for name in names)
        runs = shares[0] if len(shares) == 1 else Or(shares)
    else:
        runs = Has(group.kind, names)
    return Not(runs) if group.denied else runs
