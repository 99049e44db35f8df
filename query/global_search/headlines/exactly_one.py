"""Headline of runs that have one of two names and not the other: HHV-6A or HHV-6B, but not both."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Final

from index.reports.phrases import listed, percent
from query.global_search.carrying import SEARCHED, runs_carrying
from query.global_search.matched_runs import JOINED, MatchedRuns
from query.global_search.naming import of_names
from query.reading.mentions import Mention
from query.reading.question import Question

_ASKED: Final = re.compile(
    r"\b(?:but|and) (?:never|not) (?:both|the two|together|at once)|\b(?:exactly|only|just) one of"
    r" (?:them|these|those|the (?:two|three)|\w)",
    re.IGNORECASE,
)
_LEAST: Final = 2


def exactly_one(question: Question, matched: MatchedRuns) -> str:
    """Return how many of the runs that are asked about have exactly one of several names; empty
    where that is not asked.
    """
    named = _alternatives(question)
    if len(named) < _LEAST or not _ASKED.search(question.text):
        return ""
    key = question.key(named[0])
    others = [one for one in question.groups if one != key]
    among = f"({JOINED})" if others else "run"
    carrying = " UNION ALL ".join(
        f"SELECT run, {place} AS place FROM ({runs_carrying(one.senses)})"
        for place, one in enumerate(named)
    )
    query = _COUNTED.format(among=among, searched=SEARCHED, carrying=carrying)
    asked = {"groups": others, "n": len(set(others))} if others else None
    ((searched, *_),) = matched.rows(_AMONG.format(among=among, searched=SEARCHED), asked)
    alone = dict(matched.rows(query, asked))
    runs = sum(alone.values())
    share = percent(runs / searched) if searched else "0%"
    each = listed([f"{alone.get(place, 0):,} of {one.name}" for place, one in enumerate(named)])
    names = listed([one.name for one in named])
    where = of_names(question, others)
    found = f"{runs:,} of {searched:,} searched runs{where} ({share})"
    opening = "" if question.reading.kind != "exists" else ("Yes: " if runs else "No: ")
    return f"{opening}exactly one of {names} is found in {found}: {each}."


def _alternatives(question: Question) -> list[Mention]:
    """Return the viruses that are alternatives, each once."""
    viral = [one for one in question.mentions if one.group == "virus" and not one.is_condition]
    alone = replace(question, mentions=tuple(viral))
    first = [one for one in viral if alone.key(one) == alone.key(viral[0])] if viral else []
    return list({one.label: one for one in first}.values())


_AMONG: Final = """
SELECT count(DISTINCT run) FROM {among} SEMI JOIN ({searched}) USING (run)
"""
_COUNTED: Final = """
WITH
one AS (
    SELECT run, any_value(place) AS place FROM ({carrying}) GROUP BY run HAVING count(*) = 1
)
SELECT place, count(*) FROM one
SEMI JOIN (SELECT run FROM {among} SEMI JOIN ({searched}) USING (run)) USING (run)
GROUP BY place
"""
