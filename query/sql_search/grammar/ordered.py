"""A table as it is ordered: groups of runs, and cells of each."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

GivenKind = Literal["", "named", "without", "of", "searched", "virus", "no virus", "column"]
How = Literal["count", "percent", "first", "avg", "median", "max", "min", "sum"]
MADE = ("avg", "median", "max", "min", "sum")
"""Functions over a column of numbers."""
Whole = Literal["", "searched", "runs", "all"]


@dataclass(frozen=True, slots=True)
class Given:
    """Which runs of a group a number is of.

    ``kind``    all, those that carry what ``text`` names, or that are known ``without`` it
                (``of``: of a share, which names its whole), those searched for viruses, with any
                virus, with none, or with a hit whose ``column`` compares so with ``number``
    """

    kind: GivenKind = ""
    text: str = ""
    column: str = ""
    sign: str = ""
    number: float = 0


@dataclass(frozen=True, slots=True)
class Cell:
    """A number of each row.

    ``how``    ``count`` distinct values of the noun ``of``, the ``percent`` of runs ``given``, the
               ``first``, most frequent value of ``of``, or a function over the column ``of``
    ``whole``  of a percentage: the runs searched, the runs of the row, or all runs of the table
    ``per_run``  whether the function is over how many of ``of`` each run has
    """

    how: How = "count"
    of: str = "run"
    given: Given = Given()
    whole: Whole = ""
    per_run: bool = False


@dataclass(frozen=True, slots=True)
class Group:
    """What the rows are: values of ``noun``, or each of the names ``names``."""

    noun: str = ""
    names: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Kept:
    """A condition on a number of each row: ``>= 50``."""

    cell: Cell
    sign: str
    number: float


@dataclass(frozen=True, slots=True)
class HitBound:
    """A condition on the hits that a table is of: ``identity >= 90``."""

    column: str
    sign: str
    number: float

    @property
    def sql(self) -> str:
        """The condition on a row of ``detection``."""
        return f"{self.column} {self.sign} {self.number:g}"


@dataclass(frozen=True, slots=True)
class OrderedTable:
    """A table that is asked for.

    ``groups``     what the rows are
    ``cells``      the numbers of each, in their order
    ``about``      the words that name the runs of the table, empty for all
    ``hits``       which hits it is of, empty for all
    ``kept``       which rows are kept
    ``by``         the number that rows are sorted by, ``sorted`` where the words say so
    ``by_noun``    the values that sort the rows before that number does
    ``ascending``  whether the smallest comes first, ``by_name`` whether names sort the rows
    ``limit``      how many rows, ``per_first`` how many for each of the first group
    ``keeps_rows`` whether rows are kept by their numbers then, and not the first group
    """

    groups: tuple[Group, ...]
    cells: tuple[Cell, ...]
    about: str = ""
    hits: tuple[HitBound, ...] = ()
    kept: tuple[Kept, ...] = ()
    by: Cell | None = None
    by_noun: str = ""
    sorted: bool = False
    ascending: bool = False
    by_name: bool = False
    limit: int | None = None
    per_first: int | None = None
    keeps_rows: bool = False

    @property
    def bounds(self) -> str:
        """The conditions on hits in words, empty for none."""
        return " and ".join(one.sql for one in self.hits)
