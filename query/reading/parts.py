"""The parts of a question: what is asked behind a further question word is asked for itself."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from query.reading.items import Item

_BREAKS: Final = frozenset({",", ";", "?", ".", ":", "-", "–", "—"})
_POINTS_BACK: Final = frozenset(
    [
        "they",
        "them",
        "those",
        "these",
        "it",
        "its",
        "their",
        "that",
        "this",
        "thereof",
        "same",
        "ones",
    ]
)


def parts_of(items: Sequence[Item]) -> list[list[Item]]:
    """Return ``items`` in parts, each with what it asks; most questions are one part."""
    cuts = [0]
    for place in range(1, len(items)):
        if _begins_part(items, place) and _asks(items[cuts[-1] : place]):
            cuts.append(place)
    bounds = zip(cuts, [*cuts[1:], len(items)], strict=True)
    parts = [list(items[start:end]) for start, end in bounds]
    return [part for part in parts if any(item.kind != "sign" for item in part)]


def _begins_part(items: Sequence[Item], place: int) -> bool:
    """Return whether a further question begins at ``place``: behind a break or "and"."""
    item = items[place]
    following = {other.text.lower() for other in items[place + 1 : place + 3]}
    if not _is_asking(item) or "each" in following:
        return False
    before = items[place - 1]
    if before.value == "and" or before.text in _BREAKS:
        return True
    return place > 1 and before.kind == "stop" and items[place - 2].value == "and"


def _is_asking(item: Item) -> bool:
    tag = item.value
    if tag == "count":
        return item.text.lower().startswith("how")
    return tag in ("wh", "wh:place", "share") or tag.startswith("evidence")


def _asks(items: Sequence[Item]) -> bool:
    """Return whether a part asks something already."""
    return any(
        item.value.partition(":")[0] in ("count", "wh", "share", "exists", "list", "summary")
        for item in items
    )


def points_back(items: Sequence[Item]) -> bool:
    """Return whether a part is about the runs of the part before."""
    if any(item.text.lower() in _POINTS_BACK for item in items):
        return True
    return not any(item.kind == "name" and item.value != "attribute" for item in items)
