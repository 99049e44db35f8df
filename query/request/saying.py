"""A request in canonical English: what a virologist would ask, and only one request says so."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from query.request.measures import Compare
from query.request.request import Request
from query.request.saying_runs import KINDS, Said, parts_said, said_by, say_runs
from query.request.sentences import EACH, FIELD_ORDER, MEASURES, WHERE, WORD_ORDER, Sentence
from query.request.wording import said_field, said_number


def say(request: Request) -> str:
    """Return ``request`` in canonical English. Equal texts are equal requests.

    >>> from query.request import Carries, Count, Has, Hit
    >>> say(Request(Count(), of=Carries(Hit("EBV")) & Has("host", "human")))
    'How many runs carry EBV and have human as host?'
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


def _listed(by: Sequence[str]) -> str:
    return " by ".join(said_field(field, plural=not place) for place, field in enumerate(by))


def _measure(request: Request) -> str:
    """Return what is compared, in small letters behind the sides."""
    said = say(request)
    return said[0].lower() + said[1:]


_KINDS: Final[Mapping[str, Said]] = {
    **KINDS,
    "units": _units,
    "listed": _listed,
    "columns": lambda columns: ", ".join(map(said_field, columns)),
    "words": ", ".join,
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
