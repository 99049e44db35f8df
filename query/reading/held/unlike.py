"""Hits that a source reports as a virus and that do not count as it: too unlike it, explained by
a congener in the run, or of a sOTU that its evidence names otherwise.

A reader who knows what a source reports would miss them, so they are said beside.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

import duckdb

from index.reports.phrases import listed
from index.stated import EXPLAINED
from query.reading.mentions import Mention

LEAST_ALIKE: Final = 90
"""Percent identity below which no species is stated of a hit."""


class UnlikeHits(NamedTuple):
    """How many ``runs`` have such hits for one reason, what is ``stated`` of these hits, and the
    ``congeners`` that explain them.
    """

    runs: int
    why: str
    stated: tuple[str, ...]
    congeners: tuple[str, ...] = ()

    def text(self, reported: str, runs_have: str) -> str:
        """Return this of hits ``reported`` as a virus, in a sentence that ``runs_have`` begins."""
        called = listed(self.stated)
        if self.why == "congener":
            return (
                f"{runs_have} reads closest to {reported} beside over {EXPLAINED} times as many of "
                f"{listed(self.congeners)}, which explain them; they do not count as {reported}."
            )
        if self.why == "evidence":
            return (
                f"{runs_have} hits that a source reports as {reported} and that are {called} by "
                f"what else their runs hold; they count as {called}."
            )
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
) -> list[UnlikeHits]:
    """Return the hits that are reported as one of ``species`` and do not count as it, by why, in
    runs without a hit that does; ``among`` joins the runs they are counted in, with the parameters
    ``asked``.
    """
    named = {
        "taxa": [curie for one in species for curie in one.curies],
        "held": _held(species),
    }
    query = _UNLIKE.format(among=among)
    rows = con.execute(query, {**named, **(asked or {})}).fetchall()
    return [
        UnlikeHits(int(runs), why, tuple(stated or ()), tuple(congeners or ()))
        for runs, why, stated, congeners in rows
    ]


def runs_unlike(found: Sequence[UnlikeHits]) -> int:
    """Return how many runs have hits below the identity of the species they are reported as."""
    return sum(one.runs for one in found if one.why == "identity")


def of_itself(
    con: duckdb.DuckDBPyConnection,
    virus: Mention,
    *,
    among: str = "",
    asked: Mapping[str, object] | None = None,
) -> tuple[int, int] | None:
    """Return how many runs have hits of the species of ``virus``, which it is below, and how many
    of these resolve to ``virus`` itself; None where it is the species, or hits are named after it.
    """
    if virus.label in _held([virus]):
        return None
    parameters = {"held": _held([virus]), "taxa": list(virus.curies), **(asked or {})}
    ((runs, own, is_below),) = con.execute(_ITSELF.format(among=among), parameters).fetchall()
    return (int(runs), int(own)) if is_below and own < runs else None


def beside_congener(
    con: duckdb.DuckDBPyConnection,
    species: Sequence[Mention],
    *,
    among: str = "",
    asked: Mapping[str, object] | None = None,
) -> tuple[int, tuple[str, ...]]:
    """Return how many runs with one of ``species`` hold more reads of a congener, and of which."""
    query = _BESIDE.format(among=among)
    parameters = {"held": _held(species), **(asked or {})}
    ((runs, congeners),) = con.execute(query, parameters).fetchall()
    return int(runs), tuple(congeners or ())


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
WITH found AS (FROM detection WHERE list_contains($held::VARCHAR[], stated)),
meant AS (
    SELECT virus FROM found UNION SELECT unnest($taxa::VARCHAR[])
    UNION SELECT descendant FROM closure WHERE ancestor IN (SELECT unnest($taxa::VARCHAR[]))
),
hit AS (
    SELECT d.run, d.stated, v.name AS congener,
           CASE WHEN d.closest IS NOT NULL THEN 'congener'
                WHEN d.stated LIKE '%-like' THEN 'identity' ELSE 'evidence' END AS why
    FROM detection d LEFT JOIN virus v ON v.virus = d.congener
    LEFT JOIN sotu_name n ON n.source = d.source AND n.sotu = d.sotu AND d.identity IS NULL
    WHERE d.run NOT IN (SELECT run FROM found) AND (
        (d.closest IS NOT NULL OR d.stated LIKE '%-like') AND d.virus IN (SELECT virus FROM meant)
        OR n.reported IN (SELECT virus FROM meant))
)
SELECT count(DISTINCT run), why, list_sort(list(DISTINCT stated)),
       list_sort(list(DISTINCT congener))
FROM hit {among} GROUP BY why ORDER BY why DESC
"""
_ITSELF: Final = """
WITH meant AS (
    SELECT unnest($taxa::VARCHAR[]) AS virus UNION
    SELECT descendant FROM closure WHERE ancestor IN (SELECT unnest($taxa::VARCHAR[]))
)
SELECT count(DISTINCT run), count(DISTINCT run) FILTER (virus IN (SELECT virus FROM meant)),
       EXISTS (
           SELECT 1 FROM closure c JOIN term t ON t.curie = c.ancestor
           WHERE list_contains($taxa::VARCHAR[], c.descendant) AND t.rank = 'species'
             AND c.distance > 0)
FROM (SELECT run, virus FROM detection WHERE list_contains($held::VARCHAR[], stated)) {among}
"""
_BESIDE: Final = """
SELECT count(DISTINCT run), list_sort(list(DISTINCT v.name))
FROM (
    SELECT run, congener FROM detection
    WHERE list_contains($held::VARCHAR[], stated) AND congener IS NOT NULL
) JOIN virus v ON v.virus = congener {among}
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
