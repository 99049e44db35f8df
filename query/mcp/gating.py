"""Find what a request is about, for the gate: names, identifiers, and patterns of agents."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import fields, is_dataclass, replace
from typing import Final

from index.exposure import GROUPS
from query.compiler.resolving import Resolver
from query.mcp.served import Opened
from query.request import Compare, Hit, Request, Searched, Where
from query.request.run_sets import Has, Mentions, intersect

_NOT_NAMES: Final = ("type", "field", "columns", "by", "table", "column", "unit", "evidence")
"""Fields of a request whose texts are not names or values that a client wrote."""


def group_asked(opened: Opened, part: object) -> str | None:
    """Return the risk group because of which ``part`` of a request is not answered; None if it may
    be.

    Raises as the resolver does for names of viruses.
    """
    found = [group for group in _groups(opened, part) if group is not None]
    return max(found, key=GROUPS.index, default=None)


def without_hidden_sides(opened: Opened, request: Request) -> tuple[Request | None, list[str]]:
    """Return ``request`` without the sides of its comparison that may not be seen, and their
    groups; None instead of the request if fewer than two sides remain.
    """
    measure = request.measure
    if not isinstance(measure, Compare):
        return request, []
    groups = [group_asked(opened, side) for side in measure.sides]
    hidden = [group for group in groups if group is not None]
    shown = [side for side, group in zip(measure.sides, groups, strict=True) if group is None]
    if not hidden:
        return request, []
    if not shown:
        return None, hidden
    if len(shown) == 1:
        return Request(measure.measure, intersect(request.of, shown[0])), hidden
    return Request(replace(measure, sides=tuple(shown)), request.of), hidden


def _groups(opened: Opened, part: object) -> Iterator[str | None]:
    """Yield the group of each name in ``part``; None for a name that may be seen."""
    for node in _nodes(part):
        if isinstance(node, Hit):
            yield from (risk for risk in node.risk if not opened.gate.may_see(risk))
        if isinstance(node, Hit | Searched):
            yield from _of_viruses(opened, node)
        if isinstance(node, Has | Where) and node.contains:
            yield opened.unseen.group_of_part(node.contains)
        if isinstance(node, Mentions):
            yield from map(opened.unseen.group_of_part, node.words)
    for text in _nodes(part, but=_NOT_NAMES):
        if isinstance(text, str):
            yield opened.unseen.group_of(text)


def _of_viruses(opened: Opened, node: Hit | Searched) -> Iterator[str | None]:
    """Yield the groups of the taxa that names of viruses are resolved to."""
    names = (*node.virus, *(node.other_than if isinstance(node, Hit) else ()))
    resolver = Resolver(opened.con)
    resolver.viruses(names)
    for resolved in resolver.resolved.values():
        yield opened.unseen.group_of(resolved.label)
        yield opened.unseen.group_of(resolved.curie or "")


def _nodes(part: object, *, but: Collection[str] = ()) -> Iterator[object]:
    """Yield ``part`` of a request and every part inside it, except what fields ``but`` hold."""
    yield part
    if isinstance(part, tuple):
        for inner in part:
            yield from _nodes(inner, but=but)
    elif is_dataclass(part):
        for each in fields(part):
            if each.name not in but:
                yield from _nodes(getattr(part, each.name), but=but)
