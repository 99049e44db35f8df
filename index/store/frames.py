"""Queries over tables of the index and frames in memory together."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import duckdb

if TYPE_CHECKING:
    import polars as pl


def rows_over(
    con: duckdb.DuckDBPyConnection,
    query: str,
    frames: Mapping[str, pl.DataFrame],
    *,
    params: Any = None,
) -> pl.DataFrame:
    """Return the rows of ``query``, which reads each of ``frames`` as a table of its name.

    The names are removed afterwards, even if the query fails. Raises ``duckdb.Error``.

    >>> import polars as pl
    >>> rows_over(duckdb.connect(), "SELECT max(runs) AS runs FROM seen",
    ...           {"seen": pl.DataFrame({"runs": [1, 2]})}).to_dicts()
    [{'runs': 2}]
    """
    for name, frame in frames.items():
        con.register(name, frame)
    try:
        rows: pl.DataFrame = con.sql(query, params=params).pl()
    finally:
        for name in frames:
            con.unregister(name)
    return rows
