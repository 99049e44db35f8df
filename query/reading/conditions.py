"""The conditions that the names, numbers and dates of a question make, and what denies them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Final, Literal

from query.reading.items import Item
from query.reading.lexicon import regions
from query.request import Between, Carries, Has, Hit, Mentions, Not, Or, Range, RunSet, Searched
from query.request.fields import field_named
from query.request.run_sets import SHARED

Joiner = Literal["none", "and", "or", ","]
VIRAL_KINDS: Final = ("virus", "reported", "sotu")
_HIT_NUMBERS: Final = ("identity", "reads", "score", "coverage")
_BETWEEN_NAMES: Final = frozenset({",", "/", "&", "(", ")", "+", "-", "–"})
"""Signs that may stand between names of one group."""
_NEAR: Final = 4
"""Items around a number in which the field that it bounds is looked for."""


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
        """Whether the names are of viruses."""
        return self.kind in VIRAL_KINDS


@dataclass(frozen=True, slots=True)
class Conditions:
    """What a part of a question asks of runs and hits.

    ``groups`` of names; ``hit`` bounds of hits; ``runs`` bounds of runs; ``searched``: being looked
    for is what is asked, not being found; ``together``: several viruses must be in one run.
    """

    groups: tuple[Group, ...] = ()
    hit: Hit = field(default_factory=Hit)
    runs: tuple[RunSet, ...] = ()
    stated: tuple[RunSet, ...] = ()
    """Those of ``runs`` that are of a field being stated at all."""
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
    hit, runs, used = _bounds(items)
    hit = _classes(items, hit)
    mentioned, span = _mentioned(items)
    groups = [group for group in groups if group.place not in span]
    stated = _stated_fields(items)
    runs = [*runs, *stated, *mentioned, *_attribute_values(items), *_kinds_listed(items)]
    runs += _no_virus(items)
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
        at_least=_least_counted(items, used),
        used=frozenset(used),
    )


# --- names ------------------------------------------------------------------------------------


def _groups(items: Sequence[Item]) -> list[Group]:
    """Return the names in groups: neighbours of one kind that commas, and, or join."""
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
    kept: list[Group] = []
    for group in groups:
        before = items[group.place - 1].text if group.place else ""
        previous = kept[-1] if kept else None
        is_named = (
            group.kind in _EXPLAINING and previous is not None and previous.kind in _EXPLAINING
        )
        if before == "(" and is_named and previous is not None and previous.last == group.place - 1:
            kept[-1] = replace(group, place=previous.place, last=group.last)
        else:
            kept.append(group)
    return kept


_EXPLAINING: Final = ("virus", "host", "tissue", "disease", "reported", "attribute", "environment")
"""Kinds of names that brackets behind a name explain."""


def _kind_here(items: Sequence[Item], place: int) -> str:
    """Return what a name is a value of: the field named just before it says so (label Zika)."""
    item = items[place]
    before = items[place - 1] if place else None
    if before is not None and before.text in (":", "=", "is") and place > 1:
        before = items[place - 2]
    if before is None or before.kind != "field" or item.value not in _VALUED:
        return item.value
    return before.value if before.value in _NAMED_FIELDS else item.value


_NAMED_FIELDS: Final = ("label", "k_mers", "organism", "reported")
"""Fields whose name before a value says that it is one of theirs."""
_VALUED: Final = ("virus", "host", "environment", "tissue", "reported")


def _joins(between: Sequence[Item]) -> bool:
    """Return whether only words that join names stand between two of them."""
    if not between:
        return False
    joined = False
    for item in between:
        if item.value in ("and", "or", "versus", "than", "both") or item.text in (
            "/",
            "&",
            "+",
            ",",
        ):
            joined = True
        elif item.kind == "sign" and item.text in _BETWEEN_NAMES:
            joined = joined or item.text in (",", "/")
        elif item.text.lower() in (
            "the",
            "a",
            "an",
            "in",
            "from",
            "with",
            "of",
            "either",
            "nor",
            "for",
            "to",
        ):
            joined = joined or item.text.lower() == "nor"
        elif item.kind == "unit" or (item.kind == "field" and item.value in ("biosample",)):
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
    """Return ``groups`` with those that a word of denial or exception stands before."""
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
    """Return whether a part lists values, from which some may be left out."""
    return any(item.value in ("wh", "list", "other", "top", "per") for item in items)


def _group_meant(items: Sequence[Item], groups: Sequence[Group], place: int) -> int | None:
    """Return the group that a denial at ``place`` is of: the next, or the one before it."""
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


# --- numbers and dates ------------------------------------------------------------------------


def _bounds(items: Sequence[Item]) -> tuple[Hit, list[RunSet], set[int]]:
    """Return the hit and the runs that numbers and dates bound, and the items they use."""
    ranges: dict[str, dict[str, float | str]] = {}
    used: set[int] = set()
    for place, item in enumerate(items):
        if item.kind == "number" and item.number is not None:
            bound = _bound_at(items, place)
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
    hit_ranges = {name: _range(bounds) for name, bounds in ranges.items() if name in _HIT_NUMBERS}
    hit = Hit(**{name: bounds for name, bounds in hit_ranges.items() if bounds})  # type: ignore[arg-type]
    runs: list[RunSet] = []
    for name, bounds in ranges.items():
        made = _range(bounds)
        if name not in _HIT_NUMBERS and made is not None:
            runs.append(Between(name, made))
    return hit, runs, used


def _least_counted(items: Sequence[Item], used: set[int]) -> float | None:
    """Return the least number of runs that a value must have: in at least 20 runs."""
    for place, item in enumerate(items):
        if item.kind != "number" or place in used or item.percent:
            continue
        bound = _bound_at(items, place)
        near = items[place + 1 : place + 5]
        if bound in ("at_least", "above") and any(one.kind == "unit" for one in near):
            return (item.number or 0) + (bound == "above")
    return None


def _range(bounds: dict[str, float | str]) -> Range | None:
    try:
        return Range(**bounds)
    except ValueError:
        return None


def _bound_at(items: Sequence[Item], place: int) -> str | None:
    """Return how the number at ``place`` bounds: from the words before it, else behind it."""
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
    beside = items[place + 1 : place + 2]
    if items[place].percent and beside and beside[0].value == "identity":
        return "at_least"  # at 90 % identity
    return None


def _field_near(items: Sequence[Item], place: int, *, percent: bool) -> str | None:
    """Return the number that is bounded: the nearest field; of percent the identity."""
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


def _stated_fields(items: Sequence[Item]) -> list[RunSet]:
    """Return the fields that runs must state at all, or not: runs that state a tissue, no host."""
    runs: list[RunSet] = []
    for place, item in enumerate(items):
        if item.value != "stated":
            continue
        for other in (
            *range(place + 1, min(place + 4, len(items))),
            *range(place - 1, max(place - 4, -1), -1),
        ):
            name = _named_field(items[other])
            if not name or field_named(name).of != "run" or name == "biosample":
                continue
            denied = any(one.value == "not" for one in items[max(0, other - 3) : other])
            has: RunSet = Has(name)
            runs.append(Not(has) if denied else has)
            break
    return [*runs, *_missing_fields(items)]


def _kinds_listed(items: Sequence[Item]) -> list[RunSet]:
    """Return the kind that listed values are of: "which birds" are hosts that are birds."""
    listed = [item for item in items if item.kind == "field" and item.name is not None]
    return [Has(item.value, (item.name.name,)) for item in listed if item.name is not None]


def _no_virus(items: Sequence[Item]) -> list[RunSet]:
    """Return the runs without any virus, where words ask for them: have no virus."""
    for place, item in enumerate(items):
        if item.value != "not":
            continue
        following = [
            one for one in items[place + 1 : place + 5] if one.kind != "stop" and one.value != "any"
        ]
        if following and following[0].kind == "field" and following[0].value == "virus":
            names = [one.kind == "name" for one in following[1:2]]
            return [] if any(names) else [Not(Carries(Hit()))]
    return []


def _missing_fields(items: Sequence[Item]) -> list[RunSet]:
    """Return the fields that runs must not state: without a country, no tissue nor cell line."""
    runs: list[RunSet] = []
    for place, item in enumerate(items):
        if item.value != "not":
            continue
        following = [one for one in items[place + 1 : place + 8] if one.kind != "stop"]
        for one, after in zip(following, [*following[1:], None], strict=False):
            name = _named_field(one)
            is_field = (
                name
                and one.kind == "field"
                and field_named(name).of == "run"
                and name != "biosample"
            )
            has_value = after is not None and after.kind == "name"
            if is_field and not has_value:
                runs.append(Not(Has(name)))
            elif one.value not in ("or", "and", "stated", "any") and one.text.lower() != "nor":
                break
    return list(dict.fromkeys(runs))


def _named_field(item: Item) -> str:
    if item.kind == "name" and item.value == "attribute" and item.name is not None:
        return f"attribute:{item.name.name}"
    return item.value if item.kind == "field" else ""


def _mentioned(items: Sequence[Item]) -> tuple[list[RunSet], range]:
    """Return the runs whose study mentions what follows "mention", and the words' places."""
    for place, item in enumerate(items):
        if item.value != "mention":
            continue
        words: list[str] = []
        end = len(items)
        for after, following in enumerate(items[place + 1 :], place + 1):
            end = after + 1
            if following.kind in ("cue", "bound", "unit") and words:
                break
            if following.kind in ("word", "name", "field", "number"):
                words.append(following.text)
            elif words and following.text not in ("'", '"', "“", "”"):
                break
        if words:
            in_title = any(other.value.startswith("where") for other in items)
            return [Mentions((" ".join(words),), "title" if in_title else "text")], range(
                place, end
            )
    return [], range(0)


def _attribute_values(items: Sequence[Item]) -> list[RunSet]:
    """Return the runs with a value of an attribute that is named: lettuce_type contains romaine."""
    runs: list[RunSet] = []
    for place, item in enumerate(items):
        if item.kind != "name" or item.value != "attribute" or item.name is None:
            continue
        following = items[place + 1 : place + 4]
        sign = next(
            (one for one in following if one.value == "contains" or one.text in ("=", ":", "is")),
            None,
        )
        if sign is None:
            continue
        words: list[str] = []
        for other in items[items.index(sign) + 1 :]:
            if other.kind in ("word", "name", "number", "stop", "field") and not (
                other.kind == "stop" and not words
            ):
                words.append(other.text)
            elif words or other.kind in ("cue", "unit"):
                break
        if words:
            text = " ".join(words)
            field_name = f"attribute:{item.name.name}"
            runs.append(
                Has(field_name, contains=text)
                if sign.value == "contains"
                else Has(field_name, (text,))
            )
    return runs


def stated_runs(group: Group) -> RunSet:
    """Return the runs that state one of the names of ``group``, or that do not."""
    runs: RunSet
    names = group.names
    if group.kind == "place" and names[0] in regions():
        runs = Has("country", regions()[names[0]])
    elif group.kind == "attribute":
        runs = Has(f"attribute:{names[0]}")
    elif group.kind == "source":
        runs = Searched(source=names)
    elif group.mostly:
        shares = tuple(Has(group.kind, name, share=Range(above=50)) for name in names)
        runs = shares[0] if len(shares) == 1 else Or(shares)
    else:
        runs = Has(group.kind, names)
    return Not(runs) if group.denied else runs
