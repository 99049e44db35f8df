"""What a model says of communities (map): how much each helps to answer the question.

What is said of a community is always its statements; a batch that fails is ranked as without a
model, and counted.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from index.errors import ModelError
from index.models.protocol import estimate_tokens
from index.reports.phrases import counted
from query.global_search.prompting import Described, Relevance, map_prompt

if TYPE_CHECKING:
    from query.global_search.material import Writer

PROMPT_OVERHEAD_TOKENS: Final = 500
"""Instructions and example of a prompt."""


@dataclass(frozen=True, slots=True)
class Mapped:
    """Scores (1-100) of the communities that help; ``passed_over`` ones do not, and ``failed`` ones
    could not be asked about.
    """

    scores: Mapping[str, float] = field(default_factory=dict)
    failed: int = 0
    passed_over: tuple[str, ...] = ()
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


async def map_communities(
    question: str, batches: Sequence[Sequence[Described]], writer: Writer
) -> Mapped:
    """Return how much each community of all batches helps, as the model of ``writer`` sees it."""
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
        scores={community: score for one in mapped for community, score in one.scores.items()},
        failed=sum(one.failed for one in mapped),
        passed_over=tuple(community for one in mapped for community in one.passed_over),
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
            prompt, Relevance, max_tokens=writer.config.point_tokens
        )
    except ModelError as error:
        return Mapped(failed=len(batch), reasons=(error.reason,))
    communities = dict(enumerate((candidate.community for candidate, _ in batch), start=1))
    scores = {
        communities[one.community]: one.score
        for one in answer.parsed.communities
        if one.community in communities and one.score > 0
    }
    passed_over = tuple(one for one in communities.values() if one not in scores)
    return Mapped(scores, passed_over=passed_over)
