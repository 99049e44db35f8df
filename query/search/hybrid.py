"""Hybrid search: the ranking by words (BM25) and the ranking by meaning (vectors), fused.

Source of the fusion: Cormack, Clarke and Büttcher 2009, Reciprocal Rank Fusion, k = 60. Words find
names and accessions, which vectors confuse; vectors find what is said in other words. Passages
without a stored vector take part in the ranking by meaning where their words rank well.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import duckdb
import numpy as np
from numpy.typing import NDArray

from query.global_search.lexical import rank_texts, read_texts
from query.search.documents import chunk_vectors, rank_chunks, read_chunks
from query.search.index_passages import INDEX_KINDS, passages_sql, read_passages, report_vectors
from query.search.passage import NAMES, Hit, Kind, Passage

RRF_K: Final = 60
DEEP: Final = 200
"""Passages of each ranking that are fused."""
MOST_NAMES: Final = 3
"""Most terms, and most viruses, among passages of all kinds: a single word ranks them high.
"""
EMBEDDED_NOW: Final = 48
"""Passages without a stored vector that get one for this question, the best by words."""
LEAST_COSINE: Final = 0.3
"""Below it a passage is about something else, whatever its rank."""
ALONE_COSINE: Final = 0.42
"""A passage without any of the words must be this near: meaningless letters reached 0.40."""
Embed = Callable[[Sequence[str]], NDArray[np.float32]]


@dataclass(frozen=True, slots=True)
class Library:
    """What is searched: an index, documents, and how texts get vectors (None: not at all)."""

    con: duckdb.DuckDBPyConnection
    documents: Path
    embed: Embed | None


def find_hits(
    library: Library, text: str, words: Sequence[str], *, kinds: Sequence[Kind], limit: int
) -> list[Hit]:
    """Return the passages of ``kinds`` that have ``words`` or mean what ``text`` means, best first.

    Equal scores are in order of kind and identifier.
    """
    by_words = _by_words(library, words, kinds)[:DEEP]
    by_meaning = _by_meaning(library, text, [key for key, _ in by_words], kinds)[:DEEP]
    word_rank, meaning_rank = _ranks(by_words), _ranks(by_meaning)
    cosines = dict(by_meaning)
    fused = fuse((word_rank, meaning_rank))
    near = {key: score for key, score in fused.items()
            if key in word_rank or cosines[key] >= ALONE_COSINE}  # fmt: skip
    keys = [key for key, _ in _best_first(near)[: DEEP // 2]]
    passages = _read(library, keys, kinds)
    return [
        Hit(
            passages[key],
            round(fused[key], 5),
            word_rank.get(key),
            meaning_rank.get(key),
            cosines.get(key),
        )
        for key in varied(passages, limit=limit, several=len(set(kinds)) > 1)
    ]


def _ranks(ranked: Sequence[tuple[str, float]]) -> dict[str, int]:
    """Return the place of each key, from 1."""
    return {key: place for place, (key, _) in enumerate(ranked, 1)}


def _best_first(scores: Mapping[str, float]) -> list[tuple[str, float]]:
    """Return (key, score), the highest first, equal ones in order of key."""
    return sorted(scores.items(), key=lambda scored: (-scored[1], scored[0]))


def varied(passages: Mapping[str, Passage], *, limit: int, several: bool) -> list[str]:
    """Return the keys of the first ``limit`` passages, each text once.

    If there are ``several`` kinds, each gets at most half of the places, and names at most three
    each, so that reports, which resemble one another, do not crowd out studies.
    """
    half = max(1, limit // 2)
    few = min(half, MOST_NAMES)
    chosen: list[str] = []
    texts: set[str] = set()
    counts: Counter[str] = Counter()
    for key, passage in passages.items():
        kind = passage.kind
        most = few if kind in NAMES else half
        full = several and counts[kind] >= most
        if passage.text in texts or full or len(chosen) == limit:
            continue
        texts.add(passage.text)
        counts[kind] += 1
        chosen.append(key)
    return chosen


def fuse(rankings: Sequence[Mapping[str, int]]) -> dict[str, float]:
    """Return the fused score of every key: the sum of 1 / (k + rank) over the rankings it is in.

    >>> fuse(({"a": 1, "b": 2}, {"b": 1}))["b"] > fuse(({"a": 1, "b": 2}, {"b": 1}))["a"]
    True
    """
    scores: dict[str, float] = {}
    for ranking in rankings:
        for key, rank in ranking.items():
            scores[key] = scores.get(key, 0.0) + 1 / (RRF_K + rank)
    return scores


def _by_words(
    library: Library, words: Sequence[str], kinds: Sequence[Kind]
) -> list[tuple[str, float]]:
    """Return (key, BM25 score), best first; documents are scored among themselves, then merged."""
    own = [kind for kind in INDEX_KINDS if kind in kinds]
    found: dict[str, float] = {}
    if own:
        texts = f"SELECT kind || ':' || id AS id, text FROM ({passages_sql(own)})"
        found.update(rank_texts(read_texts(library.con, texts), words))
    if "document" in kinds:
        found.update(rank_chunks(library.documents, words))
    return _best_first(found)


def _by_meaning(
    library: Library, text: str, worded: Sequence[str], kinds: Sequence[Kind]
) -> list[tuple[str, float]]:
    """Return (key, cosine), best first, of passages near enough; none if there are no vectors."""
    embed = library.embed
    if embed is None:
        return []
    (vector,) = embed([text])
    keys, vectors = _stored(library, kinds)
    stored = set(keys)
    late = [key for key in worded if key not in stored]
    passages = _read(library, late[:EMBEDDED_NOW], kinds)
    if passages:
        keys = [*keys, *passages]
        made = embed([passage.text for passage in passages.values()])
        vectors = np.concatenate([vectors, made])
    cosines = zip(keys, (vectors @ vector).tolist(), strict=True)
    return _best_first({key: cosine for key, cosine in cosines if cosine >= LEAST_COSINE})


def _stored(library: Library, kinds: Sequence[Kind]) -> tuple[list[str], NDArray[np.float32]]:
    parts = []
    if "report" in kinds:
        parts.append(report_vectors(library.con))
    if "document" in kinds:
        parts.append(chunk_vectors(library.documents))
    filled = [(keys, vectors) for keys, vectors in parts if keys]
    if not filled:
        return [], np.empty((0, 384), np.float32)
    keys = [key for own, _ in filled for key in own]
    return keys, np.concatenate([vectors for _, vectors in filled])


def _read(library: Library, keys: Sequence[str], kinds: Sequence[Kind]) -> dict[str, Passage]:
    """Return the passages with these keys, in their order."""
    found = read_passages(library.con, keys, INDEX_KINDS)
    if "document" in kinds:
        found |= read_chunks(library.documents, keys)
    return {key: found[key] for key in keys if key in found}
