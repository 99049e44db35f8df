"""The matching runs of one question, and exact counts of distinct runs among them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

import duckdb

from index.facets import FACETS
from query.global_search.carrying import SEARCHED, equals_any
from query.global_search.matched_values import MatchedValues, ValueCount
from query.reading.measured.selects import VALUES

_NO_STATEMENT: Final = frozenset({"label", "statOrganism"})
"""Facets of organisms that say nothing of a host: what was submitted, and k-mer hits."""


@dataclass(frozen=True)
class MatchedRuns:
    """The matching runs of one question, and how many they are.

    They are kept in temporary tables of a connection of their own, so that two questions never
    share them and the index is not written to: ``matched(run)``, and what is made of it where it is
    first asked for: ``matched_value`` by ``values.read``, ``member(community, run)`` by
    ``join_communities``. Queries given to ``rows`` may read these beside the tables of the index.

    ``kept`` are the groups that count, ``dropped`` those that no run joins with them.
    """

    connection: duckdb.DuckDBPyConnection
    runs: int
    index_runs: int
    kept: tuple[str, ...]
    dropped: tuple[str, ...]
    values: MatchedValues

    @property
    def is_whole_index(self) -> bool:
        """True where the question names nothing, so that every run counts."""
        return not self.kept

    def rows(self, query: str, parameters: object = None) -> list[tuple[Any, ...]]:
        """Return the rows of ``query`` over the index and the matching runs."""
        return self.connection.execute(query, parameters).fetchall()

    @cached_property
    def with_virus(self) -> int:
        """How many of the matching runs carry a virus."""
        ((runs,),) = self.rows(_WITH_VIRUS)
        return int(runs)

    @cached_property
    def searched(self) -> int:
        """How many of the matching runs were searched for viruses."""
        looked = self.looked(self.kept)
        query = f"SELECT count(*) FROM matched SEMI JOIN {looked} USING (run)"
        ((runs,),) = self.rows(query)

        return int(runs)

    def looked(self, keys: Sequence[str]) -> str:
        """Return a relation of the searched runs, at least of those that carry any of ``keys``; no
        key is all runs. Its runs may come several times.
        """
        if not keys:
            return f"({SEARCHED})"
        return self._looked

    @cached_property
    def _looked(self) -> str:
        self.connection.execute(_LOOKED)
        return "looked"

    def join_communities(self) -> None:
        """Make ``member``: the communities of each matching run."""
        _ = self._member

    @cached_property
    def _member(self) -> str:
        self.connection.execute(_MEMBER)
        return "member"

    def runs_with(self, keys: Sequence[str]) -> int:
        """Return how many runs carry all of ``keys`` (groups of the question)."""
        return self._joined(keys, "")

    def searched_with(
        self, keys: Sequence[str], *, carrying: bool = False, looked_at: str = ""
    ) -> int:
        """Return how many runs that carry all of ``keys`` were searched, or those of them that are
        ``carrying`` some virus, or that are in the SELECT ``looked_at``; no key is all of them.
        """
        looked = f"({looked_at})" if looked_at else self.looked(keys)
        with_virus = "SEMI JOIN detection USING (run)" if carrying else ""
        return self._joined(keys, f"SEMI JOIN {looked} USING (run) {with_virus}")

    def stating(self, keys: Sequence[str], facets: Sequence[str]) -> int:
        """Return how many runs that carry all of ``keys`` state one of ``facets``.

        The organism as submitted and k-mer hits state no host.
        """
        return self._joined(keys, f"SEMI JOIN ({runs_stating(facets)}) USING (run)")

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
        self.values.read(facets)
        counts = {}
        for facet in facets:
            known = self.values.counts(facet)
            if known:
                ranked = sorted(known.values, key=lambda one: one.runs) if fewest else known.values
                counts[facet] = list(ranked[:limit])
        return counts

    def distinct_values(self, facets: Sequence[str]) -> dict[str, tuple[int, int]]:
        """Return per facet how many values the matching runs have, and how many matching runs have
        any.
        """
        self.values.read(facets)
        counts = {facet: self.values.counts(facet) for facet in facets}
        return {facet: (len(one.values), one.runs) for facet, one in counts.items() if one}

    def in_index(self, facet: str, values: Sequence[str]) -> dict[str, int]:
        """Return how many runs of the whole index have each of the ``values`` of ``facet``, which
        is one of viruses.
        """
        column = COLUMN_OF_VIRUSES[facet]
        listed = equals_any(values)
        query = _IN_INDEX.format(column=column, values=listed)

        return dict(self.rows(query))

    def unnamed_viruses(self) -> int:
        """Return how many sOTUs the matching runs have where none of them has a named species or
        family, else 0.
        """
        ((sotus, named),) = self.rows(_UNNAMED)
        return 0 if named else int(sotus)

    def families(self) -> list[str]:
        """Return the virus families of the matching runs, most frequent first."""
        known = self.values.counts("family")
        return [one.value for one in known.values] if known else []

    def covered_by(self, communities: Sequence[str]) -> int:
        """Return how many matching runs are in ``communities``."""
        self.join_communities()
        ((covered,),) = self.rows(_COVERED.format(communities=equals_any(communities)))
        return int(covered)


def _literals(values: Sequence[str]) -> str:
    """Return names of facets, which are our own constants, as a list of SQL."""
    quoted = [repr(value) for value in values]
    listed = ", ".join(quoted)
    return f"({listed or 'NULL'})"


def joined_with(keys: Sequence[str]) -> tuple[str, dict[str, object]]:
    """Return a join with the runs that carry all ``keys``, and its parameters; both empty without
    keys.
    """
    if not keys:
        return "", {}
    return f"SEMI JOIN ({JOINED}) USING (run)", {"groups": [*keys], "n": len(keys)}


JOINED: Final = """
SELECT run FROM group_run WHERE grp IN (SELECT unnest($groups::VARCHAR[]))
GROUP BY run HAVING count(*) = $n
"""

_WITH_VIRUS: Final = "SELECT count(DISTINCT run) FROM detection SEMI JOIN matched USING (run)"
_LOOKED: Final = f"""
CREATE TEMP TABLE looked AS
SELECT DISTINCT run FROM group_run SEMI JOIN ({SEARCHED}) USING (run)
"""
_MEMBER: Final = """
CREATE TEMP TABLE member AS
SELECT m.community, m.entity AS run FROM community_member m JOIN matched ON matched.run = m.entity
"""
_IN_INDEX: Final = """
SELECT {column}, count(DISTINCT run) FROM detection WHERE {column} {values} GROUP BY {column}
"""
COLUMN_OF_VIRUSES: Final = {"family": "family", "species": "stated"}
"""Facet of viruses -> column of ``detection`` that has its values."""

_UNNAMED: Final = """
SELECT count(DISTINCT sotu),
       coalesce(bool_or(stated IS NOT NULL OR family IS NOT NULL), false)
FROM detection SEMI JOIN matched USING (run)
"""

_COVERED: Final = "SELECT count(DISTINCT run) FROM member WHERE community {communities}"


def runs_stating(facets: Sequence[str]) -> str:
    """Return a SELECT of the runs that state one of ``facets``; some may come several times."""
    stated = [facet for facet in facets if facet in FACETS and facet not in _NO_STATEMENT]
    selects = [f"SELECT run FROM annotation WHERE facet IN {_literals(stated)}"]
    selects += [f"SELECT run FROM ({VALUES[facet]})" for facet in facets if facet in VALUES]
    return " UNION ALL ".join(selects)
