"""A model with a cache: a stored answer is neither requested nor paid for again.

The key of an answer is the SHA-256 of model, messages, schema and length limit.
"""

from __future__ import annotations

import hashlib
import json
import logging

from index.errors import StoreError
from index.models.cache import ResponseCache
from index.models.metered import Spent
from index.models.openai_answers import parse_answer
from index.models.protocol import (
    AnswerT,
    ChatModel,
    Completion,
    Hear,
    Prompt,
    WrappedModel,
    json_schema,
)

_log = logging.getLogger(__name__)


class CachedModel(WrappedModel):
    """``model`` behind ``cache``, which is read first.

    Place it outside the meter: stored answers then come even if the budget is spent or the model is
    down. ``spent`` counts each answer from the cache. Closing it leaves the cache open for its
    owner.
    """

    def __init__(
        self, model: ChatModel, cache: ResponseCache, *, spent: Spent | None = None
    ) -> None:
        super().__init__(model)
        self._cache = cache
        self._spent = spent
        self._keeps = True

    async def complete(
        self, prompt: Prompt, schema: type[AnswerT], *, max_tokens: int, hear: Hear | None = None
    ) -> Completion[AnswerT]:
        """Return the stored answer, else the model's, which is stored; see ``ChatModel``."""
        key = answer_key(self.name, prompt, schema, max_tokens=max_tokens)
        stored = self._cache.answer(key)
        if stored is not None:
            text, prompt_tokens, completion_tokens = stored
            parsed = parse_answer(text, schema, model=self.name)
            if self._spent is not None:
                self._spent.calls += 1
                self._spent.cached += 1
            return Completion(parsed, text, prompt_tokens, completion_tokens, cached=True)
        fresh = await self.inner.complete(prompt, schema, max_tokens=max_tokens, hear=hear)
        self._keep(key, fresh)
        return fresh

    def has_answer(self, prompt: Prompt, schema: type[AnswerT], *, max_tokens: int) -> bool:
        """Return whether ``complete`` would cost nothing."""
        key = answer_key(self.name, prompt, schema, max_tokens=max_tokens)
        return self._cache.answer(key) is not None

    def _keep(self, key: str, fresh: Completion[AnswerT]) -> None:
        """Store an answer; after the first failure, stop storing."""
        if not self._keeps:
            return
        try:
            self._cache.keep_answer(
                key,
                model=self.name,
                text=fresh.text,
                prompt_tokens=fresh.prompt_tokens,
                completion_tokens=fresh.completion_tokens,
            )
        except StoreError as error:
            self._keeps = False
            _log.warning(
                "answers of the model are not kept from here on: %s -> %s",
                error.message,
                error.remedy,
            )


def answer_key(model: str, prompt: Prompt, schema: type[AnswerT], *, max_tokens: int) -> str:
    """Return the address of an answer: the SHA-256 of all that it depends on."""
    content = {
        "model": model,
        "messages": prompt.messages(),
        "schema": json_schema(schema),
        "max_tokens": max_tokens,
    }
    text = json.dumps(content, sort_keys=True, ensure_ascii=False)
    return hashlib.sha256(text.encode()).hexdigest()
