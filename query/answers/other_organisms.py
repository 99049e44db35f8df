"""Cautions of answers about hosts: runs of another organism, by their library or by k-mers."""

from __future__ import annotations

from typing import Final

from index.claims import OtherOrganism
from query.answers.drafting import Answering
from query.compiler.flags import leaves
from query.compiler.run_tables import (
    further_libraries,
    runs_mostly_other,
    runs_of_other_libraries,
)
from query.request import Compare, Describe, Has, Like, Predicted, Records, Request, Share, Values

_HOST: Final = "host"
_MANY: Final = 20
"""The caution is said where one run in so many is such a library."""
_OF_ORIGIN: Final = (
    "run", "host", "label", "k_mers", "study", "project", "biosample", "community"
)  # fmt: skip
"""What a request names where it matters of which organism its runs are."""


def other_libraries(context: Answering) -> list[OtherOrganism]:
    """Return how many runs of the answer are libraries of another organism than their host, and
    how many further runs are libraries of the host that is asked for, from another host.

    A worm from a mouse is a run of the mouse, by its host, and of the worm, by its library.
    """
    hosts, is_about_hosts = _hosts(context.request)
    measure = context.request.measure
    if not is_about_hosts or (isinstance(measure, Values) and measure.absent_in is not None):
        return []
    rows, whole = runs_of_other_libraries(context.resolver, context.request)
    claims = _claims(rows, whole)
    if len(hosts) == 1 and not isinstance(measure, Compare | Share):
        further = further_libraries(context.resolver, context.request, hosts[0])
        claims += _claims(*further, further=True)
    return claims


def _claims(
    rows: list[tuple[str, str, int, int]], whole: int, *, further: bool = False
) -> list[OtherOrganism]:
    if not rows or _MANY * rows[0][3] < whole:
        return []
    pairs = tuple((organism, host, runs) for organism, host, runs, _ in rows)
    return [OtherOrganism(pairs=pairs, number=rows[0][3], whole=whole, further=further)]


def _hosts(request: Request) -> tuple[list[Has], bool]:
    """Return the hosts that the runs must have, and whether the request is about hosts."""
    measure = request.measure
    if isinstance(measure, Records):
        return [], False
    sets = [request.of]
    if isinstance(measure, Compare):
        sets += measure.sides
    found = [leaf for of in sets for leaf, denied in leaves(of) if not denied]
    hosts = [leaf for leaf in found if isinstance(leaf, Has) and leaf.field == _HOST]
    listed = isinstance(measure, Values) and _HOST in measure.by
    named = [host for host in hosts if host.values and host.share is None and not host.contains]
    return named, bool(hosts) or listed


def other_by_kmers(context: Answering) -> list[OtherOrganism]:
    """Return how many runs of the answer are mostly of another organism than they state.

    It is said where the request is about hosts, organisms, studies, samples or a run, and where one
    run in twenty is so.
    """
    if not _is_of_origin(context.request):
        return []
    rows = runs_mostly_other(context.resolver, context.request)
    runs = context.result.tally.runs if context.result.tally else 1
    return [OtherOrganism.of_rows(rows)] if rows and _MANY * rows[0][3] >= runs else []


def _is_of_origin(request: Request) -> bool:
    measure = request.measure
    if isinstance(measure, Like | Predicted | Records):
        return False
    if isinstance(measure, Describe):
        return measure.kind in _OF_ORIGIN
    named = [leaf.field for leaf, _ in leaves(request.of) if isinstance(leaf, Has)]
    return any(field in _OF_ORIGIN for field in named)
