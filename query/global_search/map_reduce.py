"""What a model makes of communities (map) and of the best points or facts (reduce), checked.

Whatever the model does, the answer from facts is there: a batch that fails is answered from its
statements and counted, and a point or a sentence that says more than its statements is dropped and
counted.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from index.checking.numbers import has_number
from index.checking.statements import gather_statements
from index.checking.verification import verify
from index.errors import ModelError
from index.models.protocol import estimate_tokens
from index.reports.citations import CitedValue, format_reference, strip_references
from query.answer import Citation, Point
from query.global_search.briefing import ANSWER_TOKENS, prompt_within
from query.global_search.from_facts import MAX_CITED, PointDraft
from query.global_search.prompting import (
    ChosenFacts,
    Described,
    WordedAnswer,
    WordedPoint,
    WordedPoints,
    map_prompt,
    reduce_prompt,
)
from query.global_search.statements import Statement
from query.global_search.triage import Candidate

if TYPE_CHECKING:
    from query.global_search.with_model import Writer

PROMPT_OVERHEAD_TOKENS: Final = 500
"""Instructions and example of a prompt."""
NONE_HELD: Final = "no sentence of the model held"
MOST_CHOSEN: Final = 2
"""Facts that a small model chooses at most."""


@dataclass(frozen=True, slots=True)
class Mapped:
    """Drafts of the points that a model worded; ``failed`` communities could not be asked about,
    ``passed_over`` ones it had nothing to say of, ``dropped`` points said too much.
    """

    drafts: tuple[PointDraft, ...] = ()
    failed: int = 0
    passed_over: tuple[str, ...] = ()
    dropped: int = 0
    reasons: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class CheckedSentences:
    """Sentences of a model with their references; ``dropped`` said too much; ``reasons`` why there
    are none.
    """

    sentences: tuple[str, ...] = ()
    dropped: int = 0
    reasons: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ModelSentence:
    """A sentence of a model with what it was made from."""

    text: str
    evidence: tuple[str, ...]
    citations: tuple[Citation, ...]


def split_batches(described: Sequence[Described], *, max_tokens: int) -> list[list[Described]]:
    """Return ``described`` in batches whose statements fit ``max_tokens``; one that is too long
    is a batch of its own.
    """
    batches: list[list[Described]] = []
    left = 0
    for one in described:
        tokens = _tokens_of(one)
        if tokens > left:
            batches.append([])
            left = max(0, max_tokens - PROMPT_OVERHEAD_TOKENS)
        batches[-1].append(one)
        left -= tokens
    return batches


def _tokens_of(community: Described) -> int:
    candidate, statements = community
    statement_tokens = sum(estimate_tokens(one.text) for one in statements)
    return estimate_tokens(candidate.title) + statement_tokens


def fitting(texts: Iterable[str], *, budget_tokens: int) -> int:
    """Return how many of ``texts`` fit the budget, at least one."""
    total = 0
    count = 0
    for text in texts:
        total += estimate_tokens(text)
        if total > budget_tokens:
            break
        count += 1
    return max(1, count)


# --- map ------------------------------------------------------------------------------------------


async def map_points(
    question: str, batches: Sequence[Sequence[Described]], writer: Writer
) -> Mapped:
    """Return what the model of ``writer`` has to say of all batches, with its scores."""
    slots = asyncio.Semaphore(writer.profile.concurrency)

    async def map_one(batch: Sequence[Described]) -> Mapped:
        async with slots:
            return await _map_batch(question, batch, writer)

    mapped = await asyncio.gather(*(map_one(batch) for batch in batches))
    return Mapped(
        drafts=tuple(draft for one in mapped for draft in one.drafts),
        failed=sum(one.failed for one in mapped),
        passed_over=tuple(community for one in mapped for community in one.passed_over),
        dropped=sum(one.dropped for one in mapped),
        reasons=tuple(dict.fromkeys(reason for one in mapped for reason in one.reasons)),
    )


async def _map_batch(question: str, batch: Sequence[Described], writer: Writer) -> Mapped:
    prompt = map_prompt(question, batch)
    try:
        answer = await writer.model.complete(
            prompt, WordedPoints, max_tokens=writer.config.point_tokens
        )
    except ModelError as error:
        return Mapped(failed=len(batch), reasons=(error.reason,))
    numbered = [(one, statement) for one, statements in batch for statement in statements]
    said = [point for point in answer.parsed.points if point.score > 0]
    read = [_named_statements(point, numbered) for point in said]
    drafts = [_draft(question, point, used) for point, used in zip(said, read, strict=True) if used]
    kept = tuple(draft for draft in drafts if draft is not None)
    spoken_of = {candidate.community for used in read for candidate, _ in used}
    communities = [candidate.community for candidate, _ in batch]
    passed_over = tuple(one for one in communities if one not in spoken_of)
    return Mapped(kept, passed_over=passed_over, dropped=len(said) - len(kept))


def _named_statements(
    point: WordedPoint, numbered: Sequence[tuple[Candidate, Statement]]
) -> list[tuple[Candidate, Statement]]:
    """Return the statements that ``point`` names by number; none where they do not exist, or are of
    several communities.
    """
    numbers = dict.fromkeys(point.facts)
    known = [number for number in numbers if 1 <= number <= len(numbered)]
    used = [numbered[number - 1] for number in known]
    communities = {candidate.community for candidate, _ in used}
    if len(communities) != 1:
        return []
    return used


def _draft(
    question: str, point: WordedPoint, used: Sequence[tuple[Candidate, Statement]]
) -> PointDraft | None:
    """Return the draft of ``point``; None where it says more than the statements it names."""
    candidate, _ = used[0]
    texts = [statement.text for _, statement in used]
    text = point.text.strip()
    evidence = gather_statements(texts, known=[question, candidate.title])
    if not text or verify(text, evidence):
        return None
    cited: list[tuple[str, str]] = []
    for _, statement in used:
        cited += statement.cited
    distinct = list(dict.fromkeys(cited))
    kept = tuple(distinct[:MAX_CITED])
    return PointDraft(candidate.community, float(point.score), text, kept)


# --- reduce ---------------------------------------------------------------------------------------


async def choose_facts(
    question: str, facts: Sequence[str], points: Sequence[Point], writer: Writer
) -> CheckedSentences:
    """Return those of ``facts`` that a small model finds most useful besides the first, in one
    call.

    They are sentences of the index; where there is nothing to choose, none. A number that names no
    other fact is dropped and counted. Citations are those of ``points`` that a fact names.
    """
    if len(facts) <= MOST_CHOSEN + 1:
        return CheckedSentences()
    prompt = prompt_within(question, facts)
    try:
        answer = await writer.model.complete(prompt, ChosenFacts, max_tokens=ANSWER_TOKENS)
    except ModelError as error:
        return CheckedSentences(reasons=(error.reason,))
    numbers = list(dict.fromkeys(answer.parsed.facts))
    chosen = [number for number in numbers if 1 <= number < len(facts)]
    cited = tuple(one for point in points for one in point.citations if one.key != "community")
    worded = [ModelSentence(facts[number], tuple(facts), cited) for number in chosen]
    sentences = tuple(_cited(one) for one in worded)
    return CheckedSentences(
        sentences, len(numbers) - len(chosen), () if sentences else (NONE_HELD,)
    )


async def word_points(
    question: str, headline: str, points: Sequence[Point], writer: Writer
) -> CheckedSentences:
    """Return the sentences that a model makes of the best ``points`` that fit, under ``headline``,
    which is the first of them where it may be shown.
    """
    texts = [strip_references(point.description) for point in points]
    citations = [point.citations for point in points]
    if headline:
        texts.insert(0, headline)
        citations.insert(0, ())
    shown = fitting(texts, budget_tokens=writer.reduce_tokens)
    prompt = reduce_prompt(question, texts[:shown], sentences=writer.profile.findings)
    try:
        answer = await writer.model.complete(prompt, WordedAnswer, max_tokens=writer.answer_tokens)
    except ModelError as error:
        return CheckedSentences(reasons=(error.reason,))
    worded = []
    for sentence in answer.parsed.sentences:
        numbers = dict.fromkeys(sentence.points)
        used = [number - 1 for number in numbers if 1 <= number <= shown]
        cited = tuple(one for number in used for one in citations[number])
        evidence = tuple(texts[number] for number in used)
        worded.append(ModelSentence(sentence.text.strip(), evidence, cited))
    return _checked(question, worded)


def _checked(question: str, worded: Sequence[ModelSentence]) -> CheckedSentences:
    """Return the sentences that hold, with their references.

    A sentence must state a number of its evidence, or a value that is cited: what states neither
    cannot be checked.
    """
    held = [one for one in worded if _holds(question, one)]
    kept = [_cited(one) for one in held]
    dropped = len(worded) - len(kept)
    if not kept:
        return CheckedSentences((), dropped, (NONE_HELD,))
    distinct = dict.fromkeys(kept)
    return CheckedSentences(tuple(distinct), dropped)


def _holds(question: str, one: ModelSentence) -> bool:
    if not one.text or not one.evidence:
        return False
    named = any(_names(one.text, cited) for cited in one.citations)
    if not named and not has_number(one.text):
        return False
    evidence = gather_statements(one.evidence, known=[question])
    too_much = verify(one.text, evidence)
    return not too_much


def _names(text: str, citation: Citation) -> bool:
    value = citation.value.lower()
    return value in text.lower()


def _cited(one: ModelSentence) -> str:
    """Return the sentence with those citations that it names, and the communities they come
    from.
    """
    named = []
    for cited in one.citations:
        if cited.key != "community" and not _names(one.text, cited):
            continue
        value = CitedValue(cited.key, cited.value)
        named.append(value)
    distinct = list(dict.fromkeys(named))
    if not distinct:
        return one.text
    reference = format_reference(distinct[:MAX_CITED])
    return f"{one.text} {reference}"
