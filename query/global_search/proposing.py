"""A question that rules refuse, read once more with what a model proposes.

Only where a word is not understood, or nothing is named, and a model is configured that may be
asked; one call. Whatever comes of it is said: the plain question that is read, or why the rules'
refusal stays.
"""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import TYPE_CHECKING

from index.errors import ModelError
from query.mode import edited
from query.reading.reading import Proposed
from query.reading.refusal import is_not_understood

if TYPE_CHECKING:
    from index.models.protocol import ChatModel
    from query.mode import Asking
    from query.reading.proposed.proposal import PlainQuestion
    from query.reading.question import Question


def read_with_model(asking: Asking, question: Question, model: ChatModel) -> Question:
    """Return ``question`` as it is, or as ``model`` makes it plain where rules refuse it.

    A proposal that is not taken, or a model that fails, changes nothing but that it is said.
    """
    if not is_not_understood(question) or not _may_ask(asking):
        return question
    from query.reading.proposed.checking import judge_proposal

    if asking.watch is not None:
        asking.watch.step(f"{model.name} reads the question")
    try:
        proposal = asyncio.run(_propose(model, question.text))
    except ModelError as error:
        return _with(question, Proposed(model.name, why=error.reason))
    except KeyboardInterrupt:
        if asking.watch is None:
            raise
        return _with(question, Proposed(model.name, why="it was stopped"))
    judged = judge_proposal(asking.con, question, proposal)
    aside = tuple(proposal.set_aside)
    said = Proposed(model.name, proposal.question, aside, judged.why)
    if judged.question is None:
        return _with(question, said)
    plain = replace(judged.question, text=question.text)
    return edited(_with(plain, said), asking.edit)


def _may_ask(asking: Asking) -> bool:
    """Return whether the model of ``asking`` is large enough, or allowed to be asked."""
    from query.global_search.material import may_be_asked

    choice = asking.choice
    if choice is None or choice.profile is None:
        return False
    return may_be_asked(choice.profile, asking.config)


async def _propose(model: ChatModel, text: str) -> PlainQuestion:
    from query.reading.proposed.proposal import PROPOSAL_TOKENS, PlainQuestion, proposal_prompt

    prompt = proposal_prompt(text)
    try:
        answer = await model.complete(prompt, PlainQuestion, max_tokens=PROPOSAL_TOKENS)
    finally:
        await model.aclose()
    return answer.parsed


def _with(question: Question, proposed: Proposed) -> Question:
    reading = replace(question.reading, proposed=proposed)
    return replace(question, reading=reading)
