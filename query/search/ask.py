"""A search from words: names are read in them, then passages are selected."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import duckdb

from query.errors import NoEvidenceError
from query.reader.reading import NameInQuestion
from query.reading.nearest import nearest_terms
from query.reading.question import clean_question, read_question
from query.search.passage import KINDS, Kind, kinds_asked
from query.search.selecting import (
    SHOWN,
    PassageSearch,
    found_answer,
    open_library,
    passage_called,
    search_near,
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
    asked = clean_question(text)
    question = read_question(con, asked)
    names = [
        NameInQuestion(named.text, 0, 0, named.group, named.label, None)
        for named in question.mentions
    ]
    try:
        return select_passages(con, asked, documents, names=names, kinds=kinds, limit=limit)
    except NoEvidenceError as error:
        nearest = nearest_terms(con, question)
        raise NoEvidenceError(asked, error.reason, nearest=nearest) from None


def search_asked(
    con: duckdb.DuckDBPyConnection, text: str, documents: Path, *, limit: int = SHOWN
) -> PassageSearch:
    """Return the passages of the kinds that ``text`` asks for; where there is none of these, those
    of all kinds, with a note. Raises as ``search_words``.
    """
    kinds = kinds_asked(text)
    if not kinds:
        return search_words(con, text, documents, limit=limit)
    try:
        return search_words(con, text, documents, kinds=kinds, limit=limit)
    except NoEvidenceError:
        found = search_words(con, text, documents, limit=limit)
    wanted = " or ".join(kinds)
    note = f"no {wanted} has its words or its meaning; passages of other kinds are shown"
    return replace(found, notes=(*found.notes, note))
