"""Sets of runs, as a request names them.

A run is in a set, is known not to be in it, or it is unknown: a run whose host nobody stated is
neither "human" nor "not human", and a run that no source searched is not "without the virus".
``Not`` keeps to what is known. ``&``, ``|`` and ``~`` combine sets in Python.
"""

from __future__ import annotations

from typing import Annotated, Any, Final, Literal, TypeAlias

from pydantic import AfterValidator, Field
from pydantic.dataclasses import dataclass, rebuild_dataclass

from query.request.fields import YEARS, field_named
from query.request.hits import Hit
from query.request.names import STRICT, TAG, Name, Names, Range, RunField

TextPlace = Literal["title", "text"]
SHARED: Final = "k_mers"
"""Field whose values have shares of a run."""


class _Combined:
    """Operators of sets."""

    def __and__(self, other: RunSet) -> And:
        return And((self, other))  # type: ignore[arg-type]

    def __or__(self, other: RunSet) -> Or:
        return Or((self, other))  # type: ignore[arg-type]

    def __invert__(self) -> Not:
        return Not(self)  # type: ignore[arg-type]


@dataclass(frozen=True, config=STRICT)
class Everything(_Combined):
    """All runs of the index."""

    type: Annotated[Literal["everything"], Field(**TAG)] = "everything"


@dataclass(frozen=True, config=STRICT)
class Carries(_Combined):
    """Runs in which such a hit is detected. Its negation: runs searched for it and without it."""

    hit: Hit = Field(description="what is detected")
    type: Annotated[Literal["carries"], Field(**TAG)] = "carries"


@dataclass(frozen=True, config=STRICT)
class Has(_Combined):
    """Runs that state a value of a field; without values: any value. Its negation: another one."""

    field: RunField = Field(description="what is known of the runs")
    values: Names = Field(
        default=(), description="names or CURIEs, any of them; none: the field is stated at all"
    )
    below: bool = Field(
        default=True,
        description="whether what is below a term counts, too: lung for respiratory system",
    )
    contains: Name | None = Field(
        default=None, description="text that is part of the value, instead of values"
    )
    share: Range | None = Field(
        default=None,
        description="of k_mers with one value: percent of the run's k-mers that are of the "
        "taxon or below; mostly is above 50",
    )
    type: Annotated[Literal["has"], Field(**TAG)] = "has"

    def __post_init__(self) -> None:
        if self.values and self.contains is not None:
            raise ValueError("has takes values or contains, not both")
        if field_named(self.field).is_ordered and (self.values or self.contains):
            raise ValueError(f"{self.field} is compared with between, not has")
        if not self.below and not self.values:
            raise ValueError("below says how values are compared, and there are none")
        if self.share is not None:
            self._check_share(self.share)

    def _check_share(self, share: Range) -> None:
        if self.field != SHARED or len(self.values) != 1 or not self.below:
            raise ValueError(f"share is of one value of {SHARED}, and of what is below it")
        if share.is_of_dates:
            raise ValueError("share is a number of percent")
        object.__setattr__(self, "share", share.as_numbers())


@dataclass(frozen=True, config=STRICT)
class Between(_Combined):
    """Runs whose number or date is within bounds."""

    field: RunField = Field(description="released, collected, year, latitude, spots, …")
    range: Range = Field(description="the bounds")
    type: Annotated[Literal["between"], Field(**TAG)] = "between"

    def __post_init__(self) -> None:
        field = field_named(self.field)
        if not field.is_ordered and field.table != "stated_attribute":
            raise ValueError(f"{self.field} is neither a number nor a date: use has")
        bounds = self.range.as_dates() if field.type == "date" else self._numbers()
        object.__setattr__(self, "range", bounds)

    def _numbers(self) -> Range:
        if self.range.is_of_dates and field_named(self.field).name not in YEARS:
            raise ValueError(f"{self.field} is a number: compare it with numbers")
        try:
            return self.range.as_numbers()
        except ValueError:
            raise ValueError(f"{self.field} is a number: compare it with numbers") from None


@dataclass(frozen=True, config=STRICT)
class Searched(_Combined):
    """Runs that a source of detections looked at, for these viruses where they are named."""

    source: Names = Field(default=(), description="sources; none: any source")
    virus: Names = Field(
        default=(), description="viruses that must be within what the source looked for"
    )
    type: Annotated[Literal["searched"], Field(**TAG)] = "searched"


@dataclass(frozen=True, config=STRICT)
class Mentions(_Combined):
    """Runs whose study, project or sample mentions all of these words or phrases."""

    words: Annotated[
        Names,
        Field(
            min_length=1,
            description="words or phrases, all of them; a word of six letters or more also counts "
            "as the beginning of a longer one",
        ),
    ]
    where: TextPlace = Field(
        default="text",
        description="text: titles and abstracts of study and project, title of the sample; "
        "title: titles only",
    )
    type: Annotated[Literal["mentions"], Field(**TAG)] = "mentions"


@dataclass(frozen=True, config=STRICT)
class Top(_Combined):
    """Runs that have one of the n values of a field that most runs of a set have; ties included."""

    field: RunField = Field(description="field whose values are ranked")
    of: RunSet = Field(description="runs that are counted for the ranking")
    n: int = Field(default=1, ge=1, le=1000, description="how many values")
    type: Annotated[Literal["top"], Field(**TAG)] = "top"

    def __post_init__(self) -> None:
        if not field_named(self.field).is_listed:
            raise ValueError(f"{self.field} is a number; top ranks values by their runs")


def _flat(kind: str) -> AfterValidator:
    """Return the check that makes "a and (b and c)" the same as "a and b and c"."""

    def flatten(sets: tuple[Any, ...]) -> tuple[Any, ...]:
        flat: list[Any] = []
        for part in sets:
            flat += part.of if part.type == kind else [part]
        distinct = tuple(dict.fromkeys(flat))
        if len(distinct) < 2:
            raise ValueError(f"{kind} joins at least two different sets")
        return distinct

    return AfterValidator(flatten)


_SETS: Final = Field(min_length=2, max_length=20, description="sets")


@dataclass(frozen=True, config=STRICT)
class And(_Combined):
    """Runs that are in all of these sets."""

    of: Annotated[tuple[RunSet, ...], _flat("and"), _SETS]
    type: Annotated[Literal["and"], Field(**TAG)] = "and"


@dataclass(frozen=True, config=STRICT)
class Or(_Combined):
    """Runs that are in at least one of these sets."""

    of: Annotated[tuple[RunSet, ...], _flat("or"), _SETS]
    type: Annotated[Literal["or"], Field(**TAG)] = "or"


@dataclass(frozen=True, config=STRICT)
class Not(_Combined):
    """Runs known not to be in the set: searched, and the virus not found; another value stated."""

    of: RunSet = Field(description="the set they are not in")
    type: Annotated[Literal["not"], Field(**TAG)] = "not"


RunSet: TypeAlias = Annotated[
    Everything | Carries | Has | Between | Searched | Mentions | Top | And | Or | Not,
    Field(discriminator="type"),
]
"""Any set of runs."""
for _recursive in (Top, And, Or, Not):
    rebuild_dataclass(_recursive)  # type: ignore[arg-type]

EVERYTHING: Final = Everything()


def parts_of(runs: RunSet) -> tuple[RunSet, ...]:
    """Return the sets that a run must all be in to be in ``runs``."""
    return runs.of if isinstance(runs, And) else (runs,)


def intersect(*sets: RunSet) -> RunSet:
    """Return the runs that are in all of ``sets``: every run if there are none."""
    parts = dict.fromkeys(part for runs in sets for part in parts_of(runs))
    parts.pop(EVERYTHING, None)
    return And(tuple(parts)) if len(parts) > 1 else next(iter(parts), EVERYTHING)
