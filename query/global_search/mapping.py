"""Map: a model rates how much each community helps to answer the question.

A community is still described by its counted point; the communities of a batch that fails are
ranked as without a model, and the failure is counted.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from index.claims.phrases import counted
from index.errors import ModelError
from index.models.protocol import Prompt, longest_tokens
from query.global_search.material import Shown, Writer
from query.global_search.prompting import RatedCommunities, rating_prompt

_LONG_NUMBER: Final = 100
_TOKENS_A_RATING: Final = 30
"""Longest rating of a community: its relevance and three statements, as JSON."""


@dataclass(frozen=True, slots=True)
class Ratings:
    """Relevance (0-3) of the communities that a model rated, by community; it skipped all others.

    ``chosen`` are the statements of each that answer; ``failed`` communities could not be
    rated, for ``reasons``.
    """

    relevance: Mapping[str, int] = field(default_factory=dict)
    chosen: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    failed: int = 0
    reasons: tuple[str, ...] = ()


def split_batches(communities: Sequence[Shown], *, max_tokens: int) -> list[list[Shown]]:
    """Return ``communities`` in batches that fit ``max_tokens``; one too long is a batch alone."""
    batches: list[list[Shown]] = []
    left = 0
    for community in communities:
        tokens = longest_tokens(community.text(_LONG_NUMBER))
        if tokens > left or not batches:
            batches.append([])
            left = max_tokens
        batches[-1].append(community)
        left -= tokens
    return batches


async def rate_communities(
    question: str, batches: Sequence[Sequence[Shown]], writer: Writer
) -> Ratings:
    """Return how much each community of all batches helps, as the model of ``writer`` sees it."""
    slots = asyncio.Semaphore(writer.profile.concurrency)
    left = len(batches)

    async def rate(batch: Sequence[Shown]) -> Ratings:
        nonlocal left
        async with slots:
            writer.watch.step(_under_way(writer.model.name, batches, left))
            rated = await _rate_batch(question, batch, writer)
        left -= 1
        return rated

    rated = await asyncio.gather(*(rate(batch) for batch in batches))
    reasons = dict.fromkeys(reason for ratings in rated for reason in ratings.reasons)
    return Ratings(
        relevance={name: score for part in rated for name, score in part.relevance.items()},
        chosen={name: texts for part in rated for name, texts in part.chosen.items()},
        failed=sum(part.failed for part in rated),
        reasons=tuple(reasons),
    )


def _under_way(model: str, batches: Sequence[Sequence[Shown]], left: int) -> str:
    """Return in words how many of ``batches`` are done, with ``left`` not answered yet."""
    communities = sum(len(batch) for batch in batches)
    read = counted(communities, "community", "communities")
    done = len(batches) - left
    return f"{model} reads {read}: {done} of {counted(len(batches), 'call')} answered"


async def _rate_batch(question: str, batch: Sequence[Shown], writer: Writer) -> Ratings:
    """Return the ratings of one call; a community that the answer leaves out has relevance 0."""
    prompt = batch_prompt(question, batch)
    try:
        answer = await writer.model.complete(
            prompt, RatedCommunities, max_tokens=rating_tokens(len(batch), writer)
        )
    except ModelError as error:
        return Ratings(failed=len(batch), reasons=(error.reason,))
    statements = [text for community in batch for text in community.statements]
    relevance = {community.point.community: 0 for community in batch}
    chosen = {}
    for rated in answer.parsed.communities:
        if not 1 <= rated.community <= len(batch):
            continue
        community = batch[rated.community - 1]
        relevance[community.point.community] = rated.relevance
        numbers = [number for number in rated.statements if 1 <= number <= len(statements)]
        texts = dict.fromkeys(statements[number - 1] for number in numbers)
        own = tuple(text for text in texts if text in community.statements)
        chosen[community.point.community] = own
    return Ratings(relevance, chosen)


def rating_tokens(communities: int, writer: Writer) -> int:
    """Return the tokens of the longest answer that rates so many communities."""
    return max(writer.config.point_tokens, _TOKENS_A_RATING * communities)


def batch_prompt(question: str, batch: Sequence[Shown]) -> Prompt:
    """Return the prompt for a batch; statements are numbered through all of it."""
    texts = []
    first = 1
    for community in batch:
        texts.append(community.text(first))
        first += len(community.statements)
    return rating_prompt(question, texts)
