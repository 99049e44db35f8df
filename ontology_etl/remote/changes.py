"""The state of a copied table, and its rows on the way to the copy: only changes are sent.

The server sums a hash of every row, over the columns that are read. If the sum is that of the copy,
nothing is sent. With a column that only grows (``since``) the rows below its largest value are
summed separately: if they are unchanged, only the others are sent, otherwise everything.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from pydantic import ValidationError

from ontology_etl.frozen import Frozen
from ontology_etl.releases.download import sha256_of

if TYPE_CHECKING:
    import pyarrow as pa

GROUP_ROWS: Final = 131_072
"""Rows of a row group: the same however the server cuts its answer."""
_SEPARATOR: Final = r"E'\x1f'"
_NULL: Final = r"E'\x01'"
"""Replaces a null in a hashed row: a character that no text of a table has."""


class Sum(Frozen):
    """Number of rows, and the sum of their hashes."""

    rows: int
    checksum: str


class TableState(Frozen):
    """A table when it was copied; ``settled`` are the rows whose ``since`` is below ``largest``.

    They are the first rows of the copy, whose sha256 is ``sha256`` ("" for a state that is measured
    and not copied yet).
    """

    relation: str
    columns: tuple[str, ...]
    since: str
    all: Sum
    largest: str | None
    settled: Sum
    sha256: str = ""

    def is_of(self, other: TableState) -> bool:
        """Return whether both are states of the same columns of the same table."""
        return self._kind() == other._kind()

    def _kind(self) -> tuple[object, ...]:
        return self.relation, self.columns, self.since


def measure(cursor: Any, relation: str, columns: Sequence[str], since: str) -> TableState:
    """Return the current state of ``relation``, in the transaction of ``cursor``."""
    grows = f"rows.{quoted(since)}" if since else "NULL::integer"
    cursor.execute(f"""
        WITH hashed AS (SELECT {grows} AS s, {_hash(columns)} AS h FROM {relation} AS rows),
             top AS (SELECT max(s) AS s FROM hashed)
        SELECT count(*), coalesce(sum(h), 0)::text, (SELECT s::text FROM top),
               count(*) FILTER (WHERE hashed.s < top.s),
               coalesce(sum(h) FILTER (WHERE hashed.s < top.s), 0)::text
        FROM hashed, top
    """)
    ((rows, checksum, largest, settled_rows, settled_checksum),) = cursor.fetchall()
    return TableState(
        relation=relation,
        columns=tuple(columns),
        since=since,
        all=Sum(rows=rows, checksum=checksum),
        largest=largest,
        settled=Sum(rows=settled_rows, checksum=settled_checksum),
    )


def is_settled(cursor: Any, before: TableState) -> bool:
    """Return whether the settled rows of ``before`` are unchanged in the table."""
    if not before.since or before.largest is None or not before.settled.rows:
        return False
    cursor.execute(f"""
        SELECT count(*), coalesce(sum({_hash(before.columns)}), 0)::text
        FROM {before.relation} AS rows
        WHERE rows.{quoted(before.since)} < {literal(before.largest)}
    """)
    ((rows, checksum),) = cursor.fetchall()
    return Sum(rows=rows, checksum=checksum) == before.settled


def read_state(copy: Path) -> TableState | None:
    """Return the state of the table when it was copied; None if ``copy`` was altered."""
    try:
        state = TableState.model_validate_json(_note(copy).read_bytes())
    except (OSError, ValidationError):
        return None
    is_whole = copy.is_file() and sha256_of(copy) == state.sha256
    return state if is_whole else None


def write_state(copy: Path, state: TableState) -> None:
    """Note the state of the table copied to ``copy``."""
    part = _note(copy).with_suffix(".unfinished")
    part.write_text(state.model_dump_json(indent=2), encoding="utf-8")
    os.replace(part, _note(copy))


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


def quoted(name: str) -> str:
    """Return ``name`` quoted as an SQL identifier.

    >>> quoted("palm_virome"), quoted('a"b')
    ('"palm_virome"', '"a""b"')
    """
    doubled = name.replace('"', '""')
    return f'"{doubled}"'


def literal(text: str) -> str:
    """Return ``text`` as an SQL string.

    >>> literal("it's")
    "'it''s'"
    """
    doubled = text.replace("'", "''")
    return f"'{doubled}'"


def _hash(columns: Sequence[str]) -> str:
    """Return SQL for the 64-bit hash of a row, over the texts of ``columns``."""
    cells = [f"coalesce(rows.{quoted(name)}::text, {_NULL})" for name in columns]
    joined = f" || {_SEPARATOR} || ".join(cells)
    return f"hashtextextended({joined}, 0)"


def _note(copy: Path) -> Path:
    return copy.with_name(f"{copy.name}.state.json")
