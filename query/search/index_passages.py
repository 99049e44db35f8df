"""The passages of an index: what its reports, findings, studies, terms and viruses say.

A term or a virus is a passage where a run carries it; its text is its names.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import duckdb
import numpy as np
from numpy.typing import NDArray

from query.search.passage import Kind, Passage

_TEXTS: Final[dict[Kind, str]] = {
    "report": """
        SELECT community AS id, community AS place, concat_ws('. ', title, summary) AS text
        FROM report""",
    "finding": """
        SELECT community || '#' || ordinal AS id, community || ', finding ' || ordinal AS place,
               concat_ws(' ', summary, explanation) AS text
        FROM finding""",
    "study": """
        SELECT bioproject AS id, bioproject AS place, concat_ws('. ', title, description) AS text
        FROM bioproject WHERE title IS NOT NULL OR description IS NOT NULL
        UNION ALL
        SELECT study AS id, study AS place, concat_ws('. ', title, abstract) AS text
        FROM study WHERE title IS NOT NULL OR abstract IS NOT NULL""",
    "term": """
        SELECT t.curie AS id, t.curie AS place,
               concat_ws('; ', t.label, string_agg(DISTINCT s.synonym, '; ')) AS text
        FROM (SELECT DISTINCT curie FROM annotation WHERE curie IS NOT NULL) AS used
        JOIN term AS t USING (curie) LEFT JOIN synonym AS s USING (curie)
        GROUP BY t.curie, t.label""",
    "virus": """
        SELECT virus AS id, virus AS place,
               concat_ws('; ', name, ictv_name, abbreviation, genus, family) AS text
        FROM virus""",
}
INDEX_KINDS: Final = tuple(_TEXTS)


def passages_sql(kinds: Sequence[Kind]) -> str:
    """Return the SELECT of the passages of ``kinds``: kind, id, place, text; one row a passage."""
    return "\nUNION ALL\n".join(
        f"SELECT '{kind}' AS kind, id, place, text FROM ({texts})"
        for kind, texts in _TEXTS.items()
        if kind in kinds
    )


def read_passages(
    con: duckdb.DuckDBPyConnection, keys: Sequence[str], kinds: Sequence[Kind]
) -> dict[str, Passage]:
    """Return the passages with these keys (``kind:id``)."""
    if not keys:
        return {}
    found = _passages(con, kinds, "kind || ':' || id IN $1", list(keys))
    return {f"{passage.kind}:{passage.id}": passage for passage in found}


def find_passages(
    con: duckdb.DuckDBPyConnection, identifier: str, kinds: Sequence[Kind]
) -> list[Passage]:
    """Return the passages called ``identifier``, of any kind."""
    return _passages(con, kinds, "lower(id) = lower($1)", identifier)


def _passages(
    con: duckdb.DuckDBPyConnection, kinds: Sequence[Kind], condition: str, value: object
) -> list[Passage]:
    query = f"SELECT kind, id, place, text FROM ({passages_sql(kinds)}) WHERE {condition}"
    return [Passage(*row) for row in con.execute(query, [value]).fetchall()]


def report_vectors(con: duckdb.DuckDBPyConnection) -> tuple[list[str], NDArray[np.float32]]:
    """Return the keys of the reports that have a vector, with the vectors, in order of key."""
    rows = con.execute(
        "SELECT id, vector FROM embedding WHERE kind = 'report' ORDER BY id"
    ).fetchall()
    vectors = np.array([vector for _, vector in rows], np.float32)
    return [f"report:{uid}" for uid, _ in rows], vectors.reshape(len(rows), -1)
