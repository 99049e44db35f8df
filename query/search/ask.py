"""A search from words: names are read in them, then passages are selected."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import duckdb

from query.reading import read
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

__all__ = ["found_answer", "open_library", "passage_called", "search_asked", "search_near",
           "search_words"]  # fmt: skip


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
    names = read(con, text).names
    return select_named_kinds(con, text, documents, names=names, limit=limit)
