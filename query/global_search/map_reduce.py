"""Map and reduce with a model: points from batches of communities, an answer from the best points.

Whatever the model does, an answer stands: a batch that fails is answered from its statements and
counted, a point or a sentence that says more than its statements is dropped and counted, and an
answer without a sentence left is composed.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Final

from index.checking.numbers import has_number
from index.checking.statements import gather_statements
from index.checking.verification import verify
from index.errors import ModelError
from index.models.profiles import ModelProfile
from index.models.protocol import ChatModel, Prompt, estimate_tokens
from index.reports.citations import CitedValue, format_reference, strip_references
from query.answer import Citation, Point
from query.global_search.from_facts import MAX_CITED, PointDraft, draft_point
from query.global_search.prompting import (
    SHORT,
    ShortAnswer,
    Told,
    WordedAnswer,
    WordedPoint,
    WordedPoints,
    help_prompt,
    map_prompt,
    reduce_prompt,
)

PROMPT_OVERHEAD_TOKENS: Final = 500
"""Instructions and example of a prompt."""


@dataclass(frozen=True, slots=True)
class Mapped:
    """Drafts of points; ``failed`` communities were answered from facts, ``dropped`` points said
    too much.
    """

    drafts: tuple[PointDraft, ...] = ()
    failed: int = 0
    dropped: int = 0
    reasons: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Reduced:
    """Sentences of the answer with their references; ``dropped`` said too much; ``reasons`` why
    there are none.
    """

    sentences: tuple[str, ...] = ()
    dropped: int = 0
    reasons: tuple[str, ...] = ()


def split_batches(told: Sequence[Told], *, max_tokens: int) -> list[list[Told]]:
    """Return ``told`` in batches whose statements fit ``max_tokens``; one that is too long stands
    alone.
    """
    batches: list[list[Told]] = []
    left = 0
    for one in told:
        tokens = sum(estimate_tokens(statement.text) for statement in one[1]) + estimate_tokens(
            one[0].title
        )
        if tokens > left:
            batches.append([])
            left = max(0, max_tokens - PROMPT_OVERHEAD_TOKENS)
        batches[-1].append(one)
        left -= tokens
    return batches


async def map_points(
    question: str,
    batches: Sequence[Sequence[Told]],
    model: ChatModel,
    *,
    profile: ModelProfile,
    max_tokens: int,
) -> Mapped:
    """Return the points of all batches, with the model's scores where ``profile`` trusts them, else
    those of triage.
    """
    slots = asyncio.Semaphore(profile.concurrency)

    async def map_batch(batch: Sequence[Told]) -> Mapped:
        async with slots:
            return await _map_batch(
                question, batch, model, scored=profile.scoring == "number", max_tokens=max_tokens
            )

    mapped = await asyncio.gather(*(map_batch(batch) for batch in batches))
    return Mapped(
        drafts=tuple(draft for one in mapped for draft in one.drafts),
        failed=sum(one.failed for one in mapped),
        dropped=sum(one.dropped for one in mapped),
        reasons=tuple(dict.fromkeys(reason for one in mapped for reason in one.reasons)),
    )


async def score_points(
    question: str, points: Sequence[Point], model: ChatModel
) -> tuple[Point, ...]:
    """Return ``points`` scored by the model's probability of "yes", best first; where it gives
    none, as they are.
    """
    try:
        helps = [await model.yes_probability(help_prompt(question, point)) for point in points]
    except ModelError:
        return tuple(points)
    scored = (
        replace(point, score=round(100 * one, 1)) for point, one in zip(points, helps, strict=True)
    )
    return tuple(sorted(scored, key=lambda point: (-point.score, point.community)))


async def reduce_points(
    question: str,
    points: Sequence[Point],
    model: ChatModel,
    *,
    budget_tokens: int,
    max_tokens: int,
    sentences: int,
) -> Reduced:
    """Return the answer worded from the best points that fit ``budget_tokens``, each sentence
    checked and cited.

    A sentence must state a number of its points, or a value that they cite: what states neither
    cannot be checked.
    """
    texts = [strip_references(point.description) for point in points]
    shown = _fitting(texts, budget_tokens=budget_tokens - PROMPT_OVERHEAD_TOKENS)
    prompt = reduce_prompt(question, texts[:shown], sentences=sentences)
    try:
        worded = await _complete_answer(
            prompt, model, short=sentences <= SHORT, max_tokens=max_tokens
        )
    except ModelError as error:
        return Reduced(reasons=(error.reason,))
    kept = []
    for numbers, text in worded:
        used = [number - 1 for number in dict.fromkeys(numbers) if 1 <= number <= shown]
        told = [texts[number] for number in used]
        citations = [one for number in used for one in points[number].citations]
        states = bool(told) and _states_something(text, citations)
        if states and not verify(text, gather_statements(told, known=[question])):
            kept.append(_cited(text, citations))
    dropped = len(worded) - len(kept)
    return Reduced(
        tuple(dict.fromkeys(kept)), dropped, () if kept else ("no sentence of the model held",)
    )


async def _map_batch(
    question: str, batch: Sequence[Told], model: ChatModel, *, scored: bool, max_tokens: int
) -> Mapped:
    try:
        answer = await model.complete(
            map_prompt(question, batch), WordedPoints, max_tokens=max_tokens
        )
    except ModelError as error:
        return Mapped(
            tuple(draft_point(*one) for one in batch), failed=len(batch), reasons=(error.reason,)
        )
    drafts: list[PointDraft] = []
    lost: set[str] = set()
    for point in answer.parsed.points:
        draft, community = _checked(question, point, batch, scored=scored)
        if draft is not None:
            drafts.append(draft)
        elif community is not None:
            lost.add(community)
    said = {draft.community for draft in drafts}
    replaced = [draft_point(*one) for one in batch if one[0].community in lost - said]
    kept = [draft for draft in drafts if draft.score > 0]
    return Mapped((*kept, *replaced), dropped=len(answer.parsed.points) - len(drafts))


def _checked(
    question: str, point: WordedPoint, batch: Sequence[Told], *, scored: bool
) -> tuple[PointDraft | None, str | None]:
    """Return the draft of ``point`` and its community; no draft where it says more than the
    statements it names.
    """
    numbered = [
        (candidate, statement) for candidate, statements in batch for statement in statements
    ]
    used = [
        numbered[number - 1]
        for number in dict.fromkeys(point.facts)
        if 1 <= number <= len(numbered)
    ]
    candidates = {candidate.community: candidate for candidate, _ in used}
    if len(candidates) != 1:
        return None, None
    (candidate,) = candidates.values()
    told = [statement.text for _, statement in used]
    evidence = gather_statements(told, known=[question, candidate.title])
    if not point.text.strip() or verify(point.text, evidence):
        return None, candidate.community
    cited = tuple(dict.fromkeys(pair for _, statement in used for pair in statement.cited))[
        :MAX_CITED
    ]
    score = float(point.score) if scored else candidate.score
    return PointDraft(candidate.community, score, point.text.strip(), cited), candidate.community


async def _complete_answer(
    prompt: Prompt, model: ChatModel, *, short: bool, max_tokens: int
) -> list[tuple[list[int], str]]:
    """Return the sentences of the model as (numbers of points, text)."""
    if short:
        brief = await model.complete(prompt, ShortAnswer, max_tokens=max_tokens)
        return [(one.points, one.text.strip()) for one in brief.parsed.sentences]
    answer = await model.complete(prompt, WordedAnswer, max_tokens=max_tokens)
    return [(one.points, one.text.strip()) for one in answer.parsed.sentences]


def _states_something(text: str, citations: Sequence[Citation]) -> bool:
    return has_number(text) or any(one.value.lower() in text.lower() for one in citations)


def _fitting(texts: Iterable[str], *, budget_tokens: int) -> int:
    """Return how many of ``texts`` fit the budget, at least one."""
    total = 0
    for number, text in enumerate(texts):
        total += estimate_tokens(text)
        if total > budget_tokens:
            return max(1, number)
    return len(list(texts))


def _cited(sentence: str, citations: Iterable[Citation]) -> str:
    """Return ``sentence`` with those of ``citations`` that it names, and the communities they come
    from.
    """
    named = [
        one for one in citations if one.key == "community" or one.value.lower() in sentence.lower()
    ]
    cited = list(dict.fromkeys(CitedValue(one.key, one.value) for one in named))
    return f"{sentence} {format_reference(cited)}" if cited else sentence
