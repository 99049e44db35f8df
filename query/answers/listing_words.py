"""Rows of values as places of a ranking."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Final

from index.claims import RUN, NamedNumber, Noun, Number, Ranking
from query.compiler import Result
from query.compiler.result import Cell
from query.request.fields import field_named
from query.request.measures import Values

NAMED: Final = 3
"""Values that a sentence names."""
IN_ORDER: Final = 12
"""Values of a list in their own order that a sentence names."""
DRAWN: Final = 12
"""Values that a chart draws."""


def place_of(name: str, number: Cell, *, part: Cell = None, whole: Cell = None) -> NamedNumber:
    """Return a value with its number as a place of a ranking."""
    return NamedNumber(
        name=name,
        number=number_of(number),
        part=part if isinstance(part, int) else None,
        whole=whole if isinstance(whole, int) else None,
    )


def places_of(
    result: Result, *, name: int, number: int, rows: Sequence[tuple[Cell, ...]] | None = None
) -> list[NamedNumber]:
    """Return the rows of a result as places, by the columns of their name and number."""
    some = result.rows if rows is None else rows
    return [place_of(str(row[name]), row[number]) for row in some if row[number] is not None]


def ranking(result: Result, begin: str, *, noun: Noun = RUN) -> Ranking:
    """Return the first rows of a list of values by one field as a ranking."""
    field = field_named(_values(result).by[0])
    places = places_of(result, name=0, number=number_column(result))[:DRAWN]
    if field.name in _SAID:
        places = [replace(place, name=_SAID[field.name](place.name)) for place in places]
    return Ranking(
        begin=begin,
        places=tuple(places),
        noun=noun,
        others=max(0, result.total - len(places)),
        other_noun=(f"other {field.said}", f"other {field.plural}"),
    )


def virus_words(name: str) -> str:
    """Return what hits are called that resolve to a taxon: above a genus they have no name.

    >>> virus_words("Pisuviricota"), virus_words("Zika virus")
    ('unnamed Pisuviricota', 'Zika virus')
    """
    return f"unnamed {name}" if name.endswith(_ABOVE_GENUS) else name


_SAID: Final[dict[str, Callable[[str], str]]] = {"virus": virus_words, "sex": "{} hosts".format}
"""How values of a field are said in a sentence, where not as they are."""
_ABOVE_GENUS: Final = (
    "viridae",
    "virinae",
    "virales",
    "viricetes",
    "viricotina",
    "viricota",
    "virae",
    "viria",
)


def number_column(result: Result) -> int:
    """Return the place of the number that ranks the rows of a list of values."""
    measure = _values(result)
    names = [column.name for column in result.columns]
    each = measure.each
    if each.type == "share":
        return names.index("share")
    if each.type == "summary":
        return names.index("mean")
    if each.unit != "run":
        return names.index("detections" if each.unit == "detection" else each.unit)
    counts_hits = measure.hits is not None and field_named(measure.by[0]).of == "run"
    return names.index("positive" if counts_hits else "runs")


def number_of(cell: Cell) -> Number:
    """Return a cell that is a number; 0 for what is none."""
    return cell if isinstance(cell, int | float) else 0


def _values(result: Result) -> Values:
    measure = result.request.measure
    if not isinstance(measure, Values):
        raise TypeError(f"not a list of values: {measure!r}")
    return measure
