"""Which sources can find a virus: a run that only another source searched says nothing of it.

A source finds what its method can find: a search for RNA polymerases never finds a virus of DNA.
Of a virus that only some sources find anywhere in the index, the searched runs that these sources
looked at are counted beside all.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

from index.reports.phrases import counted, listed, percent
from query.global_search.carrying import searched_by
from query.global_search.headlines.compared.differences import Side, sources_finding
from query.global_search.matched_runs import MatchedRuns
from query.reading.question import Question
from query.reading.sources import all_sources


class LookedFor(NamedTuple):
    """How many ``runs`` of the ``searched`` the ``sources`` that find a virus looked at, and in how
    many of them it is ``found``.
    """

    runs: int
    searched: int
    sources: tuple[str, ...]
    found: int = 0

    @property
    def text(self) -> str:
        """This as a sentence, with a blank before it, with the share of these runs that have the
        virus, where it is another than that of all searched.
        """
        number = f"Only {self.runs:,}" if self.runs else "None"
        were = "was" if self.runs == 1 else "were"
        by = only_sources(self.sources)
        share = percent(self.found / self.runs) if self.found else ""
        differs = share and share != percent(self.found / self.searched)
        of_these = f": {share} of them" if differs else ""
        return f" {number} of these runs {were} {by}{of_these}."


def looked_for(
    question: Question, matched: MatchedRuns, others: Sequence[str], searched: int
) -> LookedFor | None:
    """Return how many of the ``searched`` runs that carry ``others`` were searched by a source that
    finds the virus; None where that is nearly all of them, or no source ever finds it.
    """
    finding = sources_finding(question, matched)
    if not finding or finding == all_sources(matched.connection):
        return None
    runs = matched.searched_with(others, sources=finding)
    return None if runs >= _NEARLY_ALL * searched else LookedFor(runs, searched, finding)


class LookedForInSides(NamedTuple):
    """How many ``runs`` of each of the ``sides`` the ``sources`` that find a virus looked at."""

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
        by = only_sources(self.sources)
        return f" Counted are runs {by}; by any source were {every}."

    @property
    def why_not(self) -> str:
        """Why the sides cannot be compared; nothing where each has a run that was looked at."""
        silent = [side.name for runs, side in zip(self.runs, self.sides, strict=True) if not runs]
        if not silent:
            return ""
        runs = "run" if len(silent) == 1 else "runs"
        return f"no {runs} of {listed(silent)} was {only_sources(self.sources)}"


def looked_for_in_sides(question: Question, sides: Sequence[Side]) -> LookedForInSides | None:
    """Return how many runs of each side were searched by a source that finds the virus; None where
    every source does, or none ever.
    """
    first, *_ = sides
    finding = sources_finding(question, first.runs)
    if not finding or finding == all_sources(first.runs.connection):
        return None
    query = f"SELECT count(*) FROM matched SEMI JOIN ({searched_by(finding)}) USING (run)"
    runs = tuple(int(side.runs.rows(query)[0][0]) for side in sides)
    return LookedForInSides(tuple(sides), runs, finding)


def only_sources(finding: Sequence[str]) -> str:
    """Return that runs were searched by the sources ``finding`` a virus."""
    return f"searched by {listed(finding)}, {_only(finding)} it in this index"


def _only(finding: Sequence[str]) -> str:
    return "the only source that finds" if len(finding) == 1 else "the only sources that find"


_NEARLY_ALL: Final = 0.99
"""Share of the searched runs from which on the others are not worth a sentence."""
