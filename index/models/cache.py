"""A cache of paid answers in its own SQLite file, which outlives rebuilds of the index.

The key is the SHA-256 of model, messages, schema and length limit; only answers that satisfied
their schema are stored. Each is committed as it arrives (write-ahead log), so that a killed build
requests none of them again. The file also remembers which batches are under way at a provider, so
that the next build waits for them instead of paying again.
"""

from __future__ import annotations

import json
import logging
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any, Final, Self

from index.errors import StoreError
from index.store.private import private_file

_log = logging.getLogger(__name__)
IN_MEMORY: Final = Path(":memory:")
"""The path of a cache that is forgotten when it is closed."""
_SCHEMA: Final = """
CREATE TABLE IF NOT EXISTS answer (
    key TEXT PRIMARY KEY, model TEXT NOT NULL, text TEXT NOT NULL,
    prompt_tokens INTEGER NOT NULL, completion_tokens INTEGER NOT NULL
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS batch (
    endpoint TEXT NOT NULL, id TEXT NOT NULL, keys TEXT NOT NULL, PRIMARY KEY (endpoint, id)
) WITHOUT ROWID;
"""
_COLUMNS: Final = {
    "answer": ["key", "model", "text", "prompt_tokens", "completion_tokens"],
    "batch": ["endpoint", "id", "keys"],
}
_DAMAGED: Final = (sqlite3.DatabaseError, UnicodeDecodeError)
"""What a damaged file raises; the latter where the message of SQLite quotes damaged bytes."""


class ResponseCache:
    """The cache file at ``path``; several processes may use it at once.

    Raises:
        StoreError: the file cannot be made, opened or written, or is not a cache of this program.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._connection = _connected(path)
        try:
            self._connection.execute("PRAGMA journal_mode=WAL")
            self._connection.execute("PRAGMA synchronous=NORMAL")
            self._connection.executescript(_SCHEMA)
            self._check_columns()
        except sqlite3.OperationalError as error:
            self._connection.close()
            raise StoreError(f"{path}: cannot be opened ({error})", remedy=_remedy(path)) from error
        except _DAMAGED as error:
            self._connection.close()
            remedy = f"delete {path}; its answers will be requested again"
            raise StoreError(f"{path}: not a response cache ({error})", remedy=remedy) from error

    def answer(self, key: str) -> tuple[str, int, int] | None:
        """Return (text, prompt tokens, completion tokens) stored under ``key``, or None."""
        query = "SELECT text, prompt_tokens, completion_tokens FROM answer WHERE key = ?"
        row = self._row(query, key)
        if row is None:
            return None
        text, prompt_tokens, completion_tokens = row
        return str(text), int(prompt_tokens), int(completion_tokens)

    def keep_answer(
        self, key: str, *, model: str, text: str, prompt_tokens: int, completion_tokens: int
    ) -> None:
        """Store an answer for good; the first stored under a key stays. Raises ``StoreError``."""
        values = (key, model, text, prompt_tokens, completion_tokens)
        self._write("INSERT OR IGNORE INTO answer VALUES (?, ?, ?, ?, ?)", values)

    def batches(self, endpoint: str) -> dict[str, frozenset[str]]:
        """Return the batches under way at ``endpoint``, each with the keys that it will answer."""
        query = "SELECT id, keys FROM batch WHERE endpoint = ? ORDER BY id"
        rows = self._connection.execute(query, (endpoint,)).fetchall()
        return {str(name): frozenset(json.loads(keys)) for name, keys in rows}

    def keep_batch(self, endpoint: str, name: str, keys: list[str]) -> None:
        """Remember that a batch will answer ``keys``. Raises ``StoreError``."""
        statement = "INSERT OR REPLACE INTO batch VALUES (?, ?, ?)"
        self._write(statement, (endpoint, name, json.dumps(keys)))

    def forget_batch(self, endpoint: str, name: str) -> None:
        """Forget a batch: its answers are here, or will never come. Raises ``StoreError``."""
        self._write("DELETE FROM batch WHERE endpoint = ? AND id = ?", (endpoint, name))

    def __len__(self) -> int:
        """Return the number of stored answers."""
        ((answers,),) = self._connection.execute("SELECT count(*) FROM answer").fetchall()
        return int(answers)

    def close(self) -> None:
        """Close the file."""
        self._connection.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _check_columns(self) -> None:
        for table, columns in _COLUMNS.items():
            rows = self._connection.execute(f"PRAGMA table_info({table})")
            found = [str(row[1]) for row in rows.fetchall()]
            if found != columns:
                listed = ", ".join(found)
                raise sqlite3.DatabaseError(f"table {table} has the columns {listed}")

    def _row(self, query: str, key: str) -> tuple[Any, ...] | None:
        """Return the row under ``key``; None for a damaged file."""
        try:
            row: tuple[Any, ...] | None = self._connection.execute(query, (key,)).fetchone()
        except _DAMAGED as error:
            _log.warning("%s: cannot be read (%s)", self.path, error)
            return None
        return row

    def _write(self, statement: str, values: tuple[object, ...]) -> None:
        try:
            self._connection.execute(statement, values)
        except (sqlite3.Error, UnicodeDecodeError) as error:
            remedy = "free space, or make the folder writable; answers come, but are paid for again"
            raise StoreError(
                f"{self.path}: cannot keep an answer ({error})", remedy=remedy
            ) from error


def open_cache(path: Path, *, say: Callable[[str], None] = _log.warning) -> ResponseCache:
    """Return the cache at ``path``, or one in memory if it cannot be used.

    ``say`` is then called with the reason. A cache saves money and costs no answer: work goes on
    without it.
    """
    try:
        return ResponseCache(path)
    except StoreError as error:
        say(f"answers of the model are not kept: {error.message} -> {error.remedy}")
        return ResponseCache(IN_MEMORY)


def copy_answers(path: Path, target: Path) -> None:
    """Copy the cache at ``path``, if there is one, to ``target``, with its write-ahead log."""
    if not path.exists():
        return
    with (
        closing(sqlite3.connect(path)) as source,
        closing(sqlite3.connect(private_file(target))) as copy,
    ):
        source.backup(copy)


def _connected(path: Path) -> sqlite3.Connection:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        return sqlite3.connect(
            path if path == IN_MEMORY else private_file(path),
            timeout=30.0,
            isolation_level=None,
            check_same_thread=False,
        )
    except (OSError, sqlite3.Error) as error:
        raise StoreError(f"{path}: cannot be opened ({error})", remedy=_remedy(path)) from error


def _remedy(path: Path) -> str:
    return (
        f"make {path.parent} a folder that can be written to; "
        "VIROME_CACHE names another file for questions"
    )
