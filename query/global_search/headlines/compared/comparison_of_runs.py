"""Headline of groups of which it is asked which has more runs."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from index.reports.phrases import counted, listed
from query.global_search.headlines.compared.differences import more_than
from query.global_search.headlines.listed.values_listed import values_text
from query.global_search.matched_runs import MatchedRuns
from query.global_search.matching import match_runs
from query.global_search.statements import FACET_TITLES
from query.reading.mentions import Mention
from query.reading.question import Question
from query.reading.senses import VIRUS_FACETS

_SHOWN: Final = 3
"""Values listed for each group."""


def compare_runs(question: Question, matched: MatchedRuns) -> str:
    """Return how many runs each of the groups has, that of most runs first, behind a yes or no
    where the question is whether the first has more.

    How many runs there are says what was sequenced and searched, and nothing of what is more common
    outside of the index.
    """
    sides = question.reading.sides
    counts = {one: _runs_of(question, matched, one) for one in sides}
    verdict = more_than(question, counts[sides[0]], counts[sides[1]], holds=True)
    ranked = sorted(sides, key=lambda one: (-counts[one], one.name))
    first, *others = ranked
    rest = listed([f"{counts[one]:,} of {one.name}" for one in others])
    labels = {one.label for one in sides}
    besides = [one.name for one in question.reading.subjects if one.label not in labels]
    of_all = f"Of runs with {listed(list(dict.fromkeys(besides)))}: " if besides else ""
    leading = f"{verdict}{of_all}{counted(counts[first], 'run')} of {first.name}"
    as_many = "as many of " if len({*counts.values()}) == 1 else ""
    return f"{leading}, and {as_many}{rest}."


def values_of_sides(question: Question, matched: MatchedRuns) -> str:
    """Return the values that are asked for besides, those of each group by itself; empty where
    only viruses are, which the comparison is of.
    """
    reading = question.reading
    asked = [one for one in reading.facets if one in FACET_TITLES and one not in VIRUS_FACETS]
    if reading.common or not (reading.explicit and asked):
        return ""
    sentences = []
    for side in reading.sides:
        _, runs = alone(question, matched, side)
        counts = runs.value_counts(asked, limit=_SHOWN)
        listed_values = [
            f"{FACET_TITLES[one].lower()} {values_text(counts[one])}" for one in counts
        ]
        shown = "; ".join(listed_values) or "none of this is stated"
        sentences.append(f"{side.name}: {shown}.")
    return " ".join(sentences)


def _runs_of(question: Question, matched: MatchedRuns, side: Mention) -> int:
    """Return how many runs have ``side`` and all else that is asked for."""
    _, runs = alone(question, matched, side)
    return runs.runs


def alone(question: Question, matched: MatchedRuns, side: Mention) -> tuple[Question, MatchedRuns]:
    """Return the question and the runs of ``side`` and all else but the other sides: whatever other
    groups its runs have.
    """
    others = {one.label for one in question.reading.sides if one.label != side.label}
    mentions = tuple(one for one in question.mentions if one.label not in others)
    of_side = replace(question, mentions=mentions)
    return of_side, match_runs(matched.connection, of_side)
