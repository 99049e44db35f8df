"""Claims about associations (MWAS): a test within a project, an effect over projects."""

from __future__ import annotations

from dataclasses import dataclass

from index.claims.claim import Claim, Number, joined
from index.claims.phrases import SIGNIFICANT_Q, counted, in_quotes, q_text, times

_LONGEST_VALUE = 60


@dataclass(frozen=True, slots=True, kw_only=True)
class AssociationClaim(Claim):
    """A family is more or less abundant in the samples of a project that have a value.

    ``with_value, without`` count samples: BioSamples, and runs that name none; ``fold_change`` is
    log2 of the ratio of mean reads per million; ``flag`` asks for care.
    """

    family: str
    attribute: str
    value: str
    project: str
    with_value: int
    without: int
    fold_change: float | None
    q_value: float | None
    flag: str = ""

    @property
    def holds(self) -> bool:
        """Whether the test holds after correction."""
        return self.q_value is not None and self.q_value <= SIGNIFICANT_Q

    def clause(self) -> str:
        """Return the direction, the size, the groups and the q-value."""
        samples = counted(self.with_value, "sample")
        q_value = "" if self.q_value is None else f"; {q_text(self.q_value)}"
        care = f"; caution: {self.flag}" if self.flag else ""
        value = in_quotes(self.value, most=_LONGEST_VALUE)
        return (
            f"in {self.project}, {self.family} {self._effect()} where {self.attribute} is {value} "
            f"({samples} against {self.without:,}{q_value}{care})"
        )

    def _effect(self) -> str:
        """Return how much more or less abundant; of a test that does not hold, that it is not."""
        if self.fold_change is None:
            return "differs in abundance" if self.holds else "does not differ reliably"
        comparison = "as abundant" if self.fold_change >= 0 else "less abundant"
        if not self.holds:
            more = "more" if self.fold_change >= 0 else "less"
            return f"is not reliably {more} abundant"
        return f"is {times(2 ** abs(self.fold_change))} {comparison}"

    def phrase(self) -> str:
        """Return family and value."""
        return f"{self.family} with {self.attribute} “{self.value}”"

    def derived(self) -> tuple[Number, ...]:
        """Return how many times as abundant the family is."""
        return () if self.fold_change is None else (2 ** abs(self.fold_change),)


@dataclass(frozen=True, slots=True, kw_only=True)
class Effect(Claim):
    """The effect of a value on a family, combined over projects (Hedges' g)."""

    family: str
    attribute: str
    value: str
    projects: int
    agreeing: int
    effect: float
    low: float
    high: float
    q_value: float

    @property
    def holds(self) -> bool:
        """Whether the effect holds after correction."""
        return self.q_value <= SIGNIFICANT_Q

    def clause(self) -> str:
        """Return the direction over projects, the effect with its interval, and the q-value."""
        more = "more" if self.effect > 0 else "less"
        verdict = f"is {more} abundant" if self.holds else f"is not reliably {more} abundant"
        return (
            f"over {self.projects:,} projects, {self.family} {verdict} with {self.value} "
            f"(Hedges' g {self.effect:.2f}, 95% interval {self.low:.2f} to {self.high:.2f}; "
            f"{self.agreeing:,} of them agree; {q_text(self.q_value)})"
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class AssociationsHeld(Claim):
    """How many of the tests hold after correction."""

    holding: int
    total: int
    noun: tuple[str, str] = ("test", "tests")
    where: str = ""

    def clause(self) -> str:
        """Return how many tests there are, and how many hold."""
        there = "there is" if self.total == 1 else "there are"
        tests = joined(counted(self.total, *self.noun), self.where)
        if self.holding == self.total:
            verb = "it holds" if self.total == 1 else "all hold"
        elif self.holding == 0:
            verb = "it does not hold" if self.total == 1 else "none of them holds"
        else:
            verb = f"{self.holding:,} of them {'holds' if self.holding == 1 else 'hold'}"
        return f"{there} {tests}; {verb} after correction (q ≤ 0.05)"
