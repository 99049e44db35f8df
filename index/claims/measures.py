"""Claims about numbers that runs or hits have: identity, reads, spots."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from index.claims.amounts import RUN, number_text
from index.claims.claim import Claim, Number, joined
from index.claims.phrases import counted

_FEW: Final = 10
"""Number of values below which a median and a mean say nothing."""
_PRECISE: Final = 10
"""Decimals are printed only if the greatest value is below this."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Summarised(Claim):
    """Median, range, mean and count of a number.

    ``field``  "identity"; ``unit``  "%" or " reads"; ``of``  "of EBV in runs from bats"
    ``counts`` what was measured: ("detection", "detections"); ``is_best`` the best match of each
    """

    field: str
    of: str
    unit: str
    n: int
    low: Number
    median: Number
    mean: Number
    high: Number
    counts: tuple[str, str] = RUN
    is_best: bool = False

    def clause(self) -> str:
        """Return "the median identity of HBV is 99% (mean 98%, range 92 to 100%, …)"."""
        over = counted(self.n, *self.counts)
        if self.low == self.high:
            return f"{joined('the', self.field, self.of)} is {self.phrase()} in {over}"
        spread = f"{self._said(self.low)} to {self._said(self.high)}{self.unit}"
        if self.n < _FEW:
            return f"{joined('the', self.field, self.of)} is {spread} in {over}"
        subject = joined("the median", self.field, self.of)
        mean = f"{self._said(self.mean)}{self.unit}"
        over = f"{over}, the best match of each" if self.is_best else over
        return f"{subject} is {self.phrase()} (mean {mean}, range {spread}; {over})"

    def _said(self, number: Number) -> str:
        return number_text(self._rounded(number))

    def _rounded(self, number: Number) -> Number:
        """Return a number with the precision of the greatest."""
        return round(number) if self.high >= _PRECISE else number

    def phrase(self) -> str:
        """Return the median."""
        return f"{self._said(self.median)}{self.unit}"

    def derived(self) -> tuple[Number, ...]:
        """Return the rounded numbers."""
        return tuple(map(self._rounded, (self.low, self.median, self.mean, self.high)))
