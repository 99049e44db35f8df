"""What a SELECT may read: tables, columns and joins, with the comments of the contracts.

A build writes the contracts (``index.tables``) into the file as comments; they are read from there,
so that views are included and the description fits the file.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final

import duckdb

_TERM_COLUMNS: Final = frozenset(
    {"curie", "descendant", "ancestor", "organism_curie", "taxon", "host", "listed"}
)
"""Columns that hold a term by its CURIE."""
_KEY: Final = re.compile(r"Key: (\w+)\.$")


@dataclass(frozen=True, slots=True)
class TableColumn:
    """A column with its type and what the contract says of it."""

    name: str
    type: str
    comment: str


@dataclass(frozen=True, slots=True)
class Table:
    """A table or view with its columns in order; ``key`` is its only key column, if it has one."""

    name: str
    comment: str
    columns: tuple[TableColumn, ...]
    key: str | None = None

    @property
    def column_names(self) -> tuple[str, ...]:
        """Names of the columns in order."""
        return tuple(column.name for column in self.columns)


@dataclass(frozen=True, slots=True, order=True)
class Join:
    """A column of ``left`` that holds the key of ``right``."""

    left: str
    left_column: str
    right: str
    right_column: str

    @property
    def text(self) -> str:
        """The condition of the join."""
        left = f"{self.left}.{self.left_column}"
        right = f"{self.right}.{self.right_column}"
        return f"{left} = {right}"


@dataclass(frozen=True)
class Catalogue:
    """The tables of an index by name, and how they join."""

    tables: Mapping[str, Table]

    @cached_property
    def joins(self) -> tuple[Join, ...]:
        """Every column that holds the key of another table, and columns that hold one key."""
        tables = self.tables.values()
        return tuple(sorted({join for table in tables for join in self._joins_of(table)}))

    def joins_between(self, names: Iterable[str]) -> tuple[Join, ...]:
        """Return the joins whose both sides are among ``names``."""
        chosen = set(names)
        return tuple(join for join in self.joins if {join.left, join.right} <= chosen)

    def connected(self, names: Sequence[str]) -> tuple[str, ...]:
        """Return ``names`` with the tables that connect them, by the fewest joins."""
        reached = list(names[:1])
        for name in names[1:]:
            reached += [table for table in self._path(reached, name) if table not in reached]
        return tuple(reached)

    def _path(self, reached: Sequence[str], wanted: str) -> list[str]:
        """Return the tables from ``reached`` to ``wanted``; without a path ``wanted`` alone."""
        before: dict[str, str | None] = dict.fromkeys(reached)
        waiting = deque(reached)
        while waiting and wanted not in before:
            table = waiting.popleft()
            for near in self._neighbours(table):
                if near not in before:
                    before[near] = table
                    waiting.append(near)
        path = [wanted]
        while (step := before.get(path[-1])) is not None:
            path.append(step)
        return path[::-1]

    def _neighbours(self, table: str) -> list[str]:
        sides = [{join.left, join.right} for join in self.joins]
        return sorted(set().union(*(pair for pair in sides if table in pair)) - {table})

    def _joins_of(self, table: Table) -> list[Join]:
        with_term = "term" in self.tables and table.name != "term"
        found = []
        for column in table.column_names:
            keyed = self._keyed.get(column, table.name)
            if keyed != table.name:
                found.append(Join(table.name, column, keyed, column))
            if with_term and column in _TERM_COLUMNS:
                found.append(Join(table.name, column, "term", "curie"))
        return found

    @cached_property
    def _keyed(self) -> dict[str, str]:
        """The table that each key column belongs to."""
        return {table.key: table.name for table in self.tables.values() if table.key}


def read_catalogue(con: duckdb.DuckDBPyConnection) -> Catalogue:
    """Return the tables and views behind ``con`` with their comments."""
    columns: dict[str, list[TableColumn]] = {}
    for table, name, kind, comment in con.execute(_COLUMNS).fetchall():
        columns.setdefault(table, []).append(TableColumn(name, kind, comment or ""))
    tables = {}
    for name, comment in con.execute(_TABLES).fetchall():
        key = _KEY.search(comment or "")
        described = tuple(columns.get(name, ()))
        tables[name] = Table(name, comment or "", described, key[1] if key else None)
    return Catalogue(tables)


_TABLES: Final = """
SELECT table_name, comment FROM duckdb_tables() WHERE NOT internal AND NOT temporary
UNION ALL SELECT view_name, comment FROM duckdb_views() WHERE NOT internal AND NOT temporary
ORDER BY ALL
"""
_COLUMNS: Final = """
SELECT table_name, column_name, data_type, comment FROM duckdb_columns() WHERE NOT internal
ORDER BY table_name, column_index
"""
