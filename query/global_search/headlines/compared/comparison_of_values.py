"""Headline of groups of which it is asked which has more projects, hosts or species of viruses."""

from __future__ import annotations

import re
from typing import Final

from query.global_search.headlines.compared.comparison_of_runs import alone
from query.global_search.headlines.compared.differences import more_than
from query.global_search.headlines.listed.values_listed import count_values
from query.global_search.matched_runs import MatchedRuns
from query.global_search.statements import FACET_TITLES
from query.reading.question import Question

_LARGER: Final = r"(?:larger|greater|higher|bigger|smaller|lower)"
_VALUES: Final = (
    r"(?:(?:different|distinct|unique|various|virus|viral|host|plant|animal) )*"
    r"(?:(?:bio)?projects|studies|hosts|species|tissues|organs|countries|places|families"
    r"|viruses|sotus|diseases|environments|biomes)\b(?! (?:runs|samples|libraries))"
)
_MORE_VALUES: Final = re.compile(
    rf"\b(?:more|fewer|most|fewest|{_LARGER} (?:number|variety) of) {_VALUES}"
    rf"|\bnumber of {_VALUES} {_LARGER}\b",
    re.IGNORECASE,
)
"""Asks where there are more values: more projects, the larger number of species."""


def compares_values(question: Question) -> bool:
    """Return whether values of the sides of ``question`` are to be counted, and not runs."""
    reading = question.reading
    counted = reading.explicit and any(one in FACET_TITLES for one in reading.facets)
    return bool(reading.sides) and counted and _MORE_VALUES.search(question.text) is not None


def compare_values(question: Question, matched: MatchedRuns) -> str:
    """Return how many of the values asked for each side has, behind a yes or no where the question
    is whether the first has more and both state some.
    """
    facet = next(one for one in question.reading.facets if one in FACET_TITLES)
    counts = []
    sentences = []
    for side in question.reading.sides:
        of_side, runs = alone(question, matched, side)
        distinct, _ = runs.distinct_values([facet]).get(facet, (0, 0))
        counts.append(distinct)
        sentences.append(count_values(of_side, runs))
    verdict = more_than(question, counts[0], counts[1], holds=True) if all(counts) else ""
    return f"{verdict}{' '.join(sentences)}"
