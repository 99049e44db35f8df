"""Claims that compare: which side has more, by how much, and whether chance explains it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from index.claims.amounts import RUN, NamedNumber, Noun
from index.claims.claim import Claim, Number, joined
from index.claims.phrases import LARGEST_LIFT, percents, times

_WORTH_SAYING: Final = 1.5
"""Smallest ratio of two shares that is stated."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Compared(Claim):
    """Two sides in order of their numbers.

    ``begin``  the first side and its lead: "EBV is found in more runs from humans"
    ``than``   how the second is joined: "than from mice"
    ``known``  what the wholes of the shares are: "searched"
    """

    begin: str
    than: str
    sides: tuple[NamedNumber, NamedNumber]
    noun: Noun = RUN
    known: str = ""

    def clause(self) -> str:
        """Return "EBV is found in more runs than HCV: 5,283 of 40,000 searched (13%) against 42 of
        50,000 (0.1%), over 100 times as often"; of equal sides their number once.
        """
        first, second = self.sides
        if not self.than:
            return f"{self.begin} ({first.said(self.noun)} each)"
        unit = ("", self.known)
        said = first.said(unit), second.said(unit)
        if first.share is not None and second.share is not None:
            shares = percents(first.share, second.share)
            said = self._of_whole(first, shares[0]), self._of_whole(second, shares[1])
        behind = said[1].replace(f" {self.known}", "", 1) if self.known else said[1]
        text = f"{joined(self.begin, self.than)}: {said[0]} against {behind}"
        if self._is_reversed_by_share():
            return f"{text}, so by share it is the other way round"
        return text if self.ratio is None else f"{text}, {times(self.ratio)} as often"

    def _is_reversed_by_share(self) -> bool:
        """Return whether the first side has more, but of a larger whole, so a smaller share."""
        first, second = self.sides
        if not first.out_of or not second.out_of or first.number <= second.number:
            return False
        return first.number / first.out_of < second.number / second.out_of

    def _of_whole(self, side: NamedNumber, share: str) -> str:
        of = joined(f"of {side.whole:,}", self.known)
        return f"{side.part:,} {of} ({share})" if side.part else f"none {of}"

    @property
    def ratio(self) -> float | None:
        """The first share divided by the second; None if that says nothing."""
        first, second = (side.share for side in self.sides)
        if not first or not second or first < _WORTH_SAYING * second:
            return None
        return first / second

    def derived(self) -> tuple[Number, ...]:
        """Return the shares in percent, and their ratio if it is stated."""
        shares = [round(100 * side.share, 1) for side in self.sides if side.share]
        return (*shares, *([] if self.ratio is None else [min(self.ratio, LARGEST_LIFT)]))


@dataclass(frozen=True, slots=True, kw_only=True)
class Fisher(Claim):
    """Whether chance alone explains a difference between two shares: Fisher's exact test."""

    p_value: float

    def clause(self) -> str:
        """Return the verdict with the p-value."""
        shown = "p < 0.001" if self.p_value < 0.001 else f"p = {float(f'{self.p_value:.2g}'):g}"
        if self.p_value > 0.05:
            return f"chance alone may explain the difference (Fisher's exact test, {shown})"
        return (
            f"chance does not explain the difference (Fisher's exact test, {shown}), but a few "
            "large studies may"
        )
