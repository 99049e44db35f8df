"""Hits that a source reports as a virus and that are too unlike it to be called so.

Counts of a species are of hits that are like it. A reader who knows what a source reports would
miss the others, so they are said beside.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

import duckdb

from index.reports.phrases import listed
from query.reading.mentions import Mention

LEAST_ALIKE: Final = 90
"""Percent identity below which no species is stated of a hit."""


class UnlikeHits(NamedTuple):
    """How many ``runs`` have such hits, and what is ``stated`` of these hits."""

    runs: int
    stated: tuple[str, ...]

    def text(self, reported: str, runs_have: str) -> str:
        """Return this of hits ``reported`` as a virus, in a sentence that ``runs_have`` begins."""
        called = listed(self.stated)
        return (
            f"{runs_have} hits reported as {reported} that are less than {LEAST_ALIKE}% identical "
            f"to it and count as {called} only."
        )


def runs_reporting_all(
    con: duckdb.DuckDBPyConnection,
    species: Sequence[Mention],
    *,
    among: str = "",
    asked: Mapping[str, object] | None = None,
) -> int:
    """Return how many runs have a hit that is reported as each of ``species``, like it or not."""
    parameters: dict[str, object] = dict(asked or {})
    selects = []
    for place, one in enumerate(species):
        parameters |= {f"taxa{place}": list(one.curies), f"held{place}": _held([one])}
        selects.append(_REPORTED.format(place=place))
    query = f"SELECT count(*) FROM ({' INTERSECT '.join(selects)}) {among}"
    ((runs,),) = con.execute(query, parameters).fetchall()
    return int(runs)


def runs_reporting(
    con: duckdb.DuckDBPyConnection,
    species: Mention,
    *,
    quality: str,
    every: bool,
    among: str = "",
    asked: Mapping[str, object] | None = None,
) -> int:
    """Return how many runs have a hit that is reported as ``species``, like it or not, and meets
    the condition ``quality`` on rows of ``detection``; where ``every``, all such hits of the run.
    """
    parameters = {"taxa0": list(species.curies), "held0": _held([species]), **(asked or {})}
    meets = "bool_and" if every else "bool_or"
    query = _MEETING.format(
        reported=_IS_REPORTED.format(place=0), meets=meets, quality=quality, among=among
    )
    ((runs,),) = con.execute(query, parameters).fetchall()
    return int(runs)


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
        "held": _held(species),
    }
    query = _UNLIKE.format(among=among)
    ((runs, stated),) = con.execute(query, {**named, **(asked or {})}).fetchall()
    return UnlikeHits(int(runs), tuple(stated or ()))


def species_named(viral: Sequence[Mention]) -> list[Mention]:
    """Return those of the names ``viral`` that are species: no wider name finds them."""
    return [one for one in viral if one.group == "virus" and _is_species(one)]


def _held(species: Sequence[Mention]) -> list[str]:
    """Return the names that detections have of ``species``."""
    return [sense.value for one in species for sense in one.senses if sense.value]


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
_IS_REPORTED: Final = """
list_contains($held{place}::VARCHAR[], stated)
   OR virus IN (SELECT virus FROM detection WHERE list_contains($held{place}::VARCHAR[], stated))
   OR list_contains($taxa{place}::VARCHAR[], virus)
   OR virus IN (
       SELECT descendant FROM closure WHERE list_contains($taxa{place}::VARCHAR[], ancestor))
"""
_REPORTED: Final = f"SELECT run FROM detection WHERE {_IS_REPORTED}"
_MEETING: Final = """
SELECT count(*) FROM (
    SELECT run FROM detection WHERE {reported}
    GROUP BY run HAVING {meets}(coalesce({quality}, false))
) {among}
"""
