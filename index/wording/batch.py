"""Interpretation by batch: the provider's half price, within a day, for the offline job."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Final

from index.claims.phrases import counted
from index.errors import BatchFailedError, ModelError, StoreError
from index.models.batch_provider import BatchProvider, Waiting
from index.models.cache import ResponseCache
from index.models.openai import OpenAIModel
from index.models.openai_batch import Ask, BatchDesk, CollectingModel, within_budget
from index.wording.interpret import Interpretations, interpret_reports
from index.wording.job import WordingJob

POLL_S: Final = 30.0
"""How often a batch under way is looked at."""


async def interpret_in_batch(
    job: WordingJob,
    model: OpenAIModel,
    *,
    cache: ResponseCache,
    waiting: Waiting | None = None,
    on_progress: Callable[[str], None] | None = None,
) -> Interpretations:
    """Return the reports of ``job`` as ``interpret_reports`` does, with all requests in a batch.

    ``budget_tokens`` bounds the largest cost of the batch. ``on_progress`` is called with what
    happens, in words. Sentences that cannot be printed do not go back to the model. A batch that
    cannot be reached costs no report: the tally notes why, and the next build waits for it.
    """
    say = on_progress or (lambda _: None)
    polling = waiting or Waiting(poll_s=POLL_S)
    cached = replace(job, cache=cache, repairs=False)
    collecting = CollectingModel(model)
    given = await interpret_reports(cached, collecting)
    asks = list(collecting.asks.values())
    if not asks:
        return given
    provider = BatchProvider(model, polling, lambda done, total: say(f"{done:,} of {total:,}"))
    desk = BatchDesk(provider, cache)
    try:
        await _answer(asks, desk, budget_tokens=job.config.budget_tokens, say=say)
    except (ModelError, StoreError) as error:
        note = f"not had in a batch: {error.message}; {_what_next(error)}"
        say(note)
        given.tally.notes.append(note)
        return given
    return await interpret_reports(cached, CollectingModel(model))


async def _answer(
    asks: Sequence[Ask],
    desk: BatchDesk,
    *,
    budget_tokens: int | None,
    say: Callable[[str], None],
) -> None:
    """Get answers to those ``asks`` that the budget covers.

    Answers to requests of earlier builds are collected first; only the rest is sent.
    """
    outcome, rest = await desk.resume(asks)
    resumed = len(asks) - len(rest)
    if outcome:
        say(f"{counted(resumed, 'request')} sent by an earlier build")
    sent = within_budget(rest, budget_tokens)
    beyond = len(rest) - len(sent)
    if rest:
        say(f"batch of {counted(len(sent), 'request')}, {beyond:,} beyond the budget")
    if sent:
        outcome += await desk.send(sent)
    counts = [f"{count:,} {why}" for why, count in outcome.most_common()]
    say("; ".join(counts))


def _what_next(error: ModelError | StoreError) -> str:
    if isinstance(error, BatchFailedError):
        return "the next build with --batch sends them again"
    return f"the next build with --batch takes up what was sent ({error.remedy})"
