"""What a model may see: one gate for reports and questions, counted before a model sees anything.

``RiskPolicy`` decides by risk group and destination. A model on this machine and one elsewhere may
see the groups that the policy names for each, and those that the person who runs the build or asks
the question allows besides. What is withheld gets no interpretation or is answered from facts
(docs/biosafety.md).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    import polars as pl

GROUPS: Final = ("RG1", "RG2", "unknown", "RG3", "RG4")
"""From the safest to the most dangerous; the position is the severity. Unknown is not safe."""

DANGEROUS: Final = ("RG3", "RG4")
"""Groups whose agents are known to be dangerous, by name."""


def check_groups(groups: Iterable[str]) -> tuple[str, ...]:
    """Return ``groups``; raises ``ValueError`` naming those that are no risk group.

    >>> check_groups(["RG3"])
    ('RG3',)
    """
    listed = tuple(groups)
    unknown = sorted(set(listed) - set(GROUPS))
    if unknown:
        wrong, known = ", ".join(unknown), ", ".join(GROUPS)
        raise ValueError(f"{wrong}: no risk group; there are {known}")
    return listed


def group_of(severity: pl.Expr) -> pl.Expr:
    """Return the expression of the risk group at a position in ``GROUPS``; null where there is no
    position.
    """
    names = dict(enumerate(GROUPS))
    return severity.replace_strict(names)


@dataclass(frozen=True, slots=True)
class RiskPolicy:
    """Which risk groups a model may see, by where it runs. What is not named here is withheld."""

    local: tuple[str, ...] = ("RG1", "RG2", "unknown")
    """Groups that a model on this machine may see."""
    remote: tuple[str, ...] = ("RG1", "RG2")
    """Groups that a model elsewhere may see."""
    allowed: tuple[str, ...] = ()
    """Groups that one build or one question allows besides, wherever the model runs."""

    def __post_init__(self) -> None:
        named = (*self.local, *self.remote, *self.allowed)
        check_groups(named)

    def may_see(self, risk_group: str, *, local: bool) -> bool:
        """Return whether a model on this machine (``local``) or elsewhere may see ``risk_group``.

        >>> policy = RiskPolicy()
        >>> policy.may_see("unknown", local=True), policy.may_see("unknown", local=False)
        (True, False)
        """
        usual = self.local if local else self.remote
        if risk_group in usual:
            return True
        return risk_group in self.allowed

    def shown(self, *, local: bool) -> tuple[str, ...]:
        """Return the risk groups that a model may see, the safest first."""
        groups = [group for group in GROUPS if self.may_see(group, local=local)]
        return tuple(groups)

    def named_never(self, *, local: bool) -> tuple[str, ...]:
        """Return the groups whose agents no prompt to a model may name, not even in a question.

        >>> RiskPolicy(allowed=("RG3",)).named_never(local=False)
        ('RG4',)
        """
        groups = [group for group in DANGEROUS if not self.may_see(group, local=local)]
        return tuple(groups)

    def here_besides(self, groups: Iterable[str]) -> bool:
        """Return whether a model on this machine may see one of ``groups``."""
        shown = self.shown(local=True)
        return not set(shown).isdisjoint(groups)

    def allowing(self, groups: Iterable[str]) -> RiskPolicy:
        """Return this policy with ``groups`` allowed besides; raises ``ValueError``."""
        allowed = (*self.allowed, *check_groups(groups))
        return replace(self, allowed=allowed)


DEFAULT_POLICY: Final = RiskPolicy()


@dataclass(frozen=True)
class Exposure:
    """How many reports go to ``model``, and how many of each risk group do not."""

    model: str
    local: bool
    """Whether the text stays on this machine."""
    reports: int
    withheld: dict[str, int]
    """Reports of each risk group that the model may not see."""
    policy: RiskPolicy = DEFAULT_POLICY
    """What withheld them."""
    limit: int | None = None
    """Most reports to word, the most valuable first; None: all that may be seen."""

    @property
    def shown(self) -> int:
        """Reports that the model may see."""
        withheld = sum(self.withheld.values())
        return self.reports - withheld

    @property
    def worded(self) -> int:
        """Reports that it will be asked to word."""
        if self.limit is None:
            return self.shown
        return min(self.limit, self.shown)

    def text(self) -> str:
        """Return what the model gets, and what is withheld and why, a line each."""
        where = "on this machine" if self.local else "not on this machine"
        first = f"{self.worded:,} of {self.reports:,} reports go to {self.model} ({where})"
        beyond = self.shown - self.worded
        if beyond:
            first += f"; {beyond:,} more might, beyond the limit of {self.limit:,}"
        lines = [first]
        if self.withheld:
            kept = sum(self.withheld.values())
            counts = group_counts(self.withheld)
            lines.append(f"{kept:,} are withheld for biosafety and get no interpretation: {counts}")
            lines.append(self._remedy())
        return "\n".join(lines)

    def _remedy(self) -> str:
        ways = []
        if "unknown" in self.withheld:
            ways.append("list their viruses in the manifest's [biosafety] risk_groups")
        if not self.local and self.policy.here_besides(self.withheld):
            ways.append("use a model on this machine")
        ways.append(allow_options(self.withheld))
        return f"to have them interpreted: {', or '.join(ways)} (docs/biosafety.md)"


def expose(
    risk_groups: Iterable[str],
    *,
    model: str,
    local: bool,
    policy: RiskPolicy,
    limit: int | None = None,
) -> Exposure:
    """Return the exposure of reports of these ``risk_groups`` to a model under ``policy``.

    >>> groups = ["RG2", "unknown", "unknown"]
    >>> expose(groups, model="m", local=False, policy=RiskPolicy()).withheld
    {'unknown': 2}
    """
    listed = list(risk_groups)
    kept = [group for group in listed if not policy.may_see(group, local=local)]
    return Exposure(
        model=model,
        local=local,
        reports=len(listed),
        withheld=count_groups(kept),
        policy=policy,
        limit=limit,
    )


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
    words = []
    for group, count in counts.items():
        name = "unknown risk group" if group == "unknown" else group
        words.append(f"{name} {count:,}")
    return ", ".join(words)


def allow_options(groups: Iterable[str]) -> str:
    """Return the options that let a model see ``groups``.

    >>> allow_options(["unknown", "RG3"])
    '--allow-risk unknown --allow-risk RG3'
    """
    options = [f"--allow-risk {group}" for group in groups]
    return " ".join(options)
