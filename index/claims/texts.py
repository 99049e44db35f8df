"""Claims without a count: a verdict, a property as it is stored, a caution, a remark."""

from __future__ import annotations

from dataclasses import dataclass

from index.claims.claim import Claim


@dataclass(frozen=True, slots=True, kw_only=True)
class YesOrNo(Claim):
    """Yes or no, before the statement that says why."""

    verdict: str
    because: Claim

    def clause(self) -> str:
        """Return the verdict and the reason."""
        return f"{self.verdict}: {self.because.clause()}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Portrait(Claim):
    """What a thing is, in words that the index stores: names, titles, dates."""

    text: str

    def clause(self) -> str:
        """Return the text."""
        return self.text
