"""What a request is about, for the gate: names, identifiers and patterns that find agents."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import fields, is_dataclass, replace
from typing import Final

from index.exposure import GROUPS
from query.compiler.resolving import Resolver
from query.mcp.served import Opened
from query.request import Compare, Hit, Request, Searched, Where
from query.request.run_sets import Has, Mentions, intersect

_NOT_NAMES: Final = ("type", "field", "columns", "by", "table", "column", "unit", "evidence")


def group_asked(opened: Opened, part: object, *, groups_seen: Iterable[str]) -> str | None:
    """Return the risk group because of which ``part`` of a request is not answered; None if it may
    be.

    Raises as the resolver does for names of viruses.
    """
    found = list(_groups(opened, part, set(groups_seen)))
    return max(found, key=GROUPS.index) if found else None


def without_hidden_sides(
    opened: Opened, request: Request, *, groups_seen: Iterable[str]
) -> tuple[Request | None, list[str]]:
    """Return ``request`` without the sides of its comparison that may not be seen, and their
    groups; None instead of the request if fewer than two sides remain.
    """
    measure = request.measure
    if not isinstance(measure, Compare):
        return request, []
    groups = [group_asked(opened, side, groups_seen=groups_seen) for side in measure.sides]
    hidden = [group for group in groups if group is not None]
    shown = [side for side, group in zip(measure.sides, groups, strict=True) if group is None]
    if not hidden:
        return request, []
    if not shown:
        return None, hidden
    if len(shown) == 1:
        return Request(measure.measure, intersect(request.of, shown[0])), hidden
    return Request(replace(measure, sides=tuple(shown)), request.of), hidden


def _groups(opened: Opened, part: object, seen: set[str]) -> Iterator[str]:
    for node in _nodes(part):
        if isinstance(node, Hit):
            yield from (risk for risk in node.risk if risk not in seen)
        if isinstance(node, Hit | Searched):
            yield from _of_viruses(opened, node)
        if isinstance(node, Has | Where) and node.contains:
            yield from _known(opened.unseen.group_of_part(node.contains))
        if isinstance(node, Mentions):
            for words in node.words:
                yield from _known(opened.unseen.group_of_part(words))
    for text in _texts(part):
        yield from _known(opened.unseen.group_of(text))


def _of_viruses(opened: Opened, node: Hit | Searched) -> Iterator[str]:
    """Yield the groups of the taxa that names of viruses are resolved to."""
    names = (*node.virus, *(node.other_than if isinstance(node, Hit) else ()))
    resolver = Resolver(opened.con)
    resolver.viruses(names)
    for resolved in resolver.resolved.values():
        for text in (resolved.label, resolved.curie or ""):
            yield from _known(opened.unseen.group_of(text))


def _known(group: str | None) -> Iterator[str]:
    if group is not None:
        yield group


def _nodes(part: object) -> Iterator[object]:
    """Yield ``part`` of a request and every part inside it."""
    yield part
    if isinstance(part, tuple):
        for inner in part:
            yield from _nodes(inner)
    elif is_dataclass(part):
        for each in fields(part):
            yield from _nodes(getattr(part, each.name))


def _texts(part: object) -> Iterator[str]:
    """Yield the texts in a request that a client wrote as names or values."""
    if isinstance(part, str):
        yield part
    elif isinstance(part, tuple):
        for inner in part:
            yield from _texts(inner)
    elif is_dataclass(part):
        for each in fields(part):
            if each.name not in _NOT_NAMES:
                yield from _texts(getattr(part, each.name))
