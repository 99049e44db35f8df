"""Which communities hold what a question names: the nearest to it, those with most of it, those
that hold each of several things, and where the runs of records are.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from typing import Final

from index.reports.phrases import counted, listed, percent
from query.global_search.communities.described import Described, drafts_of
from query.global_search.communities.ranking import (
    By,
    Ranked,
    about_matching,
    holding_each,
    home_communities,
)
from query.global_search.headlines.contents import accession_contents
from query.global_search.matched_runs import MatchedRuns
from query.global_search.naming import names_of
from query.reading.asked.communities import CommunitiesAsked
from query.reading.mentions import Mention
from query.reading.question import Question

_MOSTLY: Final = 0.5
"""Share of its runs from which on a community is mostly of something."""
_RECORDS: Final = ("run", "biosample", "bioproject")
_PART: Final = 0.1
"""Share of its runs below which a community is not near to something."""
_OPENINGS: Final[Mapping[By, str]] = {
    "most": "Communities with most runs of",
    "share": "Communities of ten runs and more with the largest share of",
    "mostly": "Communities mostly of",
    "nearest": "Communities nearest to",
}


def communities_about(
    question: Question, matched: MatchedRuns, asked: CommunitiesAsked
) -> Described:
    """Return which communities are about what is named: the nearest, and how its runs divide."""
    if matched.dropped:
        return _of_each(question, matched, asked)
    by = _order(question, asked)
    most = by == "most"
    rows = about_matching(matched, asked, by=by)
    names = names_of(question, matched.kept)
    if not rows:
        return Described(f"No community with a report holds a run of {names}.")
    nearest = [one for one in rows if one is rows[0] or one.matching >= _PART * one.runs]
    near = rows if most else nearest
    shown = near[: question.reading.limit or 3]
    worded = [_holding(one, matched) for one in shown]
    about = f"{names} ({counted(matched.runs, 'run')})"
    parts = [f"{_OPENINGS[by]} {about}: {'; '.join(worded)}."]
    if not most:
        mostly = [one for one in rows if one.matching >= _MOSTLY * one.runs and one.runs > 1]
        number = counted(len(mostly), "community is", "communities are")
        parts.append(f"On all levels, {number} of it in at least half of their runs.")
    parts.append(_by_level(matched))
    return Described(" ".join(parts), drafts_of(shown))


def _order(question: Question, asked: CommunitiesAsked) -> By:
    """Return by what communities are ranked for ``question``."""
    if asked.mostly:
        return "mostly"
    if question.reading.order == "largest share":
        return "share"
    return "most" if question.reading.kind == "rank" else "nearest"


def _of_each(question: Question, matched: MatchedRuns, asked: CommunitiesAsked) -> Described:
    """Return which communities hold runs of each thing that is named, where no run is of all."""
    names = names_of(question, question.groups)
    rows = holding_each(matched, asked, question.groups)
    if len(question.groups) == 1:
        return Described(f"No run carries {names}, so that no community holds any.")
    none = f"No run is of {names} at once"
    if not rows:
        return Described(f"{none}, and no community holds runs of each.")
    shown = rows[: question.reading.limit or 3]
    worded = [
        f"{one.name} (level {one.level}, {counted(one.runs, 'run')}, {one.matching:,} or more of "
        "each)"
        for one in shown
    ]
    number = counted(len(rows), "community holds", "communities hold")
    return Described(
        f"{none}, but {number} runs of each on the level asked for, else on the coarsest; the "
        f"rarest of them has most in {'; '.join(worded)}.",
        drafts_of(shown),
    )


def _by_level(matched: MatchedRuns) -> str:
    """Return in how many communities of each level the matching runs are."""
    rows = matched.rows(_LEVELS)
    levels = listed([f"{number:,} of level {level}" for level, number in rows])
    return f"Its runs are in communities of every level: {levels}."


def _holding(one: Ranked, matched: MatchedRuns) -> str:
    share = percent(one.matching / one.runs)
    whole = percent(one.matching / matched.runs)
    return (
        f"{one.name} (level {one.level}, {one.matching:,} of its {one.runs:,} runs, {share}; "
        f"{whole} of all such runs)"
    )


def communities_holding(
    question: Question, matched: MatchedRuns, asked: CommunitiesAsked
) -> Described:
    """Return in which communities the runs of an accession are."""
    records = [one for one in question.mentions if one.group in _RECORDS]
    if len(records) > 1:
        return _held_together(records, matched)
    rows = about_matching(matched, asked, by="most")
    finest = about_matching(matched, asked, by="nearest")
    text = accession_contents(question, matched)
    shown = [*rows[:1], *finest[:1]]
    return Described(text, drafts_of(list(dict.fromkeys(shown))))


def _held_together(records: Sequence[Mention], matched: MatchedRuns) -> Described:
    """Return which communities hold the runs of all ``records``, and which those of each."""
    found = {one.label: home_communities(matched, one.senses) for one in records}
    each = []
    for label, rows in found.items():
        names = listed([one.name for one in rows]) or "no community"
        each.append(f"{label} is in {names}")
    homes = [{one.community for one in rows} for rows in found.values()]
    shared = set.intersection(*homes)
    common = [one for one in next(iter(found.values())) if one.community in shared]
    names = listed([one.community for one in common])
    verdict = f"Together in {names}" if common else "In no community together"
    every = list(dict.fromkeys(itertools.chain.from_iterable(found.values())))
    return Described(
        f"{verdict}, by where most of their runs are: {'; '.join(each)}.", drafts_of(every)
    )


_LEVELS: Final = """
SELECT c.level, count(DISTINCT c.community) FROM community c JOIN member m USING (community)
GROUP BY c.level ORDER BY c.level
"""
