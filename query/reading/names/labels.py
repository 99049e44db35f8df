"""Labels of terms."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import duckdb

from index.store.sorted_rows import rows_near

LABELS: Final = """
SELECT t.curie, t.label FROM term t SEMI JOIN closure c ON c.ancestor = t.curie
"""
"""A SELECT of ``curie, label`` of the terms that runs carry and those above."""


def labels_of(con: duckdb.DuckDBPyConnection, curies: Sequence[str]) -> dict[str, str]:
    """Return the label of each of ``curies`` that is a term."""
    wanted = sorted(set(curies))
    if not wanted:
        return {}
    near = rows_near(con, "term", "curie", wanted)
    rows = con.execute(_LABELS.format(term=near), [wanted]).fetchall()
    return {str(curie): str(label) for curie, label in rows}


_LABELS: Final = "SELECT curie, label FROM {term} WHERE curie IN (SELECT unnest($1::VARCHAR[]))"
