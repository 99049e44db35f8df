"""Cautions of answers about hosts: runs of another organism, by their library or by k-mers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from index.claims import OtherOrganism
from query.answers.drafting import Answering
from query.compiler.flags import required
from query.compiler.run_tables import runs_mostly_other, runs_of_other_libraries
from query.request import (
    Compare,
    Describe,
    Evidence,
    Has,
    Like,
    Predicted,
    Records,
    Request,
    Share,
    Values,
)

_HOST: Final = "host"
_MANY: Final = 20
"""The caution is given if one run in so many is such a library."""
_OF_ORIGIN: Final = (
    "run", "host", "label", "k_mers", "study", "project", "biosample", "community"
)  # fmt: skip
"""What a request is about if it matters which organism its runs are of."""


def other_libraries(context: Answering) -> list[OtherOrganism]:
    """Return how many runs of the answer are libraries of an organism other than their host.

    Also return how many further runs are libraries of the host asked for, but from another host.

    A worm from a mouse is a run of the mouse, by its host, and of the worm, by its library.
    """
    measure = context.request.measure
    hosts = [leaf for leaf in _asked(context.request) if leaf.field == _HOST]
    lists_hosts = isinstance(measure, Values) and _HOST in measure.by
    lists_lacking = isinstance(measure, Values) and measure.absent_in is not None
    if isinstance(measure, Records) or lists_lacking or not (hosts or lists_hosts):
        return []
    claims = _claims(*runs_of_other_libraries(context.resolver, context.request))
    named = [host for host in hosts if host.values and host.share is None and not host.contains]
    if len(named) == 1 and not isinstance(measure, Compare | Share):
        further = runs_of_other_libraries(context.resolver, context.request, lacking=named[0])
        claims += _claims(*further, further=True)
    return claims


def other_by_kmers(context: Answering) -> list[OtherOrganism]:
    """Return how many runs of the answer are mostly of an organism other than the one they state.

    This is said if the request is about hosts, organisms, studies, samples or a run, and if it
    applies to one run in twenty.
    """
    measure = context.request.measure
    named = [leaf.field for leaf in _asked(context.request)]
    if isinstance(measure, Describe):
        named = [measure.kind]
    if isinstance(measure, Like | Predicted | Records) or not set(named) & set(_OF_ORIGIN):
        return []
    rows = runs_mostly_other(context.resolver, context.request).get("")
    tally = context.result.tally
    runs = 1 if tally is None else tally.positive if isinstance(measure, Evidence) else tally.runs
    return [OtherOrganism.of_rows(rows)] if rows and _MANY * rows[0][3] >= runs else []


def of_viruses_by_kmers(
    context: Answering, measure: Values, viruses: Sequence[str]
) -> list[OtherOrganism]:
    """Return the first of ``viruses`` most of whose runs are not of the host of the question."""
    if _HOST not in {leaf.field for leaf in _asked(context.request)}:
        return []
    found = runs_mostly_other(context.resolver, context.request, measure)
    claims = [
        OtherOrganism.of_rows(found[virus], virus=virus) for virus in viruses if virus in found
    ]
    return [claim for claim in claims if claim.is_most][:1]


def _claims(
    rows: list[tuple[str, str, int, int]], whole: int, *, further: bool = False
) -> list[OtherOrganism]:
    if not rows or _MANY * rows[0][3] < whole:
        return []
    pairs = tuple((organism, host, runs) for organism, host, runs, _ in rows)
    return [OtherOrganism(pairs=pairs, number=rows[0][3], whole=whole, further=further)]


def _asked(request: Request) -> list[Has]:
    """Return the conditions on fields of the requested runs, without denied ones."""
    sides = request.measure.sides if isinstance(request.measure, Compare) else ()
    return [has for of in (request.of, *sides) for has in required(of, Has)]
