"""One question, from words to an answer: what the command line and every other adapter call."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import duckdb

from query.answer import Answer
from query.config import QueryConfig
from query.global_search.search import answer_from_facts, select_for

if TYPE_CHECKING:
    from index.models.choose import ModelChoice
    from index.models.protocol import ChatModel
    from query.global_search.with_model import AnswerPlan

ResultT = TypeVar("ResultT")


@dataclass(frozen=True, slots=True)
class PricedPlan:
    """What an answer would take; ``cost_usd`` is None where the price of the model is not known."""

    model: str
    plan: AnswerPlan
    cost_usd: float | None


def ask_from_facts(
    con: duckdb.DuckDBPyConnection, question: str, *, config: QueryConfig, level: int | None = None
) -> Answer:
    """Return the answer composed from facts; raises ``QueryError`` where there is none."""
    started = time.perf_counter()
    answer = answer_from_facts(
        con, select_for(con, question, config=config, level=level), config=config
    )
    return _timed(answer, started)


def ask_model(
    con: duckdb.DuckDBPyConnection,
    question: str,
    choice: ModelChoice,
    *,
    config: QueryConfig,
    level: int | None = None,
    budget_tokens: int | None = None,
    cache: Path | None = None,
) -> Answer:
    """Return the answer worded by the model of ``choice``, or composed from facts where there is no
    model.

    The model sees what ``config.policy`` lets it see. ``cache`` is the file that keeps answers
    already paid for. Raises ``QueryError`` where the index has no evidence.
    """
    if choice.model is None or choice.profile is None:
        return ask_from_facts(con, question, config=config, level=level)
    from index.models.choose import CachedModel, OpenAIModel, open_cache
    from index.models.metered import MeteredModel
    from query.global_search.with_model import answer_with_model

    started = time.perf_counter()
    selection = select_for(con, question, config=config, level=level, embed=embed_question)
    silence_s = config.silence_s if isinstance(choice.model, OpenAIModel) else None
    metered = MeteredModel(choice.model, budget_tokens=budget_tokens, silence_s=silence_s)
    asked: ChatModel = metered
    if cache is not None:
        asked = CachedModel(metered, open_cache(cache), spent=metered.spent)
    answering = answer_with_model(
        con,
        selection,
        asked,
        metered.spent,
        profile=choice.profile,
        config=config,
        local=choice.local,
    )
    return _timed(_run(answering, metered.aclose), started)


def plan_model(
    con: duckdb.DuckDBPyConnection,
    question: str,
    choice: ModelChoice,
    *,
    config: QueryConfig,
    level: int | None = None,
) -> PricedPlan | None:
    """Return what ``ask_model`` would take at most, or None where it would use no model."""
    if choice.model is None or choice.profile is None:
        return None
    from index.models.pricing import price_of
    from query.global_search.with_model import plan_answer, share_out

    selection = select_for(con, question, config=config, level=level, embed=embed_question)
    seen, withheld = share_out(selection, config=config, local=choice.local)
    planning = plan_answer(
        selection, seen, withheld, choice.model, profile=choice.profile, config=config
    )
    plan = _run(planning, choice.model.aclose)
    price = price_of(choice.model.name, local=choice.local)
    tokens: Mapping[str, int] = {
        "prompt_tokens": plan.prompt_tokens,
        "completion_tokens": plan.completion_tokens,
    }
    return PricedPlan(choice.model.name, plan, price.cost_usd(**tokens) if price else None)


def embed_question(question: str) -> list[float]:
    """Return the vector of ``question``, of the model that embeds the reports."""
    from index.models.embeddings import embed

    return [float(value) for value in embed([question])[0]]


def _timed(answer: Answer, started: float) -> Answer:
    return replace(
        answer, usage=replace(answer.usage, seconds=round(time.perf_counter() - started, 3))
    )


def _run(work: Awaitable[ResultT], close: Callable[[], Awaitable[None]]) -> ResultT:
    async def worked() -> ResultT:
        try:
            return await work
        finally:
            await close()

    return asyncio.run(worked())
