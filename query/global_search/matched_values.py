"""Values of the matching runs, facet by facet: none is read before it is asked for."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Final

import duckdb

from index.facets import FACETS
from index.store.run_values import IS_KNOWN
from query.global_search.carrying import equals_any
from query.reading.measured.selects import OF_HITS, VALUES

COMPANY: Final = "company"
"""Facet of the virus families that are seen in the same runs as the virus asked for."""
STUDY: Final = "study"
"""Facet of the SRA studies of runs that state no project."""
HOST_RANKS: Final = {
    f"host {rank}": rank for rank in ("species", "genus", "family", "order", "class", "phylum")
}
"""Facet of what hosts are of at a rank -> the rank. A subspecies counts for its species, and a
genus for none.
"""
_OF_DETECTIONS: Final = ("species", "family", COMPANY)
_OF_RUNS: Final = ("bioproject", STUDY)
_ALL: Final = (*FACETS, *_OF_DETECTIONS, *_OF_RUNS, *HOST_RANKS, *VALUES)


def with_studies(facets: Sequence[str]) -> tuple[str, ...]:
    """Return ``facets`` with studies behind projects, which they stand in for.

    >>> with_studies(("host", "bioproject"))
    ('host', 'bioproject', 'study')
    """
    if "bioproject" not in facets:
        return tuple(facets)
    place = list(facets).index("bioproject") + 1
    return (*facets[:place], STUDY, *facets[place:])


def with_host_rank(facets: Sequence[str], rank: str) -> list[str]:
    """Return ``facets`` with hosts at a ``rank`` in place of hosts as stated, where one is given.

    >>> with_host_rank(["host", "tissue"], "family"), with_host_rank(["host"], "")
    (['host family', 'tissue'], ['host'])
    """
    return [f"host {rank}" if one == "host" and rank else one for one in facets]


@dataclass(frozen=True, slots=True)
class ValueCount:
    """A value of a facet, and how many of the matching runs have it."""

    value: str
    runs: int


@dataclass(frozen=True, slots=True)
class FacetCounts:
    """The ``values`` of a facet, most runs first, and how many matching ``runs`` have any."""

    values: tuple[ValueCount, ...]
    runs: int


@dataclass(frozen=True, slots=True)
class MatchedValues:
    """The values of the runs in the temporary table ``matched`` of ``connection``.

    They are in the temporary table ``matched_value(run, facet, value)``, each once for a run, as
    far as ``read`` was asked for them. Facets that are ``unlisted`` have none.

    ``of_virus`` is the condition on a detection that it is of the virus asked for, empty where
    none is: of that virus its own species and families are listed, and other families in the same
    runs are company.
    """

    connection: duckdb.DuckDBPyConnection
    of_virus: str = ""
    unlisted: Collection[str] = ()
    _counts: dict[str, FacetCounts] = field(default_factory=dict)

    def read(self, facets: Iterable[str]) -> None:
        """Fill ``matched_value`` with the values of ``facets`` that are not in it yet."""
        wanted = [one for one in _ALL if one in facets and one not in self._counts]
        if not wanted:
            return

        if "family" in wanted or COMPANY in wanted:
            wanted = list(dict.fromkeys([*wanted, "family", COMPANY]))
        stated = [one for one in wanted if one in FACETS and one not in self.unlisted]
        self.connection.execute(_TABLE)
        for facet in wanted:
            if facet in _FILLED or facet in VALUES or facet in HOST_RANKS:
                self.connection.execute(self._filling(facet))
        if stated:
            self.connection.execute(_STATED.format(facets=equals_any(stated)))
        self._count(wanted)

    def counts(self, facet: str) -> FacetCounts | None:
        """Return the values of ``facet``, None where no matching run has any."""
        self.read([facet])
        counts = self._counts.get(facet)

        if counts is None or not counts.runs:
            return None
        return counts

    def states_none(self, facets: Sequence[str]) -> bool:
        """Return whether ``facets`` are asked for, and no matching run has a value of any."""
        return bool(facets) and all(self.counts(facet) is None for facet in facets)

    def _filling(self, facet: str) -> str:
        """Return the statement that adds the values of ``facet``, with what is apart from them."""
        if facet in VALUES:
            return self._measured(facet)
        if facet in HOST_RANKS:
            return _AT_RANK.format(rank=HOST_RANKS[facet], facet=facet)
        query = _FILLED[facet]
        if facet in _OF_RUNS or not self.of_virus:
            return query.format(facet="'family'", among="true")
        own = _OWN[facet].format(of_virus=self.of_virus)
        if facet == "species":
            return query.format(among=own)
        return query.format(facet=f"CASE WHEN {own} THEN 'family' ELSE '{COMPANY}' END")

    def _measured(self, facet: str) -> str:
        """Return the statement that adds the values of ``facet``: of a virus asked for its own."""
        values = VALUES[facet]
        if facet in OF_HITS and self.of_virus:
            values = f"{values} WHERE {self.of_virus}"
        return _MEASURED.format(facet=facet, values=values)

    def _count(self, facets: Collection[str]) -> None:
        """Count the values of ``facets``, which ``matched_value`` has."""
        listed = equals_any(list(facets))
        values: dict[str, list[ValueCount]] = {facet: [] for facet in facets}
        runs = dict.fromkeys(facets, 0)
        found = self.connection.execute(_COUNTED.format(facets=listed))
        for facet, value, having in found.fetchall():
            count = ValueCount(value, having)
            values[facet].append(count)
        having_any = self.connection.execute(_HAVING_ANY.format(facets=listed))
        runs.update(having_any.fetchall())

        for facet in facets:
            counted = tuple(values[facet])
            self._counts[facet] = FacetCounts(counted, runs[facet])


_TABLE: Final = (
    "CREATE TEMP TABLE IF NOT EXISTS matched_value (run VARCHAR, facet VARCHAR, value VARCHAR)"
)
# A place is listed by country only: "USA: Houston" counts as "USA", which its runs state as well.
_STATED: Final = f"""
INSERT INTO matched_value
SELECT DISTINCT run, facet, value FROM annotation SEMI JOIN matched USING (run)
WHERE facet {{facets}} AND {IS_KNOWN} AND NOT (facet = 'geography' AND contains(value, ':'))
"""
_MEASURED: Final = """
INSERT INTO matched_value
SELECT run, '{facet}', value FROM ({values}) SEMI JOIN matched USING (run)
"""
_FILLED: Final = {
    "species": f"""
INSERT INTO matched_value SELECT DISTINCT run, 'species', stated AS value
FROM detection SEMI JOIN matched USING (run) WHERE {IS_KNOWN} AND {{among}}
""",
    "family": f"""
INSERT INTO matched_value SELECT DISTINCT run, {{facet}}, family AS value
FROM detection SEMI JOIN matched USING (run) WHERE {IS_KNOWN}
""",
    "bioproject": f"""
INSERT INTO matched_value SELECT run, 'bioproject', bioproject AS value
FROM run SEMI JOIN matched USING (run) WHERE {IS_KNOWN}
""",
    STUDY: f"""
INSERT INTO matched_value SELECT run, '{STUDY}', study AS value
FROM run SEMI JOIN matched USING (run) WHERE bioproject IS NULL AND {IS_KNOWN}
""",
}
_AT_RANK: Final = """
WITH
host AS MATERIALIZED (
    SELECT DISTINCT run, curie FROM annotation SEMI JOIN matched USING (run)
    WHERE facet = 'host' AND curie IS NOT NULL
),
above AS MATERIALIZED (
    SELECT descendant AS curie, ancestor FROM closure WHERE descendant IN (SELECT curie FROM host)
),
ranked AS MATERIALIZED (
    SELECT curie AS ancestor, label FROM term
    WHERE curie IN (SELECT ancestor FROM above) AND rank = '{rank}'
)
INSERT INTO matched_value
SELECT DISTINCT run, '{facet}', label AS value
FROM host JOIN above USING (curie) JOIN ranked USING (ancestor)
"""
_OWN: Final = {
    "species": "stated IN (SELECT stated FROM detection WHERE {of_virus})",
    "family": "family IN (SELECT family FROM detection WHERE {of_virus})",
}
"""Condition on a detection in the matching runs that its name is one of the virus asked for."""
_COUNTED: Final = """
SELECT facet, value, count(*) AS runs FROM matched_value WHERE facet {facets}
GROUP BY facet, value ORDER BY facet, runs DESC, value
"""
_HAVING_ANY: Final = """
SELECT facet, count(DISTINCT run) FROM matched_value WHERE facet {facets} GROUP BY facet
"""
