"""The state of a copied table, so that only changes are sent.

The server sums a hash of every row, over the columns that are read: where the sum is that of the
copy, nothing is sent. With a column that only grows (``since``) the rows below its largest value
are summed apart: where they are as they were, only the others are sent, and the copy is to the byte
what copying everything would give. Where they are not, everything is sent. So nothing is assumed of
a table, and nothing missed.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from pydantic import BaseModel, ConfigDict, ValidationError

from ontology_etl.releases.download import sha256_of

_SEPARATOR: Final = r"E'\x1f'"
_NULL: Final = r"E'\x01'"
"""What stands for a null in a hashed row: a character that no text of a table holds."""


class Sum(BaseModel):
    """Number of rows, and the sum of their hashes."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    rows: int
    checksum: str


class TableState(BaseModel):
    """A table when it was copied; ``settled`` are the rows whose ``since`` is below ``largest``.

    They are the first rows of the copy, whose sha256 is ``sha256`` ("" for a state that is measured
    and not copied yet).
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

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
    """Return the state of the table when it was copied to ``copy``; None if the copy was
    altered.
    """
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
