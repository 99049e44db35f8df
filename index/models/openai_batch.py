"""Drafts by the provider's Batch API: half the price, within a day, for the offline job.

A batch is one uploaded file of chat requests, each under the key of its answer in the response
cache. What comes back is checked like any answer and put in that cache, so wording then finds it
there. Nothing is kept on this side while a batch runs: it bears a digest of its requests, and a
build that was killed finds it again by that and waits on.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
from collections import Counter
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, TypeVar

from openai.types.chat import ChatCompletion
from pydantic import BaseModel, ValidationError

from index.errors import BatchPendingError, ModelError, ModelUnavailableError
from index.models.cache import ResponseCache, answer_key
from index.models.openai import OpenAIModel, content_of, model_error, parse_answer
from index.models.protocol import AnswerT, Completion, Prompt, TokenCount, estimate_tokens

if TYPE_CHECKING:
    from openai.types import Batch

ResultT = TypeVar("ResultT")

ENDPOINT: Final = "/v1/chat/completions"
WINDOW: Final = "24h"
DIGEST: Final = "requests_sha256"
MAX_REQUESTS: Final = 50_000
"""Requests in one batch, the provider's limit."""
_UNDER_WAY: Final = ("validating", "in_progress", "finalizing")
_USABLE: Final = (*_UNDER_WAY, "completed")
_LISTED: Final = 100


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
        return self.max_tokens + sum(
            estimate_tokens(message["content"]) for message in self.prompt.messages()
        )


class CollectingModel:
    """Answers nothing: whatever it is asked is put on the list ``asks``. Behind a cache, that is
    what is not there.
    """

    def __init__(self, model: OpenAIModel) -> None:
        self._model = model
        self.asks: dict[str, Ask] = {}

    @property
    def name(self) -> str:
        """Name of the model the batch is for."""
        return self._model.name

    async def complete(
        self, prompt: Prompt, schema: type[AnswerT], *, max_tokens: int
    ) -> Completion[AnswerT]:
        """Put the request on the list and raise ``BatchPendingError``."""
        key = answer_key(self.name, prompt, schema, max_tokens=max_tokens)
        self.asks[key] = Ask(key, prompt, schema, max_tokens)
        raise BatchPendingError(self.name, "waits for a batch")

    async def yes_probability(self, prompt: Prompt) -> float:
        """Return the model's own: scores are not collected; see ``ChatModel.yes_probability``."""
        return await self._model.yes_probability(prompt)

    async def count_tokens(self, prompt: Prompt) -> TokenCount:
        """Return the length of ``prompt``; see ``ChatModel.count_tokens``."""
        return await self._model.count_tokens(prompt)

    async def aclose(self) -> None:
        """Do nothing: the model is closed by its owner."""


async def answer_in_batch(
    model: OpenAIModel,
    asks: Sequence[Ask],
    cache: ResponseCache,
    *,
    poll_s: float = 30.0,
    on_progress: Callable[[int, int], None] | None = None,
) -> Counter[str]:
    """Put the answers to ``asks`` in ``cache`` and return how many came, and why the others did
    not.

    Raises:
        ModelUnavailableError: the endpoint has no batches, or this one failed as a whole.
    """
    outcome: Counter[str] = Counter()
    for start in range(0, len(asks), MAX_REQUESTS):
        part = asks[start : start + MAX_REQUESTS]
        batch = await _finished(
            model, await _submitted(model, part), poll_s=poll_s, on_progress=on_progress
        )
        for file in (batch.output_file_id, batch.error_file_id):
            if file is not None:
                outcome += _store(await _download(model, file), part, cache, model=model.name)
    missing = len(asks) - outcome.total()
    return outcome + Counter({"no answer in the batch": missing})


def within_budget(asks: Sequence[Ask], budget_tokens: int | None) -> list[Ask]:
    """Return the first of ``asks`` that together cost at most ``budget_tokens`` (None: all), at
    their worst.
    """
    if budget_tokens is None:
        return list(asks)
    taken: list[Ask] = []
    left = budget_tokens
    for ask in asks:
        left -= ask.most_tokens
        if left < 0:
            break
        taken.append(ask)
    return taken


async def _submitted(model: OpenAIModel, asks: Sequence[Ask]) -> Batch:
    """Return the batch of exactly these requests: the one that a killed build left, else a new one."""
    client = model.client()
    lines = [json.dumps(_line(model, ask), ensure_ascii=False, sort_keys=True) for ask in asks]
    content = "\n".join(lines).encode()
    digest = hashlib.sha256(content).hexdigest()

    async def submit() -> Batch:
        listed = await client.batches.list(limit=_LISTED)
        for batch in listed.data:
            if batch.status in _USABLE and (batch.metadata or {}).get(DIGEST) == digest:
                return batch
        file = await client.files.create(file=("reports.jsonl", content), purpose="batch")
        return await client.batches.create(
            input_file_id=file.id,
            endpoint=ENDPOINT,
            completion_window=WINDOW,
            metadata={DIGEST: digest},
        )

    return await _guarded(submit, model.name)


def _line(model: OpenAIModel, ask: Ask) -> dict[str, Any]:
    body = model.request(ask.prompt, ask.schema, ask.max_tokens)
    return {"custom_id": ask.key, "method": "POST", "url": ENDPOINT, "body": body}


async def _finished(
    model: OpenAIModel,
    batch: Batch,
    *,
    poll_s: float,
    on_progress: Callable[[int, int], None] | None,
) -> Batch:
    client = model.client()
    number = batch.id
    while batch.status in _UNDER_WAY:
        if on_progress is not None and batch.request_counts is not None:
            on_progress(batch.request_counts.completed, batch.request_counts.total)
        await asyncio.sleep(poll_s)
        batch = await _guarded(lambda: client.batches.retrieve(number), model.name)
    if batch.status != "completed" and batch.output_file_id is None:
        said = (
            "; ".join(error.message or "" for error in (batch.errors.data or []))
            if batch.errors
            else ""
        )
        raise ModelUnavailableError(
            model.name, f"batch {batch.id} {batch.status}: {said or 'no reason given'}"
        )
    return batch


async def _download(model: OpenAIModel, file: str) -> str:
    client = model.client()
    content = await _guarded(lambda: client.files.content(file), model.name)
    return str(content.text)


def _store(text: str, asks: Sequence[Ask], cache: ResponseCache, *, model: str) -> Counter[str]:
    """Put every whole answer of a result file in ``cache``; return how many, and why others were
    left.
    """
    asked = {ask.key: ask for ask in asks}
    outcome: Counter[str] = Counter()
    for line in text.splitlines():
        try:
            record = json.loads(line)
            ask = asked[record["custom_id"]]
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


async def _guarded(call: Callable[[], Awaitable[ResultT]], model: str) -> ResultT:
    """Return what ``call`` returns; errors of the client are raised as ``ModelError`` by cause."""
    import openai

    try:
        return await call()
    except openai.NotFoundError as error:
        reason = "the endpoint has no batches"
        raise ModelUnavailableError(
            model, reason, remedy="leave out --batch, or use a provider with them"
        ) from error
    except openai.OpenAIError as error:
        raise model_error(error, model) from error
