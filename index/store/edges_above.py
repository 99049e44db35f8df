"""Edges of the ontologies from some terms upward, step by step, so that no other edge is read."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

import duckdb
import polars as pl

from index.store.sorted_rows import rows_near


def edges_above(
    con: duckdb.DuckDBPyConnection,
    curies: Iterable[str],
    predicates: Sequence[str],
    *,
    most_steps: int,
) -> pl.DataFrame:
    """Return the rows of ``term_edge`` of ``predicates`` that lead up from ``curies``, at most
    ``most_steps`` of them behind one another; each once.
    """
    columns = ("subject", "predicate", "object")
    steps = [pl.DataFrame(schema=dict.fromkeys(columns, pl.String))]
    seen: set[str] = set()
    below = set(curies)
    for _ in range(most_steps):
        if not below:
            break
        query = _STEP.format(term_edge=rows_near(con, "term_edge", "subject", below))
        asked = {"curies": sorted(below), "predicates": list(predicates)}
        step = con.sql(query, params=asked).pl()
        steps.append(step)
        seen |= below
        below = set(step["object"]) - seen
    return pl.concat(steps)


_STEP: Final = """
SELECT subject, predicate, object FROM {term_edge}
WHERE subject IN (SELECT unnest($curies::VARCHAR[]))
  AND predicate IN (SELECT unnest($predicates::VARCHAR[]))
"""
