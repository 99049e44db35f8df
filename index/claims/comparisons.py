"""Claims that compare: which side has more, by how much, and whether chance explains it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from index.claims.claim import Claim, Number
from index.claims.phrases import LARGEST_LIFT, percent, times
from index.claims.ranks import number_text

_WORTH_SAYING: Final = 1.5
"""Ratio of two shares from which it is said."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Side:
    """One side of a comparison.

    ``name``     what stands behind "in" or as subject: "humans", "EBV"
    ``number``   what is compared: runs, a share from 0 to 1, a mean
    ``part, whole``  of a share
    """

    name: str
    number: Number
    part: int | None = None
    whole: int | None = None

    def said(self) -> str:
        """Return the number in words."""
        if self.part is None or self.whole is None:
            return number_text(self.number)
        if self.part == 0:
            return f"none of {self.whole:,}"
        return f"{self.part:,} of {self.whole:,}, {percent(self.part / self.whole)}"

    def numbers(self) -> tuple[Number, ...]:
        """Return the numbers that ``said`` holds."""
        if self.part is not None and self.whole is not None:
            return self.part / self.whole, self.part, self.whole
        return (self.number,)

    @property
    def share(self) -> float | None:
        """The part over the whole; None where there is none."""
        return self.part / self.whole if self.part is not None and self.whole else None


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
    sides: tuple[Side, ...]
    known: str = ""
    are_alike: bool = True

    def clause(self) -> str:
        """Return "more runs carry EBV than HCV (5,283 against 42 runs, 126 times as many)"."""
        first, second = self.sides[0], self.sides[1]
        known = f" {self.known}" if self.known else ""
        comma = "," if first.share is not None else ""
        counts = f"{first.said()}{comma} against {second.said()}"
        if known and first.share is not None:
            of = f"of {first.whole:,}"
            counts = counts.replace(of, f"{of}{known}", 1)
        return f"{self.begin} {self.than} ({counts}{self._times()})"

    def _times(self) -> str:
        ratio = self.ratio
        return "" if ratio is None else f"; {times(ratio)} as often"

    @property
    def ratio(self) -> float | None:
        """The first share over the second; None where that says nothing."""
        first, second = self.sides[0].share, self.sides[1].share
        if not self.are_alike:
            return None
        if not first or not second or first < _WORTH_SAYING * second:
            return None
        return first / second

    def numbers(self) -> tuple[Number, ...]:
        """Return the numbers of both sides, and their ratio where it is said."""
        numbers = [number for side in self.sides[:2] for number in side.numbers()]
        ratio = self.ratio
        return tuple(numbers) if ratio is None else (*numbers, min(ratio, LARGEST_LIFT))

    def words(self) -> tuple[str, ...]:
        """Return what is compared."""
        return self.begin, self.than, self.known


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

    def numbers(self) -> tuple[Number, ...]:
        """Return the number that the sides share."""
        return self.values

    def words(self) -> tuple[str, ...]:
        """Return what is compared."""
        return self.begin, *self.names


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

    def numbers(self) -> tuple[Number, ...]:
        """Return the p-value."""
        return (self.p_value,)


@dataclass(frozen=True, slots=True, kw_only=True)
class AtSpecies(Claim):
    """The numbers of two sides by hits that support the species."""

    numbers_of: tuple[int, int]

    def clause(self) -> str:
        """Return both numbers, in the order of the sides."""
        first, second = self.numbers_of
        return f"at 90% identity or more it is {first:,} against {second:,}"

    def numbers(self) -> tuple[Number, ...]:
        """Return both numbers."""
        return self.numbers_of
