"""Headline of groups of which it is asked which has more runs."""

from __future__ import annotations

from dataclasses import replace

from index.reports.phrases import counted, listed
from query.global_search.matched_runs import MatchedRuns
from query.global_search.matching import match_runs
from query.reading.mentions import Mention
from query.reading.question import Question


def compare_runs(question: Question, matched: MatchedRuns) -> str:
    """Return how many runs each of the groups has, that of most runs first.

    How many runs there are says what was sequenced and searched, and nothing of what is more common
    outside of the index.
    """
    sides = question.reading.sides
    counts = {one: _runs_of(question, matched, one) for one in sides}
    ranked = sorted(sides, key=lambda one: (-counts[one], one.name))
    first, *others = ranked
    rest = listed([f"{counts[one]:,} of {one.name}" for one in others])
    if len({*counts.values()}) == 1:
        return f"{counted(counts[first], 'run')} of {first.name}, and as many of {rest}."
    return f"{counted(counts[first], 'run')} of {first.name}, and {rest}."


def _runs_of(question: Question, matched: MatchedRuns, side: Mention) -> int:
    """Return how many runs have ``side`` and all else that is asked for."""
    others = [one for one in question.reading.sides if one.label != side.label]
    labels = {one.label for one in others}
    mentions = tuple(one for one in question.mentions if one.label not in labels)
    alone = replace(question, mentions=mentions)
    return match_runs(matched.connection, alone).runs
