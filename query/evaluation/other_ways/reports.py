"""The reports of an index as the other ways of answering read them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import duckdb
import numpy as np

from index.exposure import RiskPolicy
from index.models.protocol import estimate_tokens

_WORD: Final = re.compile(r"[a-z0-9-]{3,}")


@dataclass(frozen=True, slots=True)
class ReportCorpus:
    """The reports of an index with their risk groups, tokens, words and vectors, rows in the same
    order.
    """

    groups: Sequence[str]
    texts: Sequence[str]
    tokens: Sequence[int]
    words: Sequence[frozenset[str]]
    vectors: np.ndarray[tuple[int, int], np.dtype[np.float32]] | None


def read_reports(con: duckdb.DuckDBPyConnection) -> ReportCorpus:
    """Return all reports of the index behind ``con``."""
    rows = con.execute(_REPORTS).fetchall()
    texts = [str(text) for _, text, _ in rows]
    vectors = [vector for _, _, vector in rows]
    complete = bool(rows) and None not in vectors
    return ReportCorpus(
        groups=[str(group) for group, _, _ in rows],
        texts=texts,
        tokens=[estimate_tokens(text) for text in texts],
        words=[words_of(text) for text in texts],
        vectors=np.array(vectors, np.float32) if complete else None,
    )


def shown_to(reports: ReportCorpus, policy: RiskPolicy, *, local: bool) -> ReportCorpus:
    """Return those of ``reports`` that a model may see under ``policy``."""
    rows = [row for row, group in enumerate(reports.groups) if policy.may_see(group, local=local)]
    return ReportCorpus(
        groups=[reports.groups[row] for row in rows],
        texts=[reports.texts[row] for row in rows],
        tokens=[reports.tokens[row] for row in rows],
        words=[reports.words[row] for row in rows],
        vectors=None if reports.vectors is None else reports.vectors[rows],
    )


def nearest(
    reports: ReportCorpus, vector: np.ndarray[tuple[int], np.dtype[np.float32]]
) -> Sequence[int]:
    """Return the rows of ``reports``, those nearest to ``vector`` first; none without vectors."""
    if reports.vectors is None:
        return ()
    cosines = reports.vectors @ vector
    nearest_first: list[int] = np.argsort(-cosines, kind="stable").tolist()
    return nearest_first


def fitting(reports: ReportCorpus, ranking: Sequence[int], budget: int) -> str:
    """Return the texts of the first reports of ``ranking`` that fit ``budget`` tokens, the last of
    them cut.
    """
    shown = []
    left = budget
    for row in ranking:
        if left <= 0:
            break
        shown.append(reports.texts[row][: 4 * left])
        left -= reports.tokens[row]
    return "\n".join(shown)


def words_of(text: str) -> frozenset[str]:
    """Return the words of ``text`` of three letters and more, in lower case."""
    words = _WORD.findall(text.lower())
    return frozenset(words)


_REPORTS: Final = """
WITH findings AS (
    SELECT community, string_agg(concat_ws(' ', summary, explanation), ' ' ORDER BY ordinal) AS text
    FROM finding GROUP BY community
)
SELECT r.risk_group, concat_ws(' ', r.title, r.summary, f.text), e.vector
FROM report r LEFT JOIN findings f USING (community)
LEFT JOIN embedding e ON e.kind = 'report' AND e.id = r.community
ORDER BY r.community
"""
