"""Countries among the places that runs state: a sea is a place, and no country."""

from __future__ import annotations

import re
from typing import Final

from index.reports.phrases import counted
from query.global_search.matched_runs import MatchedRuns
from query.global_search.matched_values import FacetCounts
from query.reading.question import Question

PLACES: Final = "geography"
"""Facet of the places that runs state."""
_ASKED: Final = re.compile(
    r"^(?!.*\b(?:places?|seas?|oceans?|locations?|waters?)\b).*\bcountr(?:y|ies)\b", re.IGNORECASE
)
"""Asks for countries alone."""
_SEA: Final = r"\b(?:Ocean|Sea)$"


def asks_countries(question: Question) -> bool:
    """Return whether ``question`` asks for countries, and for no other places."""
    return PLACES in question.reading.facets and _ASKED.search(question.text) is not None


def is_sea(place: str) -> bool:
    """Return whether ``place`` is a sea or an ocean.

    >>> is_sea("Baltic Sea"), is_sea("Chelsea")
    (True, False)
    """
    return re.search(_SEA, place) is not None


def countries_only(question: Question, matched: MatchedRuns) -> FacetCounts | None:
    """Return the places that are no seas, with the runs that state one; None where all places are
    asked for, or none is a sea.
    """
    known = matched.values.counts(PLACES) if asks_countries(question) else None
    if known is None or not any(is_sea(one.value) for one in known.values):
        return None
    ((runs,),) = matched.rows(_STATING, [_SEA])
    return FacetCounts(tuple(one for one in known.values if not is_sea(one.value)), int(runs))


def seas_left_out(countries: FacetCounts, matched: MatchedRuns) -> str:
    """Return how many seas are not among ``countries``, in brackets behind a blank."""
    known = matched.values.counts(PLACES)
    seas = len(known.values) - len(countries.values) if known else 0
    return f" ({counted(seas, 'sea')} left out)"


_STATING: Final = """
SELECT count(DISTINCT run) FROM matched_value
WHERE facet = 'geography' AND NOT regexp_matches(value, $1)
"""
