"""Count what becomes of the reports and of a model's sentences."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Final

from index.checking.interpretation import NOTHING_LEFT, Interpretation
from index.claims.phrases import counted
from index.errors import (
    BatchFailedError,
    BatchPendingError,
    BudgetError,
    ModelError,
    ModelJunkError,
    ModelRateLimitError,
    ModelRefusalError,
    ModelTimeoutError,
    ModelTruncatedError,
    ModelUnavailableError,
)
from index.models.metered import Spent

OUT_OF_TIME: Final = "the time for asking is over"
NOT_CHOSEN: Final = "beyond max_worded: the most valuable come first"
WITHHELD: Final = "withheld from this model for biosafety"
REASONS: Final[dict[type[ModelError], str]] = {
    BatchPendingError: "no answer in the batch",
    BatchFailedError: "its batch failed",
    BudgetError: "the token budget is spent",
    ModelUnavailableError: "the model's server gave no answer",
    ModelTimeoutError: "the model gave no answer in time",
    ModelRateLimitError: "the provider's rate limit is spent",
    ModelRefusalError: "the model refused, or its content filter did",
    ModelTruncatedError: "the prompt or the answer is too long for the model",
    ModelJunkError: "the answer was not the expected JSON",
}
"""Why a report has no interpretation, by what was raised."""


@dataclass
class Tally:
    """Counts of reports and sentences; ``left`` counts reports without interpretation by reason."""

    reports: int = 0
    interpreted: int = 0
    at_once: int = 0
    kept: int = 0
    dropped: int = 0
    left: Counter[str] = field(default_factory=Counter)
    spent: Spent = field(default_factory=Spent)
    notes: list[str] = field(default_factory=list)
    """Problems of many reports at once, in words."""

    def add(self, said: Interpretation, *, at_once: bool = False) -> None:
        """Count one report; ``at_once`` if nothing in it had to go back to the model."""
        self.at_once += at_once
        self.kept += len(said.sentences)
        self.dropped += said.dropped
        if said.sentences:
            self.interpreted += 1
        else:
            self.left[NOTHING_LEFT] += 1

    def fail(self, error: ModelError) -> None:
        """Count one report that has no interpretation because of ``error``."""
        reason = REASONS[type(error)]
        self.left[reason] += 1

    def added(self) -> str:
        """Return in one line what the model added to the reports."""
        said = f"the model interpreted {self.interpreted:,} of {self.reports:,} reports"
        if self.dropped:
            dropped = counted(self.dropped, "sentence")
            said = f"{said} ({dropped} dropped that no fact supports)"
        if self.interpreted:
            said = f"{said}, {self.at_once:,} of them accepted at the first pass"
        return f"{said}; every number is the program's"

    def text(self) -> str:
        """Return the tally in words: what the model added, what was paid, and what it left out."""
        spent = self.spent
        paid = (
            f"{spent.calls:,} answers ({spent.cached:,} from the cache), "
            f"{spent.prompt_tokens:,} prompt and {spent.completion_tokens:,} completion "
            "tokens paid now"
        )
        lines = [self.added(), paid]
        for why, count in self.left.most_common():
            lines.append(f"{count:,} without interpretation: {why}")
        return "\n".join([*lines, *self.notes])
