"""Answers that predict, and say so: viruses like one, hosts of a virus, viruses of a host."""

from __future__ import annotations

from typing import Final

from index.claims import Portrait, Ranking
from query.answers.drafting import Answering, Draft, table_of
from query.answers.listing_words import DRAWN, SAID, number_of, place_of
from query.request import Like, Predicted

_LIKENESS: Final = (
    "similarity (at most 1) is learned from hosts, tissues, places and other metadata; viruses of "
    "the same samples need not be related"
)
_PROBABILITY: Final = (
    "no run carries such a pair and no source records one; the percentage is the share of the "
    "host's studies that would find the virus if they searched for it, as estimated on others"
)
_PLAIN: Final = 10
LEAST: Final = 1
"""Minimum probability, in percent, of a predicted pair."""


def _rounded(number: float) -> float:
    """Return a similarity, or a percentage, with the digits that mean something."""
    return float(round(number)) if number >= _PLAIN else round(number, 2)


def draft_predicted(context: Answering, measure: Like | Predicted) -> Draft:
    """Return the viruses nearest to one, or the pairs predicted for a virus or a host."""
    is_of_virus = measure.virus is not None
    name = str(measure.virus if isinstance(measure, Like) or is_of_virus else measure.host)
    called = context.names.introduced(name, "virus" if is_of_virus else "host")
    if not context.result.rows:
        nothing = f"nothing is predicted of {called}: too little says what it is found with"
        return Draft([Portrait(text=nothing)])
    is_like = isinstance(measure, Like)
    factor, column = 1 if is_like else 100, 2 if is_of_virus and not is_like else 0
    places = tuple(
        place_of(str(row[column]), _rounded(factor * number_of(row[4])))
        for row in context.result.rows[:DRAWN]
    )
    what = "hosts" if is_of_virus else "viruses"
    begin = f"by prediction, the likeliest {what} of {called} are"
    if is_like:
        begin = f"the viruses predicted to be in samples most like those of {called} are"
    elif not any(place.number >= LEAST for place in places):
        begin = f"by prediction, none of the {what} of {called} reaches {LEAST}%; the likeliest are"
    unit = "similarity" if is_like else "%"
    lead = Ranking(begin=begin, places=places, noun=(unit, unit), named=SAID)
    caution = Portrait(text=_LIKENESS if is_like else _PROBABILITY)
    return Draft([lead], [caution], table=table_of(context.result))
