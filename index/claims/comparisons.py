"""Claims that compare: which side has more, by how much, and whether chance explains it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from index.claims.amounts import NamedNumber
from index.claims.claim import Claim, Number
from index.claims.phrases import LARGEST_LIFT, times

_WORTH_SAYING: Final = 1.5
"""Ratio of two shares from which it is said."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Compared(Claim):
    """Two or more sides in order of their numbers.

    ``begin``  the first side and its lead: "EBV is found in more runs from humans"
    ``than``   how the second is joined: "than from mice"
    ``known``  what the wholes of the shares are: "searched"
    ``are_alike``  whether the shares are of the same runs, so that their ratio says something
    """

    begin: str
    than: str
    sides: tuple[NamedNumber, ...]
    known: str = ""
    are_alike: bool = True

    def clause(self) -> str:
        """Return "EBV is found in more runs than HCV: 5,283 of 40,000 searched (13%) against 42
        of 50,000 (0.1%), over 100 times as often".
        """
        first, second = (_said(side) for side in self.sides[:2])
        if self.known and self.sides[0].share is not None:
            of = f"of {self.sides[0].whole:,}"
            first = first.replace(of, f"{of} {self.known}", 1)
        return f"{self.begin} {self.than}: {first} against {second}{self._times()}"

    def _times(self) -> str:
        ratio = self.ratio
        return "" if ratio is None else f", {times(ratio)} as often"

    @property
    def ratio(self) -> float | None:
        """The first share over the second; None where that says nothing."""
        first, second = self.sides[0].share, self.sides[1].share
        if not self.are_alike:
            return None
        if not first or not second or first < _WORTH_SAYING * second:
            return None
        return first / second

    def derived(self) -> tuple[Number, ...]:
        """Return the ratio of the shares, where it is said."""
        return () if self.ratio is None else (min(self.ratio, LARGEST_LIFT),)


def _said(side: NamedNumber) -> str:
    """Return the number of a side: 691 of 14,391 (5%)."""
    counts, comma, share = side.said().rpartition(", ")
    return f"{counts} ({share})" if comma and side.share else side.said()


@dataclass(frozen=True, slots=True, kw_only=True)
class Alike(Claim):
    """Sides whose numbers are equal."""

    begin: str
    names: tuple[str, ...]
    said: str
    values: tuple[Number, ...]

    def clause(self) -> str:
        """Return "EBV and HCV are found in equally many runs (3 each)"."""
        return f"{self.begin} ({self.said} each)" if self.said else self.begin


@dataclass(frozen=True, slots=True, kw_only=True)
class Fisher(Claim):
    """Whether chance alone explains a difference of two shares: Fisher's exact test."""

    p_value: float

    def clause(self) -> str:
        """Return the verdict with the p-value."""
        shown = "p < 0.001" if self.p_value < 0.001 else f"p = {float(f'{self.p_value:.2g}'):g}"
        if self.p_value > 0.05:
            return f"chance alone may explain the difference (Fisher's exact test, {shown})"
        return (
            f"chance alone does not explain the difference (Fisher's exact test, {shown}); a few "
            "large studies might"
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class AtSpecies(Claim):
    """The numbers of two sides by hits that support the species."""

    numbers_of: tuple[int, int]

    def clause(self) -> str:
        """Return both numbers, in the order of the sides."""
        first, second = self.numbers_of
        return f"at 90% identity or more it is {first:,} against {second:,}"


@dataclass(frozen=True, slots=True, kw_only=True)
class InBoth(Claim):
    """The numbers of two viruses in the runs that were searched for both."""

    names: tuple[str, str]
    numbers_of: tuple[int, int]
    searched: int

    def clause(self) -> str:
        """Return both numbers, and of how many runs they are."""
        first, second = self.numbers_of
        return (
            f"in the {self.searched:,} runs that were searched for both, {first:,} have "
            f"{self.names[0]} and {second:,} {self.names[1]}"
        )
