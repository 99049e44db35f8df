"""Decide from the name of a model, which states its size, what it can be trusted with.

Measured with the same facts and prompts (docs/models-tried.md): a 135M model invents facts and only
shows that the path works, and what 0.5B and 1.5B models wrote about reports was no better than the
program's own text. Below 4 B no model interprets unless the configuration says so.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final, Literal


@dataclass(frozen=True)
class ModelProfile:
    """Limits to work within for one class of models."""

    tier: Literal["tiny", "small", "medium", "large"]
    context_tokens: int
    """Prompt and answer together."""
    map_batch_tokens: int
    """Reports put into one prompt of a global search."""
    prompt_tokens: int
    """Longest prompt of a report: what is shown last is left out until it fits."""
    report_tokens: int
    """Longest answer requested when a report is interpreted."""
    facts: int
    """Findings of a report shown when it is interpreted, in addition to its summary."""
    max_worded: int | None
    """Reports interpreted unless the configuration says otherwise; None interprets all."""
    concurrency: int
    """Calls under way at the same time."""
    prompt_per_s: float
    """Prompt tokens read per second, measured on two idle cores; for planning."""
    output_per_s: float
    """Tokens written per second, likewise."""

    @property
    def duties(self) -> str:
        """What the model does, in words."""
        if self.is_large:
            return "chooses statements of answers, interprets reports and answers, reads questions"
        reports = "interprets reports only where max_worded asks for it"
        if self.tier == "tiny":
            return f"shows the path and is not asked in answers; {reports}"
        return f"chooses which statements an answer shows; {reports}"

    @property
    def is_large(self) -> bool:
        """Whether it has 4 billion parameters or more: it may read, map and reduce."""
        return self.tier in ("medium", "large")


TINY: Final = ModelProfile(
    tier="tiny", context_tokens=4096, map_batch_tokens=800,
    prompt_tokens=1_000, report_tokens=150, facts=2,
    max_worded=0, concurrency=1,
    prompt_per_s=200, output_per_s=70,
)  # fmt: skip
SMALL: Final = ModelProfile(
    tier="small", context_tokens=8192, map_batch_tokens=2_000,
    prompt_tokens=1_000, report_tokens=150, facts=3,
    max_worded=0, concurrency=1,
    prompt_per_s=90, output_per_s=12,
)  # fmt: skip
MEDIUM: Final = ModelProfile(
    tier="medium", context_tokens=8192, map_batch_tokens=4_000,
    prompt_tokens=4_000, report_tokens=400, facts=8,
    max_worded=None, concurrency=2,
    prompt_per_s=15, output_per_s=3,
)  # fmt: skip
LARGE: Final = ModelProfile(
    tier="large", context_tokens=100_000, map_batch_tokens=12_000,
    prompt_tokens=20_000, report_tokens=400, facts=10,
    max_worded=None, concurrency=8,
    prompt_per_s=15, output_per_s=3,
)  # fmt: skip

_SIZE: Final = re.compile(r"(?<![a-z0-9.])(\d+(?:\.\d+)?)([bm])(?![a-z0-9])", re.IGNORECASE)
_TIERS: Final = ((0.4, TINY), (4.0, SMALL), (20.0, MEDIUM))
"""Upper bound in billions of parameters; anything larger, or with no size in its name, is large."""


def parameters_in_billions(model: str) -> float | None:
    """Return the size a model's name states, in billions of parameters, or None.

    >>> parameters_in_billions("SmolLM2-135M-Instruct.Q4_1")
    0.135
    >>> parameters_in_billions("qwen2.5:1.5b")
    1.5
    >>> parameters_in_billions("gpt-4.1-mini") is None
    True
    """
    found = _SIZE.search(model)
    if found is None:
        return None
    return float(found[1]) / (1000 if found[2].lower() == "m" else 1)


def profile_of(model: str) -> ModelProfile:
    """Return the profile of the model called ``model``.

    >>> profile_of("llama3.2:3b").tier, profile_of("gpt-4.1-mini").tier
    ('small', 'large')
    """
    size = parameters_in_billions(model)
    if size is None:
        return LARGE
    return next((profile for bound, profile in _TIERS if size < bound), LARGE)
