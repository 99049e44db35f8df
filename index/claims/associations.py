"""Claims about associations (MWAS): a test within a project, an effect over projects."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from index.claims.claim import Claim, Number, joined
from index.claims.phrases import SIGNIFICANT_Q, counted, in_quotes, is_or_are, listed, q_text, times
from index.stated import COVERAGE_BASED, KMER_BASED

_LONGEST_VALUE = 80
_REMARK = re.compile(r"\s*\([^()]*[=:][^()]*\)\s*")
"""An identifier or setting in brackets that submitters write after a name."""
_CAUTIONS: Final = {
    "no negatives": "every sample is positive",
    COVERAGE_BASED: "abundance is estimated from contig coverage",
    KMER_BASED: "abundance is the share of k-mers",
}
"""Some flags in words."""
_CORRECTED = " after correction (q ≤ 0.05)"


@dataclass(frozen=True, slots=True, kw_only=True)
class AssociationClaim(Claim):
    """A family is more or less abundant in the samples of a project that have a value.

    ``with_value, without`` count samples: BioSamples, and runs that name none; ``fold_change`` is
    log2 of the ratio of mean reads per million; ``found`` counts the samples of both groups that
    have the family, where presence was tested; ``flag`` asks for care; ``about`` is the title of
    the project.
    """

    family: str
    attribute: str
    value: str
    project: str
    with_value: int
    without: int
    fold_change: float | None
    q_value: float | None
    found: tuple[int, int] | None = None
    flag: str = ""
    about: str = ""

    @property
    def holds(self) -> bool:
        """Whether the test holds after correction."""
        return self.q_value is not None and self.q_value <= SIGNIFICANT_Q

    def clause(self) -> str:
        """Return the direction, the size, the groups and the q-value."""
        q_value = "" if self.q_value is None else q_text(self.q_value)
        flags = [_CAUTIONS.get(flag, flag) for flag in self.flag.split(";") if flag]
        care = f"caution: {listed(flags)}" if flags else ""
        value = in_quotes(_REMARK.sub(" ", self.value).strip() or self.value, most=_LONGEST_VALUE)
        samples = counted(self.with_value, "sample")
        behind = "; ".join(filter(None, (q_value, care)))
        others = counted(self.without, "sample")
        than = f"{self._than()} {others}"
        if self.found is not None:
            others = "sample" if self.without == 1 else "samples"
            than = f"and in {self.found[1]:,} of the other {self.without:,} {others}"
        return joined(
            f"{self.family} {self._effect()} {samples} with {self.attribute} {value}",
            f"{than} of {self.project}",
            in_quotes(self.about) if 0 < len(self.about) <= _LONGEST_VALUE else "",
            f"({behind})" if behind else "",
        )

    def _effect(self) -> str:
        """Return how much more or less abundant it is; "not" if the test does not hold."""
        are = is_or_are(self.family)
        if self.found is not None:
            return f"{are} found in {self.found[0]:,} of the"
        if self.fold_change is None:
            differ = "differ in" if self.holds else "do not differ reliably in"
            return f"{differ} abundance in the"
        more = "more" if self.fold_change >= 0 else "less"
        if not self.holds:
            return f"{are} not reliably {more} abundant in the"
        as_or_less = "as" if self.fold_change >= 0 else "less"
        return f"{are} {times(2 ** abs(self.fold_change))} {as_or_less} abundant in the"

    def _than(self) -> str:
        if self.fold_change is None:
            return "and in the other"
        return "as in the other" if self.holds and self.fold_change >= 0 else "than in the other"

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
        are = is_or_are(self.family)
        verdict = f"{are} {'' if self.holds else 'not reliably '}{more} abundant"
        return (
            f"over {self.projects:,} projects, {self.family} {verdict} {self._where()} "
            f"(Hedges' g {self.effect:.2f}, 95% interval {self.low:.2f} to {self.high:.2f}; "
            f"{self.agreeing:,} of them point this way; {q_text(self.q_value)})"
        )

    def _where(self) -> str:
        return (
            f"in {self.value} samples"
            if self.attribute.startswith("tissue")
            else f"with {self.value}"
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class AssociationsHeld(Claim):
    """How many of the tests hold after correction.

    ``flagged`` counts further tests that hold but are of tiny groups, or of the same samples twice.
    """

    holding: int
    total: int
    noun: tuple[str, str] = ("test", "tests")
    where: str = ""
    flagged: int = 0

    def clause(self) -> str:
        """Return how many tests there are, and how many hold; flagged tests are left out."""
        tests = joined(counted(self.total, *self.noun), self.where)
        significant = self.holding + self.flagged
        are = "are" if significant > 1 else "is"
        every = joined(f"both {self.noun[1]}", self.where) if self.total == 2 else f"all {tests}"
        some = {0: f"none of the {tests}", self.total: every}.get(
            significant, f"{significant:,} of the {tests}"
        )
        some = f"the {tests}" if significant == self.total == 1 else some
        marked = f", {self.holding:,} of them without a warning flag" if self.flagged else ""
        if self.flagged and not self.holding:
            marked = ", with a warning flag" if significant == 1 else ", all with a warning flag"
        return f"{some} {are} significant{_CORRECTED}{marked}"
