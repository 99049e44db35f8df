"""Rows of values as places of a ranking, and the titles of those named by identifiers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Final

from index.claims import RUN, NamedNumber, Noun, Number, Ranking
from index.claims.claim import joined
from index.claims.phrases import RANKS_ABOVE_GENUS, in_quotes, listed
from query.answer import ResultTable
from query.answers.drafting import Answering, table_of, with_column
from query.answers.hit_words import JUDGED
from query.answers.names import place_name
from query.compiler import Result
from query.compiler.listing import ranked_column
from query.compiler.result import Cell
from query.request import EVERYTHING, Records, RequestField, Values, Where, field_named
from query.request.names import MOST_VALUES

DRAWN: Final = 12
"""Most values that a chart draws, and that a sentence names."""
SAID: Final = 3
"""Number of stored rows that get a sentence each."""
OF_SPECIES: Final = ("virus", "species")
"""Fields of hits whose values are species."""
_LONGEST: Final = 60
"""Most letters of a title in a sentence."""
TITLED: Final = {"study": "studies", "project": "projects", "community": "communities"}
"""Tables of records that hold the titles of the values of a field."""


def place_of(name: str, number: Cell, *, part: Cell = None, whole: Cell = None) -> NamedNumber:
    """Return a value with its number as a place of a ranking."""
    return NamedNumber(
        name=name,
        number=number_of(number),
        part=part if isinstance(part, int) else None,
        whole=whole if isinstance(whole, int) else None,
    )


def places_of(result: Result) -> list[NamedNumber]:
    """Return the values of a list as places, each with the number that ranks it."""
    number = number_column(result)
    return [place_of(str(row[0]), row[number]) for row in result.rows if row[number] is not None]


def ranking(result: Result, begin: str, *, thing: Noun | None = None, noun: Noun = RUN) -> Ranking:
    """Return the first rows of a list of values of one field as a ranking."""
    measure = _values(result)
    field = field_named(measure.by[0])
    places = places_of(result)[:DRAWN]
    is_first = measure.limit is not None and measure.limit < result.total
    return Ranking(
        begin=begin,
        places=tuple(replace(place, name=said_value(field, place.name)) for place in places),
        thing=thing or (field.said, field.plural),
        noun=noun,
        others=max(0, result.total - len(places)),
        named=min(len(result.rows), DRAWN) if is_first else None,
    )


def virus_words(name: str) -> str:
    """Return the words for hits that resolve to a taxon; above a genus they have no name.

    >>> virus_words("Pisuviricota"), virus_words("Endornaviridae"), virus_words("Zika virus")
    ('unidentified viruses of the phylum Pisuviricota', 'unidentified Endornaviridae', 'Zika virus')
    """
    if name.endswith("viridae"):
        return f"unidentified {name}"
    for ending, rank in RANKS_ABOVE_GENUS.items():
        if name.endswith(ending):
            return f"unidentified viruses of the {rank} {name}"
    return name


def is_placed(name: str) -> bool:
    """Return whether hits of this name are placed only in a family or a higher taxon."""
    return virus_words(name) != name


def placed_words(name: str) -> str:
    """Return the family, or the higher taxon, that hits are placed in.

    >>> placed_words("Pisuviricota"), placed_words("Endornaviridae")
    ('the phylum Pisuviricota', 'the family Endornaviridae')
    """
    words = virus_words(name).removeprefix("unidentified ").removeprefix("viruses of ")
    return words if words.startswith("the ") else f"the family {words}"


def said_value(field: RequestField, value: str) -> str:
    """Return a value of a field in the form that sentences use."""
    return _SAID[field.name](value) if field.name in _SAID else value


_SAID: Final[dict[str, Callable[[str], str]]] = {
    "virus": virus_words, "plausibility": JUDGED.__getitem__,
    "sex": "{} hosts".format, "country": place_name, "season": lambda month: month[3:],
}  # fmt: skip
"""How values of a field are worded in a sentence, if not as they are."""
_NOUNS: Final = {
    "run": RUN,
    "biosample": ("sample", "samples"),
    "detection": ("detection", "detections"),
}


def number_column(result: Result) -> int:
    """Return the place of the number that ranks the rows of a list of values."""
    return result.column_names.index(ranked_column(_values(result)))


def noun_of(unit: str) -> Noun:
    """Return what a unit counts: runs, samples, hits, or values of a field."""
    if unit in _NOUNS:
        return _NOUNS[unit]
    field = field_named(unit)
    return field.said, field.plural


def number_of(cell: Cell) -> Number:
    """Return a cell that is a number; 0 for anything else."""
    return cell if isinstance(cell, int | float) else 0


def and_words(separated: str) -> str:
    """Return what a table separates by semicolons as a list in words."""
    return listed(separated.split("; "))


def _values(result: Result) -> Values:
    measure = result.request.measure
    assert isinstance(measure, Values)
    return measure


def titles_of(context: Answering, field: str, values: Sequence[str]) -> dict[str, str]:
    """Return the titles of ``values`` of a field; those without one are left out."""
    titles: dict[str, str] = {}
    for start in range(0, len(values), MOST_VALUES):
        where = (Where(field, tuple(values[start : start + MOST_VALUES])),)
        asked = Records(TITLED[field], where, columns=(field, "title"), limit=MOST_VALUES)
        found = context.look(asked, EVERYTHING)
        titles |= {str(value): str(title) for value, title in found.rows if title}
    return titles


def titled_table(context: Answering, field: str) -> ResultTable | None:
    """Return the table of the answer, with the titles of ``field`` after its other columns."""
    table = table_of(context.result)
    if table is None or field not in TITLED:
        return table
    values = [str(row[0]) for row in table.rows]
    return with_column(table, "title", map(titles_of(context, field, values).get, values))


def titled_places(context: Answering, field: str, ranking: Ranking) -> Ranking:
    """Return ``ranking`` with titles for values whose identifiers say nothing.

    Communities are given by their titles alone.
    """
    if field not in TITLED:
        return ranking
    titles = titles_of(context, field, [place.name for place in ranking.places])
    places = []
    for place in ranking.places:
        code = "" if field == "community" and place.name in titles else place.name
        quoted = in_quotes(titles[place.name], most=_LONGEST) if place.name in titles else ""
        places.append(replace(place, name=joined(code, quoted)))
    return replace(ranking, places=tuple(places))
