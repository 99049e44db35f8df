"""What a share of runs with a virus is of: the runs that were searched for it.

A source finds what its method and its extract can find: a search for RNA polymerases never finds a
virus of DNA. Where other runs were searched, too, but not for the virus, both numbers are said.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

from index.reports.phrases import counted, listed
from query.global_search.headlines.compared.differences import Side
from query.global_search.matched_runs import MatchedRuns
from query.global_search.searched import searched_for_viruses
from query.reading.question import Question


class LookedFor(NamedTuple):
    """How many ``runs`` of the ``searched`` were searched for a virus, by which ``sources``."""

    runs: int
    searched: int
    sources: tuple[str, ...] = ()
    select: str = ""
    """SELECT of the runs; empty: all that were searched."""

    @property
    def text(self) -> str:
        """This as a sentence, with a blank before it; nothing where it is nearly all runs."""
        if self.runs >= _NEARLY_ALL * self.searched:
            return ""
        others = self.searched - self.runs
        runs = counted(others, "other searched run")
        says = "says" if others == 1 else "say"
        by = listed(list(self.sources)) or "No source"
        return f" {by} searched for it; {runs} {says} nothing of it."

    @property
    def none(self) -> str:
        """That none of the runs was searched for the virus, behind "none of the runs of X"."""
        return f"was {_FOR_IT}{_by(self.sources)}, though {self.searched:,} were for others"


def looked_for(question: Question, matched: MatchedRuns, others: Sequence[str]) -> LookedFor:
    """Return how many of the searched runs that carry ``others`` were searched for the virus that
    ``question`` names.
    """
    searched = matched.searched_with(others)
    virus = searched_for_viruses(question, matched.connection)
    if virus is None or virus.by_all or not searched:
        return LookedFor(searched, searched)
    runs = matched.searched_with(others, looked_at=virus.runs)
    return LookedFor(runs, searched, virus.sources, virus.runs)


class LookedForInSides(NamedTuple):
    """How many ``runs`` of each of the ``sides`` were searched for a virus, and by whom."""

    sides: tuple[Side, ...]
    runs: tuple[int, ...]
    sources: tuple[str, ...]

    @property
    def text(self) -> str:
        """This as a sentence, with a blank before it; nothing where it is nearly all runs."""
        pairs = [*zip(self.runs, self.sides, strict=True)]
        if all(runs >= _NEARLY_ALL * side.searched for runs, side in pairs):
            return ""
        every = listed([counted(side.searched, "run") for side in self.sides])
        for_it = f"{_FOR_IT}{_by(self.sources)}"
        return f" Counted are runs {for_it}; for any virus were {every}."

    @property
    def why_not(self) -> str:
        """Why the sides cannot be compared; nothing where each has a run that was looked at."""
        silent = [side.name for runs, side in zip(self.runs, self.sides, strict=True) if not runs]
        if not silent:
            return ""
        runs = "run" if len(silent) == 1 else "runs"
        return f"no {runs} of {listed(silent)} was {_FOR_IT}{_by(self.sources)}"


def looked_for_in_sides(question: Question, sides: Sequence[Side]) -> LookedForInSides | None:
    """Return how many runs of each side were searched for the virus that ``question`` names; None
    where every search looks for it, or it names none.
    """
    first, *_ = sides
    virus = searched_for_viruses(question, first.runs.connection)
    if virus is None or virus.by_all:
        return None
    query = f"SELECT count(*) FROM matched SEMI JOIN ({virus.runs}) USING (run)"
    runs = tuple(int(side.runs.rows(query)[0][0]) for side in sides)
    return LookedForInSides(tuple(sides), runs, virus.sources)


def searched_for_it(sources: Sequence[str]) -> str:
    """Return that runs were searched for a virus, by which sources."""
    return f"{_FOR_IT}{_by(sources)}"


def _by(sources: Sequence[str]) -> str:
    return f" (by {listed(list(sources))})" if sources else ""


_FOR_IT: Final = "searched for it"
_NEARLY_ALL: Final = 0.99
"""Share of the searched runs from which on the others are not worth a sentence."""
