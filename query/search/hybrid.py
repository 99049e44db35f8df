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

from query.global_search.lexical import rank_texts
from query.search.documents import chunk_vectors, rank_chunks, read_chunks
from query.search.index_passages import (
    INDEX_KINDS,
    passages_sql,
    read_passages,
    report_vectors,
)
from query.search.passage import NAMES, Hit, Kind, Passage

RRF_K: Final = 60
DEEP: Final = 200
"""Passages of each ranking that are fused."""
MOST_NAMES: Final = 3
"""Terms and viruses each, among passages of all kinds: their short texts rank high for one word."""
EMBEDDED_NOW: Final = 48
"""Passages without a stored vector that get one for this question, the best by words."""
LEAST_COSINE: Final = 0.3
"""Below it a passage is about something else, whatever its rank."""
ALONE_COSINE: Final = 0.42
"""What has none of the words must be this near: letters without meaning reached 0.40."""
Embed = Callable[[Sequence[str]], NDArray[np.float32]]


@dataclass(frozen=True, slots=True)
class Library:
    """What is searched: an index, documents beside it, and how texts get vectors (None: not)."""

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
    word_rank = {key: rank for rank, (key, _) in enumerate(by_words, start=1)}
    meaning_rank = {key: rank for rank, (key, _) in enumerate(by_meaning, start=1)}
    cosines = dict(by_meaning)
    fused = fuse((word_rank, meaning_rank))
    near = {key for key in fused if key in word_rank or cosines[key] >= ALONE_COSINE}
    ranked = sorted(near, key=lambda key: (-fused[key], key))
    passages = _read(library, ranked[: DEEP // 2], kinds)
    best = varied(passages, limit=limit, several=len(set(kinds)) > 1)
    return [
        Hit(
            passages[key],
            round(fused[key], 5),
            word_rank.get(key),
            meaning_rank.get(key),
            cosines.get(key),
        )
        for key in best
    ]


def varied(passages: Mapping[str, Passage], *, limit: int, several: bool) -> list[str]:
    """Return the keys of the first ``limit`` passages, each text once.

    Of ``several`` kinds, each has at most half of the places, and names at most three each, so that
    reports, which resemble one another, do not crowd out studies.
    """
    kept: list[str] = []
    texts: set[str] = set()
    counts: Counter[str] = Counter()
    for key, passage in passages.items():
        half = max(1, limit // 2)
        most = min(half, MOST_NAMES) if passage.kind in NAMES else half
        full = several and counts[passage.kind] >= most
        if passage.text in texts or full or len(kept) == limit:
            continue
        texts.add(passage.text)
        counts[passage.kind] += 1
        kept.append(key)
    return kept


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
    found: list[tuple[str, float]] = []
    if own:
        texts = f"SELECT kind || ':' || id AS id, text FROM ({passages_sql(own)})"
        found += rank_texts(library.con, texts, words)
    if "document" in kinds:
        found += rank_chunks(library.documents, words)
    return sorted(found, key=lambda one: (-one[1], one[0]))


def _by_meaning(
    library: Library, text: str, worded: Sequence[str], kinds: Sequence[Kind]
) -> list[tuple[str, float]]:
    """Return (key, cosine), best first, of what is near enough; none where nothing embeds."""
    if library.embed is None:
        return []
    (vector,) = library.embed([text])
    keys, vectors = _stored(library, kinds)
    late = [key for key in worded if key not in set(keys)][:EMBEDDED_NOW]
    passages = _read(library, late, kinds)
    if passages:
        keys = [*keys, *passages]
        made = library.embed([one.text for one in passages.values()])
        vectors = np.concatenate([vectors, made])
    cosines = vectors @ vector
    near = [(key, float(one)) for key, one in zip(keys, cosines, strict=True)]
    kept = [one for one in near if one[1] >= LEAST_COSINE]
    return sorted(kept, key=lambda one: (-one[1], one[0]))


def _stored(library: Library, kinds: Sequence[Kind]) -> tuple[list[str], NDArray[np.float32]]:
    parts = []
    if "report" in kinds:
        parts.append(report_vectors(library.con))
    if "document" in kinds:
        parts.append(chunk_vectors(library.documents))
    held = [part for part in parts if part[0]]
    if not held:
        return [], np.empty((0, 384), np.float32)
    return [key for keys, _ in held for key in keys], np.concatenate([one for _, one in held])


def _read(library: Library, keys: Sequence[str], kinds: Sequence[Kind]) -> dict[str, Passage]:
    """Return the passages with these keys, in their order."""
    found = read_passages(library.con, keys, INDEX_KINDS)
    if "document" in kinds:
        found |= read_chunks(library.documents, keys)
    return {key: found[key] for key in keys if key in found}
