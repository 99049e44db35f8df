"""Headline of values that are in so many runs as a question asks: countries with 100 runs or
more.
"""

from __future__ import annotations

from typing import Final

from index.reports.phrases import counted
from query.global_search.headlines.listed.values_listed import runs_about, values_text
from query.global_search.matched_runs import MatchedRuns
from query.global_search.matched_values import with_studies
from query.global_search.statements import FACET_TITLES
from query.reading.asked.in_runs import InRuns
from query.reading.question import Question

_MOST_SHOWN: Final = 50
_USUAL_FACETS: Final = ("family", "species")


def values_in_runs(question: Question, matched: MatchedRuns, asked: InRuns) -> str:
    """Return how many values are in so many runs as ``asked``, and which they are."""
    reading = question.reading
    facets = reading.facets if reading.explicit else _USUAL_FACETS
    known = with_studies([one for one in facets if one in FACET_TITLES])
    matched.values.read(known)
    lines = [_values_of(facet, matched, asked, reading.limit) for facet in known]
    about = [runs_about(question, matched)] if question.groups else []
    return ". ".join([*about, *(line for line in lines if line)]) + "."


def _values_of(facet: str, matched: MatchedRuns, asked: InRuns, limit: int | None) -> str:
    """Return the values of ``facet`` in so many runs; empty where no matching run states any."""
    counts = matched.values.counts(facet)
    title = FACET_TITLES[facet]
    if counts is None:
        return ""
    held = [one for one in counts.values if asked.holds(one.runs)]
    whole = f"{title} with {asked.text}: {len(held):,} of {len(counts.values):,}"
    stated = f", stated for {counts.runs:,} of {counted(matched.runs, 'run')}"
    if facet in _USUAL_FACETS:
        stated = ""
    if not held:
        return f"{whole}{stated}"
    shown = held[: limit or _MOST_SHOWN]
    order = ", those of most runs first" if len(shown) < len(held) else ""
    return f"{whole}{stated}{order}: {values_text(shown)}"
