"""What a question for a table asks: its rows, what is measured of them, and which rows are kept."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

RecordKind = Literal["runs", "detections", "associations", "communities"]
Sorting = Literal["most", "fewest", "name"]


@dataclass(frozen=True, slots=True)
class Measure:
    """A number of each row: ``how`` it is made of ``of``.

    ``how``  ``count`` distinct values of a noun, or a function over a column (avg, median, max,
             min, sum)
    ``of``   a noun or a column (``query.sql_search.tables.nouns``)
    ``per_run``  whether the function is over how many of the noun each run has
    """

    how: str = "count"
    of: str = "run"
    per_run: bool = False


@dataclass(frozen=True, slots=True)
class Threshold:
    """A condition on a number: ``>= 50``."""

    sign: str
    number: int
    of: str = "run"


@dataclass(frozen=True, slots=True)
class TableRequest:
    """A table that is asked for.

    ``rows``       nouns whose values are the rows, none for one row
    ``measure``    what is measured of each
    ``records``    stored rows asked for instead, with these ``columns``
    ``having``     which rows are kept, by their counts
    ``sorting``    the order of rows, ``by`` the column that runs are sorted by
    ``limit``      how many rows, None for all
    ``pairs``      whether rows are pairs of values of the one noun, found in the same runs
    ``titles``     whether titles of projects or studies are asked for
    ``level``      level of the communities
    ``significant``  whether only associations that hold after correction are asked for
    ``most_q``     up to which q value associations are asked for, None for any
    """

    rows: tuple[str, ...] = ()
    measure: Measure = Measure()
    records: RecordKind | None = None
    columns: tuple[str, ...] = ()
    having: tuple[Threshold, ...] = ()
    sorting: Sorting = "most"
    by: str = ""
    limit: int | None = None
    pairs: bool = False
    titles: bool = False
    level: int | None = None
    significant: bool = False
    most_q: float | None = None
