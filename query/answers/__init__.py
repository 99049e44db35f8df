"""stub"""

from __future__ import annotations

import duckdb

from query.answers.worded import WordedAnswer
from query.compiler import run
from query.reading import Reading

__all__ = ["WordedAnswer", "answer_reading"]


def answer_reading(
    con: duckdb.DuckDBPyConnection, reading: Reading, *, full: bool = False
) -> WordedAnswer:
    """stub"""
    results = tuple(run(con, request) for request in reading.requests)
    return WordedAnswer("; ".join(f"{one.number} {one.unit}" for one in results), results=results)
