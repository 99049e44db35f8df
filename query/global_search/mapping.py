"""What a model makes of communities (map), checked.

Whatever the model does, the answer from facts is there: a batch that fails is answered from its
statements and counted, and a point that says more than its statements is dropped and counted.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from index.checking.statements import gather_statements
from index.checking.verification import verify
from index.errors import ModelError
from index.models.protocol import estimate_tokens
from index.reports.phrases import counted
from query.global_search.from_facts import MAX_CITED, PointDraft
from query.global_search.prompting import (
    Described,
    WordedPoint,
    WordedPoints,
    map_prompt,
)
from query.global_search.statements import Statement
from query.global_search.triage import Candidate

if TYPE_CHECKING:
    from query.global_search.material import Writer

PROMPT_OVERHEAD_TOKENS: Final = 500
"""Instructions and example of a prompt."""


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


async def map_points(
    question: str, batches: Sequence[Sequence[Described]], writer: Writer
) -> Mapped:
    """Return what the model of ``writer`` has to say of all batches, with its scores."""
    slots = asyncio.Semaphore(writer.profile.concurrency)

    left = len(batches)

    async def map_one(batch: Sequence[Described]) -> Mapped:
        nonlocal left
        async with slots:
            writer.watch.step(_under_way(writer.model.name, batches, left))
            mapped = await _map_batch(question, batch, writer)
        left -= 1
        return mapped

    mapped = await asyncio.gather(*(map_one(batch) for batch in batches))
    return Mapped(
        drafts=tuple(draft for one in mapped for draft in one.drafts),
        failed=sum(one.failed for one in mapped),
        passed_over=tuple(community for one in mapped for community in one.passed_over),
        dropped=sum(one.dropped for one in mapped),
        reasons=tuple(dict.fromkeys(reason for one in mapped for reason in one.reasons)),
    )


def _under_way(model: str, batches: Sequence[Sequence[Described]], left: int) -> str:
    """Return what is done of ``batches``, of which ``left`` are not answered, in words."""
    communities = sum(len(batch) for batch in batches)
    read = counted(communities, "community", "communities")
    done = len(batches) - left
    return f"{model} reads {read}: {done} of {counted(len(batches), 'call')} answered"


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
