"""The parts of a question: a further question word begins a part of its own."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from query.reading.items import Item
from query.request.fields import field_named

_BREAKS: Final = frozenset({",", ";", "?", ".", ":", "-", "–", "—"})
_MOST_SMALL: Final = 4
"""Number of items after a break within which a further question begins."""
_WHETHER: Final = frozenset({"whether", "if any", "is there", "are there", "was there"})
_OF_THEM: Final = frozenset({"the", "their", "its", "also"})
"""Words between a break and a further requested field: "plus the countries"."""
_CROSSES: Final = frozenset({"per", "rows", "form", "share", "summary", "versus"})
"""Cues that make several fields one table."""
_POINTS_BACK: Final = frozenset(
    ["they", "them", "those", "these", "it", "its", "their", "that", "this", "thereof", "same",
     "ones"]
)  # fmt: skip


def parts_of(items: Sequence[Item]) -> list[list[Item]]:
    """Return ``items`` in parts, each with what it asks; most questions are one part."""
    cuts = [0]
    for place in range(1, len(items)):
        if _asks_further(items, place) and _asks(items[cuts[-1] : place]):
            cuts.append(place)
    bounds = zip(cuts, [*cuts[1:], len(items)], strict=True)
    parts = [list(items[start:end]) for start, end in bounds]
    asking = [part for part in parts if any(item.kind != "sign" for item in part)]
    return [single for part in asking for single in _list_each(part)]


def _list_each(part: list[Item]) -> list[list[Item]]:
    """Return a part for each of several listed fields: "which hosts and tissues"."""
    if any(item.value.partition(":")[0] in _CROSSES for item in part):
        return [part]
    places = _coordinated(part)
    if not places:
        return [part]
    before, behind = part[: places[0]], part[places[-1] + 1 :]
    return [[*before, part[field], *behind] for field in places]


def _coordinated(part: Sequence[Item]) -> list[int]:
    """Return the places of listed fields that are joined by "and" or commas."""
    places: list[int] = []
    for place, item in enumerate(part):
        if not _is_listed_field(item):
            if places and not (_is_small(item) or item.value == "and" or item.text == ","):
                break
            if not places and (item.kind in ("unit", "name", "field") or item.value == "count"):
                return []
            continue
        joins = any(other.value == "and" or other.text == "," for other in part[:place][-4:])
        if places and not joins:
            break
        places.append(place)
    is_asked = any(item.value in ("wh", "list") for item in part[: places[0]]) if places else False
    return places if is_asked and len(places) > 1 else []


def _is_listed_field(item: Item) -> bool:
    return item.kind == "field" and item.name is None and not field_named(item.value).is_number


def _asks_further(items: Sequence[Item], place: int) -> bool:
    """Return whether a further question begins at ``place``: after a break or "and".

    Small words may come between: ", and from which countries", "and also the share of".
    """
    following = {other.text.lower() for other in items[place + 1 : place + 3]}
    before = place - 1
    while before > 0 and place - before < _MOST_SMALL and _is_small(items[before]):
        before -= 1
    if not (items[before].value == "and" or items[before].text in _BREAKS) or "each" in following:
        return False
    if items[place].value == "share" and all(item.kind == "sign" for item in items[place + 1 :]):
        return False  # how many of A are B, in percent
    between = {item.text.lower() for item in items[before + 1 : place]}
    is_of_them = _is_listed_field(items[place]) and not between.isdisjoint(_OF_THEM)
    return _is_asking(items[place]) or (is_of_them and not _states(items[:place]))


def _states(items: Sequence[Item]) -> bool:
    """Return whether fields are named as something that runs state, or as columns."""
    return any(item.value in ("stated", "not", "rows", "list") for item in items)


def _is_small(item: Item) -> bool:
    return item.kind == "stop" or item.value in ("from", "both")


def _is_asking(item: Item) -> bool:
    tag = item.value
    if tag == "count":
        return item.text.lower().startswith(("how", "number"))
    if tag == "exists":
        return item.text.lower() in _WHETHER
    return tag in ("wh", "wh:place", "wh:date", "share") or tag.startswith("evidence")


def _asks(items: Sequence[Item]) -> bool:
    """Return whether a part already asks something."""
    return any(
        item.value.partition(":")[0] in ("count", "wh", "share", "exists", "list", "summary", "any")
        for item in items
    )


def asks_what_goes_with(items: Sequence[Item]) -> bool:
    """Return whether a part asks only what goes with what the part before finds."""
    named = any(item.kind in ("name", "field") for item in items)
    return not named and any(item.value == "links" for item in items)


def points_back(items: Sequence[Item]) -> bool:
    """Return whether a part is about the runs of the part before."""
    if any(item.text.lower() in _POINTS_BACK for item in items):
        return True
    return not any(item.kind == "name" and item.value != "attribute" for item in items)


def leans_on(items: Sequence[Item]) -> bool:
    """Return whether a part names only what changes in the part before: "how many from people"."""
    names = [item.value for item in items if item.kind == "name"]
    is_whole = any(item.kind in ("unit", "field") or item.value == "hit" for item in items)
    asks = any(item.value in ("count", "share") for item in items)
    return bool(names) and asks and not is_whole and "virus" not in names


def mentioned_words(items: Sequence[Item]) -> tuple[str, ...]:
    """Return what studies are to be about, if no name says it all: kidney, transplant, rejection.

    This is for "studies on …" and its like, with nothing behind but names and other words.
    """
    said = [item for item in items if item.text.lower() not in ("are", "is", "that")]
    for item, behind, place in zip(said, said[1:], range(2, len(said) + 1), strict=False):
        is_about = behind.text.lower() in _ABOUT or behind.value == "mention"
        if item.kind != "field" or item.value not in ("study", "project") or not is_about:
            continue
        rest = [other for other in said[place:] if other.kind not in ("stop", "sign")]
        kinds = {other.kind for other in rest}
        if "word" in kinds and kinds <= {"word", "name"}:
            return tuple(other.text for other in rest)
    return ()


_ABOUT: Final = frozenset({"about", "on", "regarding", "concerning"})
"""Words between studies and what they are about."""
