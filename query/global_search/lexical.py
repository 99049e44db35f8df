"""BM25 over the words of texts of the index.

DuckDB's own full-text extension cannot be installed offline, and the library ``bm25s`` would triple
the start-up time of the command line for some thousand short texts (decisions/0002-libraries.md).
Source: Robertson and Zaragoza 2009, The Probabilistic Relevance Framework: BM25 and Beyond;
k1 = 1.2, b = 0.75. The length of a text is counted in characters (texts of one id are joined by a
blank), and only the wanted words are looked for in it, so that no text is split.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from typing import Final

import duckdb
import polars as pl

from index.store.same_for_all import same_for_all
from query.words import singular

_WORD: Final = re.compile(r"[a-z0-9]+(?:[-.'’][a-z0-9]+)*")
_PLURAL: Final = re.compile(r"([^su])s$")
K1: Final = 1.2
B: Final = 0.75


def rank_reports(con: duckdb.DuckDBPyConnection, words: Sequence[str]) -> list[tuple[str, float]]:
    """Return (community, BM25 score) of every report that holds one of ``words``, best first."""
    return rank_texts(_reports(con), words)


def read_texts(con: duckdb.DuckDBPyConnection, texts: str) -> pl.DataFrame:
    """Return [id, text, length] of ``texts``, a SELECT of the columns id and text.

    Texts of one id are one, in small letters.
    """
    frame: pl.DataFrame = con.sql(_JOINED.format(texts=texts)).pl()
    return frame


def rank_texts(texts: pl.DataFrame, words: Sequence[str]) -> list[tuple[str, float]]:
    """Return (id, BM25 score) of those of ``read_texts`` that hold a word, best first."""
    wanted = {_PLURAL.sub(r"\1", singular(word)) for word in words}
    plain = sorted(word for word in wanted if _WORD.fullmatch(word))
    if not plain:
        return []
    scored = pl.concat([_scored(texts, word) for word in plain])
    summed = scored.group_by("id", maintain_order=True).agg(pl.col("score").sum())
    return summed.sort("score", "id", descending=[True, False]).rows()


def _scored(texts: pl.DataFrame, word: str) -> pl.DataFrame:
    """Return [id, score] of the texts that hold ``word``, as it is or in the plural."""
    possible = texts.filter(pl.col("text").str.contains(word, literal=True))
    tf = pl.col("text").str.count_matches(rf"\b{re.escape(word)}s?\b")
    holding = possible.select("id", "length", tf=tf).filter(pl.col("tf") > 0)
    documents, df = len(texts), len(holding)
    rarity = math.log(1 + (documents - df + 0.5) / (df + 0.5))
    relative = pl.col("length") / texts["length"].mean()
    weight = pl.col("tf") * (K1 + 1) / (pl.col("tf") + K1 * (1 - B + B * relative))
    return holding.select("id", score=rarity * weight)


@same_for_all
def _reports(con: duckdb.DuckDBPyConnection) -> pl.DataFrame:
    return read_texts(con, _REPORTS)


_REPORTS: Final = """
SELECT community AS id, concat_ws(' ', title, title, label, summary) AS text FROM report
UNION ALL SELECT community, concat_ws(' ', summary, explanation) FROM finding
"""
_JOINED: Final = """
SELECT id, string_agg(lower(text), ' ') AS text, sum(length(text)) + count(*) - 1 AS length
FROM ({texts}) GROUP BY id ORDER BY id
"""
