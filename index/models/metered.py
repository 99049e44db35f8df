"""A model with a meter: it counts what is spent, and stops at a budget or if no answer comes."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Coroutine
from dataclasses import dataclass
from typing import Any, Final, TypeVar

from index.errors import (
    BudgetError,
    ModelError,
    ModelRateLimitError,
    ModelTimeoutError,
    ModelUnavailableError,
)
from index.models.protocol import (
    AnswerT,
    ChatModel,
    Completion,
    Hear,
    Prompt,
    WrappedModel,
    content_tokens,
)

GIVE_UP_AFTER: Final = 3
SAID_AFTER_S: Final = 10.0
"""Seconds of silence after which a warning says that the program waits for a model."""
ResultT = TypeVar("ResultT")
_log = logging.getLogger(__name__)
_UNANSWERED: Final = (ModelUnavailableError, ModelTimeoutError, ModelRateLimitError)


@dataclass
class Spent:
    """Calls and tokens so far; cached answers are calls, and cost no tokens."""

    calls: int = 0
    cached: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0

    @property
    def tokens(self) -> int:
        """Tokens of both kinds."""
        return self.prompt_tokens + self.completion_tokens


class MeteredModel(WrappedModel):
    """``model`` within ``budget_tokens`` (None: unlimited).

    A call may start when the budget covers its prompt and its longest answer, besides the calls
    under way. After three calls in a row without an answer, all others fail at once with the last
    error. They also fail after ``silence_s`` seconds without an answer (None: never); each piece of
    an answer starts that time again, and a warning says that the model is waited for. Place a cache
    outside the meter (``CachedModel``), so that paid answers always come. ``spent`` is what the
    budget has already paid; None: nothing.
    """

    def __init__(
        self,
        model: ChatModel,
        *,
        budget_tokens: int | None = None,
        silence_s: float | None = None,
        spent: Spent | None = None,
    ) -> None:
        super().__init__(model)
        self._budget = budget_tokens
        self._reserved = 0
        self._unanswered = 0
        self._silence: ModelError | None = None
        self._silence_s = silence_s
        self._silent_since: float | None = None
        self._said_waiting = False
        self._patience: asyncio.Timeout | None = None
        self.spent = spent or Spent()

    async def complete(
        self, prompt: Prompt, schema: type[AnswerT], *, max_tokens: int, hear: Hear | None = None
    ) -> Completion[AnswerT]:
        """Return the model's answer and count it; see ``ChatModel.complete``.

        Raises:
            BudgetError: the budget does not cover the call.
        """
        if self._unanswered >= GIVE_UP_AFTER and self._silence is not None:
            raise self._silence
        expected = max_tokens + content_tokens(prompt)
        self._reserve(expected)
        try:
            listener = None if hear is None else self._heard_by(hear)
            call = self.inner.complete(prompt, schema, max_tokens=max_tokens, hear=listener)
            answer = await self._waited_for(call)
        except _UNANSWERED as error:
            self._unanswered, self._silence = self._unanswered + 1, error
            raise
        finally:
            self._reserved -= expected
        self._unanswered = 0
        self._silent_since = None
        self._count(answer)
        return answer

    async def _waited_for(self, asked: Coroutine[Any, Any, ResultT]) -> ResultT:
        """Await ``asked``; raise ``ModelTimeoutError`` once the model is silent for too long."""
        if self._silence_s is None:
            return await asked
        clock = asyncio.get_running_loop()
        if self._silent_since is None:
            self._silent_since = clock.time()
        end = self._silent_since + self._silence_s
        saying = clock.call_later(SAID_AFTER_S, self._say_waiting)
        try:
            async with asyncio.timeout_at(end) as self._patience:
                return await asked
        except TimeoutError as error:
            self._unanswered = GIVE_UP_AFTER
            reason = f"no answer for {self._silence_s:g} seconds"
            raise ModelTimeoutError(self.name, reason) from error
        finally:
            saying.cancel()
            self._patience = None

    def _heard_by(self, hear: Hear) -> Hear:
        """Return ``hear`` so that it also restarts the time of silence."""

        def heard(text: str) -> None:
            if self._patience is not None and self._silence_s is not None:
                now = asyncio.get_running_loop().time()
                self._silent_since = now
                self._patience.reschedule(now + self._silence_s)
            hear(text)

        return heard

    def _say_waiting(self) -> None:
        if not self._said_waiting:
            self._said_waiting = True
            _log.warning(
                "waiting for %s; the answer comes from facts if it says nothing for %g seconds",
                self.name,
                self._silence_s,
            )

    def _reserve(self, tokens: int) -> None:
        if self._budget is not None:
            left = self._budget - self.spent.tokens
            if self._reserved + tokens > left:
                reason = f"the next call may take {tokens:,} tokens, {left:,} are left"
                remedy = "raise the budget; finished work is kept"
                raise BudgetError(self.name, reason, remedy=remedy)
        self._reserved += tokens

    def _count(self, answer: Completion[AnswerT]) -> None:
        self.spent.calls += 1
        self.spent.prompt_tokens += answer.prompt_tokens
        self.spent.completion_tokens += answer.completion_tokens
