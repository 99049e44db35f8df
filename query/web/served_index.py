"""What is served: an index, who may call, and the model that may add to answers."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

import duckdb
from pydantic import BaseModel, Field

from index.store.read import open_index
from query.config import QueryConfig, cache_path
from query.mode import Asking, ReadingEdit
from query.reading.kinds import Kind
from query.screening.screen import MAX_CHARACTERS

if TYPE_CHECKING:
    from index.models.choose import ModelChoice

MOST_VALUES: Final = 1_000
"""Values that an answer may be asked to list."""


@dataclass(frozen=True, slots=True)
class ServedIndex:
    """What is served: the index at ``db``.

    ``hosts`` are the names it answers to, ``*`` any. Without a ``token`` everybody who reaches the
    port may call. ``choose`` gives the model that adds to an answer, spending at most
    ``budget_tokens`` on it; without it answers are composed from facts.
    """

    db: Path
    hosts: frozenset[str]
    token: str | None = None
    choose: Callable[[], ModelChoice] | None = None
    budget_tokens: int | None = None

    def opened(self) -> AbstractContextManager[duckdb.DuckDBPyConnection]:
        """Return the index, opened for reading."""
        return open_index(self.db)

    def asking(
        self, asked: WebQuestion, con: duckdb.DuckDBPyConnection, *, worded: bool = False
    ) -> Asking:
        """Return ``asked`` with what its answer may use; a model only where it is ``worded``.

        Raises ``HarmfulQuestionError`` where no mode may answer it.
        """
        choice = self.choose() if worded and self.choose else None
        return Asking(
            asked.question,
            con,
            self.db,
            QueryConfig(),
            choice,
            self.budget_tokens,
            cache_path(self.db),
            edit=asked.edit,
        )


class WebQuestion(BaseModel):
    """A question, the way to answer it, and what was changed of how it is read: the ``kind`` of
    answer, the number of values.
    """

    question: str = Field(max_length=MAX_CHARACTERS)
    mode: str = "global"
    kind: Kind | None = None
    limit: int | None = Field(default=None, ge=1, le=MOST_VALUES)

    @property
    def edit(self) -> ReadingEdit:
        """What was changed of the reading."""
        return ReadingEdit(self.kind, self.limit)


class SqlText(BaseModel):
    """A SELECT over the tables and views of the index."""

    sql: str = Field(max_length=MAX_CHARACTERS)
