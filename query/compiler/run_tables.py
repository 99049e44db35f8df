"""The runs of a request as temporary tables, for whatever counts them further: communities, paths.

``matched(run, searched, found, at_90, sides)``
    the runs that are the answer; ``found``: such a hit, or of any virus where the request names
    none; ``sides``: for each side of a comparison, whether the run is in it
``matched_hit(run, sotu, source, virus, taxon, species, stated, family, identity, closest)``
    the hits for which runs match; all of their hits where the request names no virus
``matched_value(run, field, value)``
    values of fields of these runs
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import duckdb

from query.compiler.counting import joined
from query.compiler.describing import runs_described
from query.compiler.flags import leaves
from query.compiler.held import HIT_TABLES
from query.compiler.recording import runs_recorded
from query.compiler.relations import relation
from query.compiler.resolving import Resolver
from query.compiler.statement import RunningRequest, RunsQuery
from query.compiler.tallying import conditions_of
from query.request.hits import ANY_HIT, Hit
from query.request.measures import (
    Compare,
    Count,
    Describe,
    Evidence,
    Records,
    Rows,
    Share,
    Summary,
    Values,
)
from query.request.request import Request
from query.request.run_sets import EVERYTHING, Carries, Everything, Or, RunSet

_HIT_COLUMNS: Final = """
    d.run, d.sotu, d.source, d.virus, d.taxon, d.species, d.stated, d.family, d.identity, d.closest
"""


@dataclass(frozen=True, slots=True)
class RunsOfRequest:
    """The runs that a request is about: a set, the hit that they must have, sides compared."""

    of: RunSet
    hits: Hit | None = None
    sides: tuple[RunSet, ...] = ()

    @property
    def whole(self) -> RunSet:
        """The same runs as one set."""
        return self.of if self.hits is None else joined(self.of, Carries(self.hits))


def runs_of(con: duckdb.DuckDBPyConnection, request: Request) -> RunsOfRequest:
    """Return the runs that ``request`` is about; of stored rows those that the rows concern.

    Raises ``UnknownNameError`` and ``AmbiguousNameError``.
    """
    measure, of = request.measure, request.of
    match measure:
        case Count() | Values() | Rows() | Summary():
            return RunsOfRequest(of, measure.hits)
        case Share(part):
            return RunsOfRequest(joined(of, part))
        case Compare(inner, sides):
            hits = None if isinstance(inner, Share) else inner.hits
            return RunsOfRequest(joined(of, Or(sides)), hits, sides)
        case Evidence(hit):
            return RunsOfRequest(joined(of, Carries(hit)))
        case Describe():
            asked = RunningRequest(con, request, Resolver(con))
            return RunsOfRequest(runs_described(asked, measure) or EVERYTHING)
    return RunsOfRequest(of)


def write_runs(con: duckdb.DuckDBPyConnection, request: Request) -> int:
    """Write ``matched`` on ``con``, a connection of its own; return how many runs it has."""
    about = runs_of(con, request)
    asked = RunningRequest(con, request, Resolver(con))
    statement = asked.statement()
    flags = statement.flags
    conditions = conditions_of(flags, about.of, about.hits)
    searched = flags.searched(about.hits or ANY_HIT)
    sides = ", ".join(flags.holds(side) for side in about.sides)
    answer = _answer(statement, request, conditions.answer)
    columns = (
        f"run, {searched} AS searched, {conditions.positive} AS found, "
        f"{conditions.at_90} AS at_90, [{sides}]::BOOLEAN[] AS sides"
    )
    return _write(asked, statement, "matched", f"SELECT {columns} FROM flagged WHERE {answer}")


def write_hits(con: duckdb.DuckDBPyConnection, request: Request) -> int:
    """Write ``matched_hit`` for the runs of ``matched``; return how many hits there are."""
    about = runs_of(con, request)
    asked = RunningRequest(con, request, Resolver(con))
    statement = asked.statement()
    named = hits_named(about.whole) or (ANY_HIT,)
    condition = " OR ".join(f"({statement.holdings.hits(hit)})" for hit in named)
    select = f"SELECT {_HIT_COLUMNS} FROM {HIT_TABLES} WHERE ({condition}) AND {_IS_MATCHED}"
    return _write(asked, statement, "matched_hit", select)


def write_values(con: duckdb.DuckDBPyConnection, request: Request, fields: Sequence[str]) -> None:
    """Write ``matched_value`` for the runs of ``matched``: their values of ``fields``.

    Values of hits are those of the hits that the request lists, else of all hits of the runs; taxa
    are rolled up as the request lists them.
    """
    asked = RunningRequest(con, request, Resolver(con))
    statement = asked.statement()
    listed = _listing(request)
    selects = [_NO_VALUE]
    for name in fields:
        is_listed = listed is not None and name in listed.by
        level = listed.level if listed is not None and is_listed else None
        hits = listed.hits if listed is not None and is_listed else None
        held = relation(statement.holdings, (name,), hits, level=level)
        field = statement.holdings.parameters.bind(name)
        selects.append(
            f"SELECT DISTINCT run, {field} AS field, v1::VARCHAR AS value FROM ({held}) d "
            f"WHERE {_IS_MATCHED}"
        )
    text = "CREATE OR REPLACE TEMP TABLE matched_value AS " + " UNION ALL ".join(selects)
    asked.run_text(text, statement.holdings.parameters)


def hits_named(runs: RunSet) -> tuple[Hit, ...]:
    """Return the hits that runs must have, or may have, to be in ``runs``; none that is denied."""
    found = [leaf.hit for leaf, denied in leaves(runs) if isinstance(leaf, Carries) and not denied]
    return tuple(dict.fromkeys(found))


def _listing(request: Request) -> Values | None:
    """Return the list of values that ``request`` is, or compares."""
    measure = request.measure
    if isinstance(measure, Compare):
        measure = measure.measure
    return measure if isinstance(measure, Values) else None


def _answer(statement: RunsQuery, request: Request, condition: str) -> str:
    """Return the condition on a run of ``flagged`` that it is one of the runs of ``request``."""
    measure = request.measure
    if isinstance(measure, Describe) and measure.kind == "run":
        return f"lower(run) = lower({statement.holdings.parameters.bind(measure.id)})"
    if isinstance(measure, Records):
        return runs_recorded(statement.holdings, measure)
    return condition


def _write(asked: RunningRequest, statement: RunsQuery, table: str, select: str) -> int:
    text = f"CREATE OR REPLACE TEMP TABLE {table} AS {statement.text(select)}"
    ((rows,),) = asked.run_text(text, statement.holdings.parameters)
    return int(rows)


def names_everything(about: RunsOfRequest) -> bool:
    """Return whether the runs are all runs of the index."""
    return isinstance(about.whole, Everything)


_IS_MATCHED: Final = "d.run IN (SELECT run FROM matched)"
_NO_VALUE: Final = "SELECT NULL AS run, NULL AS field, NULL AS value WHERE false"
