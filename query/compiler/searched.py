"""Which runs were searched: the one place that says so.

A run counts as searched for a virus where a source looked at it whose scope has the virus, or where
the virus was found in it.
"""

from __future__ import annotations

from query.compiler.held import Holdings
from query.request.hits import Hit
from query.request.run_sets import Searched


def searched_for(holdings: Holdings, hit: Hit) -> str:
    """Return a SELECT of the runs that were searched for ``hit``; some of them several times."""
    return _looked_at(holdings, hit.source)


def searched_as(holdings: Holdings, runs: Searched) -> str:
    """Return a SELECT of the runs of ``runs``; some of them several times."""
    if runs.virus:
        return searched_for(holdings, Hit(virus=runs.virus, source=runs.source))
    return _looked_at(holdings, runs.source)


def _looked_at(holdings: Holdings, sources: tuple[str, ...]) -> str:
    if not sources:
        return "SELECT run FROM searched UNION ALL SELECT run FROM detection"
    condition = holdings.parameters.any_of("lower(source)", [name.lower() for name in sources])
    return (
        f"SELECT run FROM searched WHERE {condition} "
        f"UNION ALL SELECT run FROM detection WHERE {condition}"
    )
