"""Names, fields and bounds as requests have them: checked when a request is made."""

from __future__ import annotations

import re
from difflib import get_close_matches
from typing import Annotated, Any, Final

from pydantic import AfterValidator, BeforeValidator, ConfigDict, Field, WithJsonSchema
from pydantic.dataclasses import dataclass

from query.request.fields import ATTRIBUTE, RUN, YEARS, all_names, field_named, fields_of, key_of

STRICT: Final = ConfigDict(extra="forbid", allow_inf_nan=False)
"""Configuration of every part of a request: no other keys, finite numbers."""
TAG: Final = {"kw_only": True, "repr": False}
"""Options of the ``type`` by which the parts of a request are distinguished."""
MOST_VALUES: Final = 200
LONGEST: Final = 300
_DATE: Final = re.compile(r"\d{4}(?:-(?:0[1-9]|1[0-2])(?:-(?:0[1-9]|[12]\d|3[01]))?)?")


def _one_line(text: str) -> str:
    """Return ``text`` with single blanks, so that equal names are equal."""
    joined = " ".join(text.split())
    if not joined:
        raise ValueError("a name is empty")
    if not joined.isprintable():
        raise ValueError("a name has a control character")
    return joined


def _listed(value: Any) -> Any:
    return (value,) if isinstance(value, str) else value


OneOrMore: Final = BeforeValidator(_listed)
"""One text is taken for a list of one."""
Name = Annotated[str, Field(max_length=LONGEST), AfterValidator(_one_line)]
Names = Annotated[
    tuple[Name, ...],
    OneOrMore,
    Field(max_length=MOST_VALUES),
    AfterValidator(lambda names: tuple(dict.fromkeys(names))),
]
"""Names or CURIEs, each once."""


def _checked(owner: str, *, number: bool | None, run: bool = False) -> Any:
    """Return the check for a field's name: a field of ``owner``, of numbers, or the run itself."""

    def check(name: str) -> str:
        text = _one_line(name)
        if run and text.lower() in (RUN, "runs"):
            return RUN
        key = key_of(text)
        if key is None:
            near = get_close_matches(text.lower(), all_names(), n=3)
            meant = f"; did you mean {', '.join(near)}?" if near else ""
            raise ValueError(f"{text!r} is not a field{meant}")
        field = field_named(key)
        if owner == "run" and field.of == "hit":
            raise ValueError(f"{key} is a field of hits: put it into a hit (carries)")
        if number is True and not field.is_number and not key.startswith(ATTRIBUTE):
            raise ValueError(f"{key} is not a number; numbers: {', '.join(fields_of(number=True))}")
        if number is False and not field.is_listed:
            raise ValueError(f"{key} is a number: use between, summary or rows")
        return key

    return check


def _enumerated(keys: list[str]) -> WithJsonSchema:
    """Return the JSON Schema of a field's name: one of ``keys``, or an attribute."""
    listed = {"type": "string", "enum": keys}
    pattern = {
        "type": "string",
        "pattern": f"^{ATTRIBUTE}.+",
        "description": "any attribute in the submitter's words, e.g. attribute:treatment",
    }
    return WithJsonSchema({"anyOf": [listed, pattern]})


_RUN_FIELDS: Final = fields_of("run")
_LISTED: Final = [*fields_of(number=False), *YEARS]
RunField = Annotated[str, AfterValidator(_checked("run", number=None)), _enumerated(_RUN_FIELDS)]
"""A field of runs."""
ListedField = Annotated[str, AfterValidator(_checked("any", number=False)), _enumerated(_LISTED)]
"""A field whose values are listed and counted."""
NumberField = Annotated[
    str, AfterValidator(_checked("any", number=True)), _enumerated(fields_of(number=True))
]
"""A number of runs or hits."""
Column = Annotated[
    str, AfterValidator(_checked("any", number=None, run=True)), _enumerated([RUN, *fields_of()])
]
"""A column of a list of runs or hits: ``run`` or a field."""
Unit = Annotated[
    str,
    AfterValidator(lambda unit: unit if unit == "detection" else _UNIT(unit)),
    _enumerated([RUN, "detection", *_LISTED]),
]
"""What is counted: runs, detections (rows of hits), or distinct values of a field."""
_UNIT: Final = _checked("any", number=False, run=True)

Bound = float | str


@dataclass(frozen=True, config=STRICT)
class Range:
    """Bounds of a number or a date. "After 2018" is above 2018, and begins in 2019."""

    at_least: Bound | None = Field(default=None, description="this and more; of a date, from")
    at_most: Bound | None = Field(
        default=None, description="this and less; of a date, to the end of it"
    )
    above: Bound | None = Field(default=None, description="more than this; of a date, after it")
    below: Bound | None = Field(default=None, description="less than this; of a date, before it")

    def __post_init__(self) -> None:
        bounds = self.bounds()
        if not bounds:
            raise ValueError("a range needs at_least, at_most, above or below")
        if self.at_least is not None and self.above is not None:
            raise ValueError("a range has at_least or above, not both")
        if self.at_most is not None and self.below is not None:
            raise ValueError("a range has at_most or below, not both")
        if len({type(bound) for bound in bounds.values()}) > 1:
            raise ValueError("the bounds of a range are both numbers or both dates")
        for bound in bounds.values():
            if isinstance(bound, str) and not _DATE.fullmatch(bound):
                raise ValueError(f"{bound!r} is not a number or a date (2018, 2018-05, 2018-05-31)")

    def bounds(self) -> dict[str, float | str]:
        """Return the bounds that are set, by their names."""
        named = {name: getattr(self, name) for name in ("at_least", "above", "at_most", "below")}
        return {name: bound for name, bound in named.items() if bound is not None}

    @property
    def is_of_dates(self) -> bool:
        """Whether bounds are dates."""
        return any(isinstance(bound, str) for bound in self.bounds().values())

    def as_dates(self) -> Range:
        """Return the same bounds as dates: 2018 is a year."""
        bounds = self.bounds().items()
        years = {
            name: bound if isinstance(bound, str) else f"{int(bound):04}" for name, bound in bounds
        }
        return Range(**years)

    def as_numbers(self) -> Range:
        """Return the same bounds as numbers; raises ``ValueError`` for a date."""
        return Range(**{name: float(bound) for name, bound in self.bounds().items()})
