"""stub"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class AnswerPlan:
    """stub"""

    communities: int
    gated: int
    withheld: dict[str, int]
    map_calls: int
    calls: int
    prompt_tokens: int
    completion_tokens: int
    exact: bool


@dataclass(frozen=True, slots=True)
class PricedPlan:
    """stub"""

    model: str
    plan: AnswerPlan
    cost_usd: float | None
