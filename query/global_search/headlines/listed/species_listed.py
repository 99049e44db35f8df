"""Species of viruses as they are listed: those that hits are like; the others are said behind.

A hit that is too unlike any species is named by the genus or family that it is like, one that a
congener explains by its genus; neither is a virus that a rank could be given to.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from index.reports.phrases import counted, listed
from index.stated import LIKE, names_no_species
from query.global_search.matched_runs import MatchedRuns
from query.global_search.matched_values import ValueCount


@dataclass(frozen=True, slots=True)
class SpeciesListed:
    """The ``named`` species, those of most runs first, and the names of hits ``unlike`` any."""

    named: tuple[ValueCount, ...]
    unlike: tuple[ValueCount, ...]

    def text(self, limit: int) -> str:
        """Return what is said behind the named species: which hits are of none of them, at most
        ``limit`` of them by name.
        """
        shown = [f"{one.value} ({counted(one.runs, 'run')})" for one in self.unlike[:limit]]
        more = len(self.unlike) - len(shown)
        also = [*shown, f"{more} more"] if more else shown
        every = all(one.value.endswith(LIKE) for one in self.unlike)
        hits = "Hits too unlike any species" if every else "Hits of no species"
        return f"{hits} are {listed(also)}"


def species_listed(matched: MatchedRuns) -> SpeciesListed | None:
    """Return the species of the matching runs; None where none is named, or all are."""
    known = matched.values.counts("species")
    if known is None:
        return None
    named = _those(known.values, unlike=False)
    unlike = _those(known.values, unlike=True)
    return SpeciesListed(named, unlike) if named and unlike else None


def _those(values: Sequence[ValueCount], *, unlike: bool) -> tuple[ValueCount, ...]:
    return tuple(one for one in values if names_no_species(one.value) == unlike)
