"""From a text and the names in it to passages, and an answer that cites them."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

import duckdb

from index.claims.phrases import counted, listed
from index.errors import ModelUnavailableError
from index.models.embeddings import embed
from query.answer import Answer, AnswerSource, Usage
from query.compiler.reviewed import group_key, virus_groups
from query.compiler.suggesting import nearest_viruses
from query.errors import NoEvidenceError, UnknownPassageError
from query.reading import read
from query.search.documents import read_chunks
from query.search.hybrid import Library, find_hits
from query.search.index_passages import INDEX_KINDS, find_passages
from query.search.passage import KINDS, Hit, Kind, Passage, snippet
from query.words import singular, telling_words, words_of

MODE_SEARCH: Final = "search"
SHOWN: Final = 10
_PLURALS: Final = {"study": "studies", "virus": "viruses"}
_KINDS_NAMED: Final[dict[str, tuple[Kind, ...]]] = {
    "study": ("study", "document"),
    "project": ("study", "document"),
    "bioproject": ("study", "document"),
    "document": ("document",),
    "note": ("document",),
    "report": ("report",),
    "finding": ("finding",),
}
"""A word of a question -> the kinds of passages that it then asks for."""


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
    """Return what is searched, and a note if only words can be searched for."""
    try:
        embed(["probe"])
    except ModelUnavailableError as error:
        return Library(con, documents, None), (f"by words only: {error.message}",)
    return Library(con, documents, embed), ()


def search_words(
    con: duckdb.DuckDBPyConnection,
    text: str,
    documents: Path,
    *,
    kinds: Sequence[Kind] = KINDS,
    limit: int = SHOWN,
) -> PassageSearch:
    """Return the passages that contain the words of ``text``, or have a similar meaning.

    Names are also searched by the names that the index uses (flu, Influenza A virus). Raises
    ``QueryError``: no word in it, too long, nothing found.
    """
    words = words_of(text)
    for name in read(con, text).names:
        words += words_of(name.name)
        for _, label in virus_groups().get(group_key(name.name), ()):
            words += words_of(label)
    telling = telling_words(words)
    library, notes = open_library(con, documents)
    hits = find_hits(library, text, telling, kinds=kinds, limit=limit)
    if not hits:
        why = "no passage has its words or its meaning"
        raise NoEvidenceError(text, why, nearest=nearest_viruses(con, text))
    return PassageSearch(text, telling, tuple(hits), notes)


def search_asked(
    con: duckdb.DuckDBPyConnection, text: str, documents: Path, *, limit: int = SHOWN
) -> PassageSearch:
    """Return the passages of the kinds that ``text`` asks for: studies, reports, notes.

    If there is none of these, those of all kinds, with a note. Raises as ``search_words``.
    """
    kinds = kinds_named(text)
    if not kinds:
        return search_words(con, text, documents, limit=limit)
    try:
        return search_words(con, text, documents, kinds=kinds, limit=limit)
    except NoEvidenceError:
        found = search_words(con, text, documents, limit=limit)
    wanted = " or ".join(kinds)
    note = f"no {wanted} has its words or its meaning; passages of other kinds are shown"
    return replace(found, notes=(*found.notes, note))


def kinds_named(text: str) -> tuple[Kind, ...]:
    """Return the kinds of passages that words of ``text`` ask for, none where there is none.

    >>> kinds_named("Which studies are on flu?"), kinds_named("bats in caves")
    (('study', 'document'), ())
    """
    kinds = [kind for word in words_of(text) for kind in _KINDS_NAMED.get(singular(word), ())]
    return tuple(dict.fromkeys(kinds))


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
    telling = telling_words(words_of(passage.text))
    library, notes = open_library(con, documents)
    found = find_hits(library, passage.text, telling, kinds=kinds, limit=limit + 1)
    others = [hit for hit in found if hit.passage.id != passage.id]
    return PassageSearch(passage.where, telling, tuple(others[:limit]), notes)


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
    usage = Usage(seconds=round(time.perf_counter() - started, 3))
    text = _opening(found, sources)
    return Answer(found.text, MODE_SEARCH, text, (), usage=usage, sources=sources)


def _opening(found: PassageSearch, sources: Sequence[AnswerSource]) -> str:
    """Return the nearest passage, quoted, and how many passages there are; notes come first."""
    notes = [f"{note[:1].upper()}{note[1:]}." for note in found.notes]
    if not sources:
        return " ".join([*notes, "No passage is like it."])
    first, *others = sources
    kinds = Counter(source.kind for source in sources)
    counts = [counted(number, kind, _PLURALS.get(kind)) for kind, number in kinds.items()]
    nearest = f"Nearest, in the {first.kind} {first.name}: “{first.text}”"
    more = [f"Found are {listed(counts)}, the nearest first."] if others else []
    return " ".join([*notes, nearest, *more])


def _source(hit: Hit, words: Sequence[str]) -> AnswerSource:
    passage = hit.passage
    return AnswerSource(passage.kind, passage.where, snippet(passage.text, words), hit.score)
