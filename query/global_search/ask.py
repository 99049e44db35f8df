"""One question, from words to an answer: what the command line and every other adapter call."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, TypeVar

import duckdb

from query.answer import Answer
from query.config import QueryConfig
from query.gate import ungated
from query.global_search.proposing import read_with_model
from query.global_search.search import (
    Selection,
    answer_from_facts,
    further_answers,
    select_for,
    select_read,
)
from query.mode import edited
from query.reading.question import Question, clean_question
from query.reading.several import read_questions

if TYPE_CHECKING:
    from query.global_search.planning import AnswerPlan
    from query.metering import Metered
    from query.mode import Asking

ResultT = TypeVar("ResultT")


@dataclass(frozen=True, slots=True)
class PricedPlan:
    """What an answer would take; ``cost_usd`` is None where the price of the model is not known."""

    model: str
    plan: AnswerPlan
    cost_usd: float | None


@dataclass(frozen=True, slots=True)
class Begun:
    """A question whose answer from facts is known; ``started`` by the clock of the process,
    ``metered`` is its model with what that has spent on the reading.
    """

    selection: Selection
    facts: Answer
    started: float
    metered: Metered | None = None


def ask_from_facts(
    con: duckdb.DuckDBPyConnection, question: str, *, config: QueryConfig, level: int | None = None
) -> Answer:
    """Return the answer composed from facts; raises ``QueryError`` where there is none."""
    started = time.perf_counter()
    answer = answer_from_facts(
        con, select_for(con, question, config=config, level=level), config=config
    )
    return _timed(answer, started)


def ask_model(asking: Asking) -> Answer:
    """Return the answer with what the model of ``asking`` adds; from facts where there is no model.

    The model sees what the policy lets it see. Raises ``QueryError`` where the index has no
    evidence.
    """
    return finish(asking, begin(asking))


def begin(asking: Asking) -> Begun:
    """Return what the index says, complete without a model. Raises as ``ask_model``."""
    started = time.perf_counter()
    metered = _metered(asking)
    asked = clean_question(asking.question)
    first, *others = read_questions(asking.con, asked)
    question = edited(replace(first, text=asked), asking.edit)
    if metered is not None and not others:
        question = read_with_model(asking, question, metered.model)
    further = further_answers(asking.con, others)
    selection = replace(_selected(asking, question), further=further)
    facts = answer_from_facts(asking.con, selection, config=asking.config)
    return Begun(selection, _timed(facts, started), started, metered)


def read_asked(asking: Asking) -> Question:
    """Return the question of ``asking`` as read, with its model only where rules refuse it."""
    question = asking.read(clean_question(asking.question))
    metered = _metered(asking)
    if metered is None:
        return question
    return read_with_model(asking, question, metered.model)


def _metered(asking: Asking) -> Metered | None:
    """Return the model of ``asking`` with a meter; None where it has none."""
    if asking.model is None:
        return None
    from index.models.choose import OpenAIModel
    from query.metering import metered_model

    elsewhere = isinstance(ungated(asking.model), OpenAIModel)
    silence_s = asking.config.silence_s if elsewhere else None
    return metered_model(asking, asking.model, silence_s=silence_s)


def finish(asking: Asking, begun: Begun) -> Answer:
    """Return the answer that ``begun`` is, with what the model of ``asking`` adds.

    Who watches gets the answer from facts before the model is asked, and stops it by Ctrl-C: what
    was seen until then is the answer. Without a watch ``KeyboardInterrupt`` is raised on.
    """
    choice, metered = asking.choice, begun.metered
    if begun.selection.question.reading.communities is not None:
        return begun.facts
    if choice is None or metered is None or choice.profile is None:
        return begun.facts
    from query.global_search.material import Writer, gather_material
    from query.global_search.with_model import answer_so_far, answer_with_model
    from query.watching import UNWATCHED, Noting

    watch = Noting(asking.watch or UNWATCHED)
    writer = Writer(
        metered.model, choice.profile, asking.config, choice.local, metered.spent, watch
    )
    direct = begun.facts.answer.split("\n\n")[0]
    material = gather_material(begun.selection, direct, writer)
    if material.can_be_worded_by(writer):
        watch.facts(begun.facts)
    answering = answer_with_model(asking.con, begun.facts, material, writer)
    try:
        answer = _run(answering, metered.model.aclose)
    except KeyboardInterrupt:
        if asking.watch is None:
            raise
        answer = answer_so_far(begun.facts, watch.sentences, material, writer)
    return _timed(answer, begun.started)


def _selected(asking: Asking, question: Question) -> Selection:
    """Return what ``question``, as ``asking`` is read, is about; raises as ``select_for``."""
    embed = embed_question if asking.model is not None else None
    return select_read(asking.con, question, config=asking.config, level=asking.level, embed=embed)


def plan_model(asking: Asking) -> PricedPlan | None:
    """Return what ``ask_model`` would take at most, or None where it would use no model."""
    choice = asking.choice
    if choice is None or choice.model is None or choice.profile is None:
        return None
    from index.models.metered import Spent
    from index.models.pricing import price_of
    from query.global_search.headlines.headline import headline
    from query.global_search.material import Writer, gather_material
    from query.global_search.planning import plan_answer

    config = asking.config
    selection = _selected(asking, asking.read(clean_question(asking.question)))
    writer = Writer(choice.model, choice.profile, config, choice.local, Spent())
    direct = headline(selection.question, selection.matching)
    material = gather_material(selection, direct, writer)
    plan = _run(plan_answer(material, writer), choice.model.aclose)
    price = price_of(choice.model.name, local=choice.local)
    cost = None
    if price is not None:
        cost = price.cost_usd(
            prompt_tokens=plan.prompt_tokens, completion_tokens=plan.completion_tokens
        )
    return PricedPlan(choice.model.name, plan, cost)


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
