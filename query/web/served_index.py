"""What is served: an index, who may call, and the model that may add to answers."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

import duckdb
from pydantic import BaseModel, Field

from index.store.published import read_published
from query.ask.ask import MODE_ASK
from query.config import QueryConfig, cache_path
from query.mode import Asking
from query.request import Request, all_from_json
from query.screening.screen import MAX_CHARACTERS

MOST_JSON: Final = 20_000
"""Characters of the longest request that is read."""
MOST_PASTED: Final = 90_000
"""Characters of the longest list that is pasted: about 8,000 accessions."""

if TYPE_CHECKING:
    from index.models.choose import ModelChoice


@dataclass(frozen=True, slots=True)
class ServedIndex:
    """What is served: the index at ``db``.

    ``hosts`` are the names it answers to, ``*`` any. Without a ``token`` everybody who reaches the
    port may call. ``choose`` gives the model that adds to an answer, spending at most
    ``budget_tokens`` on it; without it answers are made from facts only.
    """

    db: Path
    hosts: frozenset[str]
    token: str | None = None
    choose: Callable[[], ModelChoice] | None = None
    budget_tokens: int | None = None

    def opened(self) -> AbstractContextManager[duckdb.DuckDBPyConnection]:
        """Return the index that is published now, open for reading."""
        return read_published(self.db)

    def asking(
        self, asked: WebQuestion, con: duckdb.DuckDBPyConnection, *, worded: bool = False
    ) -> Asking:
        """Return the question ``asked`` with what its answer may use: a model only if ``worded``.

        Raises ``HarmfulQuestionError`` if no mode may answer it.
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
            requests=_requests_of(asked.request),
            previous=next(iter(_requests_of(asked.previous)), None),
        )


class WebQuestion(BaseModel):
    """A question and the way to answer it.

    ``request`` is the JSON of its meaning if that was picked or changed, a list if it has several
    parts; ``previous`` is the JSON of the request that it follows.
    """

    question: str = Field(max_length=MAX_CHARACTERS)
    mode: str = MODE_ASK
    request: str | None = Field(default=None, max_length=MOST_JSON)
    previous: str | None = Field(default=None, max_length=MOST_JSON)


class SqlText(BaseModel):
    """A SELECT over the tables and views of the index."""

    sql: str = Field(max_length=MAX_CHARACTERS)


class PastedText(BaseModel):
    """Accessions, a table, or the hits of a sequence search, as they were pasted."""

    text: str = Field(max_length=MOST_PASTED)


def _requests_of(text: str | None) -> tuple[Request, ...]:
    """Return the requests that ``text`` is the JSON of, one or a list; raises ``RequestError``."""
    return all_from_json(text) if text else ()
