"""BM25 over the words of texts of the index, in SQL.

DuckDB's own full-text extension cannot be installed offline, and the library ``bm25s`` would triple
the start-up time of the command line for some thousand short texts (decisions/0002-libraries.md).
Source: Robertson and Zaragoza 2009, The Probabilistic Relevance Framework: BM25 and Beyond;
k1 = 1.2, b = 0.75. The length of a text is counted in characters (texts of one id are joined by a
blank), and only the words asked for are taken out of it, so that no text is split.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

import duckdb

from query.reading.intent import singular

_WORD: Final = re.compile(r"[a-z0-9]+")
_PLURAL: Final = re.compile(r"([^su])s$")
K1: Final = 1.2
B: Final = 0.75


def rank_reports(con: duckdb.DuckDBPyConnection, words: Sequence[str]) -> list[tuple[str, float]]:
    """Return (community, BM25 score) of every report that holds one of ``words``, best first."""
    return rank_texts(con, _REPORTS, words)


def rank_texts(
    con: duckdb.DuckDBPyConnection, texts: str, words: Sequence[str]
) -> list[tuple[str, float]]:
    """Return (id, BM25 score) of every text that holds one of ``words``, best first.

    ``texts`` is a SELECT of the columns id and text; texts of one id are one.
    """
    wanted = {_PLURAL.sub(r"\1", singular(word)) for word in words}
    plain = sorted(word for word in wanted if _WORD.fullmatch(word))
    if not plain:
        return []
    query = f"WITH described AS ({texts}), {_BM25}"
    any_of_them = "|".join(plain)
    asked = {"words": plain, "pattern": rf"\b(?:{any_of_them})s?\b", "parts": any_of_them}
    return con.execute(query, asked).fetchall()


_REPORTS: Final = """
SELECT community AS id, concat_ws(' ', title, title, label, summary) AS text FROM report
UNION ALL SELECT community, concat_ws(' ', summary, explanation) FROM finding
"""
_BM25: Final = f"""
query AS (SELECT unnest($words::VARCHAR[]) AS word),
size AS (SELECT id, sum(length(text)) + count(*) - 1 AS length FROM described GROUP BY id),
corpus AS (SELECT count(*) AS documents, avg(length) AS mean_length FROM size),
holding AS (
    SELECT id, regexp_extract_all(lower(text), $pattern) AS words FROM described
    WHERE regexp_matches(lower(text), $parts)
),
posting AS (
    SELECT id, word, count(*) AS tf FROM (
        SELECT id, regexp_replace(unnest(words), '{_PLURAL.pattern}', '\\1') AS word FROM holding
    ) SEMI JOIN query USING (word) GROUP BY ALL
),
frequency AS (SELECT word, count(*) AS df FROM posting GROUP BY word)
SELECT p.id, sum(
    ln(1 + (documents - df + 0.5) / (df + 0.5))
    * tf * ({K1} + 1) / (tf + {K1} * (1 - {B} + {B} * length / mean_length))
    ORDER BY p.word
) AS score
FROM posting p JOIN size USING (id) JOIN frequency USING (word) CROSS JOIN corpus
GROUP BY p.id ORDER BY score DESC, p.id
"""
