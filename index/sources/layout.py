"""What a format looks like, declared once for readers, errors, checks and docs/your-data.md."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

import polars as pl

from index.sources.accessions import may_be, must_be
from index.sources.rejection import Rule
from ontology_etl.missing import NO_VALUE

CLOSE: Final = 0.85
"""Minimum similarity of two column names to offer one for the other (difflib's ratio, 0-1)."""
UNCLOSED: Final = "unclosed"
"""Column of every table read: true where the quotation marks of a line do not match."""
OVERFULL: Final = "overfull"
"""Column of every table read: true where a line has more cells than the header has columns."""
UNDECODED: Final = "undecoded"
"""Column of every table read: true where a line is not UTF-8."""
LINE_FLAGS: Final = (UNCLOSED, OVERFULL, UNDECODED)
LINE_RULES: Final = (
    Rule("not UTF-8", pl.col(UNDECODED)),
    Rule("a quotation mark that is never closed", pl.col(UNCLOSED)),
    Rule("more cells than columns: quote a cell that holds a separator", pl.col(OVERFULL)),
)
"""Rules of every line of a table."""


@dataclass(frozen=True)
class Column:
    """A column of a format; one with a ``unit`` holds numbers; ``alias`` is the reader's name."""

    name: str
    meaning: str
    example: str
    unit: str | None = None
    required: bool = False
    alias: str = ""
    rule: Rule | None = field(default=None, compare=False)
    """What rejects a row by the cell."""

    @property
    def read_as(self) -> str:
        """Return the name of the column in the table that is read."""
        return self.alias or self.name

    def must_be(self, accession: str) -> Column:
        """Return the column where every cell has to be such an accession."""
        return replace(self, rule=must_be(accession, self.read_as))

    def may_be(self, accession: str) -> Column:
        """Return the column where every cell has to be such an accession, or empty."""
        return replace(self, rule=may_be(accession, self.read_as))


def required(
    name: str, meaning: str, example: str, *, unit: str | None = None, alias: str = ""
) -> Column:
    """Return a column that a file must have."""
    return Column(name, meaning, example, unit, True, alias)


def optional(
    name: str, meaning: str, example: str, *, unit: str | None = None, alias: str = ""
) -> Column:
    """Return a column that is read where a file has it."""
    return Column(name, meaning, example, unit, False, alias)


@dataclass(frozen=True)
class Layout:
    """The columns of one kind of table.

    ``rest`` says what all other columns become; empty: they are not read. ``left_out`` are
    the columns (lower case) that are never read and need no remark. ``needs`` names the option
    without which every row is rejected. A table without a header has ``first_line``, a regular
    expression that its lines begin with; its columns are those of the layout, in their order.
    """

    name: str
    columns: tuple[Column, ...]
    rest: str = ""
    left_out: frozenset[str] = frozenset()
    needs: str = ""
    first_line: str = ""

    @property
    def required(self) -> tuple[str, ...]:
        """Return the names of the columns that a file must have."""
        return tuple(column.name for column in self.columns if column.required)

    @property
    def names(self) -> tuple[str, ...]:
        """Return the names of all declared columns."""
        return tuple(column.name for column in self.columns)

    def missing(self, header: Sequence[str]) -> list[str]:
        """Return the required columns that ``header`` lacks."""
        return [name for name in self.required if name not in header]

    def extra(self, header: Sequence[str]) -> list[str]:
        """Return the columns that are not declared, without those left out on purpose."""
        undeclared = [name for name in header if name not in self.names]
        return [name for name in undeclared if name.lower() not in self.left_out]

    def unread(self, header: Sequence[str]) -> list[str]:
        """Return the columns of ``header`` that the reader does not read."""
        undeclared = [name for name in header if name not in self.names]
        if not self.rest:
            return undeclared
        return [name for name in undeclared if name.lower() in self.left_out]

    def hints(self, header: Sequence[str]) -> dict[str, str]:
        """Return, by column of ``header``, the declared one it is close to and the file lacks."""
        absent = [name for name in self.names if name not in header]
        return nearest_of_each(self.extra(header), absent)

    def rules(self) -> tuple[Rule, ...]:
        """Return the rules of its rows: lines are whole, numbers finite, accessions of their kind.

        A cell that should be a number and is not one is left empty and counted.
        """
        numbers = [column for column in self.columns if column.unit is not None]
        finite = [_finite(column) for column in numbers]
        unread = [_unread_number(column) for column in numbers]
        of_cells = [column.rule for column in self.columns if column.rule is not None]
        return (*LINE_RULES, *finite, *unread, *of_cells)


def nearest(name: str, known: Iterable[str]) -> str | None:
    """Return the name of ``known`` that is spelt almost like ``name``, or None.

    >>> nearest("bio_project", ["biosample", "bioproject"])
    'bioproject'
    """
    folded = {_fold(candidate): candidate for candidate in known}
    found = difflib.get_close_matches(_fold(name), folded, n=1, cutoff=CLOSE)
    return folded[found[0]] if found else None


def nearest_of_each(names: Iterable[str], known: Iterable[str]) -> dict[str, str]:
    """Return the nearest of ``known`` for each of ``names`` that has one."""
    listed = list(known)
    found = ((name, nearest(name, listed)) for name in names)
    return {name: near for name, near in found if near is not None}


def _fold(name: str) -> str:
    return re.sub(r"[^a-z0-9]", "", name.lower())


def _unread_number(column: Column) -> Rule:
    """Return the rule that counts cells of ``column`` that have a value which is not a number."""
    shown = column.read_as
    text = pl.col(shown).cast(pl.String)
    silent = text.str.to_lowercase().is_in(NO_VALUE)
    unread = text.is_not_null() & ~silent & text.cast(pl.Float64, strict=False).is_null()
    reason = f"{column.name} is not a number, left empty"
    return Rule(reason, unread, shows=shown, only_cell=True)


def _finite(column: Column) -> Rule:
    number = pl.col(column.read_as).cast(pl.Float64, strict=False)
    reason = f"{column.name} is not a finite number"
    return Rule(reason, ~number.is_finite(), shows=column.read_as)
