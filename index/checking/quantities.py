"""Quantities: the numbers that a fact, a pair, an association or a profile lets one say."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Literal, NamedTuple

from index.reports.profiles import AssociationRow, Company, FactRow, Profile

Measure = Literal["count", "share", "ratio", "q"]


class Quantity(NamedTuple):
    """A number that may be said.

    A ``share`` is 0-1, a ``ratio`` is a lift or a fold change, ``q`` is a q-value.
    """

    value: float
    measure: Measure


def fact_quantities(fact: FactRow, *, runs: int) -> Iterator[Quantity]:
    """Yield what may be counted of a fact in a community of ``runs``.

    A share of all runs of the community is as good as a share of the runs that state the facet.
    """
    without = fact.known - fact.runs
    unstated = runs - fact.known
    yield from _counts([fact.runs, fact.known, without, unstated])

    for whole in (fact.known, runs):
        share = fact.runs / whole
        yield Quantity(share, "share")
        yield Quantity(1 - share, "share")
    yield Quantity(fact.lift, "ratio")
    yield Quantity(fact.q_value, "q")
    if fact.rest_known:
        yield from _counts([fact.rest_runs, fact.rest_known])
        yield Quantity(fact.rest_runs / fact.rest_known, "share")


def company_quantities(pair: Company) -> Iterator[Quantity]:
    """Yield what may be counted of two viruses found together."""
    yield from _counts([pair.together, pair.known])
    yield Quantity(pair.together / pair.known, "share")
    yield Quantity(pair.expected, "ratio")
    yield Quantity(pair.q_value, "q")


def fact_parts(fact: FactRow, *, runs: int) -> Iterator[tuple[int, int]]:
    """Yield which "a of b runs" may be said of a fact: of the runs that state its facet, or of all.

    How many state the facet is said only where not all do: "40 of 40 runs" would pass for the fact
    itself.
    """
    for whole in (fact.known, runs):
        yield fact.runs, whole
        yield whole - fact.runs, whole
    if fact.known < runs:
        yield fact.known, runs
        yield runs - fact.known, runs
    if fact.rest_known:
        yield fact.rest_runs, fact.rest_known


def association_quantities(row: AssociationRow) -> Iterator[Quantity]:
    """Yield what may be counted of an association."""
    compared = row.num_true + row.num_false
    yield from _counts([row.num_true, row.num_false, compared])
    yield Quantity(row.q_value, "q")

    if row.fold_change is not None:
        doublings = abs(row.fold_change)
        yield Quantity(doublings, "ratio")
        yield Quantity(2**doublings, "ratio")


def general_quantities(profile: Profile) -> Iterator[Quantity]:
    """Yield what any sentence about the community may count."""
    yield from _counts(
        [
            profile.runs,
            profile.biosamples,
            profile.bioprojects,
            profile.studies.studies,
            profile.studies.study_runs,
            profile.searched.searched,
            profile.searched.positive,
            profile.searched.unnamed_runs,
            profile.searched.unnamed_everywhere,
            len(profile.children),
        ]
    )
    for _, runs in profile.children:
        yield Quantity(runs, "count")
        yield Quantity(runs / profile.runs, "share")
    sizes = [runs for _, runs in profile.children]
    for first in range(1, len(sizes)):
        smaller = sum(sizes[first:])
        yield Quantity(smaller, "count")
        yield Quantity(smaller / profile.runs, "share")
    for theme in profile.themes:
        yield from _counts([theme.bioprojects, theme.described])


def stated_quantities(profile: Profile) -> Iterator[Quantity]:
    """Yield for how many runs each facet is stated, and for how many not."""
    for facet in profile.facts:
        known = profile.known(facet)
        unknown = profile.runs - known
        yield from _counts([known, unknown])
        yield Quantity(known / profile.runs, "share")
        yield Quantity(unknown / profile.runs, "share")


def _counts(numbers: Iterable[int]) -> Iterator[Quantity]:
    for number in numbers:
        yield Quantity(number, "count")
