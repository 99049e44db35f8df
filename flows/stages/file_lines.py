"""Progress lines about files: one per file, or one for a table in many files."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Final

from index.annotation.preview import column_hints
from index.records import Records, record_counts

if TYPE_CHECKING:
    from flows.progress import Progress
    from index.sources.manifest import Input

FEWEST_PARTS: Final = 4
"""So many consecutive files of one format, folder and options are one table; fewer get a line each.
"""
SECONDS_BETWEEN: Final = 10.0
"""Seconds between two lines about one table, so that people who wait see progress."""


@dataclass
class FilesOfTable:
    """Files that share a progress line, and their counts so far."""

    items: Sequence[Input]
    read: int = 0
    rows: Counter[str] = field(default_factory=Counter)
    cleaned: int = 0
    """Cells from which hidden characters were removed."""
    hints: Counter[str] = field(default_factory=Counter)
    """The files that have each column whose name is almost that of a column that is read."""

    def add(self, item: Input, part: Records) -> None:
        """Add the counts of ``item``."""
        self.read += 1
        self.rows.update(record_counts(part))
        self.cleaned += int(part.cleaned["cells"].sum())
        self.hints.update(column_hints(item))

    @property
    def name(self) -> str:
        """Name of the table: its file, or its folder if there are many files."""
        first = self.items[0].path
        return first.name if len(self.items) == 1 else f"{first.parent.name}/"

    def counts(self) -> str:
        """Return the counts in words."""
        tables = [f"{rows:,} {table}" for table, rows in self.rows.items() if rows]
        files = [] if len(self.items) == 1 else [f"{self.read:,} of {len(self.items):,} files"]
        return ", ".join([*files, *tables])

    def notes(self) -> list[str]:
        """Return remarks about the files besides their counts."""
        notes = []
        if self.cleaned:
            removed = f"hidden or control characters removed in {self.cleaned:,} cells"
            notes.append(f"{self.name}: {removed}")
        for hint, files in self.hints.items():
            where = "" if files == 1 else f" (in {files:,} files)"
            notes.append(f"{self.name}: {hint}{where}")
        return notes


def say_files(items: Sequence[Input], progress: Progress) -> Callable[[Input, Records], None]:
    """Return a function that reports each of ``items`` as it is read. A table in many files is
    reported every ``SECONDS_BETWEEN`` and after its last file.
    """
    tables = iter(_tables(items))
    table = next(tables, None)
    last_said = progress.total()

    def say(item: Input, part: Records) -> None:
        nonlocal table, last_said
        assert table is not None, item
        table.add(item, part)
        is_whole = table.read == len(table.items)
        if is_whole or progress.total() - last_said >= SECONDS_BETWEEN:
            progress.detail(f"{table.name} ({item.format}): {table.counts()}")
            last_said = progress.total()
        if is_whole:
            for note in table.notes():
                progress.detail(note)
            table = next(tables, None)

    return say


def _tables(items: Sequence[Input]) -> list[FilesOfTable]:
    tables: list[FilesOfTable] = []
    for _, group in groupby(items, key=_kind):
        parts = list(group)
        if len(parts) < FEWEST_PARTS:
            tables += [FilesOfTable([item]) for item in parts]
        else:
            tables.append(FilesOfTable(parts))
    return tables


def _kind(item: Input) -> tuple[str, Path, str]:
    """Return what the files of one table have in common."""
    options = sorted(item.options.items())
    return item.format, item.path.parent, repr(options)
