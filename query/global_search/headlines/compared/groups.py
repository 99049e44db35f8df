"""The groups of a comparison: the runs of each, with what all groups have in common."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from index.reports.phrases import counted, listed
from query.global_search.headlines.compared.differences import Side, searched_runs
from query.global_search.matched_runs import MatchedRuns
from query.global_search.matching import match_runs
from query.global_search.naming import GROUP_WORDS, group_of, names_of, side_name
from query.reading.mentions import Mention
from query.reading.question import Question


def sides_of(question: Question, matched: MatchedRuns) -> tuple[list[Side], int]:
    """Return the groups with the runs that carry all that they have in common, and how many runs
    of several groups were taken out of each.
    """
    reading = question.reading
    runs = [_runs_of(question, matched, one) for one in reading.sides]
    names = [side_name(one) for one in reading.sides]
    if reading.against_rest:
        rest = _runs_of_rest(question, matched)
        runs.append(rest)
        names.append(_others(reading.sides[0].group))
    shared = 0 if reading.common else _keep_apart(runs)
    sides = []
    for name, matching in zip(names, runs, strict=True):
        searched = searched_runs(matching)
        sides.append(Side(name, matching, searched))
    return sides, shared


def counted_in_none(shared: int, sides: Sequence[Side]) -> str:
    """Return that runs of several groups count in none, empty where there are none."""
    if not shared:
        return ""
    count = "counts" if shared == 1 else "count"
    runs = counted(shared, "run")
    if len(sides) == 2:
        return f" {runs} of both {count} on neither side."
    return f" {runs} of several {count} on no side."


def with_shared(question: Question, matched: MatchedRuns, shared: int) -> str:
    """Return in how many runs of each group the virus is found, ``shared`` runs counted for each;
    empty where none is shared, or no virus is named.
    """
    reading = question.reading
    viruses = tuple(one for one in question.mentions if one.group == "virus")
    if not shared or not viruses or reading.against_rest:
        return ""
    plain = replace(reading, kind="describe", each=())
    counts = []
    for one in reading.sides:
        mentions = (*_shared_names(question), *viruses, one)
        own = match_runs(matched.connection, replace(question, mentions=mentions, reading=plain))
        runs = 0 if own.dropped else own.runs
        counts.append(f"{runs:,} of {side_name(one)}")
    return f" With them, it is in {listed(counts)}."


def _runs_of(question: Question, matched: MatchedRuns, one: Mention) -> MatchedRuns:
    """Return the runs of the group that ``one`` names."""
    common = _shared_names(question)
    reading = replace(question.reading, kind="describe", each=())
    own = replace(question, mentions=(*common, one), reading=reading)
    return _matching_all(matched, own)


def _runs_of_rest(question: Question, matched: MatchedRuns) -> MatchedRuns:
    """Return the runs that state another value than the group named."""
    ruled_out = (*question.reading.without, *question.reading.sides)
    reading = replace(question.reading, kind="describe", each=(), without=ruled_out)
    others = replace(question, mentions=_shared_names(question), reading=reading)
    return _matching_all(matched, others)


def _shared_names(question: Question) -> tuple[Mention, ...]:
    """Return the names that every group shares: a virus only where viruses are compared."""
    sides = question.reading.sides
    labels = {one.label for one in sides}
    common = [one for one in question.mentions if one.label not in labels]
    if sides[0].group != "virus":
        common = [one for one in common if one.group != "virus"]
    return tuple(common)


def _matching_all(matched: MatchedRuns, question: Question) -> MatchedRuns:
    side = match_runs(matched.connection, question)
    if side.dropped:
        side.connection.execute("DELETE FROM matched")
    return side


def _keep_apart(sides: Sequence[MatchedRuns]) -> int:
    """Take the runs that are in several of ``sides`` out of each; return how many they are."""
    memberships: Counter[str] = Counter()
    for side in sides:
        memberships.update(str(run) for (run,) in side.rows("SELECT run FROM matched"))
    shared = sorted(run for run, times in memberships.items() if times > 1)
    for side in sides:
        side.connection.execute(_DROP_RUNS, [shared])
    return len(shared)


def _others(group: str) -> str:
    """Return what all others of ``group`` are called."""
    if group == "virus":
        return "other viruses"
    kind = GROUP_WORDS.get(group, group)
    return f"other {kind}s"


def in_common(question: Question) -> str:
    """Return what the groups have in common, in words."""
    sides = {question.key(one) for one in question.reading.sides}
    common = []
    for key in question.groups:
        group = group_of(key)
        if key not in sides and group != "virus":
            common.append(key)
    return names_of(question, common)


_DROP_RUNS: Final = "DELETE FROM matched WHERE run IN (SELECT unnest($1::VARCHAR[]))"
