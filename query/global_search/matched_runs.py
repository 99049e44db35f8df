"""The matching runs of one question, and exact counts of distinct runs among them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

import duckdb

from index.facets import FACETS
from index.store.run_values import STATED_VALUES

_NO_STATEMENT: Final = frozenset({"label", "statOrganism"})
"""Facets of organisms that say nothing of a host: what was submitted, and k-mer hits."""


@dataclass(frozen=True, slots=True)
class ValueCount:
    """A value of a facet among the matching runs; ``index_runs`` is how many runs of the whole
    index have it.
    """

    value: str
    runs: int
    index_runs: int


@dataclass(frozen=True, slots=True)
class _Counts:
    """Facet -> its values, most runs first; facet -> how many values and runs that have any."""

    values: Mapping[str, Sequence[ValueCount]]
    known: Mapping[str, tuple[int, int]]


@dataclass(frozen=True)
class MatchedRuns:
    """The matching runs of one question, and how many they are.

    They are kept in temporary tables of a connection of their own, so that two questions never
    share them and the index is not written to: ``matched(run)`` and ``matched_value(run, facet,
    value, curie)``. Queries given to ``rows`` may read these beside the tables of the index.

    ``kept`` are the groups that count, ``dropped`` those that no run joins with them.
    """

    connection: duckdb.DuckDBPyConnection
    runs: int
    index_runs: int
    with_virus: int
    kept: tuple[str, ...]
    dropped: tuple[str, ...]
    group_runs: Mapping[str, int]

    @property
    def is_whole_index(self) -> bool:
        """True where the question names nothing, so that every run counts."""
        return not self.kept

    def rows(self, query: str, parameters: object = None) -> list[tuple[Any, ...]]:
        """Return the rows of ``query`` over the index and the matching runs."""
        return self.connection.execute(query, parameters).fetchall()

    def runs_with(self, keys: Sequence[str]) -> int:
        """Return how many runs carry all of ``keys`` (groups of the question)."""
        return self._joined(keys, "")

    def searched_with(self, keys: Sequence[str], *, carrying: bool = False) -> int:
        """Return how many runs that carry all of ``keys`` were searched, or those of them that are
        ``carrying`` some virus; no key is all of them.
        """
        with_virus = "SEMI JOIN detection USING (run)" if carrying else ""
        return self._joined(keys, f"SEMI JOIN looked USING (run) {with_virus}")

    def stating(self, keys: Sequence[str], facets: Sequence[str]) -> int:
        """Return how many runs that carry all of ``keys`` state one of ``facets``.

        The organism as submitted and k-mer hits state no host.
        """
        facets = [facet for facet in facets if facet in FACETS and facet not in _NO_STATEMENT]
        stating = (
            f"SEMI JOIN (SELECT run FROM annotation WHERE facet IN {_literals(facets)}) USING (run)"
        )
        return self._joined(keys, stating)

    def virus_libraries(self) -> int:
        """Return how many matching runs are libraries of a virus."""
        query = (
            "SELECT count(*) FROM matched SEMI JOIN (SELECT run FROM annotation WHERE facet = "
            "'virus') USING (run)"
        )
        ((runs,),) = self.rows(query)
        return int(runs)

    def _joined(self, keys: Sequence[str], filtered: str) -> int:
        source = "run"
        asked: dict[str, object] | None = None
        if keys:
            source = f"({JOINED})"
            asked = {"groups": list(keys), "n": len(set(keys))}
        query = f"SELECT count(*) FROM {source} {filtered}"
        ((runs,),) = self.rows(query, asked)
        return int(runs)

    def value_counts(
        self, facets: Sequence[str], *, limit: int, fewest: bool = False
    ) -> dict[str, list[ValueCount]]:
        """Return the values that most matching runs have, or ``fewest``, per facet, at most
        ``limit`` each; empty facets are left out.
        """
        counts = {}
        for facet in facets:
            values = self._counts.values.get(facet)
            if values:
                ranked = sorted(values, key=lambda one: one.runs) if fewest else values
                counts[facet] = list(ranked[:limit])
        return counts

    def distinct_values(self, facets: Sequence[str]) -> dict[str, tuple[int, int]]:
        """Return per facet how many values the matching runs have, and how many matching runs have
        any.
        """
        known = self._counts.known
        return {facet: known[facet] for facet in facets if facet in known}

    @cached_property
    def _counts(self) -> _Counts:
        """The values of every facet, most runs first, counted once for an answer."""
        values: dict[str, list[ValueCount]] = {}
        query = _WHOLE_COUNTS if self.is_whole_index else _VALUE_COUNTS
        for facet, *row in self.rows(query):
            listed = values.setdefault(str(facet), [])
            listed.append(ValueCount(*row))
        known = {str(facet): (most, runs) for facet, most, runs in self.rows(_DISTINCT_VALUES)}
        return _Counts(values, known)

    def unnamed_viruses(self) -> int:
        """Return how many sOTUs the matching runs have where none of them has a named species or
        family, else 0.
        """
        ((sotus, named),) = self.rows(_UNNAMED)
        return 0 if named else int(sotus)

    def families(self) -> list[str]:
        """Return the virus families of the matching runs, most frequent first."""
        families = self.rows(_FAMILIES)
        return [str(family) for (family,) in families]

    def covered_by(self, communities: Sequence[str]) -> int:
        """Return how many matching runs are in ``communities``."""
        ((covered,),) = self.rows(_COVERED, {"communities": list(communities)})
        return int(covered)


def _literals(values: Sequence[str]) -> str:
    """Return names of facets, which are our own constants, as a list of SQL."""
    quoted = [repr(value) for value in values]
    listed = ", ".join(quoted)
    return f"({listed or 'NULL'})"


JOINED: Final = """
SELECT run FROM group_run WHERE grp IN (SELECT unnest($groups::VARCHAR[]))
GROUP BY run HAVING count(*) = $n
"""

_VALUE_COUNTS: Final = f"""
WITH counted AS (
    SELECT facet, value, count(DISTINCT run) AS runs FROM matched_value GROUP BY facet, value
),
background AS (
    SELECT facet, value, count(DISTINCT run) AS index_runs
    FROM ({STATED_VALUES}) SEMI JOIN counted USING (facet, value) GROUP BY facet, value
)
SELECT facet, value, runs, coalesce(index_runs, 0)
FROM counted LEFT JOIN background USING (facet, value)
ORDER BY facet, runs DESC, value
"""

_WHOLE_COUNTS: Final = """
SELECT facet, value, count(DISTINCT run) AS runs, count(DISTINCT run) FROM matched_value
GROUP BY facet, value ORDER BY facet, runs DESC, value
"""

_UNNAMED: Final = """
SELECT count(DISTINCT sotu),
       coalesce(bool_or(stated IS NOT NULL OR family IS NOT NULL), false)
FROM detection SEMI JOIN matched USING (run)
"""

_DISTINCT_VALUES: Final = """
SELECT facet, count(DISTINCT value), count(DISTINCT run) FROM matched_value GROUP BY facet
"""

_FAMILIES: Final = """
SELECT value FROM matched_value WHERE facet = 'family'
GROUP BY value ORDER BY count(*) DESC, value
"""

_COVERED: Final = """
SELECT count(DISTINCT entity) FROM community_member m JOIN matched ON matched.run = m.entity
WHERE m.community IN (SELECT unnest($communities::VARCHAR[]))
"""
