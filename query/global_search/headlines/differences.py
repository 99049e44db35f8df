"""Differences between groups of runs: the carriers of each side, counted and tested."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from index.reports.phrases import SIGNIFICANT_Q
from query.global_search.matched_runs import MatchedRuns
from query.global_search.matching import match_runs
from query.global_search.naming import names_of
from query.reading.question import Question

_LEAST: Final = 3
"""Searched runs that each group needs for a test."""
ANY_VIRUS: Final = "any virus"


@dataclass(frozen=True, slots=True)
class Side:
    """One of the groups compared: its name, its runs, and how many of them were searched."""

    name: str
    runs: MatchedRuns
    searched: int


@dataclass(frozen=True, slots=True)
class Difference:
    """How many searched runs of each side carry a virus.

    ``apart`` is the side that differs most from the others; ``q_value`` None where nothing is
    tested.
    """

    name: str
    carriers: tuple[int, ...]
    q_value: float | None
    apart: int = 0

    @property
    def holds(self) -> bool:
        """True where the difference holds after correction."""
        if self.q_value is None:
            return False
        return self.q_value <= SIGNIFICANT_Q


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
    else:
        counts = _families(sides)
    found = _tested(counts, sides)
    return sorted(found, key=lambda one: (one.q_value is None, one.q_value, one.name))


def any_virus(sides: Sequence[Side]) -> Difference:
    """Return how many searched runs of each side carry any virus, a test by itself; none where a
    side is too small or lists no run without a virus, which is no rate of detection.
    """
    counts = []
    for side in sides:
        ((runs,),) = side.runs.rows(_WITH_VIRUS)
        counts.append(int(runs))
    pairs = zip(counts, sides, strict=True)
    if any(runs == side.searched for runs, side in pairs):
        return Difference(ANY_VIRUS, tuple(counts), None)
    (found,) = _tested({ANY_VIRUS: counts}, sides)
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


def _tested(counts: dict[str, list[int]], sides: Sequence[Side]) -> list[Difference]:
    """Return each virus with the side that differs most from the others together, and its q-value;
    none where a side is too small.
    """
    if not counts or min(side.searched for side in sides) < _LEAST:
        return [Difference(name, tuple(of_each), None) for name, of_each in counts.items()]
    import numpy as np

    from index.false_discovery import benjamini_hochberg

    searched = [side.searched for side in sides]
    tests = range(1) if len(sides) == 2 else range(len(sides))
    p_values = [
        _p_value(of_each, searched, place) for of_each in counts.values() for place in tests
    ]
    q_values = benjamini_hochberg(np.clip(np.array(p_values), 0, 1))
    by_virus = np.asarray(q_values).reshape(len(counts), len(tests))
    best = by_virus.argmin(axis=1)
    return [
        Difference(name, tuple(of_each), float(by_virus[row, best[row]]), int(best[row]))
        for row, (name, of_each) in enumerate(counts.items())
    ]


def _p_value(carriers: Sequence[int], searched: Sequence[int], place: int) -> float:
    """Return the p-value of the side at ``place`` against the others together."""
    from scipy import stats

    own = carriers[place]
    own_searched = searched[place]
    others = sum(carriers) - own
    others_searched = sum(searched) - own_searched
    table = [
        [own, own_searched - own],
        [others, others_searched - others],
    ]
    tested = stats.fisher_exact(table)
    return float(tested.pvalue)


_WITH_VIRUS: Final = "SELECT count(*) FROM matched SEMI JOIN detection USING (run)"
_AMONG: Final = "SELECT count(*) FROM matched WHERE run IN (SELECT unnest($1::VARCHAR[]))"
_CARRIED: Final = """
SELECT family, count(DISTINCT run) FROM detection SEMI JOIN matched USING (run)
WHERE family IS NOT NULL GROUP BY family
"""
