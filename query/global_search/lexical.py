"""BM25 over the words of texts of the index, in SQL.

DuckDB's own full-text extension cannot be installed offline, and the library ``bm25s`` would triple
the start-up time of the command line for some thousand short texts (decisions/0002-libraries.md).
Source: Robertson and Zaragoza 2009, The Probabilistic Relevance Framework: BM25 and Beyond;
k1 = 1.2, b = 0.75. The length of a text is counted in characters, so that only texts with one of
the words are split.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import duckdb

from query.reading.intent import singular

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
    wanted = {singular(word) for word in words}
    if not wanted:
        return []
    query = f"WITH described AS ({texts}), {_BM25}"
    found = con.execute(query, {"words": sorted(wanted)})
    return found.fetchall()


_REPORTS: Final = """
SELECT community AS id, concat_ws(' ', title, title, label, summary) AS text FROM report
UNION ALL SELECT community, concat_ws(' ', summary, explanation) FROM finding
"""
_BM25: Final = f"""
query AS (SELECT DISTINCT regexp_replace(unnest($words::VARCHAR[]), '([^su])s$', '\\1') AS word),
document AS (SELECT id, lower(string_agg(text, ' ')) AS text FROM described GROUP BY id),
corpus AS (SELECT count(*) AS documents, avg(length(text)) AS mean_length FROM document),
size AS (
    SELECT id, length(text) AS length, string_split_regex(text, '[^a-z0-9]+') AS words
    FROM document WHERE EXISTS (FROM query WHERE contains(text, word))
),
posting AS (
    SELECT id, length, word, count(*) AS tf FROM (
        SELECT id, length, regexp_replace(unnest(words), '([^su])s$', '\\1') AS word FROM size
    ) SEMI JOIN query USING (word) GROUP BY ALL
),
frequency AS (SELECT word, count(*) AS df FROM posting GROUP BY word)
SELECT p.id, sum(
    ln(1 + (documents - df + 0.5) / (df + 0.5))
    * tf * ({K1} + 1) / (tf + {K1} * (1 - {B} + {B} * length / mean_length))
) AS score
FROM posting p JOIN frequency USING (word) CROSS JOIN corpus
GROUP BY p.id ORDER BY score DESC, p.id
"""
