"""What a model of a given size can be trusted with, read from its name.

Measured with the same facts and prompts: 135M invents and is good for trying the plumbing; leads,
titles and themes of 0.5B and 1.5B are no better than the program's (docs/models-tried.md), so
below 4 B no report is worded unless the configuration asks for it. None of these gives a usable
score from 0 to 100, but the logprob of "yes" ranks evidence from 1.5B on.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Literal

Tried = Literal["won", "lost", "not tried"]
TASKS: Final = ("lead", "title", "theme")
"""What a model could write of a report besides the findings."""
Scoring = Literal["number", "yes-no", "none"]
Answering = Literal["none", "choice", "mapped"]
"""What a model does for an answer: nothing, the choice of what to read next, or map and reduce."""
_ANSWERING: Final[Mapping[str, Answering]] = {"tiny": "none", "small": "choice"}


@dataclass(frozen=True)
class ModelProfile:
    """Limits to work within for one class of models."""

    tier: Literal["tiny", "small", "medium", "large"]
    scoring: Scoring
    """How it rates evidence: a number 0-100, the probability of "yes", or not at all."""
    context_tokens: int
    """Prompt and answer together."""
    map_batch_tokens: int
    """Reports put into one prompt of a global search."""
    prompt_tokens: int
    """Longest prompt of a report: what is shown last is left out until it fits."""
    report_tokens: int
    """Longest answer asked for when a report is worded."""
    summary: int
    """Most sentences of a summary."""
    findings: int
    """Findings worded per report, the others keep their fact sentence; 0: only the lead is
    written.
    """
    facts: int
    """Facts shown when a report is worded, those of its findings included."""
    parts: int
    """Largest parts of a community described to it."""
    detail_sentences: int
    """Sentences of explanation shown with each fact."""
    sentence_characters: int
    """Longest sentence it may write."""
    repairs: bool
    """Whether it is worth asking again for sentences that failed."""
    max_worded: int | None
    """Reports worded unless the configuration says otherwise; None words all."""
    concurrency: int
    """Calls under way at the same time."""
    prompt_per_s: float
    """Prompt tokens read per second, measured on two idle cores; for planning."""
    output_per_s: float
    """Tokens written per second, likewise."""
    lead: Tried = "not tried"
    title: Tried = "not tried"
    theme: Tried = "not tried"
    """How it did at each task of a report against the program (docs/models-tried.md)."""

    @property
    def duties(self) -> str:
        """What the model does for reports, in words."""
        if self.max_worded == 0:
            lost = ", ".join(f"{task}s" for task in TASKS if getattr(self, task) == "lost")
            return (
                "answers questions; words no report unless max_worded asks for it "
                f"(no better than the program at {lost})"
            )
        if not self.findings:
            return "writes the lead of a few reports; facts, findings and titles stay the program's"
        return f"writes the summary and up to {self.findings} findings of a report"

    @property
    def answering(self) -> Answering:
        """What it does for an answer, by its tier."""
        return _ANSWERING.get(self.tier, "mapped")


TINY: Final = ModelProfile(
    tier="tiny", scoring="none", context_tokens=4096, map_batch_tokens=800,
    prompt_tokens=1_000, report_tokens=150, summary=3, findings=0, facts=2, parts=0,
    detail_sentences=0, sentence_characters=140,
    repairs=False,
    max_worded=4, concurrency=1,
    prompt_per_s=200, output_per_s=70,
)  # fmt: skip
SMALL: Final = ModelProfile(
    tier="small", scoring="yes-no", context_tokens=8192, map_batch_tokens=2_000,
    prompt_tokens=1_000, report_tokens=150, summary=3, findings=0, facts=3, parts=0,
    detail_sentences=0, sentence_characters=140,
    repairs=False,
    max_worded=0, concurrency=1,
    prompt_per_s=90, output_per_s=12,
    lead="lost", title="lost", theme="lost",
)  # fmt: skip
MEDIUM: Final = ModelProfile(
    tier="medium", scoring="number", context_tokens=8192, map_batch_tokens=4_000,
    prompt_tokens=4_000, report_tokens=900, summary=3, findings=6, facts=8, parts=3,
    detail_sentences=2, sentence_characters=360,
    repairs=True,
    max_worded=None, concurrency=2,
    prompt_per_s=15, output_per_s=3,
)  # fmt: skip
LARGE: Final = ModelProfile(
    tier="large", scoring="number", context_tokens=100_000, map_batch_tokens=12_000,
    prompt_tokens=20_000, report_tokens=1_600, summary=4, findings=8, facts=10, parts=6,
    detail_sentences=9, sentence_characters=400,
    repairs=True,
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
