"""Redundancy: whether a finding repeats what the title or an earlier finding says.

A fact implies another if the same runs carry both (95 % of the runs that carry either), and a
species implies its family.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

from index.reports.fact_rows import FactRow, Value
from index.reports.naming.title_values import NEARLY_ALL
from index.reports.profiles import Profile


class Said(NamedTuple):
    """What a report has said so far."""

    stated: tuple[Value, ...] = ()
    """Values whose share the reader has been given."""
    named: tuple[Value, ...] = ()
    """Values that are only named."""

    @classmethod
    def of(cls, stated: Iterable[FactRow], titled: Iterable[FactRow]) -> Said:
        """Return what facts and a title say: a title states what nearly all runs have."""
        named = list(titled)
        known = list(stated)
        known += [fact for fact in named if fact.share >= NEARLY_ALL]
        shares = [fact.facet_value for fact in known]
        names = [fact.facet_value for fact in named]
        return cls(tuple(shares), tuple(names))

    def implies(self, fact: FactRow, profile: Profile) -> bool:
        """Return whether a fact follows from what was said."""
        own = fact.facet_value
        others = [value for value in self.named if value != own]
        said = [*self.stated, *others]
        return implied_by(fact, said, profile)

    def with_values(self, values: Iterable[Value]) -> Said:
        """Return what has been said once the shares of ``values`` are stated."""
        known = (*self.stated, *values)
        return self._replace(stated=known)


NOTHING_SAID: Final = Said()


def implied_by(fact: FactRow, said: Sequence[Value], profile: Profile) -> bool:
    """Return whether one of the values ``said`` of the community implies the fact."""
    if fact.facet_value in said:
        return True
    return any(_implies(value, fact, profile) for value in said)


def _implies(said: Value, fact: FactRow, profile: Profile) -> bool:
    facet, _ = said
    runs = 0

    for stated in profile.of(facet):
        if stated.facet_value == said:
            runs = stated.runs
    both = profile.together(said, fact.facet_value)
    either = runs + fact.runs - both
    if runs > 0 and both >= NEARLY_ALL * either:
        return True
    family = profile.family_of.get(said[1])
    return facet == "species" and fact.facet_value == ("family", family)
