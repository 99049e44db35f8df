"""One search, from words or an identifier to passages with what cites them."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

import duckdb
import numpy as np
from numpy.typing import NDArray

from index.errors import ModelUnavailableError
from index.reports.phrases import counted, listed
from query.answer import Answer, AnswerSource, Usage
from query.browsing.nearest import nearest_terms
from query.errors import NoEvidenceError, UnknownPassageError
from query.reading.question import clean_question, read_question
from query.search.documents import read_chunks
from query.search.hybrid import Library, find_hits
from query.search.index_passages import INDEX_KINDS, find_passages
from query.search.passage import KINDS, Hit, Kind, Passage, kinds_asked, snippet
from query.words import is_stop_word, singular, words_of

MODE_SEARCH: Final = "search"
SHOWN: Final = 10
_PLURALS: Final = {"study": "studies", "virus": "viruses"}
_EVERYWHERE: Final = frozenset({"virus", "viral", "run", "sample", "community", "study", "report"})
"""Words of nearly every passage, in the singular."""


@dataclass(frozen=True, slots=True)
class PassageSearch:
    """The passages that a search found, the words it looked for, and what it could not do."""

    text: str
    words: tuple[str, ...]
    hits: tuple[Hit, ...]
    notes: tuple[str, ...] = ()


def open_library(
    con: duckdb.DuckDBPyConnection, documents: Path
) -> tuple[Library, tuple[str, ...]]:
    """Return what is searched, and a note where only words can be searched for."""
    try:
        _embed(["probe"])
    except ModelUnavailableError as error:
        return Library(con, documents, None), (f"by words only: {error.message}",)
    return Library(con, documents, _embed), ()


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
    words = words_of(asked)
    for mention in question.mentions:
        words = [*words, *words_of(mention.label)]
    telling = telling_words(words)
    library, notes = open_library(con, documents)
    hits = find_hits(library, asked, telling, kinds=kinds, limit=limit)
    if not hits:
        nearest = nearest_terms(con, question)
        raise NoEvidenceError(
            asked,
            "no passage has its words or its meaning",
            nearest=nearest,
        )
    return PassageSearch(asked, telling, tuple(hits), notes)


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


def telling_words(words: Sequence[str]) -> tuple[str, ...]:
    """Return ``words`` in lower case without those that half of all passages have, unless there are
    no others.

    >>> telling_words(["Which", "bat", "viruses"]), telling_words(["viruses"])
    (('bat',), ('viruses',))
    """
    telling = [word for word in words if not is_stop_word(word)]
    lowered = [word.lower() for word in telling]
    rare = [word for word in lowered if singular(word) not in _EVERYWHERE]
    once = dict.fromkeys(rare or lowered)
    return tuple(once)


def search_near(
    con: duckdb.DuckDBPyConnection,
    identifier: str,
    documents: Path,
    *,
    kinds: Sequence[Kind] = KINDS,
    limit: int = SHOWN,
) -> PassageSearch:
    """Return the passages most like the one called ``identifier``, which is left out.

    Raises ``UnknownPassageError``.
    """
    passage = passage_called(con, identifier, documents)
    words = words_of(passage.text)
    telling = telling_words(words)
    library, notes = open_library(con, documents)
    found = find_hits(
        library,
        passage.text,
        telling,
        kinds=kinds,
        limit=limit + 1,
    )
    others = [hit for hit in found if hit.passage.id != passage.id]
    shown = tuple(others[:limit])
    return PassageSearch(passage.where, telling, shown, notes)


def passage_called(con: duckdb.DuckDBPyConnection, identifier: str, documents: Path) -> Passage:
    """Return the passage called ``identifier``: an accession, a CURIE, a community, file#number, or
    the name of a file, which is its first chunk. Raises ``UnknownPassageError``.
    """
    wanted = identifier.strip()
    found = find_passages(con, wanted, INDEX_KINDS)
    if found:
        return found[0]
    chunks = read_chunks(documents, [f"document:{wanted}", f"document:{wanted}#1"])
    if not chunks:
        raise UnknownPassageError(wanted)
    return next(iter(chunks.values()))


def found_answer(found: PassageSearch, *, started: float) -> Answer:
    """Return ``found`` as an answer: each passage quoted, with where it is from."""
    sources = tuple(_source(hit, found.words) for hit in found.hits)
    seconds = round(time.perf_counter() - started, 3)
    return Answer(
        found.text,
        MODE_SEARCH,
        _opening(found, sources),
        (),
        usage=Usage(seconds=seconds),
        sources=sources,
    )


def _opening(found: PassageSearch, sources: Sequence[AnswerSource]) -> str:
    """Return what was found nearest, quoted, and how many passages there are; notes first."""
    notes = [f"{note[:1].upper()}{note[1:]}." for note in found.notes]
    if not sources:
        return " ".join([*notes, "No passage is like it."])
    first, *others = sources
    kinds = Counter(one.kind for one in sources)
    counts = [counted(number, kind, _PLURALS.get(kind)) for kind, number in kinds.items()]
    by_kind = listed(counts)
    nearest = f"Nearest, in the {first.kind} {first.name}: “{first.text}”"
    more = f"Found are {by_kind}, the nearest first." if others else ""
    return " ".join(part for part in (*notes, nearest, more) if part)


def _source(hit: Hit, words: Sequence[str]) -> AnswerSource:
    passage = hit.passage
    shown = snippet(passage.text, words)
    return AnswerSource(
        passage.kind,
        passage.where,
        shown,
        hit.score,
    )


def _embed(texts: Sequence[str]) -> NDArray[np.float32]:
    from index.models.embeddings import embed

    return embed(list(texts))
