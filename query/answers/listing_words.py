"""Rows of values as places of a ranking."""

from __future__ import annotations

from index.claims import RUN, Noun, Number, Place, Ranking
from query.compiler import Result
from query.request.fields import field_named
from query.request.measures import Values

NAMED = 3
"""Values that a sentence names."""


def places_of(result: Result, *, name: int, number: int) -> list[Place]:
    """Return the rows of a result as places, by the columns of their name and number."""
    places = []
    for row in result.rows:
        value = row[number]
        if isinstance(value, int | float):
            places.append(Place(name=str(row[name]), number=value))
    return places


def ranking(result: Result, begin: str, *, shown: int = NAMED, noun: Noun = RUN) -> Ranking:
    """Return the first rows of a list of values by one field as a ranking."""
    measure = result.request.measure
    assert isinstance(measure, Values)
    number = number_column(result)
    places = places_of(result, name=0, number=number)
    named = places[:shown]
    return Ranking(
        begin=begin,
        places=tuple(named),
        noun=noun,
        others=max(0, result.total - len(named)),
        other_noun=(
            f"other {field_named(measure.by[0]).said}",
            f"other {field_named(measure.by[0]).plural}",
        ),
    )


def number_column(result: Result) -> int:
    """Return the place of the number that ranks the rows of a list of values."""
    measure = result.request.measure
    assert isinstance(measure, Values)
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


def number_of(cell: object) -> Number:
    """Return a cell that is a number."""
    return cell if isinstance(cell, int | float) else 0
