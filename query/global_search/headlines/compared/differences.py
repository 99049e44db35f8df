"""Differences between groups of runs: the carriers of each side, counted and tested."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from index.false_discovery import benjamini_hochberg
from index.reports.phrases import SIGNIFICANT_Q
from query.global_search.headlines.compared.exact_tests import fisher_p
from query.global_search.matched_runs import MatchedRuns
from query.global_search.matching import match_runs
from query.global_search.naming import names_of
from query.global_search.searched import Search, searched_for_viruses, searches_of_families
from query.reading.question import Question

_LEAST: Final = 3
"""Searched runs that each group needs for a test."""
ANY_VIRUS: Final = "any virus"
_MORE_THAN: Final = re.compile(
    r"^(?:so |and |then )?(?:is|are|was|were|do|does|did|has|have)\b.*?"
    r"\b(?:(?P<more>more|higher|commoner|oftener)|less|fewer|lower|rarer)\b.*?\bthan\b",
    re.IGNORECASE,
)
"""Asks whether there is more, or less, on the first side than on the second."""


@dataclass(frozen=True, slots=True)
class Side:
    """One of the groups compared: its name, its runs, and how many of them were searched."""

    name: str
    runs: MatchedRuns
    searched: int


@dataclass(frozen=True, slots=True)
class Difference:
    """How many runs of each side carry a virus, of those ``searched`` by a source that finds it.

    ``apart`` is the side that differs most from the others; ``q_value`` None where nothing is
    tested.
    """

    name: str
    carriers: tuple[int, ...]
    searched: tuple[int, ...]
    q_value: float | None
    apart: int = 0

    @property
    def holds(self) -> bool:
        """True where the difference holds after correction."""
        if self.q_value is None:
            return False
        return self.q_value <= SIGNIFICANT_Q


def more_than(question: Question, first: float, second: float, *, holds: bool) -> str:
    """Return yes or no to whether there is more, or less, on the ``first`` side than on the
    ``second``, where ``question`` asks that; not clearly, where the difference does not hold.
    """
    asked = _MORE_THAN.search(question.text)
    if asked is None or len(question.reading.sides) != 2:
        return ""
    is_so = first > second if asked["more"] else first < second
    if is_so and not holds:
        return "Not clearly: "
    return "Yes: " if is_so else "No: "


def searched_runs(side: MatchedRuns) -> int:
    """Return how many runs of ``side`` were searched for viruses."""
    looked = side.looked(side.kept)
    ((runs,),) = side.rows(f"SELECT count(*) FROM matched SEMI JOIN {looked} USING (run)")
    return int(runs)


def differences(question: Question, sides: Sequence[Side]) -> list[Difference]:
    """Return the virus asked for, else each family of any side, the largest difference first."""
    viruses = [one for one in question.mentions if one.group == "virus"]
    if viruses and question.reading.sides[0].group != "virus":
        counts = {names_of(question, ["virus"]): carriers_of(question, sides)}
        searched = dict.fromkeys(counts, tuple(_searched_for(question, one) for one in sides))
    else:
        counts = _families(sides)
        searches = searches_of_families(sides[0].runs.connection)
        looked = [_by_searches(side) for side in sides]
        searched = {
            name: tuple(_of_any(one, searches.get(name, frozenset())) for one in looked)
            for name in counts
        }
    found = _tested(counts, searched)
    return sorted(found, key=lambda one: (one.q_value is None, one.q_value, one.name))


def _searched_for(question: Question, side: Side) -> int:
    """Return how many runs of ``side`` were searched for the virus that ``question`` names."""
    virus = searched_for_viruses(question, side.runs.connection)
    if virus is None:
        return side.searched
    query = f"SELECT count(*) FROM matched SEMI JOIN ({virus.runs}) USING (run)"
    ((runs,),) = side.runs.rows(query)
    return int(runs)


def _by_searches(side: Side) -> dict[frozenset[Search], int]:
    """Return how many runs of ``side`` each set of searches looked at."""
    rows = side.runs.rows(_SEARCHED_BY)
    return {
        frozenset((str(one["source"]), str(one["search"])) for one in searches): int(runs)
        for searches, runs in rows
    }


def _of_any(looked: Mapping[frozenset[Search], int], searches: frozenset[Search]) -> int:
    """Return how many of the runs ``looked`` at any of the ``searches`` looked at."""
    return sum(runs for by, runs in looked.items() if by & searches)


def any_virus(sides: Sequence[Side]) -> Difference:
    """Return how many searched runs of each side carry any virus, a test by itself; none where a
    side is too small or lists no run without a virus, which is no rate of detection.
    """
    counts = []
    for side in sides:
        ((runs,),) = side.runs.rows(_WITH_VIRUS)
        counts.append(int(runs))
    searched = tuple(side.searched for side in sides)
    if any(runs == of for runs, of in zip(counts, searched, strict=True)):
        return Difference(ANY_VIRUS, tuple(counts), searched, None)
    return shares_tested(ANY_VIRUS, counts, searched)


def shares_tested(name: str, counts: Sequence[int], runs: Sequence[int]) -> Difference:
    """Return how many of the ``runs`` of each side have something that is called ``name``, a test
    by itself.
    """
    (found,) = _tested({name: counts}, {name: tuple(runs)})
    return found


def carriers_of(question: Question, sides: Sequence[Side]) -> list[int]:
    """Return how many runs of each side carry the virus that ``question`` names."""
    virus = tuple(one for one in question.mentions if one.group == "virus")
    reading = replace(question.reading, without=(), each=())
    alone = replace(question, mentions=virus, reading=reading)
    own = match_runs(sides[0].runs.connection, alone)
    carriers = [run for (run,) in own.rows("SELECT run FROM matched")]
    counts = []
    for side in sides:
        ((runs,),) = side.runs.rows(_AMONG, [carriers])
        counts.append(int(runs))
    return counts


def _families(sides: Sequence[Side]) -> dict[str, list[int]]:
    counts: dict[str, list[int]] = {}
    for place, side in enumerate(sides):
        carried = side.runs.rows(_CARRIED)
        for family, runs in carried:
            name = str(family)
            if name not in counts:
                counts[name] = [0] * len(sides)
            counts[name][place] = int(runs)
    return counts


def _tested(
    counts: Mapping[str, Sequence[int]], searched: Mapping[str, tuple[int, ...]]
) -> list[Difference]:
    """Return each virus with the side that differs most from the others together, and its q-value;
    none where a side is too small.
    """
    tested = [name for name in counts if min(searched[name]) >= _LEAST]
    untested = [
        Difference(name, tuple(counts[name]), searched[name], None)
        for name in counts
        if name not in tested
    ]
    if not tested:
        return untested
    sides = len(searched[tested[0]])
    places = range(1) if sides == 2 else range(sides)
    p_values = [
        [_p_value(counts[name], searched[name], place) for place in places] for name in tested
    ]
    flat = np.clip(np.array(p_values).ravel(), 0, 1)
    q_values = np.asarray(benjamini_hochberg(flat)).reshape(len(tested), len(places))
    found = []
    for name, of_places in zip(tested, q_values, strict=True):
        best = int(of_places.argmin())
        q_value = float(of_places[best])
        found.append(Difference(name, tuple(counts[name]), searched[name], q_value, best))
    return found + untested


def _p_value(carriers: Sequence[int], searched: Sequence[int], place: int) -> float:
    """Return the p-value of the side at ``place`` against the others together."""
    own = carriers[place]
    own_searched = searched[place]
    return fisher_p(
        with_it=own,
        of=own_searched,
        others_with_it=sum(carriers) - own,
        of_others=sum(searched) - own_searched,
    )


_WITH_VIRUS: Final = "SELECT count(*) FROM matched SEMI JOIN detection USING (run)"
_AMONG: Final = "SELECT count(*) FROM matched WHERE run IN (SELECT unnest($1::VARCHAR[]))"
_CARRIED: Final = """
SELECT family, count(DISTINCT run) FROM detection SEMI JOIN matched USING (run)
WHERE family IS NOT NULL GROUP BY family
"""
_SEARCHED_BY: Final = """
SELECT searches, count(*) FROM (
    SELECT run, list_sort(list({source: source, search: search})) AS searches
    FROM searched SEMI JOIN matched USING (run)
    GROUP BY run
) GROUP BY searches
"""
