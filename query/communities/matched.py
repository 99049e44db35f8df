"""The runs of one request, on a connection of its own, with the communities they are in."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import duckdb

from query.compiler.run_tables import RunsOfRequest, RunTables, hits_named, run_tables
from query.request import And, Carries, Has, Mentions, Or, Request, RunSet


@dataclass(frozen=True)
class MatchedRuns:
    """The matching runs of one request, and how many they are.

    They are in temporary tables of a connection of their own: ``matched``, ``matched_hit``,
    ``matched_value`` (``query.compiler.run_tables``), and ``member(community, run)``.
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
        """Whether all runs match, so that counts cannot tell communities apart."""
        return self.runs == self.index_runs

    @property
    def names_virus(self) -> bool:
        """Whether runs match for a hit."""
        return bool(hits_named(self.about.whole))

    def rows(self, query: str, parameters: object = None) -> list[tuple[Any, ...]]:
        """Return the rows of ``query`` over the index and the temporary tables."""
        return self.connection.execute(query, parameters).fetchall()

    def write_values(self, fields: Sequence[str]) -> None:
        """Make ``matched_value`` with the values of ``fields``."""
        self.tables.write_values(fields)

    def covered_by(self, communities: Sequence[str]) -> int:
        """Return how many matching runs are in ``communities``."""
        ((covered,),) = self.rows(_COVERED, [list(communities)])
        return int(covered)

    def families(self) -> list[str]:
        """Return the virus families of the hits, most runs first."""
        return [str(family) for (family,) in self.rows(_FAMILIES)]


def match_request(con: duckdb.DuckDBPyConnection, request: Request) -> MatchedRuns:
    """Return the runs that ``request`` is about, on a new connection to the index of ``con``.

    Raises ``UnknownNameError`` and ``AmbiguousNameError``.
    """
    own = con.cursor()
    tables = run_tables(own, request)
    runs = tables.write_runs()
    tables.write_hits()
    own.execute(_MEMBER)
    ((index_runs,),) = own.execute("SELECT count(*) FROM run").fetchall()
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
    """Return the simple sets of ``runs`` that nothing denies."""
    if isinstance(runs, And | Or):
        return [leaf for part in runs.of for leaf in _required(part)]
    return [runs]


_MEMBER: Final = """
CREATE TEMP TABLE member AS
SELECT m.community, m.entity AS run FROM community_member m JOIN matched ON matched.run = m.entity
"""
_COVERED: Final = """
SELECT count(DISTINCT run) FROM member WHERE list_contains($1::VARCHAR[], community)
"""
_FAMILIES: Final = """
SELECT family FROM matched_hit WHERE family IS NOT NULL
GROUP BY family ORDER BY count(DISTINCT run) DESC, family
"""
