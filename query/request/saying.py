"""A request in canonical English: what a virologist would ask, and only one request says so."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, Final

from index.claims.phrases import listed
from query.request.fields import field_named
from query.request.measures import Compare
from query.request.request import Request
from query.request.saying_runs import KINDS, Said, parts_said, said_by, say_runs
from query.request.sentences import EACH, FIELD_ORDER, MEASURES, WHERE, WORD_ORDER, Sentence
from query.request.wording import said_field, said_number


def say(request: Request) -> str:
    """Return ``request`` in canonical English. Equal texts are equal requests.

    >>> from query.request import Carries, Count, Has, Hit
    >>> say(Request(Count(), of=Carries(Hit("EBV")) & Has("host", "human")))
    'How many runs carry EBV and are from the host human?'
    """
    measure = request.measure
    parts = parts_said(measure) | {"of": parts_said(request)["of"]}
    if isinstance(measure, Compare):
        inner = Request(measure.measure, request.of)
        parts = parts_said(measure) | {"measure": (inner, True)}
    return said_by(MEASURES, parts, type(measure), _KINDS)


def say_all(requests: Sequence[Request]) -> str:
    """Return the requests of the parts of a question in canonical English."""
    return " ".join(map(say, requests))


def _by(sentences: Sequence[Sentence]) -> Said:
    """Return what puts a part in words that has ``sentences`` of its own."""

    def said(part: Any) -> str:
        return "" if part is None else said_by(sentences, parts_said(part), type(part), _KINDS)

    return said


def _units(unit: str) -> str:
    return "detections" if unit == "detection" else said_field(unit, plural=True)


def _fields(by: Sequence[str], *, plural: bool, of: str = "") -> str:
    """Return the fields of a list; nothing if the first is not ``of`` runs or viruses."""
    first, *second = by
    is_of = {"": True, "runs": field_named(first).of == "run", "viruses": by == ("virus",)}
    listed = " by ".join([said_field(first, plural=plural), *map(said_field, second)])
    return listed if is_of[of] else ""


def _measure(request: Request) -> str:
    """Return what is compared, in small letters behind the sides."""
    said = say(request)
    return said[0].lower() + said[1:]


_KINDS: Final[Mapping[str, Said]] = {
    **KINDS,
    "units": _units,
    **{
        f"{name} of {of}".removesuffix(" of "): partial(_fields, plural=plural, of=of)
        for name, plural in {"one": False, "listed": True}.items()
        for of in ("", "runs", "viruses")
    },
    "columns": lambda columns: listed([said_field(column) for column in columns]),
    "words": listed,
    "word": str,
    "number": lambda number: "" if number is None else said_number(number),
    "each": _by(EACH),
    "wheres": lambda where: " and ".join(map(_by(WHERE), where)),
    "field order": _by(FIELD_ORDER),
    "word order": _by(WORD_ORDER),
    "sides": lambda sides: " with ".join(map(say_runs, sides)),
    "measure": _measure,
}
"""How parts of measures are put in words."""
