"""A model whose use is metered, whose answers are cached, and which is closed at the end."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from index.models.metered import MeteredModel, Spent
from index.models.protocol import ChatModel
from query.answer import Usage

ResultT = TypeVar("ResultT")


@dataclass(frozen=True, slots=True)
class Metered:
    """A model whose answers are cached, and what it has spent so far."""

    model: ChatModel
    spent: Spent

    def usage(self) -> Usage:
        """Return what was spent so far, for an answer."""
        spent = self.spent
        return Usage(
            model=self.model.name,
            calls=spent.calls,
            cached=spent.cached,
            prompt_tokens=spent.prompt_tokens,
            completion_tokens=spent.completion_tokens,
        )


def metered_model(
    model: ChatModel,
    *,
    budget_tokens: int | None = None,
    cache: Path | None = None,
    silence_s: float | None = None,
    spent: Spent | None = None,
) -> Metered:
    """Return ``model`` within a budget, its answers cached in the file ``cache`` if there is one.

    After ``silence_s`` seconds without any answer the model is given up (None: never).
    ``spent`` is what the budget has already paid for (None: nothing).
    """
    spent = spent or Spent()
    metered = MeteredModel(model, budget_tokens=budget_tokens, silence_s=silence_s, spent=spent)
    if cache is None:
        return Metered(metered, spent)
    from index.models.choose import CachedModel, open_cache

    return Metered(CachedModel(metered, open_cache(cache), spent=spent), spent)


def run_closing(model: ChatModel, work: Awaitable[ResultT]) -> ResultT:
    """Return what ``work`` with ``model`` gives; the model is closed after it."""

    async def worked() -> ResultT:
        try:
            return await work
        finally:
            await model.aclose()

    return asyncio.run(worked())
