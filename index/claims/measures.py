"""Claims about numbers that runs or hits have: identity, reads, spots."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from index.claims.amounts import number_text
from index.claims.claim import Claim, Number, joined
from index.claims.phrases import counted

_FEW: Final = 10
"""Values of which a mean says nothing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Summarised(Claim):
    """Median, range, mean and count of a number.

    ``field``  "identity"; ``unit``  "%" or " reads"; ``of``  "of EBV in runs from bats"
    ``counts`` what was measured: ("hit", "hits")
    """

    field: str
    of: str
    unit: str
    n: int
    low: Number
    median: Number
    mean: Number
    high: Number
    counts: tuple[str, str] = ("run", "runs")

    def clause(self) -> str:
        """Return "the identity of EBV is 99.12% on average (median 99%), from 92 to 100%, over
        6,597 hits".
        """
        subject = joined(f"the {self.field}", self.of)
        if self.n == 1:
            return f"{joined(f'the {self.field}', self.of)} is {self._with_unit(self.median)} in one {self.counts[0]}"  # noqa: E501
        over = counted(self.n, *self.counts)
        if self.low == self.high:
            return f"{subject} is {self._with_unit(self.median)} in all {over}"
        if self.n < _FEW:
            spread = f"{number_text(self.low)} to {self._with_unit(self.high)}"
            return f"{subject} is {spread} in {over}"
        return (
            f"{subject} is {self._with_unit(self.mean)} on average (median "
            f"{self._with_unit(self.median)}), from {number_text(self.low)} to "
            f"{self._with_unit(self.high)}, over {over}"
        )

    def _with_unit(self, number: Number) -> str:
        return f"{number_text(number)}{self.unit}"

    def phrase(self) -> str:
        """Return the median."""
        return self._with_unit(self.median)
