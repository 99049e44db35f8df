"""Claims that compare: which side has more, by how much, and whether chance explains it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from index.claims.amounts import NamedNumber
from index.claims.claim import Claim, Number, joined
from index.claims.phrases import LARGEST_LIFT, is_or_are, percents, times

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
        first, second = self._said()
        return f"{joined(self.begin, self.than)}: {first} against {second}{self._times()}"

    def _said(self) -> tuple[str, str]:
        """Return the number of each side, with its whole and share where that is known."""
        first, second = self.sides[:2]
        if first.share is None or second.share is None:
            return first.said(), second.said()
        known = f" {self.known}" if self.known else ""
        shares = percents(first.share, second.share)
        said = [
            f"{side.part:,} of {side.whole:,}{known} ({share})"
            if side.part
            else f"none of {side.whole:,}{known}"
            for side, share in zip((first, second), shares, strict=True)
        ]
        return said[0], said[1].replace(known, "", 1)

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
        """Return the shares in percent, and their ratio where it is said."""
        shares = [round(100 * side.share, 1) for side in self.sides if side.share]
        return (*shares, *([] if self.ratio is None else [min(self.ratio, LARGEST_LIFT)]))


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
            f"the difference of the shares is significant (Fisher's exact test, {shown}), but may "
            "come from a few large studies"
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class AtSpecies(Claim):
    """The numbers of two sides by hits that support the species, in the order of all their hits.

    ``names`` are the sides behind "runs": "with EBV", "from bats".
    """

    names: tuple[str, str]
    numbers_of: tuple[int, int]

    @property
    def is_reversed(self) -> bool:
        """Whether the side with fewer runs is ahead."""
        return self.numbers_of[0] < self.numbers_of[1]

    def clause(self) -> str:
        """Return both numbers, the larger first, and the verdict where it is reversed."""
        sides = sorted(zip(self.numbers_of, self.names, strict=True), key=lambda side: -side[0])
        (more, first), (less, second) = sides
        numbers = f"{more:,} against {less:,}" if less else f"{more:,} against none"
        if self.is_reversed:
            than = f"there are more confirmed runs {first} than {second}"
            return f"{than}: {numbers} (a match of at least 90%)"
        return f"confirmed are {numbers} (a match of at least 90%)"


@dataclass(frozen=True, slots=True, kw_only=True)
class InBoth(Claim):
    """The numbers of two viruses in the runs that were searched for both, the larger first.

    ``names`` are short, ``formal`` with the name of the species.
    """

    names: tuple[str, str]
    formal: tuple[str, str]
    numbers_of: tuple[int, int]
    searched: int

    def clause(self) -> str:
        """Return which is found more often, both numbers, and of how many runs they are."""
        said = [f"{number:,}" if number else "none" for number in self.numbers_of]
        first, second = self.formal
        verdict = f"{first} {is_or_are(first)} found more often than {second}"
        if self.numbers_of[0] == self.numbers_of[1]:
            verdict = f"{first} and {second} are found equally often"
        searched = f"of the {self.searched:,} runs searched for both"
        return f"{verdict}: {said[0]} against {said[1]} {searched}"
