"""What is measured of a set of runs."""

from __future__ import annotations

from typing import Annotated, Final, Literal, TypeAlias

from pydantic import AfterValidator, BeforeValidator, Field
from pydantic.dataclasses import dataclass, rebuild_dataclass

from query.request.fields import field_named
from query.request.hits import ANY_HIT, Hit
from query.request.names import (
    STRICT,
    Column,
    ListedField,
    Name,
    Names,
    NumberField,
    OneOrMore,
    Range,
    Unit,
)
from query.request.records import TABLES, check_columns, checked_table, table_descriptions
from query.request.run_sets import RunSet

MOST_ROWS: Final = 10_000
USUAL_LIMIT: Final = 100
Rank = Literal["phylum", "class", "order", "family", "genus", "species"]
_TYPE: Final = {"kw_only": True, "repr": False}
_HITS: Final = "only hits like this; none: hits of any virus"


@dataclass(frozen=True, config=STRICT)
class Count:
    """How many. The tally beside it has the runs, those searched, positive and at 90 % identity."""

    unit: Annotated[
        Unit,
        Field(description="run, detection (rows of hits), or a field whose values are counted"),
    ] = "run"
    hits: Annotated[
        Hit | None, Field(description="count runs with such a hit, and how many were searched")
    ] = None
    type: Annotated[Literal["count"], Field(**_TYPE)] = "count"


@dataclass(frozen=True, config=STRICT)
class Exists:
    """Whether there is any such run: yes, no of N searched, or never searched."""

    type: Annotated[Literal["exists"], Field(**_TYPE)] = "exists"


@dataclass(frozen=True, config=STRICT)
class Share:
    """What share of the runs are also in ``part``; the run set of the request is the whole."""

    part: Annotated[RunSet, Field(description="the runs whose share is asked")]
    type: Annotated[Literal["share"], Field(**_TYPE)] = "share"


@dataclass(frozen=True, config=STRICT)
class Summary:
    """n, missing, min, median, mean and max of a number; of hits the best of each run and virus."""

    number: Annotated[NumberField, Field(description="number of runs or hits")]
    hits: Annotated[Hit | None, Field(description=_HITS)] = None
    type: Annotated[Literal["summary"], Field(**_TYPE)] = "summary"


Each: TypeAlias = Annotated[Count | Share | Summary, Field(discriminator="type")]


def _by(fields: tuple[str, ...]) -> tuple[str, ...]:
    if len(set(fields)) < len(fields):
        raise ValueError("by names two different fields")
    return fields


@dataclass(frozen=True, config=STRICT)
class Values:
    """The values of one or two fields, each with its runs (or another measure), most first."""

    by: Annotated[
        tuple[ListedField, ...],
        OneOrMore,
        AfterValidator(_by),
        Field(min_length=1, max_length=2, description="one field, or two for pairs of values"),
    ]
    each: Annotated[Each, Field(description="what is measured for each value")] = Count()
    hits: Annotated[Hit | None, Field(description=_HITS)] = None
    under: Annotated[
        Names, Field(description="only values that are one of these terms or below one")
    ] = ()
    other_than: Annotated[Names, Field(description="no values that are these or below them")] = ()
    level: Annotated[
        Rank | Annotated[int, Field(ge=0, le=20)] | None,
        Field(description="roll hosts up to a rank (order: Chiroptera for every bat); of "
              "communities the level, 0 if not said. Other values are listed as stated"),
    ] = None  # fmt: skip
    absent_in: Annotated[
        RunSet | None, Field(description="only values that no run of this set has")
    ] = None
    found_in: Annotated[
        RunSet | None, Field(description="only values that a run of this set has, too")
    ] = None
    order: Annotated[
        Literal["most", "fewest", "value"],
        Field(description="most or fewest first, or by the value itself"),
    ] = "most"
    limit: Annotated[
        int | None,
        Field(ge=1, le=MOST_ROWS, description="how many values; ties at the cut are shown"),
    ] = None
    at_least: Annotated[
        float | None, Field(ge=0, description="only values whose number is this or more")
    ] = None
    type: Annotated[Literal["values"], Field(**_TYPE)] = "values"

    def __post_init__(self) -> None:
        if self.each.type == "count" and self.each.hits is not None:
            raise ValueError("put hits into values, not into its count")
        if self.each.type == "summary" and self.each.hits is not None:
            raise ValueError("put hits into values, not into its summary")
        self._check_level()
        if len(self.by) == 2 and (self.under or self.other_than):
            raise ValueError("under and other_than need one field in by")
        terms = ("term", "place", "text")
        if (self.under or self.other_than) and field_named(self.by[0]).type not in terms:
            raise ValueError(f"under and other_than name values, which {self.by[0]} does not have")

    def _check_level(self) -> None:
        kinds = {field_named(field).type for field in self.by}
        if isinstance(self.level, int) and "community" not in kinds:
            raise ValueError("a numbered level is a level of communities: use by = community")
        taxa = {"host", "label", "environment", "k_mers", "virus"}
        if isinstance(self.level, str) and not taxa.intersection(self.by):
            raise ValueError(f"only taxa have a rank: use by = {', '.join(sorted(taxa))}")


@dataclass(frozen=True, config=STRICT)
class SortBy:
    """What rows are sorted by."""

    by: Annotated[Name, Field(description="one of the columns")]
    descending: Annotated[bool, Field(description="largest first")] = False


@dataclass(frozen=True, config=STRICT)
class Rows:
    """A list: a row for each run, or for each hit where a column says which hit (virus, source).

    Where numbers of hits alone are listed, they are those of the best hit of each run.
    """

    columns: Annotated[
        tuple[Column, ...],
        Field(min_length=1, max_length=20, description="run, and fields of runs or hits"),
    ] = ("run",)
    hits: Annotated[Hit | None, Field(description=_HITS)] = None
    order: Annotated[SortBy | None, Field(description="by run if not said")] = None
    limit: Annotated[int, Field(ge=1, le=MOST_ROWS, description="most rows")] = USUAL_LIMIT
    type: Annotated[Literal["rows"], Field(**_TYPE)] = "rows"

    def __post_init__(self) -> None:
        if len(set(self.columns)) < len(self.columns):
            raise ValueError("a column is named twice")
        if self.order is not None and self.order.by not in self.columns:
            raise ValueError(f"order by one of the columns: {', '.join(self.columns)}")


@dataclass(frozen=True, config=STRICT)
class Compare:
    """The same measure of several sets, each within the run set of the request.

    "More" compares counts, "more often" shares.
    """

    measure: Annotated[
        Compared, Field(description="count: which has more; share: where more often")
    ]
    sides: Annotated[
        tuple[RunSet, ...],
        Field(min_length=2, max_length=10, description="sets that are compared"),
    ]
    type: Annotated[Literal["compare"], Field(**_TYPE)] = "compare"

    def __post_init__(self) -> None:
        if len(set(self.sides)) < len(self.sides):
            raise ValueError("two sides are the same")


Compared: TypeAlias = Annotated[Count | Share | Summary | Values, Field(discriminator="type")]


@dataclass(frozen=True, config=STRICT)
class Evidence:
    """How well hits are supported: by name, source and identity, with reads and scores."""

    hit: Annotated[Hit, Field(description="the hits in question")] = ANY_HIT
    type: Annotated[Literal["evidence"], Field(**_TYPE)] = "evidence"


DescribedKind = Literal["virus", "run", "study", "project", "biosample", "community", "term"]


@dataclass(frozen=True, config=STRICT)
class Describe:
    """What the index holds about one thing."""

    kind: Annotated[DescribedKind, Field(description="what it is")]
    id: Annotated[Name, Field(description="accession, CURIE, identifier or name")]
    type: Annotated[Literal["describe"], Field(**_TYPE)] = "describe"


@dataclass(frozen=True, config=STRICT)
class Where:
    """A condition on a stored row; several values mean any of them."""

    column: Annotated[Name, Field(description="column of the table")]
    values: Annotated[Names, Field(description="any of these, in any case of letters")] = ()
    range: Annotated[Range | None, Field(description="bounds of a number")] = None
    contains: Annotated[Name | None, Field(description="part of a text")] = None

    def __post_init__(self) -> None:
        given = [bool(self.values), self.range is not None, self.contains is not None]
        if sum(given) != 1:
            raise ValueError("a condition has one of values, range or contains")
        if self.range is not None and self.range.is_of_dates:
            raise ValueError(f"{self.column} is compared with numbers, not dates")


@dataclass(frozen=True, config=STRICT)
class Records:
    """Rows that the index stores ready-made: tests, effects, communities, studies, pairs, …"""

    table: Annotated[
        str,
        BeforeValidator(checked_table),
        Field(description=table_descriptions(), json_schema_extra={"enum": [*TABLES]}),
    ]
    where: Annotated[tuple[Where, ...], Field(max_length=20, description="all of these")] = ()
    by: Annotated[
        Names, Field(max_length=2, description="count rows for each value of these columns")
    ] = ()
    columns: Annotated[Names, Field(description="none: the usual ones")] = ()
    order: Annotated[SortBy | None, Field(description="the table's own order if not said")] = None
    limit: Annotated[int, Field(ge=1, le=MOST_ROWS, description="most rows")] = USUAL_LIMIT
    count: Annotated[bool, Field(description="only their number")] = False
    type: Annotated[Literal["records"], Field(**_TYPE)] = "records"

    def __post_init__(self) -> None:
        named = [*self.by, *self.columns, *(where.column for where in self.where)]
        check_columns(self.table, named)
        for where in self.where:
            if where.range is not None and where.column not in TABLES[self.table].numbers:
                raise ValueError(f"{where.column} is a text: compare it with values or contains")
            if where.contains is not None and where.column in TABLES[self.table].numbers:
                raise ValueError(f"{where.column} is a number: compare it with range")
        if self.by and self.columns:
            raise ValueError("records lists columns or counts by some, not both")
        if self.count and (self.by or self.columns or self.order):
            raise ValueError("count asks for the number only: no by, columns or order")
        if self.order is not None:
            known = ["records", *self.by] if self.by else TABLES[self.table].columns
            if self.order.by not in known:
                raise ValueError(f"order by one of {', '.join(known)}")


MOST_PREDICTED: Final = 100
_LIMIT: Final = Field(ge=1, le=MOST_PREDICTED, description="how many, the likeliest first")


@dataclass(frozen=True, config=STRICT)
class Like:
    """Viruses that are found in what this one is found in: alike by learned vectors, a prediction.

    It does not say that they are related.
    """

    virus: Annotated[
        Name, Field(description="a virus, genus or family by name or CURIE, or a sOTU")
    ]
    limit: Annotated[int, _LIMIT] = 10
    type: Annotated[Literal["like"], Field(**_TYPE)] = "like"


@dataclass(frozen=True, config=STRICT)
class Predicted:
    """Hosts predicted for a virus, or viruses predicted in a host: pairs that no run carries and no
    source records.
    """

    virus: Annotated[Name | None, Field(description="the virus whose hosts are asked")] = None
    host: Annotated[Name | None, Field(description="the host whose viruses are asked")] = None
    limit: Annotated[int, _LIMIT] = 10
    type: Annotated[Literal["predicted"], Field(**_TYPE)] = "predicted"

    def __post_init__(self) -> None:
        if (self.virus is None) == (self.host is None):
            raise ValueError("predicted takes either a virus or a host")


Measure: TypeAlias = Annotated[
    Count
    | Exists
    | Share
    | Values
    | Rows
    | Summary
    | Compare
    | Evidence
    | Describe
    | Records
    | Like
    | Predicted,
    Field(discriminator="type"),
]
"""Any measure."""
rebuild_dataclass(Compare)  # type: ignore[arg-type]
STORED: Final = (Describe, Records, Like, Predicted)
"""Measures of what is stored, not of a set of runs."""
