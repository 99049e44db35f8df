"""Claims without a count: a verdict, a property as it is stored, a caution, a remark."""

from __future__ import annotations

from dataclasses import dataclass

from index.claims.claim import Claim, Number


@dataclass(frozen=True, slots=True, kw_only=True)
class Said(Claim):
    """A statement in words; ``values`` are numbers in it, ``names`` texts whose digits are none."""

    text: str
    values: tuple[Number, ...] = ()
    names: tuple[str, ...] = ()

    def clause(self) -> str:
        """Return the text."""
        return self.text

    def numbers(self) -> tuple[Number, ...]:
        """Return the numbers of the text."""
        return self.values

    def words(self) -> tuple[str, ...]:
        """Return the names of the text."""
        return self.names


@dataclass(frozen=True, slots=True, kw_only=True)
class Answered(Claim):
    """Yes or no, before the statement that says why."""

    verdict: str
    because: Claim

    def clause(self) -> str:
        """Return the verdict and the reason."""
        return f"{self.verdict}: {self.because.clause()}"

    def numbers(self) -> tuple[Number, ...]:
        """Return the numbers of the reason."""
        return self.because.numbers()

    def words(self) -> tuple[str, ...]:
        """Return the names of the reason."""
        return self.because.words()
