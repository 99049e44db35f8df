"""Names of ontology terms in a question, read by the grounding engine of the index.

The same engine and the same vocabulary answer ``query term``, so that both say the same of a text.
"""

from __future__ import annotations

import functools
import itertools
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import duckdb

from ontology_etl.curies import parse
from query.reading.intent import words_of
from query.reading.names.labels import labels_of
from query.reading.names.vocabulary import live_identifier, vocabulary_for

if TYPE_CHECKING:
    import polars as pl


_COLUMNS: Final = ("facet", "outcome", "curie", "label", "candidates", "start", "end")
_SHORTENED: Final = 3
"""Characters of the longest word that a period shortens: St."""
_COMMA: Final = re.compile(r",(?=\s)")


@dataclass(frozen=True, slots=True)
class NamedTerm:
    """What the words ``start`` to ``end`` (exclusive) of a question say about a facet.

    ``outcome`` is that of grounding; ``terms`` are (CURIE, label), several where it is ambiguous.
    """

    start: int
    end: int
    facet: str
    outcome: str
    terms: tuple[tuple[str, str], ...]


def name_words(text: str) -> tuple[list[str], list[int]]:
    """Return the words of ``text`` as written, and for each token that grounding makes of it the
    number of its word.

    >>> name_words("Which SARS-CoV-2 runs")
    (['Which', 'SARS-CoV-2', 'runs'], [0, 1, 1, 1, 2])
    """
    words, word_of = _words_and_tokens(text)
    return list(words), list(word_of)


@functools.lru_cache(maxsize=64)
def _words_and_tokens(text: str) -> tuple[tuple[str, ...], tuple[int, ...]]:
    """Return what ``name_words`` does; a question is cut into words several times while it is
    read.
    """
    chunks = text.split()
    pieces = [words_of(chunk) for chunk in chunks]
    whole = _count_tokens(chunks)
    listed_pieces = list(itertools.chain.from_iterable(pieces))
    parts = iter(_count_tokens(listed_pieces))
    words: list[str] = []
    word_of: list[int] = []
    for chunk, listed, tokens in zip(chunks, pieces, whole, strict=True):
        counted = [next(parts) for _ in listed]
        fits = sum(counted) == tokens
        counts = zip(listed, counted, strict=True) if fits else [(chunk, tokens)]
        for word, count in counts:
            word_of += [len(words)] * count
            words.append(word)
    return tuple(words), tuple(_with_separators(text, word_of))


def pauses_in(text: str) -> frozenset[int]:
    """Return the numbers of the words of ``text`` that a comma, period, colon or the like follows;
    no period that shortens a word.

    >>> sorted(pauses_in("In wastewater, norovirus: how many?"))
    [1, 2, 4]
    >>> sorted(pauses_in("St. Louis encephalitis virus, A. aegypti"))
    [3]
    """
    words = 0
    pauses = set()
    for chunk in text.split():
        words += len(words_of(chunk))
        shortened = chunk[-1] == "." and len(chunk) <= _SHORTENED
        if chunk[-1] in ",.;:?!" and words and not shortened:
            pauses.add(words - 1)
    return frozenset(pauses)


def asides_in(text: str) -> frozenset[int]:
    """Return the numbers of the words of ``text`` in parentheses.

    >>> sorted(asides_in("human pegivirus (GBV-C) and HCV"))
    [2]
    """
    words = 0
    inside = False
    asides: set[int] = set()
    for chunk in text.split():
        inside = inside or chunk.startswith("(")
        before, words = words, words + len(words_of(chunk))
        if inside:
            asides.update(range(before, words))
        inside = inside and ")" not in chunk
    return frozenset(asides)


def _with_separators(text: str, word_of: list[int]) -> list[int]:
    """Return ``word_of`` with a place for each semicolon, which is a token and belongs to no
    word.
    """
    import polars as pl

    from ontology_etl.folding import separate

    tokens = str(pl.select(separate(pl.lit(text, dtype=pl.String))).item()).split()
    numbers = iter(word_of)
    return [-1 if token == ";" else next(numbers) for token in tokens]


def read_names(con: duckdb.DuckDBPyConnection, text: str) -> list[NamedTerm]:
    """Return what ``text`` names, in order; implied and denied names included, by their outcome."""
    from ontology_etl.grounding import find_names

    words, word_of = name_words(text)
    identifier = live_identifier(con, text)
    asked = identifier or text
    vocabulary = vocabulary_for(con, asked)
    found = find_names(asked, vocabulary).select(_COLUMNS)
    if not identifier and _crosses_a_pause(text, found, word_of):
        broken = _COMMA.sub(";", text)
        words, word_of = name_words(broken)
        found = find_names(broken, vocabulary).select(_COLUMNS)
    labels = _candidate_labels(con, found)
    read = []
    for facet, outcome, curie, label, candidates, start, end in found.iter_rows():
        if curie is None:
            terms = [(one, labels.get(one, one)) for one in candidates]
        else:
            terms = [(curie, label or curie)]
        if end:
            first, last = word_of[start], word_of[end - 1] + 1
        elif identifier:
            first, last = 0, len(words)
        else:  # an identifier that is one of the words
            first, last = _word_with(words, str(curie))
        read.append(NamedTerm(first, last, facet, outcome, tuple(terms)))
    return read


def _crosses_a_pause(text: str, found: pl.DataFrame, word_of: Sequence[int]) -> bool:
    """Return whether one of the names ``found`` goes on behind a comma: bat, tick."""
    pauses = pauses_in(text)
    spans = found.select("start", "end").drop_nulls().iter_rows()
    inner = [range(word_of[start], word_of[end - 1]) for start, end in spans if end]
    return any(not pauses.isdisjoint(places) for places in inner)


def _candidate_labels(con: duckdb.DuckDBPyConnection, found: pl.DataFrame) -> dict[str, str]:
    """Return the labels of the candidates of those names in ``found`` that have several."""
    several = found["candidates"].list.len() > 1
    unclear = found.filter(several)["candidates"]
    curies = unclear.explode().unique().sort()
    return labels_of(con, curies.to_list())


def _word_with(words: list[str], curie: str) -> tuple[int, int]:
    """Return where the number of ``curie`` stands among ``words``, the whole text where it does
    not.
    """
    number = parse(curie).local
    for place, word in enumerate(words):
        if number in word:
            return place, place + 1
    return 0, len(words)


def _count_tokens(texts: list[str]) -> list[int]:
    """Return how many tokens grounding makes of each of ``texts``; a semicolon is none."""
    import polars as pl

    from ontology_etl.folding import separate

    frame = pl.DataFrame({"text": texts}, schema={"text": pl.String})
    tokens = separate(pl.col("text")).str.extract_all(r"[^ ;]+").list.len()
    return [int(count) for count in frame.select(tokens).to_series()]
