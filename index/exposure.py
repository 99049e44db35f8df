"""Decide what a model may see: three named policies, applied and counted before any call.

``open``     any model sees everything: what the index holds are counts of public data
``careful``  RG3, RG4 and unknown are seen by models on this machine only (the default)
``strict``   RG3, RG4 and unknown are seen by no model

``--risk-policy``, ``VIROME_RISK_POLICY`` or ``risk_policy`` under ``[report]`` of a configuration
names the policy. What is withheld gets no interpretation or is answered from facts
(docs/biosafety.md).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    import polars as pl

RISK_POLICY: Final = "VIROME_RISK_POLICY"
"""Environment variable that names a policy."""

NO_VERTEBRATE: Final = "no vertebrate host"
"""Group of a virus that no register lists and whose recorded hosts include no vertebrate.
"""

GROUPS: Final = ("RG1", NO_VERTEBRATE, "RG2", "unknown", "RG3", "RG4")
"""From the safest to the most dangerous; the position is the severity. Unknown is not safe."""

DANGEROUS: Final = ("RG3", "RG4")
"""Groups whose agents are known to be dangerous, by name."""

CLEARED: Final = ("RG1", NO_VERTEBRATE, "RG2")
"""Groups that every policy shows to every model."""


SHIPPED_FROM: Final = 1_000_000
"""Added to row numbers of the shipped register, so that rows of two registers stay distinct."""


def group_of(severity: pl.Expr) -> pl.Expr:
    """Return the risk group at a position in ``GROUPS``; null where there is no position."""
    names = dict(enumerate(GROUPS))
    return severity.replace_strict(names)


@dataclass(frozen=True, slots=True)
class RiskPolicy:
    """Which risk groups a model may see, by where it runs. All other groups are withheld."""

    name: str
    here: tuple[str, ...]
    """Groups that a model on this machine may see."""
    elsewhere: tuple[str, ...]
    """Groups that a model elsewhere may see."""

    def may_see(self, risk_group: str, *, local: bool) -> bool:
        """Return whether a model on this machine (``local``) or elsewhere may see ``risk_group``.

        >>> policy = policy_named("careful")
        >>> policy.may_see("unknown", local=True), policy.may_see("unknown", local=False)
        (True, False)
        """
        return risk_group in (self.here if local else self.elsewhere)

    def shown(self, *, local: bool) -> tuple[str, ...]:
        """Return the risk groups that a model may see, the safest first."""
        return tuple(group for group in GROUPS if self.may_see(group, local=local))

    def named_never(self, *, local: bool) -> tuple[str, ...]:
        """Return the groups whose agents no prompt may name, not even in a question.

        >>> policy_named("careful").named_never(local=False)
        ('RG3', 'RG4')
        """
        return tuple(group for group in DANGEROUS if not self.may_see(group, local=local))

    def here_besides(self, groups: Iterable[str]) -> bool:
        """Return whether a model on this machine may see one of ``groups``."""
        return not set(self.here).isdisjoint(groups)


POLICIES: Final = {
    "open": RiskPolicy("open", here=GROUPS, elsewhere=GROUPS),
    "careful": RiskPolicy("careful", here=GROUPS, elsewhere=CLEARED),
    "strict": RiskPolicy("strict", here=CLEARED, elsewhere=CLEARED),
}
DEFAULT_POLICY: Final = POLICIES["careful"]


def policy_named(name: str) -> RiskPolicy:
    """Return the policy of that ``name``; raises ``ValueError`` with a list of the policies.

    >>> policy_named("strict").shown(local=True)
    ('RG1', 'no vertebrate host', 'RG2')
    """
    if name not in POLICIES:
        raise ValueError(f"{name}: not a risk policy; policies: {', '.join(POLICIES)}")
    return POLICIES[name]


@dataclass(frozen=True)
class Exposure:
    """How many reports go to ``model``, and how many of each risk group do not."""

    model: str
    local: bool
    """Whether the text stays on this machine."""
    reports: int
    withheld: dict[str, int]
    """Reports about viruses that the model may not see, by their risk group."""
    policy: RiskPolicy = DEFAULT_POLICY
    """What withheld them."""
    limit: int | None = None
    """Most reports to interpret, the most valuable first; None: all that may be seen."""
    lines: Mapping[str, int] = field(default_factory=dict)
    """Lines about such viruses that are left out of the other reports, by risk group."""

    @property
    def shown(self) -> int:
        """Reports that the model may see."""
        return self.reports - sum(self.withheld.values())

    @property
    def worded(self) -> int:
        """Reports that the model will interpret."""
        return self.shown if self.limit is None else min(self.limit, self.shown)

    def text(self) -> str:
        """Return what the model gets, and what is withheld and why, one line each."""
        where = "on this machine" if self.local else "not on this machine"
        first = f"{self.worded:,} of {self.reports:,} reports go to {self.model} ({where})"
        beyond = self.shown - self.worded
        if beyond:
            first += f"; {beyond:,} more might, beyond the limit of {self.limit:,}"
        lines = [first]
        if self.withheld:
            withheld = sum(self.withheld.values())
            counts = group_counts(self.withheld)
            lines.append(
                f"{withheld:,} are withheld for biosafety and get no interpretation: {counts}"
            )
        if self.lines:
            counts = group_counts(self.lines)
            lines.append(f"lines left out of the others for biosafety: {counts}")
        if self.withheld or self.lines:
            lines.append(self._remedy())
        return "\n".join(lines)

    def _remedy(self) -> str:
        ways = []
        groups = {*self.withheld, *self.lines}
        if "unknown" in groups:
            ways.append("list their viruses in the manifest's [biosafety] risk_groups")
        if not self.local and self.policy.here_besides(groups):
            ways.append("use a model on this machine")
        said = f"risk policy {self.policy.name} (docs/biosafety.md)"
        return f"{said}; to have them interpreted: {', or '.join(ways)}" if ways else said


def count_groups(risk_groups: Iterable[str]) -> dict[str, int]:
    """Return how often each risk group occurs, the safest first.

    >>> count_groups(["RG3", "RG2", "RG3"])
    {'RG2': 1, 'RG3': 2}
    """
    counts = Counter(risk_groups)
    return {group: counts[group] for group in GROUPS if group in counts}


def group_counts(counts: Mapping[str, int]) -> str:
    """Return counts per risk group in words.

    >>> group_counts({"unknown": 700, "RG3": 60})
    'unknown risk group 700, RG3 60'
    """
    names = {"unknown": "unknown risk group"}
    return ", ".join(f"{names.get(group, group)} {count:,}" for group, count in counts.items())
