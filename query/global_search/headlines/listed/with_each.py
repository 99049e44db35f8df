"""Values whose runs have each of several viruses, whether or not one run has all of them: which
projects have both?
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from index.reports.phrases import counted, listed
from query.global_search.matched_runs import MatchedRuns
from query.global_search.matching import match_runs
from query.global_search.statements import FACET_TITLES
from query.reading.intent import singular
from query.reading.question import Question

_HAVE_RUNS: Final = ("bioproject", "host", "tissue", "disease", "geography", "environment")
"""Facets whose values have many runs, in which viruses may be apart."""
_LEAST: Final = 2
_SHOWN: Final = 5


def values_with_each(question: Question, matched: MatchedRuns) -> str:
    """Return which values have runs of each virus that ``question`` asks for at once, where these
    are more than those of which one run has all; empty elsewhere.
    """
    reading = question.reading
    facet = next((one for one in reading.facets if one in _HAVE_RUNS), None)
    viral = [one for one in reading.each if one.group == "virus"]
    lists = reading.kind in ("list", "rank", "describe", "count") and reading.explicit
    if facet is None or not lists or len(viral) < _LEAST or question.missing:
        return ""
    together = _values(matched, facet) if not matched.dropped else set()
    apart: set[str] | None = None
    for one in viral:
        others = {two.label for two in viral if two.label != one.label}
        mentions = tuple(two for two in question.mentions if two.label not in others)
        values = _values(
            match_runs(matched.connection, replace(question, mentions=mentions)), facet
        )
        apart = values if apart is None else apart & values
    if not apart or apart == together:
        return ""
    title = FACET_TITLES[facet]
    named = sorted(apart)
    shown = listed(named) if len(named) <= _SHOWN else f"{', '.join(named[:_SHOWN])} and others"
    have = counted(len(named), f"{singular(title)} has", f"{title.lower()} have")
    where = "In the same or in different runs" if together else "In different runs"
    return f"{where}, {have} each of them: {shown}."


def _values(matched: MatchedRuns, facet: str) -> set[str]:
    matched.values.read([facet])
    known = matched.values.counts(facet)
    return {one.value for one in known.values} if known else set()
