"""Headline of the members of a group of viruses that are found, and in no run of something: which
herpesviruses are not found in blood.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from index.reports.phrases import counted
from query.global_search.headlines.compared.shared import RUNS_BY_VIRUS
from query.global_search.headlines.listed.values_listed import values_text
from query.global_search.headlines.only_there import NOT_FOUND
from query.global_search.matched_runs import MatchedRuns
from query.global_search.matching import match_runs
from query.reading.question import Question

_USUAL: Final = 5


def members_absent(question: Question, matched: MatchedRuns) -> str:
    """Return the species of the group that no run of what is ruled out carries; empty where that
    is not asked.
    """
    reading = question.reading
    viral = [one for one in reading.subjects if one.group == "virus"]
    lists = reading.kind in ("list", "rank") and "species" in reading.facets and reading.explicit
    ruled = {one.group for one in reading.without}
    alone = len(viral) == len(reading.subjects) == 1 and ruled and "virus" not in ruled
    if not (lists and alone and NOT_FOUND.search(question.text)):
        return ""
    whole = _matched(question, matched, without=False).values.counts("species")
    there = _matched(question, matched, without=True)
    if whole is None:
        return ""
    elsewhere = {str(value) for value, _ in there.rows(RUNS_BY_VIRUS["species"])}
    lacking = [one for one in whole.values if one.value not in elsewhere]
    names = " or ".join(dict.fromkeys(one.name for one in reading.without))
    species = counted(len(whole.values), "virus species", "virus species")
    opening = f"Of {species} of {viral[0].name}, {len(lacking):,} are found in no run of {names}"
    shown = lacking[: reading.limit or _USUAL]
    return f"{opening}: {values_text(shown)}." if shown else f"{opening}."


def _matched(question: Question, matched: MatchedRuns, *, without: bool) -> MatchedRuns:
    """Return the runs of the group of viruses, or those of what is ruled out."""
    reading = question.reading
    mentions = reading.without if without else reading.subjects
    plain = replace(reading, without=(), each=(), sides=(), subjects=mentions)
    return match_runs(matched.connection, replace(question, mentions=mentions, reading=plain))
