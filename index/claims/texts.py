"""Claims without a count: a verdict, a property as it is stored, a caution, a remark."""

from __future__ import annotations

from dataclasses import dataclass

from index.claims.claim import Claim, Number


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


@dataclass(frozen=True, slots=True, kw_only=True)
class Portrait(Claim):
    """What a thing is, in words that the index stores: names, titles, dates."""

    text: str

    def clause(self) -> str:
        """Return the text."""
        return self.text

    def words(self) -> tuple[str, ...]:
        """Return the text, all of which is stored."""
        return (self.text,)
