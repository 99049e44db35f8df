"""How many runs each of several names has by itself, behind a number of all of them: hepatitis A or
B, and a word that may mean either of two viruses.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import Final

from index.reports.phrases import listed
from query.global_search.carrying import SEARCHED, runs_carrying
from query.global_search.matched_runs import JOINED, MatchedRuns
from query.global_search.matching import senses_counted
from query.reading.mentions import Mention
from query.reading.question import Question
from query.reading.senses import Sense

_MOST_NAMES: Final = 6
"""Names that a sentence can list."""
_EITHER: Final = " or "


def each_name(
    question: Question, matched: MatchedRuns, keys: Sequence[str], *, searched: bool
) -> str:
    """Return how many runs that carry all of ``keys`` are of each name of the first of them that
    has several, among the ``searched`` ones alone or all; empty where none has. A condition, such
    as a threshold, holds for all names together.
    """
    for key in keys:
        named = [one for one in question.mentions if question.key(one) == key]
        apart = {} if any(one.is_condition for one in named) else _apart(named)
        if 1 < len(apart) <= _MOST_NAMES:
            others = [one for one in keys if one != key]
            runs = _runs(matched, list(apart.values()), others, searched=searched)
            each = [f"{n:,} of {name}" for name, n in zip(apart, runs, strict=True)]
            return f" Each by itself: {listed(each)}."
    return ""


def _apart(named: Sequence[Mention]) -> dict[str, list[Sense]]:
    """Return the senses of each name, of names that mean the same those of the first; a word that
    may mean several viruses has one of each.
    """
    apart: dict[str, list[Sense]] = defaultdict(list)
    for one in named:
        for sense in senses_counted(one):
            name = sense.label if _EITHER in one.label else one.name
            apart[name].append(sense)
    alike = {tuple(senses): name for name, senses in reversed(apart.items())}
    return {name: apart[name] for name in apart if name in alike.values()}


def _runs(
    matched: MatchedRuns, names: Sequence[Sequence[Sense]], others: Sequence[str], *, searched: bool
) -> list[int]:
    """Return the runs of each of ``names`` that carry all of ``others``."""
    among = f"({JOINED})" if others else "run"
    looked = f"SEMI JOIN ({SEARCHED}) USING (run)" if searched else ""
    counts = [
        f"(SELECT count(*) FROM ({runs_carrying(senses)}) SEMI JOIN among USING (run))"
        for senses in names
    ]
    query = (
        f"WITH among AS MATERIALIZED (SELECT run FROM {among} {looked}) SELECT {', '.join(counts)}"
    )
    asked = {"groups": list(others), "n": len(set(others))} if others else None
    (row,) = matched.rows(query, asked)
    return [int(runs) for runs in row]
