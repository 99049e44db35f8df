"""Titles of the studies, projects and communities that a list names by their identifiers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from index.claims import Ranking
from index.claims.claim import joined
from index.claims.phrases import in_quotes
from query.answer import ResultTable
from query.answers.drafting import Answering, table_of, with_column
from query.request import Records, Where
from query.request.names import MOST_VALUES
from query.request.run_sets import EVERYTHING

_LONGEST: Final = 60
"""Most letters of a title in a sentence."""
TITLED: Final = {"study": "studies", "project": "projects", "community": "communities"}
"""Tables of records that hold the titles of the values of a field."""


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
