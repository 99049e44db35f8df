"""What a request for a table asks: rows, columns, conditions, what is kept, and the order."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal


class NotUnderstoodError(Exception):
    """A phrase that fits no slot of a table."""


class ImpossibleTableError(Exception):
    """A table that is understood, and cannot be made of what the index holds."""


CondKind = Literal["named", "virus", "no virus", "searched", "bound", "count", "known", "words",
                   "risk", "same"]  # fmt: skip


@dataclass(frozen=True, slots=True)
class TableCondition:
    """A condition on a run, on its hits, or on a stored row.

    ``named``     carries one of ``names`` (``§0``), all of them where ``at_once``
    ``bound``     ``field`` compares so with ``number``
    ``count``     has so many distinct values of ``field``
    ``known``     states ``field``
    ``same``      what the number before is of: the projects they come from
    ``words``     a condition that a stored row is named by (significant), as SQL in ``field``
    """

    kind: CondKind
    names: tuple[str, ...] = ()
    at_once: bool = False
    negated: bool = False
    field: str = ""
    sign: str = ""
    number: float = 0


@dataclass(frozen=True, slots=True)
class Measure:
    """A number of each row.

    ``how``    count, percent, list, or a function (avg, median, min, max, sum)
    ``of``     a field, or ``run``
    ``given``  the runs or hits it is of, ``whole`` what a percentage is of
    ``per_run``  whether it is made of how many each run has
    """

    how: str = "count"
    of: str = "run"
    given: tuple[TableCondition, ...] = ()
    whole: tuple[TableCondition, ...] | None = None
    per_run: bool = False
    total: bool = False


@dataclass(frozen=True, slots=True)
class Bound:
    """A number of a row that is compared: at least 20 runs; of each value of the field ``of`` where
    a row has several.
    """

    measure: Measure
    sign: str
    number: float
    of: str = ""


@dataclass(frozen=True, slots=True)
class Order:
    """What rows are sorted by: a measure, a field, or the first number where neither is said."""

    by: Measure | str | None
    ascending: bool = False
    down: bool = False


@dataclass(frozen=True, slots=True)
class TableAsked:
    """A table that is asked for.

    ``rows``      fields of which each value is a row; each of ``names`` is a row as well
    ``named_as``  fields that ``names`` are values of, where those are said
    ``within``    names that values of a field are kept to, and those they are not
    ``columns``   fields that are listed, and measures, in the order asked
    ``where``     conditions on the runs that the table is of
    ``kept``      bounds on rows
    ``company``   names whose runs are looked at, and which are no rows themselves
    ``pairs``     whether rows are pairs of values found together
    """

    subject: str = "runs"
    rows: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    within: tuple[TableCondition, ...] = ()
    columns: tuple[Measure | str, ...] = ()
    where: tuple[TableCondition, ...] = ()
    kept: tuple[Bound, ...] = ()
    order: tuple[Order, ...] = ()
    limit: int | None = None
    per_first: int | None = None
    company: tuple[str, ...] = ()
    nowhere: tuple[TableCondition, ...] = ()
    pairs: bool = False
    one_each: bool = False
    keeps_empty: bool = False
    of_runs: bool = False
    places: int | None = None
    named_as: tuple[str, ...] = ()

    @property
    def is_plain(self) -> bool:
        """Whether values are listed with their runs, and nothing else is asked."""
        alone = len(self.rows) == 1 and not self.names and not self.pairs and not self.company
        numbers = [one for one in self.columns if self.rows != ("year",) or one != Measure()]
        more = numbers or self.kept or self.nowhere or self.order or self.one_each
        kinds = {one.kind for one in self.where}
        simple = not kinds & {"known", "bound", "count", "risk", "searched"}
        return self.subject == "runs" and alone and simple and not more


RUNS: Final = Measure()
"""The number of runs."""
