"""The chunks of a table as they are taken from its words, pattern by pattern."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace

from query.sql_search.grammar.chunks import TableChunk, codes
from query.sql_search.grammar.ordered import OrderedTable


@dataclass(slots=True)
class TableReading:
    """What is read of a table, and the chunks ``left``."""

    left: list[TableChunk]
    table: OrderedTable = field(default_factory=lambda: OrderedTable((), ()))
    about: list[str] = field(default_factory=list)
    listed: bool = False
    by_last: bool = False
    by_column: str = ""

    def take(self, pattern: re.Pattern[str], keep: str = "") -> TakenChunks | None:
        """Return the first match among the chunks left, without it in them; but for the group
        ``keep``.
        """
        found = pattern.search(codes(self.left))
        if found is None:
            return None
        taken = TakenChunks(found, list(self.left))
        kept = taken.chunks(keep) if keep else []
        self.left = [*self.left[: found.start()], *kept, *self.left[found.end() :]]
        return taken

    def also(self, **parts: object) -> None:
        """Set parts of the table."""
        self.table = replace(self.table, **parts)  # type: ignore[arg-type]


@dataclass(frozen=True, slots=True)
class TakenChunks:
    """A match of a pattern among chunks."""

    found: re.Match[str]
    every: list[TableChunk]

    def chunks(self, group: str | int = 0) -> list[TableChunk]:
        """Return the chunks of a group, none where it has not matched."""
        start, end = self.found.span(group)
        return self.every[start:end] if start >= 0 else []

    def __getitem__(self, group: str) -> str:
        """Return the letters of a group, empty where it has not matched."""
        return self.found[group] or ""
