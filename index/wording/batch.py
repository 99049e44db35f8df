"""Wording by batches: drafts in a batch, repairs in a second; every sentence is checked."""

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
    say = on_progress or (lambda _: None)
    polling = waiting or Waiting(poll_s=POLL_S)
    left = job.config.budget_tokens
    cached = replace(job, cache=cache)
    collecting = CollectingModel(model)
    worded = await word_reports(cached, collecting)
    for name in ROUNDS:
        asks = list(collecting.asks.values())
        if not asks:
            break
        provider = BatchProvider(model, polling, _progress_of(name, say))
        desk = BatchDesk(provider, cache)
        try:
            left = await _answer(
                asks,
                desk,
                name,
                budget_tokens=left,
                say=say,
            )
        except (ModelError, StoreError) as error:
            note = f"{name} not had in a batch: {error.message}; {_what_next(error)}"
            say(note)
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
    say: Callable[[str], None],
) -> int | None:
    """Return what is left of the budget after ``asks`` are answered.

    Answers to what earlier builds sent are taken back first; only the rest is sent.
    """
    outcome, rest = await desk.resume(asks)
    resumed = len(asks) - len(rest)
    if outcome:
        say(f"{resumed:,} {name} were sent by an earlier build")
    sent = within_budget(rest, budget_tokens)
    beyond = len(rest) - len(sent)
    if rest:
        say(f"batch of {len(sent):,} {name}, {beyond:,} beyond the budget")
    if sent:
        outcome += await desk.send(sent)
    counts = [f"{count:,} {why}" for why, count in outcome.most_common()]
    say("; ".join(counts))
    if budget_tokens is None:
        return None
    return budget_tokens - sum(ask.most_tokens for ask in sent)


def _progress_of(name: str, say: Callable[[str], None]) -> Callable[[int, int], None]:
    """Return a callback that says how many of the round ``name`` are done."""

    def report(done: int, total: int) -> None:
        say(f"{done:,} of {total:,} {name}")

    return report


def _what_next(error: ModelError | StoreError) -> str:
    if isinstance(error, BatchFailedError):
        return "the next build with --batch sends them again"
    return f"the next build with --batch takes up what was sent ({error.remedy})"
