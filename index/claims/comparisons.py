"""Claims that compare: which side has more, by how much, and whether chance explains it."""

from __future__ import annotations

from dataclasses import dataclass

from index.claims.claim import Claim, Number
from index.claims.phrases import factor, listed, percent
from index.claims.ranks import number_text


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

    def said(self, unit: str) -> str:
        """Return the number in words."""
        if self.part is not None and self.whole is not None:
            return f"{percent(self.part / self.whole)}, {self.part:,} of {self.whole:,}"
        return f"{number_text(self.number)} {unit}".strip()

    def numbers(self) -> tuple[Number, ...]:
        """Return the numbers that ``said`` holds."""
        if self.part is not None and self.whole is not None:
            return self.part / self.whole, self.part, self.whole
        return (self.number,)


@dataclass(frozen=True, slots=True, kw_only=True)
class Compared(Claim):
    """Two or more sides in order of their numbers.

    ``begin``  the first side and its lead: "EBV is found in more runs from humans"
    ``than``   how the second is joined: "than from mice"
    """

    begin: str
    than: str
    sides: tuple[Side, ...]
    unit: str = ""

    def clause(self) -> str:
        """Return "more runs carry EBV than HCV (5,283 against 42 runs, 126 times as many)"."""
        first, second = self.sides[0], self.sides[1]
        counts = f"{first.said('')} against {second.said(self.unit)}"
        if first.part is not None:
            counts = f"{first.said('')}, against {second.said('')}"
        times = self._times()
        return f"{self.begin} {self.than} ({counts}{times})"

    def _times(self) -> str:
        ratio = self.ratio
        if ratio is None or ratio < 1.5:
            return ""
        what = "as often" if self.sides[0].part is not None else "as many"
        return f"; {factor(ratio)} times {what}"

    @property
    def ratio(self) -> float | None:
        """The first number over the second; None where that says nothing."""
        first, second = self.sides[0], self.sides[1]
        is_count = isinstance(first.number, int) or first.part is not None
        return first.number / second.number if is_count and second.number else None

    def numbers(self) -> tuple[Number, ...]:
        """Return the numbers of both sides, and their ratio where it is said."""
        numbers = [number for side in self.sides[:2] for number in side.numbers()]
        ratio = self.ratio
        return (*numbers, ratio) if ratio is not None and ratio >= 1.5 else tuple(numbers)

    def words(self) -> tuple[str, ...]:
        """Return what is compared."""
        return self.begin, self.than, self.unit


@dataclass(frozen=True, slots=True, kw_only=True)
class Alike(Claim):
    """Sides whose numbers are equal."""

    begin: str
    names: tuple[str, ...]
    said: str
    values: tuple[Number, ...]

    def clause(self) -> str:
        """Return "EBV and HCV are found in equally many runs (3 each)"."""
        return f"{self.begin} ({self.said} each)"

    def numbers(self) -> tuple[Number, ...]:
        """Return the number that the sides share."""
        return self.values

    def words(self) -> tuple[str, ...]:
        """Return what is compared."""
        return self.begin, *self.names


@dataclass(frozen=True, slots=True, kw_only=True)
class Tested(Claim):
    """Whether chance alone explains a difference of two shares: Fisher's exact test."""

    p_value: float

    def clause(self) -> str:
        """Return the verdict with the p-value."""
        shown = "p < 0.001" if self.p_value < 0.001 else f"p = {float(f'{self.p_value:.2g}'):g}"
        if self.p_value > 0.05:
            return f"chance alone may explain the difference (Fisher's exact test, {shown})"
        return (
            f"chance alone does not explain the difference (Fisher's exact test, {shown}), but "
            "studies may: runs of one study are not independent"
        )

    def numbers(self) -> tuple[Number, ...]:
        """Return the p-value."""
        return (self.p_value,)


def names_of(sides: tuple[Side, ...]) -> str:
    """Return the names of sides as a list."""
    return listed([side.name for side in sides])
