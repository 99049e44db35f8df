"""Wording by batches: drafts in one batch, repairs in a second, and every sentence checked as ever."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Final

from index.errors import BatchFailedError, ModelError, StoreError
from index.models.batch_provider import BatchProvider, Waiting
from index.models.cache import ResponseCache
from index.models.openai import OpenAIModel
from index.models.openai_batch import Ask, BatchDesk, CollectingModel, within_budget
from index.wording.job import WordingJob
from index.wording.reword import Worded, word_reports

ROUNDS: Final = ("drafts", "repairs")
POLL_S: Final = 30.0
"""How often a batch under way is looked at."""


async def word_in_batches(
    job: WordingJob,
    model: OpenAIModel,
    *,
    cache: ResponseCache,
    waiting: Waiting | None = None,
    on_progress: Callable[[str], None] | None = None,
) -> Worded:
    """Return the reports of ``job`` worded as by ``word_reports``, every answer asked in a batch.

    ``budget_tokens`` bounds both batches together, at their worst. ``on_progress`` is called with
    what happens, in words. A batch that cannot be had costs no report: what is there stays, the
    tally notes why, and the next build waits for it.
    """
    tell = on_progress or (lambda _: None)
    left = job.config.budget_tokens
    cached = replace(job, cache=cache)
    collecting = CollectingModel(model)
    worded = await word_reports(cached, collecting)
    for name in ROUNDS:
        asks = list(collecting.asks.values())
        if not asks:
            break
        provider = BatchProvider(model, waiting or Waiting(poll_s=POLL_S), _telling(tell, name))
        desk = BatchDesk(provider, cache)
        try:
            left = await _answer(asks, desk, name, budget_tokens=left, tell=tell)
        except (ModelError, StoreError) as error:
            note = f"{name} not had in a batch: {error.message}; {_what_next(error)}"
            tell(note)
            worded.tally.notes.append(note)
            return worded
        collecting = CollectingModel(model)
        worded = await word_reports(cached, collecting)
    return worded


async def _answer(
    asks: Sequence[Ask],
    desk: BatchDesk,
    name: str,
    *,
    budget_tokens: int | None,
    tell: Callable[[str], None],
) -> int | None:
    """Take back what earlier builds sent of ``asks``, send the rest; return what is left of the
    budget.
    """
    outcome, rest = await desk.resume(asks)
    if outcome:
        tell(f"{len(asks) - len(rest):,} {name} were sent by an earlier build")
    sent = within_budget(rest, budget_tokens)
    if rest:
        tell(f"batch of {len(sent):,} {name}, {len(rest) - len(sent):,} beyond the budget")
    if sent:
        outcome += await desk.send(sent)
    tell("; ".join(f"{count:,} {why}" for why, count in outcome.most_common()))
    return None if budget_tokens is None else budget_tokens - sum(ask.most_tokens for ask in sent)


def _telling(tell: Callable[[str], None], name: str) -> Callable[[int, int], None]:
    return lambda done, total: tell(f"{done:,} of {total:,} {name}")


def _what_next(error: ModelError | StoreError) -> str:
    if isinstance(error, BatchFailedError):
        return "the next build with --batch sends them again"
    return f"the next build with --batch takes up what was sent ({error.remedy})"
