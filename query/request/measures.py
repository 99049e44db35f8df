"""What is measured of a set of runs."""

from __future__ import annotations

from typing import Annotated, Final, Literal, TypeAlias

from pydantic import AfterValidator, BeforeValidator, Field
from pydantic.dataclasses import dataclass, rebuild_dataclass

from query.request.fields import field_named
from query.request.hits import ANY_HIT, Hit
from query.request.names import (
    STRICT,
    TAG,
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
_HITS: Final = "only hits like this; none: hits of any virus"


@dataclass(frozen=True, config=STRICT)
class Count:
    """How many. The tally has the runs, those searched, positive and at 90 % identity."""

    unit: Unit = Field(
        default="run",
        description="run, detection (rows of hits), or a field whose values are counted",
    )
    hits: Hit | None = Field(
        default=None, description="count runs with such a hit, and how many were searched"
    )
    type: Annotated[Literal["count"], Field(**TAG)] = "count"


@dataclass(frozen=True, config=STRICT)
class Exists:
    """Whether there is any such run: yes, no of N searched, or never searched."""

    type: Annotated[Literal["exists"], Field(**TAG)] = "exists"


@dataclass(frozen=True, config=STRICT)
class Share:
    """What share of the runs are also in ``part``; the run set of the request is the whole."""

    part: RunSet = Field(description="the runs whose share is asked")
    type: Annotated[Literal["share"], Field(**TAG)] = "share"


@dataclass(frozen=True, config=STRICT)
class Summary:
    """n, missing, min, median, mean and max of a number; of hits the best of each run and virus."""

    number: NumberField = Field(description="number of runs or hits")
    hits: Hit | None = Field(default=None, description=_HITS)
    type: Annotated[Literal["summary"], Field(**TAG)] = "summary"


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
    each: Each = Field(default=Count(), description="what is measured for each value")
    hits: Hit | None = Field(default=None, description=_HITS)
    under: Names = Field(
        default=(), description="only values that are one of these terms or below one"
    )
    other_than: Names = Field(default=(), description="no values that are these or below them")
    level: Rank | Annotated[int, Field(ge=0, le=20)] | None = Field(
        default=None,
        description="roll hosts up to a rank (order: Chiroptera for every bat); of "
        "communities the level, 0 if not said. Other values are listed as stated",
    )
    absent_in: RunSet | None = Field(
        default=None, description="only values that no run of this set has"
    )
    found_in: RunSet | None = Field(
        default=None, description="only values that a run of this set has, too"
    )
    order: Literal["most", "fewest", "value"] = Field(
        default="most", description="most or fewest first, or by the value itself"
    )
    limit: int | None = Field(
        default=None, ge=1, le=MOST_ROWS, description="how many values; ties at the cut are shown"
    )
    at_least: float | None = Field(
        default=None, ge=0, description="only values whose number is this or more"
    )
    type: Annotated[Literal["values"], Field(**TAG)] = "values"

    def __post_init__(self) -> None:
        if self.each.type != "share" and self.each.hits is not None:
            raise ValueError(f"put hits into values, not into its {self.each.type}")
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

    by: Name = Field(description="one of the columns")
    descending: bool = Field(default=False, description="largest first")


@dataclass(frozen=True, config=STRICT)
class Rows:
    """A list: a row for each run, or for each hit where a column says which hit (virus, source).

    Where numbers of hits alone are listed, they are those of the best hit of each run.
    """

    columns: tuple[Column, ...] = Field(
        default=("run",), min_length=1, max_length=20, description="run, and fields of runs or hits"
    )
    hits: Hit | None = Field(default=None, description=_HITS)
    order: SortBy | None = Field(default=None, description="by run if not said")
    limit: int = Field(default=USUAL_LIMIT, ge=1, le=MOST_ROWS, description="most rows")
    type: Annotated[Literal["rows"], Field(**TAG)] = "rows"

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

    measure: Compared = Field(description="count: which has more; share: where more often")
    sides: tuple[RunSet, ...] = Field(
        min_length=2, max_length=10, description="sets that are compared"
    )
    type: Annotated[Literal["compare"], Field(**TAG)] = "compare"

    def __post_init__(self) -> None:
        if len(set(self.sides)) < len(self.sides):
            raise ValueError("two sides are the same")


Compared: TypeAlias = Annotated[Count | Share | Summary | Values, Field(discriminator="type")]


@dataclass(frozen=True, config=STRICT)
class Evidence:
    """How well hits are supported: by name, source and identity, with reads and scores."""

    hit: Hit = Field(default=ANY_HIT, description="the hits in question")
    type: Annotated[Literal["evidence"], Field(**TAG)] = "evidence"


DescribedKind = Literal["virus", "run", "study", "project", "biosample", "community", "term"]


@dataclass(frozen=True, config=STRICT)
class Describe:
    """What the index holds about one thing."""

    kind: DescribedKind = Field(description="what it is")
    id: Name = Field(description="accession, CURIE, identifier or name")
    type: Annotated[Literal["describe"], Field(**TAG)] = "describe"


@dataclass(frozen=True, config=STRICT)
class Where:
    """A condition on a stored row; several values mean any of them."""

    column: Name = Field(description="column of the table")
    values: Names = Field(default=(), description="any of these, in any case of letters")
    range: Range | None = Field(default=None, description="bounds of a number")
    contains: Name | None = Field(default=None, description="part of a text")

    def __post_init__(self) -> None:
        given = [bool(self.values), self.range is not None, self.contains is not None]
        if sum(given) != 1:
            raise ValueError("a condition has one of values, range or contains")
        if self.range is not None and self.range.is_of_dates:
            raise ValueError(f"{self.column} is compared with numbers, not dates")

    @property
    def names(self) -> tuple[str, ...]:
        """The values, or the text that is looked for."""
        return self.values or ((self.contains,) if self.contains else ())


@dataclass(frozen=True, config=STRICT)
class Records:
    """Rows that the index stores ready-made: tests, effects, communities, studies, pairs, …"""

    table: Annotated[str, BeforeValidator(checked_table)] = Field(
        description=table_descriptions(), json_schema_extra={"enum": [*TABLES]}
    )
    where: tuple[Where, ...] = Field(default=(), max_length=20, description="all of these")
    by: Annotated[
        Names, Field(max_length=2, description="count rows for each value of these columns")
    ] = ()
    columns: Names = Field(default=(), description="none: the usual ones")
    order: SortBy | None = Field(default=None, description="the table's own order if not said")
    limit: int = Field(default=USUAL_LIMIT, ge=1, le=MOST_ROWS, description="most rows")
    count: bool = Field(default=False, description="only their number")
    type: Annotated[Literal["records"], Field(**TAG)] = "records"

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

    virus: Name = Field(description="a virus, genus or family by name or CURIE, or an sOTU")
    limit: Annotated[int, _LIMIT] = 10
    type: Annotated[Literal["like"], Field(**TAG)] = "like"


@dataclass(frozen=True, config=STRICT)
class Predicted:
    """Hosts predicted for a virus, or viruses predicted in a host: pairs that no run carries and no
    source records.
    """

    virus: Name | None = Field(default=None, description="the virus whose hosts are asked")
    host: Name | None = Field(default=None, description="the host whose viruses are asked")
    limit: Annotated[int, _LIMIT] = 10
    type: Annotated[Literal["predicted"], Field(**TAG)] = "predicted"

    def __post_init__(self) -> None:
        if (self.virus is None) == (self.host is None):
            raise ValueError("predicted takes either a virus or a host")


OfRuns: TypeAlias = Count | Exists | Share | Values | Rows | Summary | Compare | Evidence
"""Measures of a set of runs."""
STORED: Final = (Describe, Records, Like, Predicted)
"""Measures of what is stored, not of a set of runs."""
Measure: TypeAlias = Annotated[
    OfRuns | Describe | Records | Like | Predicted, Field(discriminator="type")
]
"""Any measure."""
rebuild_dataclass(Compare)  # type: ignore[arg-type]
