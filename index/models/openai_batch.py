"""Drafts by the provider's Batch API: half the price, within a day, for the offline job.

A batch is one uploaded file of chat requests, each under the key of its answer in the response
cache. What comes back is checked like any answer and put in that cache, so wording then finds it
there. The cache also remembers the batch and the keys it will answer: a build that was killed, or
lost its provider for too long, leaves it to the next one. Where the cache itself was lost, the
batch is found among the provider's by the digest of its requests.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from openai.types.chat import ChatCompletion
from pydantic import BaseModel, ValidationError

from index.errors import BatchFailedError, BatchPendingError, ModelError
from index.models.batch_provider import ENDPOINT, BatchProvider
from index.models.cache import ResponseCache
from index.models.cached import answer_key
from index.models.openai import OpenAIModel
from index.models.openai_answers import content_of, parse_answer
from index.models.protocol import (
    AnswerT,
    ChatModel,
    Completion,
    Hear,
    Prompt,
    WrappedModel,
    content_tokens,
    estimate_tokens,
)

MAX_REQUESTS: Final = 50_000
"""Requests in one batch, the provider's limit."""
_VENDOR: Final = "https://api.openai.com/v1"


@dataclass(frozen=True)
class Ask:
    """One request that waits for a batch; ``max_tokens`` bounds its answer."""

    key: str
    prompt: Prompt
    schema: type[BaseModel]
    max_tokens: int

    @property
    def most_tokens(self) -> int:
        """What it may cost at most, estimated."""
        return self.max_tokens + content_tokens(self.prompt)


class CollectingModel(WrappedModel):
    """Answers nothing and collects each request in ``asks``: behind a cache, what it lacks."""

    def __init__(self, model: ChatModel) -> None:
        super().__init__(model)
        self.asks: dict[str, Ask] = {}

    async def complete(
        self,
        prompt: Prompt,
        schema: type[AnswerT],
        *,
        max_tokens: int,
        hear: Hear | None = None,  # noqa: ARG002
    ) -> Completion[AnswerT]:
        """Put the request on the list and raise ``BatchPendingError``."""
        key = answer_key(self.name, prompt, schema, max_tokens=max_tokens)
        self.asks[key] = Ask(key, prompt, schema, max_tokens)
        raise BatchPendingError(self.name, "waits for a batch")

    async def aclose(self) -> None:
        """Do nothing: the model is closed by its owner."""


@dataclass(frozen=True)
class BatchDesk:
    """Sends batches, remembers them in ``cache`` and collects their answers.

    ``send`` and ``resume`` put answers in ``cache`` and count the answers and the reasons for
    missing ones. They raise ``ModelError`` where a batch cannot be reached now (it stays
    remembered), and ``StoreError`` where answers cannot be stored.
    """

    provider: BatchProvider
    cache: ResponseCache

    @property
    def endpoint(self) -> str:
        """The address that batches are remembered under."""
        return self.provider.model.base_url or _VENDOR

    async def resume(self, asks: Sequence[Ask]) -> tuple[Counter[str], list[Ask]]:
        """Collect the remembered batches that answer any of ``asks``.

        Return the counted outcomes, and the asks that no batch covers.
        """
        outcome: Counter[str] = Counter()
        left = {ask.key: ask for ask in asks}
        for name, keys in self.cache.batches(self.endpoint).items():
            covered = [ask for key, ask in left.items() if key in keys]
            if not covered:
                continue
            try:
                outcome += await self._take_back(name, covered)
            except BatchFailedError:
                continue
            left = {key: ask for key, ask in left.items() if key not in keys}
        return outcome, list(left.values())

    async def send(self, asks: Sequence[Ask]) -> Counter[str]:
        """Send ``asks``, wait for their answers and return what came of them."""
        outcome: Counter[str] = Counter()
        for start in range(0, len(asks), MAX_REQUESTS):
            outcome += await self._send_batch(asks[start : start + MAX_REQUESTS])
        return outcome

    async def _send_batch(self, asks: Sequence[Ask]) -> Counter[str]:
        lines = [_line(self.provider.model, ask) for ask in asks]
        name = await self.provider.submit("\n".join(lines).encode())
        self.cache.keep_batch(self.endpoint, name, [ask.key for ask in asks])
        return await self._take_back(name, asks)

    async def _take_back(self, name: str, asks: Sequence[Ask]) -> Counter[str]:
        """Store the answers of the batch ``name`` to ``asks``, forget it, count the outcomes."""
        try:
            batch = await self.provider.finished(name)
        except BatchFailedError:
            self.cache.forget_batch(self.endpoint, name)
            raise
        model = self.provider.model.name
        outcome: Counter[str] = Counter()
        for file in (batch.output_file_id, batch.error_file_id):
            if file is not None:
                text = await self.provider.download(file)
                outcome += _store(text, asks, self.cache, model=model)
        self.cache.forget_batch(self.endpoint, name)
        missing = len(asks) - outcome.total()
        return outcome + Counter({"no answer in the batch": missing})


def within_budget(asks: Sequence[Ask], budget_tokens: int | None) -> list[Ask]:
    """Return the first of ``asks`` that together cost at most ``budget_tokens`` (None: all).

    Each counts with the most that it may cost.
    """
    if budget_tokens is None:
        return list(asks)
    affordable: list[Ask] = []
    left = budget_tokens
    for ask in asks:
        left -= ask.most_tokens
        if left < 0:
            break
        affordable.append(ask)
    return affordable


def _line(model: OpenAIModel, ask: Ask) -> str:
    """Return the request of ``ask`` as a line of the uploaded file."""
    request = {
        "custom_id": ask.key,
        "method": "POST",
        "url": ENDPOINT,
        "body": model.request(ask.prompt, ask.schema, ask.max_tokens),
    }
    return json.dumps(request, ensure_ascii=False, sort_keys=True)


def _store(text: str, asks: Sequence[Ask], cache: ResponseCache, *, model: str) -> Counter[str]:
    """Return how many answers of a result file are now in ``cache``, and why others are not."""
    by_key = {ask.key: ask for ask in asks}
    outcome: Counter[str] = Counter()
    for line in text.splitlines():
        try:
            record = json.loads(line)
            ask = by_key.get(record["custom_id"])
            if ask is None:
                continue
            answer = ChatCompletion.model_validate(record["response"]["body"])
            said = content_of(answer, model)
            parse_answer(said, ask.schema, model=model)
        except ModelError as error:
            outcome[error.reason] += 1
        except (json.JSONDecodeError, KeyError, TypeError, ValidationError):
            outcome["the line of the result file is no answer"] += 1
        else:
            usage = answer.usage
            cache.keep_answer(
                ask.key,
                model=model,
                text=said,
                prompt_tokens=usage.prompt_tokens if usage else ask.most_tokens - ask.max_tokens,
                completion_tokens=usage.completion_tokens if usage else estimate_tokens(said),
            )
            outcome["answered"] += 1
    return outcome
