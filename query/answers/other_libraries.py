"""A caution of answers about hosts: runs whose library is of another organism than their host."""

from __future__ import annotations

from typing import Final

from index.claims import OtherOrganism
from query.answers.drafting import Answering
from query.compiler.flags import leaves
from query.compiler.run_tables import further_libraries, runs_of_other_libraries
from query.request import Compare, Has, Records, Request, Share, Values

_HOST: Final = "host"
_MANY: Final = 20
"""The caution is said where one run in so many is such a library."""


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
