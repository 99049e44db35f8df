"""Which reports a model may see, counted and said before it sees any (docs/biosafety.md).

A model on this machine and one elsewhere may see the risk groups that the configuration names for
each (``ReportConfig.local_risk_groups``, ``remote_risk_groups``), and those that the person who
runs the build allows besides (``allow_risk``). What is withheld keeps its template.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final

GROUPS: Final = ("RG1", "RG2", "unknown", "RG3", "RG4")
"""From the safest to the most dangerous; the position is the severity. Unknown is not safe."""


@dataclass(frozen=True)
class Exposure:
    """How many reports go to ``model``, and how many of each risk group do not."""

    model: str
    local: bool
    """Whether the text stays on this machine."""
    reports: int
    withheld: dict[str, int]
    """Reports of each risk group that the model may not see."""
    limit: int | None = None
    """Most reports to word, the most valuable first; None: all that may be seen."""

    @property
    def shown(self) -> int:
        """Reports that the model may see."""
        return self.reports - sum(self.withheld.values())

    @property
    def worded(self) -> int:
        """Reports that it will be asked to word."""
        return self.shown if self.limit is None else min(self.limit, self.shown)

    def text(self) -> str:
        """Return what the model gets, and what is withheld and why, a line each."""
        where = "on this machine" if self.local else "not on this machine"
        lines = [f"{self.worded:,} of {self.reports:,} reports go to {self.model} ({where})"]
        if self.shown > self.worded:
            lines[0] += (
                f"; {self.shown - self.worded:,} more might, beyond the limit of {self.limit:,}"
            )
        if self.withheld:
            kept = sum(self.withheld.values())
            counts = group_counts(self.withheld)
            lines.append(f"{kept:,} are withheld for biosafety and keep their template: {counts}")
            lines.append(self._remedy())
        return "\n".join(lines)

    def _remedy(self) -> str:
        ways = []
        if "unknown" in self.withheld:
            ways.append("list their viruses in the manifest's [biosafety] risk_groups")
        if not self.local:
            ways.append("use a model on this machine")
        ways.append(allow_options(self.withheld))
        return f"to have them worded: {', or '.join(ways)} (docs/biosafety.md)"


def expose(
    risk_groups: Iterable[str],
    *,
    model: str,
    local: bool,
    allowed: Iterable[str],
    limit: int | None = None,
) -> Exposure:
    """Return the exposure of reports of these ``risk_groups`` to a model that may see ``allowed``.

    >>> expose(["RG2", "unknown", "unknown"], model="m", local=False, allowed=["RG1", "RG2"]).withheld
    {'unknown': 2}
    """
    listed = list(risk_groups)
    seen = frozenset(allowed)
    withheld: dict[str, int] = {
        group: listed.count(group) for group in GROUPS if group in listed and group not in seen
    }
    return Exposure(model, local, len(listed), withheld, limit)


def group_counts(counts: Mapping[str, int]) -> str:
    """Return counts per risk group in words.

    >>> group_counts({"unknown": 700, "RG3": 60})
    'unknown risk group 700, RG3 60'
    """
    named = {"unknown": "unknown risk group"}
    return ", ".join(f"{named.get(group, group)} {count:,}" for group, count in counts.items())


def allow_options(groups: Iterable[str]) -> str:
    """Return the options that let a model see ``groups``.

    >>> allow_options(["unknown", "RG3"])
    '--allow-risk unknown --allow-risk RG3'
    """
    return " ".join(f"--allow-risk {group}" for group in groups)
