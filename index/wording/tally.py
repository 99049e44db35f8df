"""What became of the reports and of a model's sentences, counted while wording goes on."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Final

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
from index.wording.rows import Counts

OUT_OF_TIME: Final = "the time for wording is over"
NOT_CHOSEN: Final = "beyond max_worded: the most valuable are worded first"
WITHHELD: Final = "withheld from this model for biosafety"
NAMED: Final = "withheld from this model for biosafety: its facts name an agent of RG3 or RG4"
NOTHING_HELD: Final = "no sentence of the model held"
REASONS: Final[dict[type[ModelError], str]] = {
    BatchPendingError: "no answer in the batch",
    BatchFailedError: "its batch failed",
    BudgetError: "the token budget is spent",
    ModelUnavailableError: "the model's server gave no answer",
    ModelTimeoutError: "the model gave no answer in time",
    ModelRateLimitError: "the provider's rate limit is spent",
    ModelRefusalError: "the model refused, or its content filter did",
    ModelTruncatedError: "the prompt or the answer is too long for the model",
    ModelJunkError: "the answer was not the JSON asked for",
}
"""Why a report stays on its template, by what was raised."""


@dataclass
class Tally:
    """Counts of reports and sentences; ``left`` counts reports on the template by reason."""

    reports: int = 0
    worded: int = 0
    accepted: int = 0
    repaired: int = 0
    replaced: int = 0
    left: Counter[str] = field(default_factory=Counter)
    spent: Spent = field(default_factory=Spent)
    notes: list[str] = field(default_factory=list)
    """What went wrong for many reports at once, in words."""

    @property
    def sentences(self) -> int:
        """Sentences the model wrote."""
        return self.accepted + self.repaired + self.replaced

    def add(self, counts: Counts) -> None:
        """Count one report."""
        self.accepted += counts.accepted
        self.repaired += counts.repaired
        self.replaced += counts.replaced
        if counts.method == "template":
            self.left[NOTHING_HELD] += 1
        else:
            self.worded += 1

    def fail(self, error: ModelError) -> None:
        """Count one report that stays on its template because of ``error``."""
        reason = REASONS[type(error)]
        self.left[reason] += 1

    def added(self) -> str:
        """Return in one line what the model added to the templates."""
        said = f"the model worded {self.worded:,} of {self.reports:,} reports"
        if not self.sentences:
            return f"{said}; every sentence is a template's"
        held = self.accepted + self.repaired
        share = held / self.sentences
        kept = f"{held:,} of its {self.sentences:,} sentences held ({share:.0%})"
        mended = ""
        if self.repaired:
            mended = f", {self.repaired:,} of them after a repair"
        return f"{said}; {kept}{mended}; all other sentences are a template's"

    def text(self) -> str:
        """Return the tally in words: what the model added, what was paid, what stays as it was."""
        spent = self.spent
        paid = (
            f"{spent.calls:,} answers ({spent.cached:,} from the cache), "
            f"{spent.prompt_tokens:,} prompt and {spent.completion_tokens:,} completion "
            "tokens paid now"
        )
        lines = [self.added(), paid]
        for why, count in self.left.most_common():
            lines.append(f"{count:,} on the template: {why}")
        return "\n".join([*lines, *self.notes])
