"""Rows of a table on the way to its copy: selection, order, and equal groups."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Final

from ontology_etl.remote.changes import TableState, literal, quoted

if TYPE_CHECKING:
    import pyarrow as pa

GROUP_ROWS: Final = 131_072
"""Rows of a row group: the same however the server cuts its answer."""


def selection(now: TableState, kept: TableState | None) -> str:
    """Return SQL for the rows to send: all, or those not settled in ``kept``."""
    cells = ", ".join(
        f'rows.{quoted(name)}::text COLLATE "C" AS {quoted(name)}' for name in now.columns
    )
    order = [str(place) for place in range(1, len(now.columns) + 1)]
    where = ""
    if now.since:
        grows = f"rows.{quoted(now.since)}"
        order.insert(0, grows)
        if kept is not None and kept.largest is not None:
            where = f"WHERE {grows} >= {literal(kept.largest)} OR {grows} IS NULL"
    return f"SELECT {cells} FROM {now.relation} AS rows {where} ORDER BY {', '.join(order)}"


def settled_rows(copy: Path, rows: int) -> Iterator[pa.RecordBatch]:
    """Yield the first ``rows`` rows of ``copy``."""
    import pyarrow.parquet as pq

    left = rows
    with pq.ParquetFile(copy) as file:
        for batch in file.iter_batches(GROUP_ROWS):
            yield batch.slice(0, left)
            left -= min(left, len(batch))
            if not left:
                return


def equal_groups(batches: Iterator[pa.RecordBatch], schema: pa.Schema) -> Iterator[pa.Table]:
    """Yield the rows of ``batches`` as tables of ``GROUP_ROWS`` rows, the last one shorter."""
    import pyarrow as pa

    waiting: list[pa.RecordBatch] = []
    for batch in batches:
        waiting.append(batch)
        while sum(map(len, waiting)) >= GROUP_ROWS:
            table = _as_text(pa.Table.from_batches(waiting), schema)
            yield table.slice(0, GROUP_ROWS)
            waiting = table.slice(GROUP_ROWS).to_batches()
    if waiting:
        yield _as_text(pa.Table.from_batches(waiting), schema)


def _as_text(table: pa.Table, schema: pa.Schema) -> pa.Table:
    """Return ``table`` with ``schema``, without the driver's notes on its types."""
    import pyarrow as pa

    return pa.Table.from_arrays(table.columns, schema=schema)
