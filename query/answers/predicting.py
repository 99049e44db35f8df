"""Answers that predict, and say so: viruses like one, hosts of a virus, viruses of a host."""

from __future__ import annotations

from typing import Final

from index.claims import Claim, NamedNumber, Noun, Portrait, Ranking
from query.answers.drafting import Answering, Draft, table_of
from query.answers.listing_words import DRAWN, SAID
from query.compiler.result import Cell
from query.request import Like, Predicted

_LIKENESS: Final = (
    "the number is the cosine of vectors learned from hosts, tissues, places and other metadata; "
    "what is found in the same samples need not be related"
)
_PROBABILITY: Final = (
    "no run carries these pairs and no source records them; the number is how many studies of the "
    "host that search for the virus would find it, calibrated on studies that were hidden"
)
LEAST: Final = 1
"""Percent without which a pair is not predicted."""
_PERCENT: Noun = ("%", "%")
_SIMILARITY: Noun = ("similarity", "similarity")


def draft_like(context: Answering, measure: Like) -> Draft:
    """Return the viruses nearest to one, as a prediction."""
    called = context.names.introduced(measure.virus, "virus")
    if not context.result.rows:
        return Draft([_nothing(called)])
    begin = f"by prediction, found in samples most like those of {called} are"
    places = [_place(row[0], row[4], 1) for row in context.result.rows[:DRAWN]]
    lead = Ranking(begin=begin, places=tuple(places), noun=_SIMILARITY, named=SAID)
    return Draft([lead], [Portrait(text=_LIKENESS)], table=table_of(context.result))


def draft_predicted(context: Answering, measure: Predicted) -> Draft:
    """Return the pairs that are predicted of a virus or of a host."""
    is_of_virus = measure.virus is not None
    name = str(measure.virus if is_of_virus else measure.host)
    called = context.names.introduced(name, "virus" if is_of_virus else "host")
    if not context.result.rows:
        return Draft([_nothing(called)])
    rows = context.result.rows[:DRAWN]
    places = [_place(row[2] if is_of_virus else row[0], row[4], 100) for row in rows]
    what = "hosts" if is_of_virus else "viruses"
    begin = f"by prediction, the likeliest {what} of {called} are"
    if not any(place.number >= LEAST for place in places):
        begin = f"by prediction, none of the {what} of {called} reaches {LEAST}%; the likeliest are"
    lead = Ranking(begin=begin, places=tuple(places), noun=_PERCENT, named=SAID)
    return Draft([lead], [Portrait(text=_PROBABILITY)], table=table_of(context.result))


def _nothing(called: str) -> Claim:
    return Portrait(text=f"nothing is predicted of {called}: too little says what it is found with")


def _place(name: Cell, number: Cell, factor: int) -> NamedNumber:
    value = float(number) if isinstance(number, int | float) else 0.0
    return NamedNumber(name=str(name), number=round(factor * value, 2))
