"""Wording by batches: drafts in one batch, repairs in a second, and every sentence checked as ever."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from index.checking.evidence import Synonyms
from index.config import ReportConfig
from index.models.cache import ResponseCache
from index.models.openai import OpenAIModel
from index.models.openai_batch import CollectingModel, answer_in_batch, within_budget
from index.models.profiles import ModelProfile
from index.reports.profiles import Profile
from index.reports.templates import Reports
from index.wording.reword import Worded, word_reports

ROUNDS: Final = ("drafts", "repairs")
POLL_S: Final = 30.0
"""How often a batch under way is looked at."""


async def word_in_batches(
    reports: Reports,
    profiles: Sequence[Profile],
    *,
    model: OpenAIModel,
    model_profile: ModelProfile,
    cache: ResponseCache,
    config: ReportConfig,
    synonyms: Synonyms | None = None,
    vocabulary: frozenset[str] = frozenset(),
    withheld: frozenset[str] = frozenset(),
    poll_s: float | None = None,
    on_progress: Callable[[str], None] | None = None,
) -> Worded:
    """Return ``reports`` worded as by ``word_reports``, with every answer asked for in a batch.

    ``config.budget_tokens`` bounds both batches together, at their worst. ``on_progress`` is told
    in words.

    Raises:
        ModelUnavailableError: the endpoint has no batches, or one failed as a whole.
    """
    tell = on_progress or (lambda _: None)
    left = config.budget_tokens

    async def word(collecting: CollectingModel) -> Worded:
        return await word_reports(
            reports, profiles, model=collecting, model_profile=model_profile, cache=cache, config=config,
            synonyms=synonyms, vocabulary=vocabulary, withheld=withheld,
        )  # fmt: skip

    collecting = CollectingModel(model)
    worded = await word(collecting)
    for name in ROUNDS:
        asks = within_budget(list(collecting.asks.values()), left)
        if not asks:
            break
        left = None if left is None else left - sum(ask.most_tokens for ask in asks)
        tell(
            f"batch of {len(asks):,} {name}, {len(collecting.asks) - len(asks):,} beyond the budget"
        )
        outcome = await answer_in_batch(
            model, asks, cache, poll_s=POLL_S if poll_s is None else poll_s,
            on_progress=lambda done, total, name=name: tell(f"{done:,} of {total:,} {name}"),  # type: ignore[misc]
        )  # fmt: skip
        tell("; ".join(f"{count:,} {why}" for why, count in outcome.most_common()))
        collecting = CollectingModel(model)
        worded = await word(collecting)
    return worded
