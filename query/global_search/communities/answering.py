"""The answer to a question about communities or the graph, with a point for each that it names."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Final

from index.reports.phrases import counted, listed
from query.global_search.communities.described import Described, drafts_of
from query.global_search.communities.holding import communities_about, communities_holding
from query.global_search.communities.measured import (
    count_communities,
    describe_changes,
    describe_graph,
    describe_quality,
    describe_stability,
    describe_unreported,
)
from query.global_search.communities.ranking import (
    Ranked,
    level_asked,
    of_risk_groups,
    parents_of_community,
    parts_of_community,
    ranked_by_rating,
    ranked_by_size,
)
from query.global_search.from_facts import PointDraft
from query.global_search.headlines.understanding import understanding
from query.global_search.matched_runs import MatchedRuns
from query.reading.asked.communities import CommunitiesAsked, Topic
from query.reading.question import Question

_USUAL: Final = 5


def describe_communities(
    question: Question, matched: MatchedRuns, asked: CommunitiesAsked
) -> Described:
    """Return what ``question`` asks of communities, or of the graph."""
    describe = _TOPICS[asked.topic]
    described = describe(question, matched, asked)
    understood = understanding(question)
    text = " ".join(part for part in (described.text, understood) if part)
    return Described(text, described.drafts)


def _by_size(question: Question, matched: MatchedRuns, asked: CommunitiesAsked) -> Described:
    rows = ranked_by_size(matched, asked)
    order = "Smallest" if asked.smallest else "Largest"
    level = level_asked(matched, asked.level)
    if level is None:
        where = "with a report" if asked.smallest else "of the coarsest level (0)"
    else:
        where = f"of level {level}"
    shown = rows[: question.reading.limit or _USUAL]
    names = "; ".join(f"{one.name} ({counted(one.runs, 'run')})" for one in shown)
    of_how_many = f", {len(shown)} of {len(rows):,}" if len(rows) > len(shown) else ""
    return Described(f"{order} communities {where}{of_how_many}: {names}.", drafts_of(shown))


def _by_rating(question: Question, matched: MatchedRuns, asked: CommunitiesAsked) -> Described:
    rows = _of_question(matched, ranked_by_rating(matched, asked), question)
    order = "Lowest" if asked.smallest else "Highest"
    shown = rows[: question.reading.limit or _USUAL]
    if not shown:
        return Described("None of these communities has a report, so that none is rated.")
    names = "; ".join(f"{one.name} ({one.rating:g}, {counted(one.runs, 'run')})" for one in shown)
    whole = f", {len(shown)} of {len(rows):,}" if len(rows) > len(shown) else ""
    return Described(
        f"{order} rated reports{whole} (0 to 10, the strength of the evidence and not the interest "
        f"of the subject): {names}.",
        drafts_of(shown),
    )


def _by_risk(question: Question, matched: MatchedRuns, asked: CommunitiesAsked) -> Described:
    """Return the communities of the risk groups asked for, or the group of those that are named."""
    if not asked.groups:
        return _risks(question, matched, asked)
    rows = _of_question(matched, of_risk_groups(matched, asked), question)
    groups = listed(list(asked.groups))
    if not rows:
        return Described(f"No community is of {groups}.")
    reported = [one for one in rows if one.title]
    shown = reported[: question.reading.limit or _USUAL]
    names = "; ".join(
        f"{one.name} (level {one.level}, {counted(one.runs, 'run')})" for one in shown
    )
    number = counted(len(rows), "community is", "communities are")
    return Described(
        f"{number} of {groups}, {len(reported):,} with a report; the coarsest and largest: "
        f"{names}. The group is the highest of any virus or organism in it, so one run may decide "
        "it; a group that is not known is not a low one.",
        drafts_of(shown),
    )


def _risks(question: Question, matched: MatchedRuns, asked: CommunitiesAsked) -> Described:
    rows = _of_question(matched, ranked_by_rating(matched, asked), question)
    shown = rows[: question.reading.limit or _USUAL]
    if "community" not in question.groups:
        counts: dict[str, int] = {}
        for one in rows:
            group = one.risk_group or "unknown"
            counts[group] = counts.get(group, 0) + 1
        ranked = sorted(counts.items(), reverse=True)
        groups = listed([f"{group} ({number:,})" for group, number in ranked])
        return Described(f"Risk groups of the {len(rows):,} communities with a report: {groups}.")
    groups = "; ".join(f"{one.name}: {one.risk_group or 'unknown'}" for one in shown)
    return Described(
        f"Risk group, the highest of any virus or organism in it: {groups}.", drafts_of(shown)
    )


def _of_question(matched: MatchedRuns, rows: Sequence[Ranked], question: Question) -> list[Ranked]:
    """Return those of ``rows`` that the question names, or that hold runs of what it names."""
    if "community" in question.groups:
        named = {one.label.lower() for one in question.mentions if one.group == "community"}
        return [one for one in rows if one.community.lower() in named]
    if matched.is_whole_index:
        return list(rows)
    matched.join_communities()
    holding = {str(name) for (name,) in matched.rows("SELECT DISTINCT community FROM member")}
    return [one for one in rows if one.community in holding]


def _parts(question: Question, matched: MatchedRuns, _asked: CommunitiesAsked) -> Described:
    texts = []
    drafts: tuple[PointDraft, ...] = ()
    for name in _communities(question):
        rows = parts_of_community(matched, name)
        shown = rows[: question.reading.limit or _USUAL]
        names = "; ".join(f"{one.name} ({counted(one.runs, 'run')})" for one in shown)
        number = counted(len(rows), "part")
        largest = ", the largest" if len(rows) > len(shown) else ""
        texts.append(f"{name} has {number}{largest}: {names}." if rows else f"{name} is not split.")
        drafts += drafts_of(shown)
    return Described(" ".join(texts), drafts)


def _parent(question: Question, matched: MatchedRuns, _asked: CommunitiesAsked) -> Described:
    texts = []
    drafts: tuple[PointDraft, ...] = ()
    for name in _communities(question):
        rows = parents_of_community(matched, name)
        above = "; ".join(
            f"{one.name} (level {one.level}, {counted(one.runs, 'run')})" for one in rows
        )
        none = f"{name} is of the coarsest level and part of no other."
        texts.append(f"{name} is part of {above}." if rows else none)
        drafts += drafts_of(rows)
    return Described(" ".join(texts), drafts)


def _communities(question: Question) -> list[str]:
    return [one.label for one in question.mentions if one.group == "community"]


Describe = Callable[[Question, MatchedRuns, CommunitiesAsked], Described]


def _plain(say: Callable[[MatchedRuns], str]) -> Describe:
    """Return what describes by ``say``, whatever else is asked."""

    def describe(_question: Question, matched: MatchedRuns, _asked: CommunitiesAsked) -> Described:
        return Described(say(matched))

    return describe


_TOPICS: Final[Mapping[Topic, Describe]] = {
    "about": communities_about,
    "holding": communities_holding,
    "size": _by_size,
    "rating": _by_rating,
    "risk": _by_risk,
    "parts": _parts,
    "parent": _parent,
    "count": _plain(count_communities),
    "unreported": _plain(describe_unreported),
    "quality": _plain(describe_quality),
    "stability": _plain(describe_stability),
    "changes": _plain(describe_changes),
    "graph": _plain(describe_graph),
}
"""What describes each thing that can be asked of communities."""
