"""The Batch API of a provider, called with patience: send requests, wait, take their answers.

A provider is sometimes out of reach, and a batch takes up to a day. If a call fails for a reason
that may pass (no answer, a broken answer, a status of 500 or more, a rate limit), it is repeated,
with pauses that double, until ``Waiting.patience_s`` is over.
"""

from __future__ import annotations

import asyncio
import hashlib
import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Final, TypeVar

from index.errors import (
    BatchFailedError,
    ModelError,
    ModelJunkError,
    ModelTimeoutError,
    ModelUnavailableError,
)
from index.models.openai import OpenAIModel
from index.models.openai_errors import model_error

if TYPE_CHECKING:
    from openai.types import Batch

ResultT = TypeVar("ResultT")
_log = logging.getLogger(__name__)

ENDPOINT: Final = "/v1/chat/completions"
WINDOW: Final = "24h"
DIGEST: Final = "requests_sha256"
_UNDER_WAY: Final = ("validating", "in_progress", "finalizing")
_USABLE: Final = (*_UNDER_WAY, "completed")
_LISTED: Final = 100
_PROBE_S: Final = 10.0
_ABSENT: Final = (404, 405, 501)


@dataclass(frozen=True)
class Waiting:
    """How long to wait for a batch under way, and how often to look."""

    poll_s: float = 30.0
    """Pause between two checks, and before the first new attempt after a failed call."""
    longest_pause_s: float = 300.0
    """Pauses between attempts double up to this."""
    patience_s: float = 1_800.0
    """How long calls may keep failing before the batch is left to the next build."""
    longest_s: float = 93_600.0
    """How long a batch may take in total; a provider ends it after 24 hours."""


async def require_batches(model: OpenAIModel) -> None:
    """Return if the endpoint of ``model`` has batches, or does not answer now.

    Raises:
        ModelUnavailableError: it has none, or refuses the key.
    """
    import openai

    client = model.client().with_options(max_retries=0, timeout=_PROBE_S)
    try:
        listed = await client.batches.list(limit=1)
    except (openai.AuthenticationError, openai.PermissionDeniedError) as error:
        raise model_error(error, model.name) from error
    except openai.APIStatusError as error:
        if error.status_code in _ABSENT:
            raise without_batches(model.name) from error
        return
    except (openai.OpenAIError, ValueError):
        return
    if not isinstance(getattr(listed, "data", None), list):
        raise without_batches(model.name)


def without_batches(model: str, why: str = "the endpoint has no batches") -> ModelUnavailableError:
    """Return the error for a model whose requests cannot be sent in a batch."""
    return ModelUnavailableError(
        model, why, remedy="leave out --batch, or use a provider that has batches"
    )


@dataclass(frozen=True)
class BatchProvider:
    """The provider of ``model``; ``on_progress`` is called with requests answered and sent."""

    model: OpenAIModel
    waiting: Waiting
    on_progress: Callable[[int, int], None] | None = None

    async def submit(self, content: bytes) -> str:
        """Return the identifier of the batch of these requests; send it if there is none."""
        batch = await self._patiently(partial(_submitted, self.model, content))
        return batch.id

    async def finished(self, name: str) -> Batch:
        """Return the batch ``name`` once it has ended with results.

        Raises:
            BatchFailedError: it ended without any.
            ModelError: it cannot be had now.
        """
        clock = asyncio.get_running_loop().time
        last = clock() + self.waiting.longest_s
        look = partial(_looked_at, self.model, name)
        batch = await self._patiently(look)
        while batch.status in _UNDER_WAY:
            self._report(batch)
            if clock() > last:
                raise self._too_long(batch)
            await asyncio.sleep(self.waiting.poll_s)
            batch = await self._patiently(look)
        if batch.status != "completed" and batch.output_file_id is None:
            raise BatchFailedError(self.model.name, f"batch {name} {batch.status}: {_said(batch)}")
        return batch

    async def download(self, file: str) -> str:
        """Return the text of a result file."""
        return await self._patiently(partial(_downloaded, self.model, file))

    def _report(self, batch: Batch) -> None:
        counts = batch.request_counts
        if self.on_progress is None or counts is None:
            return
        self.on_progress(counts.completed, counts.total)

    def _too_long(self, batch: Batch) -> ModelTimeoutError:
        hours = self.waiting.longest_s / 3600
        reason = f"batch {batch.id} is still {batch.status} after {hours:,.0f} hours"
        return ModelTimeoutError(self.model.name, reason)

    async def _patiently(self, call: Callable[[], Awaitable[ResultT]]) -> ResultT:
        """Return what ``call`` returns; repeat it after a failure that may pass.

        Raises:
            ModelError: it will not pass, or has not within ``patience_s``.
        """
        clock = asyncio.get_running_loop().time
        deadline = clock() + self.waiting.patience_s
        pause = self.waiting.poll_s
        while True:
            try:
                return await _guarded(call, self.model.name)
            except ModelError as error:
                if not _passes(error) or clock() + pause > deadline:
                    raise
                _log.info("%s; trying again in %.0f s", error.message, pause)
            await asyncio.sleep(pause)
            pause = min(2 * pause, self.waiting.longest_pause_s)


async def _submitted(model: OpenAIModel, content: bytes) -> Batch:
    client = model.client()
    digest = hashlib.sha256(content).hexdigest()
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


async def _looked_at(model: OpenAIModel, name: str) -> Batch:
    """Return the current state of the batch ``name``.

    Raises:
        BatchFailedError: the provider does not know it.
    """
    import openai
    from openai.types import Batch

    try:
        batch = await model.client().batches.retrieve(name)
    except openai.NotFoundError as error:
        raise BatchFailedError(model.name, f"batch {name} is not known at the provider") from error
    if not isinstance(batch, Batch) or not batch.status:
        raise ModelJunkError(model.name, f"the provider's answer about batch {name} is not a batch")
    return batch


async def _downloaded(model: OpenAIModel, file: str) -> str:
    content = await model.client().files.content(file)
    return str(content.text)


def _said(batch: Batch) -> str:
    """Return why the provider says that ``batch`` failed."""
    errors = batch.errors.data or [] if batch.errors is not None else []
    messages = [error.message for error in errors if error.message]
    return "; ".join(messages) or "no reason given"


async def _guarded(call: Callable[[], Awaitable[ResultT]], model: str) -> ResultT:
    """Return what ``call`` returns; errors of the client are raised as ``ModelError`` by cause."""
    import openai

    try:
        return await call()
    except openai.NotFoundError as error:
        raise without_batches(model) from error
    except openai.OpenAIError as error:
        raise model_error(error, model) from error
    except ValueError as error:
        raise ModelJunkError(model, "the provider's answer is not JSON") from error


def _passes(error: ModelError) -> bool:
    """Return whether the same call may succeed later."""
    import openai

    cause = error.__cause__
    if isinstance(cause, openai.RateLimitError):
        return cause.code != "insufficient_quota"
    passing = (openai.APIConnectionError, openai.InternalServerError)
    return isinstance(error, ModelJunkError) or isinstance(cause, passing)
