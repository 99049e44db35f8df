"""Labels of terms, from the names that questions are likely to hold; the others from ``term``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import duckdb

from index.store.same_for_all import same_for_all


def labels_of(con: duckdb.DuckDBPyConnection, curies: Sequence[str]) -> dict[str, str]:
    """Return the label of each of ``curies`` that is a term.

    Table ``name`` is a seventh of ``term``, and has nearly every term that is asked for.
    """
    labels = {}
    wanted = list(dict.fromkeys(curies))
    sources = (_LISTED, _ALL) if lists_names(con) else (_ALL,)
    for query in sources:
        missing = [curie for curie in wanted if curie not in labels]
        if missing:
            labels.update(_found(con, query, missing))
    return labels


def labels_query(con: duckdb.DuckDBPyConnection) -> str:
    """Return a SELECT of ``curie, label`` of at least the terms that runs carry and those above."""
    if lists_names(con):
        return "SELECT curie, name AS label FROM name WHERE scope = 'LABEL'"
    return "SELECT curie, label FROM term"


@same_for_all
def lists_names(con: duckdb.DuckDBPyConnection) -> bool:
    """Return whether the index has table ``name``; one that somebody cut down may not."""
    try:
        con.execute("SELECT 1 FROM name LIMIT 0")
    except duckdb.CatalogException:
        return False
    return True


def _found(con: duckdb.DuckDBPyConnection, query: str, curies: Sequence[str]) -> dict[str, str]:
    """Return what ``query`` finds; listed one by one, so that few rows are compared."""
    places = ", ".join("?" * len(curies))
    rows = con.execute(query.format(places=places), list(curies)).fetchall()
    return {str(curie): str(label) for curie, label in rows}


_LISTED: Final = "SELECT curie, name FROM name WHERE curie IN ({places}) AND scope = 'LABEL'"
_ALL: Final = "SELECT curie, label FROM term WHERE curie IN ({places})"
