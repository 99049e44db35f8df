"""What the figures should reach, and which of them fail a gate."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from query.evaluation.figures import Figures


@dataclass(frozen=True, slots=True)
class Aim:
    """A figure, the least or most that it should be (0-1), and the floor under which a gate fails.

    ``most``: the figure should be small, and the floor is a ceiling.
    """

    name: str
    read: Callable[[Figures], float | None]
    aim: float
    floor: float
    most: bool = False

    def reached(self, figures: Figures) -> bool | None:
        """Return whether the aim is reached, None where the figure was not measured."""
        value = self.read(figures)
        return self._holds(value, self.aim)

    def passed(self, figures: Figures) -> bool:
        """Return whether the gate lets the figure pass; what was not measured passes."""
        value = self.read(figures)
        holds = self._holds(value, self.floor)
        return holds is not False

    def _holds(self, value: float | None, limit: float) -> bool | None:
        if value is None:
            return None
        return value <= limit if self.most else value >= limit


AIMS: Final = (
    Aim("headline right", lambda one: one.headline.value, 0.90, 0.85),
    Aim("refused what cannot be known", lambda one: one.refused.value, 0.95, 0.85),
    Aim("refused wrongly", lambda one: one.refused_wrongly.value, 0.02, 0.08, most=True),
    Aim("citations valid", lambda one: one.citations.value, 1.0, 0.99),
    Aim("numbers exact", lambda one: one.numbers.value, 1.0, 0.99),
    Aim("triage R@10", lambda one: one.triage.get("R@10"), 0.90, 0.88),
    Aim("triage MAP@10", lambda one: one.triage.get("AP@10"), 0.75, 0.75),
    Aim("deterministic", lambda one: one.deterministic.value, 1.0, 1.0),
)
"""Aims of the product; the floors of the gate are a few questions below the figures of the sample,
so that a failure is news.
"""


def failures(figures: Sequence[Figures]) -> tuple[str, ...]:
    """Return which figures fall below the floor of the gate, in words."""
    failed = []
    for one in figures:
        for aim in AIMS:
            if not aim.passed(one):
                value = aim.read(one)
                failed.append(f"{one.name}: {aim.name} is {value:.3f}, {_limit(aim)}")
    return tuple(failed)


def _limit(aim: Aim) -> str:
    bound = "at most" if aim.most else "at least"
    return f"{bound} {aim.floor:g} passes"
