"""A search from words: names are read in them, then passages are selected."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

import duckdb

from query.reading import read
from query.reading.reading import NameInQuestion
from query.search.passage import KINDS, Kind
from query.search.selecting import (
    SHOWN,
    PassageSearch,
    found_answer,
    open_library,
    passage_called,
    search_near,
    select_named_kinds,
    select_passages,
)
from query.words import singular, words_of

__all__ = ["found_answer", "open_library", "passage_called", "search_asked", "search_near",
           "search_words"]  # fmt: skip

_KINDS_ASKED_FOR: Final = {
    "study": "study",
    "project": "project",
    "bioproject": "project",
    "document": "document",
    "note": "document",
    "report": "report",
    "finding": "finding",
}
"""A word of a question -> what it asks for."""


def search_words(
    con: duckdb.DuckDBPyConnection,
    text: str,
    documents: Path,
    *,
    kinds: Sequence[Kind] = KINDS,
    limit: int = SHOWN,
) -> PassageSearch:
    """Return the passages that have the words of ``text``, or mean what it means.

    Names are looked for under the labels of their terms too (flu, Influenza A virus). Raises
    ``QueryError``: no word in it, too long, nothing found.
    """
    names = read(con, text).names
    return select_passages(con, text, documents, names=names, kinds=kinds, limit=limit)


def search_asked(
    con: duckdb.DuckDBPyConnection, text: str, documents: Path, *, limit: int = SHOWN
) -> PassageSearch:
    """Return the passages of the kinds that ``text`` asks for; where there is none of these, those
    of all kinds, with a note. Raises as ``search_words``.
    """
    names = (*read(con, text).names, *_kinds_asked_for(text))
    return select_named_kinds(con, text, documents, names=names, limit=limit)


def _kinds_asked_for(text: str) -> Iterator[NameInQuestion]:
    """Yield the words of ``text`` that ask for a kind of passages: studies, notes, reports."""
    position = 0
    for word in words_of(text):
        start = text.index(word, position)
        position = start + len(word)
        kind = _KINDS_ASKED_FOR.get(singular(word))
        if kind is not None:
            yield NameInQuestion(word, start, position, "field", kind)
