"""Read questions: free words in, typed requests out."""

from __future__ import annotations

import duckdb

from query.reading.reading import Form, NameInQuestion, Need, Reading
from query.request import Count, Request

__all__ = ["Form", "NameInQuestion", "Need", "Reading", "read"]


def read(con: duckdb.DuckDBPyConnection, text: str, *, previous: Request | None = None) -> Reading:
    """Return a count."""
    return Reading(text, (Request(Count()),))
