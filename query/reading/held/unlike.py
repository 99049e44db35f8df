"""Hits that a source reports as a virus and that are too unlike it to be called so.

Counts of a species are of hits that are like it. A reader who knows what a source reports would
miss the others, so they are said beside.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

import duckdb

from index.reports.phrases import counted, listed
from query.reading.mentions import Mention

LEAST_ALIKE: Final = 90
"""Percent identity below which no species is stated of a hit."""


class UnlikeHits(NamedTuple):
    """How many ``runs`` have such hits, and what is ``stated`` of these hits."""

    runs: int
    stated: tuple[str, ...]

    def text(self, reported: str) -> str:
        """Return this of hits ``reported`` as a virus, in a sentence."""
        have = "more run has" if self.runs == 1 else "more runs have"
        called = listed(self.stated)
        return (
            f"{counted(self.runs, have, have)} hits reported as {reported} that are less than "
            f"{LEAST_ALIKE}% identical to it and count as {called} only."
        )


def unlike_hits(
    con: duckdb.DuckDBPyConnection,
    species: Sequence[Mention],
    *,
    among: str = "",
    asked: Mapping[str, object] | None = None,
) -> UnlikeHits:
    """Return the hits that are reported as one of ``species`` and are not like it, in runs without
    a hit that is; ``among`` joins the runs they are counted in, with the parameters ``asked``.
    """
    named = {
        "taxa": [curie for one in species for curie in one.curies],
        "held": [sense.value for one in species for sense in one.senses if sense.value],
    }
    query = _UNLIKE.format(among=among)
    ((runs, stated),) = con.execute(query, {**named, **(asked or {})}).fetchall()
    return UnlikeHits(int(runs), tuple(stated or ()))


def species_named(viral: Sequence[Mention]) -> list[Mention]:
    """Return those of the names ``viral`` that are species: no wider name finds them."""
    return [one for one in viral if one.group == "virus" and _is_species(one)]


def _is_species(one: Mention) -> bool:
    facets = {sense.facet for sense in one.senses if sense.facet}
    return bool(one.curies) and facets <= {"species", "label", "virus"}


_UNLIKE: Final = """
WITH found AS (FROM detection WHERE list_contains($held::VARCHAR[], stated))
SELECT count(DISTINCT run), list_sort(list(DISTINCT stated)) FROM detection {among}
WHERE stated LIKE '%-like' AND run NOT IN (SELECT run FROM found) AND (
    virus IN (SELECT virus FROM found) OR virus IN (SELECT unnest($taxa::VARCHAR[]))
    OR virus IN (SELECT descendant FROM closure WHERE ancestor IN (SELECT unnest($taxa::VARCHAR[])))
)
"""
