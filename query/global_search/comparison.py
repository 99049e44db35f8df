"""Two groups of runs compared: how often each virus family is found in either, and whether the
difference holds.

Fisher's exact test of two proportions among searched runs, corrected over the families tested
(Benjamini and Hochberg). Runs of both groups count in neither.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from index.reports.phrases import SIGNIFICANT_Q, counted, listed, percent, q_text
from query.global_search.carrying import facets_of_group
from query.global_search.matching import MatchedRuns, match_runs
from query.global_search.naming import GROUP_WORDS, group_of, names_of
from query.reading.mentions import Mention
from query.reading.question import Question

_SHOWN: Final = 5
_LEAST: Final = 3
"""Searched runs that each side needs for a test."""


@dataclass(frozen=True, slots=True)
class Difference:
    """How many searched runs of either side carry a virus; ``q_value`` None where it is not
    tested.
    """

    name: str
    left: int
    right: int
    q_value: float | None

    @property
    def holds(self) -> bool:
        """True where the difference holds after correction."""
        return self.q_value is not None and self.q_value <= SIGNIFICANT_Q


def compare_sides(question: Question, matched: MatchedRuns) -> str:
    """Return how the two sides of ``question`` differ: a sentence and a table of two columns."""
    left, right = question.reading.sides
    among = _common(question)
    sides = _sides(question, matched)
    whole = [_searched(one) for one in sides]
    if min(whole):
        found = _differences(question, sides, whole)
        if found and not any(one.left or one.right for one in found):
            return _in_neither(question, matched, whole, among)
        told = _said(found, (left, right), whole, among)
        return "\n\n".join((told, _table(found, (left, right), whole))).strip()
    why = [_why_not(one, side, among) for one, side in zip((left, right), sides, strict=True)]
    reasons = ", and ".join(reason for reason in why if reason)
    cannot = f"{left.name} and {right.name} cannot be compared: {reasons}."
    return f"{cannot} {_without_common(question, matched)}".strip() if among else cannot


def _why_not(one: Mention, side: MatchedRuns, among: str) -> str:
    """Return why ``side`` has no run to compare; nothing where it has."""
    where = f" of {among}" if among else ""
    ((runs,),) = side.rows("SELECT count(*) FROM matched")
    if not runs:
        return f"no run{where} is {one.name}"
    whole = f"the {counted(int(runs), 'run')}{where} with {one.name}"
    return "" if _searched(side) else f"none of {whole} was searched for viruses"


def _in_neither(question: Question, matched: MatchedRuns, whole: Sequence[int], among: str) -> str:
    """Return that the virus is found on neither side, and whether its runs could tell."""
    left, right = question.reading.sides
    runs = matched.runs_with(["virus"])
    stated = matched.stating(["virus"], facets_of_group(left.group))
    kind = GROUP_WORDS.get(left.group, left.group)
    known = f"{stated:,} state a {kind}" if stated else f"none states a {kind}"
    where = f" of {among}" if among else ""
    return (
        f"{names_of(question, ['virus'])} is found in none of the {whole[0]:,} and {whole[1]:,} "
        f"searched runs{where} of {left.name} and {right.name}; of its {counted(runs, 'run')}, "
        f"{known}."
    )


def _without_common(question: Question, matched: MatchedRuns) -> str:
    """Return the comparison with what both sides have in common left aside, and that it is."""
    sides = question.reading.sides
    virus = tuple(one for one in question.mentions if one.group == "virus")
    wider = replace(question, mentions=tuple(dict.fromkeys((*virus, *sides))))
    whole = [_searched(one) for one in _sides(wider, matched)]
    if not min(whole):
        return ""
    return f"Leaving {_common(question)} aside: {compare_sides(wider, matched)}"


def _sides(question: Question, matched: MatchedRuns) -> list[MatchedRuns]:
    """Return the runs of either side that carry all that both have in common; runs of both sides
    are in neither.
    """
    found = [_side(question, matched, one) for one in question.reading.sides]
    runs = [{str(row[0]) for row in side.rows("SELECT run FROM matched")} for side in found]
    both = sorted(runs[0] & runs[1])
    for side in found:
        side.connection.execute(_DROP_RUNS, [both])
    return found


def _side(question: Question, matched: MatchedRuns, one: Mention) -> MatchedRuns:
    sides = question.reading.sides
    common = [m for m in question.mentions if m not in sides]
    kept = [m for m in common if m.group != "virus" or one.group == "virus"]
    reading = replace(question.reading, kind="describe", each=())
    side = match_runs(matched.connection, replace(question, mentions=(*kept, one), reading=reading))
    if side.dropped:
        side.connection.execute("DELETE FROM matched")
    return side


def _searched(side: MatchedRuns) -> int:
    ((runs,),) = side.rows("SELECT count(*) FROM matched SEMI JOIN looked USING (run)")
    return int(runs)


def _common(question: Question) -> str:
    sides = {question.key(one) for one in question.reading.sides}
    keys = [key for key in question.groups if key not in sides and group_of(key) != "virus"]
    return names_of(question, keys)


def _differences(
    question: Question, sides: Sequence[MatchedRuns], whole: Sequence[int]
) -> list[Difference]:
    """Return the virus asked for, else each family of either side, the largest difference first."""
    viruses = [one for one in question.mentions if one.group == "virus"]
    if viruses and question.reading.sides[0].group != "virus":
        counts = {names_of(question, ["virus"]): [_carrying(one, question) for one in sides]}
    else:
        counts = _families(sides)
    tested = _tested(list(counts.values()), whole)
    found = [
        Difference(name, int(pair[0]), int(pair[1]), q_value)
        for (name, pair), q_value in zip(counts.items(), tested, strict=True)
    ]
    return sorted(found, key=lambda one: (one.q_value is None, one.q_value, one.name))


def _carrying(side: MatchedRuns, question: Question) -> int:
    """Return how many runs of ``side`` carry the virus that ``question`` names."""
    virus = tuple(one for one in question.mentions if one.group == "virus")
    reading = replace(question.reading, without=(), each=())
    own = match_runs(side.connection, replace(question, mentions=virus, reading=reading))
    carriers = [row[0] for row in own.rows("SELECT run FROM matched")]
    asked = "SELECT count(*) FROM matched WHERE run IN (SELECT unnest($1::VARCHAR[]))"
    ((runs,),) = side.rows(asked, [carriers])
    return int(runs)


def _families(sides: Sequence[MatchedRuns]) -> dict[str, list[int]]:
    counts: dict[str, list[int]] = {}
    for place, side in enumerate(sides):
        for name, runs in side.rows(_CARRIED):
            counts.setdefault(str(name), [0, 0])[place] = int(runs)
    return counts


def _tested(pairs: Sequence[Sequence[int]], whole: Sequence[int]) -> list[float | None]:
    """Return the q-value of each pair of counts; None for all where a side is too small."""
    if not pairs or min(whole) < _LEAST:
        return [None] * len(pairs)
    import numpy as np
    from scipy import stats

    from index.false_discovery import benjamini_hochberg

    tables = [[[a, whole[0] - a], [b, whole[1] - b]] for a, b in pairs]
    p_values = np.array([stats.fisher_exact(table).pvalue for table in tables])
    return [float(q_value) for q_value in benjamini_hochberg(np.clip(p_values, 0, 1))]


def _said(
    found: Sequence[Difference], sides: Sequence[Mention], whole: Sequence[int], common: str
) -> str:
    """Return the comparison in a sentence: what differs, or that nothing does."""
    among = f" among runs of {common}" if common else ""
    names = f"{sides[0].name} and {sides[1].name}"
    if not found:
        runs = f"{whole[0]:,} and {whole[1]:,} searched runs"
        return f"No named virus is found in {names}{among} ({runs})."
    if found[0].q_value is None:
        least = min(whole)
        return (
            f"{names}{among} cannot be tested: one side has {counted(least, 'searched run')} only."
        )
    holding = [one for one in found if one.holds]
    if not holding:
        tests = counted(len(found), "test")
        first = f"{found[0].name} in {_two(found[0], whole)}, {q_text(found[0].q_value)}"
        none = f"No difference between {names}{among} holds after correction"
        return f"{none} ({tests}; nearest: {first})."
    told = [f"{one.name} ({_two(one, whole)}, {q_text(one.q_value or 0.0)})" for one in holding[:3]]
    more = f" and {len(holding) - 3:,} more" if len(holding) > 3 else ""
    return f"{names} differ{among} in {listed(told)}{more}."


def _two(one: Difference, whole: Sequence[int]) -> str:
    return f"{_part(one.left, whole[0])} against {_part(one.right, whole[1])}"


def _part(runs: int, whole: int) -> str:
    return f"{runs:,} of {whole:,}, {percent(runs / whole)}"


def _table(found: Sequence[Difference], sides: Sequence[Mention], whole: Sequence[int]) -> str:
    """Return a Markdown table: a row a virus, a column a side."""
    head = f"| found in | {sides[0].name} | {sides[1].name} | difference |"
    rows = [
        f"| {one.name} | {_part(one.left, whole[0])} | {_part(one.right, whole[1])} | {_verdict(one)} |"
        for one in found[:_SHOWN]
    ]
    return "\n".join((head, "|---|---|---|---|", *rows)) if found else ""


def _verdict(one: Difference) -> str:
    if one.q_value is None:
        return "too few runs to test"
    return f"{'holds' if one.holds else 'does not hold'} ({q_text(one.q_value)})"


_DROP_RUNS: Final = "DELETE FROM matched WHERE run IN (SELECT unnest($1::VARCHAR[]))"
_CARRIED: Final = """
SELECT family, count(DISTINCT run) FROM detection SEMI JOIN matched USING (run)
WHERE family IS NOT NULL GROUP BY family
"""
