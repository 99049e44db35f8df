"""A caution of answers about hosts: runs that are mostly of another organism, by their k-mers."""

from __future__ import annotations

from typing import Final

from index.claims import OtherOrganism
from query.answers.drafting import Answering
from query.compiler.flags import leaves
from query.compiler.run_tables import runs_mostly_other
from query.request import Describe, Has, Like, Predicted, Records, Request

_OF_ORIGIN: Final = ("run", "host", "label", "k_mers", "study", "project", "biosample")
"""What a request names where it matters of which organism its runs are."""


def other_by_kmers(context: Answering) -> list[OtherOrganism]:
    """Return how many runs of the answer are mostly of another organism than they state.

    It is said where the request is about hosts, organisms, studies, samples or a run, and where one
    run in twenty is so.
    """
    if not _is_of_origin(context.request):
        return []
    rows = runs_mostly_other(context.resolver, context.request)
    return [OtherOrganism.of_rows(rows)] if rows else []


def _is_of_origin(request: Request) -> bool:
    measure = request.measure
    if isinstance(measure, Like | Predicted | Records):
        return False
    if isinstance(measure, Describe):
        return measure.kind in _OF_ORIGIN
    named = [leaf.field for leaf, _ in leaves(request.of) if isinstance(leaf, Has)]
    return any(field in _OF_ORIGIN for field in named)
