"""Answers already paid for: a content-addressed SQLite file of its own that outlives any rebuild of
the index.

The key is the SHA-256 of model, messages, schema and length limit; only answers that satisfied
their schema are kept. Each is committed as it lands (write-ahead log), so a killed build asks for
none of them again.
"""

from __future__ import annotations

import hashlib
import json
import sqlite3
from pathlib import Path
from types import TracebackType
from typing import Final, Self

from index.errors import StoreError
from index.models.openai import parse_answer
from index.models.protocol import AnswerT, ChatModel, Completion, Prompt, TokenCount, json_schema

_SCHEMA: Final = """
CREATE TABLE IF NOT EXISTS answer (
    key TEXT PRIMARY KEY, model TEXT NOT NULL, text TEXT NOT NULL,
    prompt_tokens INTEGER NOT NULL, completion_tokens INTEGER NOT NULL
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS score (
    key TEXT PRIMARY KEY, model TEXT NOT NULL, probability REAL NOT NULL
) WITHOUT ROWID;
"""


class ResponseCache:
    """The cache file at ``path``; several processes may use it at once."""

    def __init__(self, path: Path) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        self.path = path
        self._connection = sqlite3.connect(
            path, timeout=30.0, isolation_level=None, check_same_thread=False
        )
        try:
            self._connection.execute("PRAGMA journal_mode=WAL")
            self._connection.execute("PRAGMA synchronous=NORMAL")
            self._connection.executescript(_SCHEMA)
        except sqlite3.DatabaseError as error:
            self._connection.close()
            remedy = f"delete {path}; its answers will be asked for again"
            raise StoreError(f"{path}: not a response cache ({error})", remedy=remedy) from error

    def answer(self, key: str) -> tuple[str, int, int] | None:
        """Return (text, prompt tokens, completion tokens) of the answer stored under ``key``, or
        None.
        """
        query = "SELECT text, prompt_tokens, completion_tokens FROM answer WHERE key = ?"
        row = self._connection.execute(query, (key,)).fetchone()
        return None if row is None else (str(row[0]), int(row[1]), int(row[2]))

    def keep_answer(
        self, key: str, *, model: str, text: str, prompt_tokens: int, completion_tokens: int
    ) -> None:
        """Store an answer for good; the first one stored under a key stays."""
        values = (key, model, text, prompt_tokens, completion_tokens)
        self._connection.execute("INSERT OR IGNORE INTO answer VALUES (?, ?, ?, ?, ?)", values)

    def score(self, key: str) -> float | None:
        """Return the yes-probability stored under ``key``, or None."""
        row = self._connection.execute(
            "SELECT probability FROM score WHERE key = ?", (key,)
        ).fetchone()
        return None if row is None else float(row[0])

    def keep_score(self, key: str, *, model: str, probability: float) -> None:
        """Store a yes-probability for good."""
        self._connection.execute(
            "INSERT OR IGNORE INTO score VALUES (?, ?, ?)", (key, model, probability)
        )

    def __len__(self) -> int:
        """Return the number of stored answers."""
        return int(self._connection.execute("SELECT count(*) FROM answer").fetchone()[0])

    def close(self) -> None:
        """Close the file."""
        self._connection.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()


class CachedModel:
    """``model`` that never asks twice what ``cache`` has an answer to."""

    def __init__(self, model: ChatModel, cache: ResponseCache) -> None:
        self._model = model
        self._cache = cache

    @property
    def name(self) -> str:
        """Name of the model behind the cache."""
        return self._model.name

    async def complete(
        self, prompt: Prompt, schema: type[AnswerT], *, max_tokens: int
    ) -> Completion[AnswerT]:
        """Return the stored answer, else the model's, which is stored; see ``ChatModel.complete``."""
        key = answer_key(self.name, prompt, schema, max_tokens=max_tokens)
        stored = self._cache.answer(key)
        if stored is not None:
            text, prompt_tokens, completion_tokens = stored
            parsed = parse_answer(text, schema, model=self.name)
            return Completion(parsed, text, prompt_tokens, completion_tokens, cached=True)
        fresh = await self._model.complete(prompt, schema, max_tokens=max_tokens)
        self._cache.keep_answer(
            key,
            model=self.name,
            text=fresh.text,
            prompt_tokens=fresh.prompt_tokens,
            completion_tokens=fresh.completion_tokens,
        )
        return fresh

    async def yes_probability(self, prompt: Prompt) -> float:
        """Return the stored probability, else the model's, which is stored; see
        ``ChatModel.yes_probability``.
        """
        key = _digest({"model": self.name, "messages": prompt.messages(), "ask": "yes-no"})
        stored = self._cache.score(key)
        if stored is not None:
            return stored
        probability = await self._model.yes_probability(prompt)
        self._cache.keep_score(key, model=self.name, probability=probability)
        return probability

    def has_answer(self, prompt: Prompt, schema: type[AnswerT], *, max_tokens: int) -> bool:
        """Return whether ``complete`` would cost nothing."""
        return (
            self._cache.answer(answer_key(self.name, prompt, schema, max_tokens=max_tokens))
            is not None
        )

    async def count_tokens(self, prompt: Prompt) -> TokenCount:
        """Return the length of ``prompt``; see ``ChatModel.count_tokens``."""
        return await self._model.count_tokens(prompt)

    async def aclose(self) -> None:
        """Close the model; the cache stays open for its owner."""
        await self._model.aclose()


def answer_key(model: str, prompt: Prompt, schema: type[AnswerT], *, max_tokens: int) -> str:
    """Return the address of an answer: the SHA-256 of all that it depends on."""
    return _digest(
        {
            "model": model,
            "messages": prompt.messages(),
            "schema": json_schema(schema),
            "max_tokens": max_tokens,
        }
    )


def _digest(content: dict[str, object]) -> str:
    return hashlib.sha256(
        json.dumps(content, sort_keys=True, ensure_ascii=False).encode()
    ).hexdigest()
