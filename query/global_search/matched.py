"""The runs of one request, on a separate connection, with the communities they are in."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import duckdb

from query.compiler.run_tables import RunsOfRequest, RunTables, hits_named, run_tables
from query.request import And, Carries, Has, Mentions, Or, Records, Request, RunSet


@dataclass(frozen=True)
class MatchedRuns:
    """The matching runs of one request, and how many there are.

    They are in temporary tables of a separate connection: ``matched``, ``matched_hit``,
    ``matched_value`` (``query.compiler.run_tables``), ``member(community, run)``, and ``here``: the
    members of the communities that are read.
    """

    connection: duckdb.DuckDBPyConnection
    request: Request
    tables: RunTables
    runs: int
    index_runs: int

    @property
    def about(self) -> RunsOfRequest:
        """The set of the matching runs, and the sides of a comparison."""
        return self.tables.about

    @property
    def is_open(self) -> bool:
        """Whether all runs match, so that counts do not distinguish communities."""
        return self.runs == self.index_runs

    @property
    def names_virus(self) -> bool:
        """Whether runs match because of a hit."""
        return bool(hits_named(self.about.whole))

    def rows(self, query: str, parameters: object = None) -> list[tuple[Any, ...]]:
        """Return the rows of ``query`` over the index and the temporary tables."""
        return self.connection.execute(query, parameters).fetchall()

    def read(self, communities: Sequence[str], fields: Sequence[str]) -> None:
        """Make ``here`` from ``communities``, then the tables of hits and of values of ``fields``.

        If all runs match, these tables contain only the runs of ``communities``.
        """
        self.rows(_HERE, [list(communities)])
        if self.is_open:
            self.rows(_ONLY_HERE)
        self.tables.write_hits()
        self.tables.write_values(fields)

    def covered_by(self, communities: Sequence[str]) -> int:
        """Return how many matching runs are in ``communities``."""
        ((covered,),) = self.rows(_COVERED, [list(communities)])
        return int(covered)

    def families(self) -> list[str]:
        """Return the virus families of the hits, most runs first; for tests, the families named."""
        measure = self.request.measure
        if isinstance(measure, Records):
            named = [where.values for where in measure.where if where.column == "family"]
            return [family for families in named for family in families] or self._found()
        return self._found()

    def _found(self) -> list[str]:
        return [str(family) for (family,) in self.rows(_FAMILIES)]


def match_request(con: duckdb.DuckDBPyConnection, request: Request) -> MatchedRuns:
    """Return the runs that ``request`` is about, on a new connection to the index of ``con``.

    Raises ``UnknownNameError`` and ``AmbiguousNameError``.
    """
    own = con.cursor()
    tables = run_tables(own, request)
    runs = tables.write_runs()
    ((index_runs,),) = own.execute("SELECT count(*) FROM run").fetchall()
    is_open = runs == index_runs
    own.execute(_MEMBER.format(kind="VIEW" if is_open else "TABLE"))
    return MatchedRuns(own, request, tables, runs, int(index_runs))


def names_in(runs: RunSet) -> Mapping[str, tuple[str, ...]]:
    """Return the names that ``runs`` must have, by field; those of viruses under ``virus``.

    >>> from query.request import Hit
    >>> names_in(Carries(Hit("EBV")) & Has("host", "human"))
    {'virus': ('EBV',), 'host': ('human',)}
    """
    named: dict[str, tuple[str, ...]] = {}
    for leaf in _required(runs):
        if isinstance(leaf, Carries):
            hit = leaf.hit
            names = (*hit.virus, *hit.reported, *hit.sotu)
            named["virus"] = (*named.get("virus", ()), *names)
        elif isinstance(leaf, Has):
            part = () if leaf.contains is None else (leaf.contains,)
            named[leaf.field] = (*named.get(leaf.field, ()), *leaf.values, *part)
        elif isinstance(leaf, Mentions):
            named["text"] = (*named.get("text", ()), *leaf.words)
    return named


def _required(runs: RunSet) -> list[RunSet]:
    """Return the simple sets of ``runs`` that are not negated."""
    if isinstance(runs, And | Or):
        return [leaf for part in runs.of for leaf in _required(part)]
    return [runs]


_MEMBER: Final = """
CREATE TEMP {kind} member AS
SELECT m.community, m.entity AS run FROM community_member m JOIN matched ON matched.run = m.entity
"""
"""A view where all runs match: they are too many to be written again."""
_HERE: Final = """
CREATE OR REPLACE TEMP TABLE here AS
SELECT * FROM member WHERE list_contains($1::VARCHAR[], community)
"""
_ONLY_HERE: Final = """
CREATE OR REPLACE TEMP TABLE matched AS SELECT * FROM matched SEMI JOIN here USING (run)
"""
_COVERED: Final = """
SELECT count(DISTINCT run) FROM member WHERE list_contains($1::VARCHAR[], community)
"""
_FAMILIES: Final = """
SELECT family FROM matched_hit WHERE family IS NOT NULL
GROUP BY family ORDER BY count(DISTINCT run) DESC, family
"""
