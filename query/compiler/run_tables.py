"""Write the runs of a request to temporary tables, for further counting: communities, paths.

``matched(run, searched, found, at_90, sides)``
    the runs that are the answer; ``found``: such a hit, or of any virus where the request names
    none; ``sides``: for each side of a comparison, whether the run is in it
``matched_hit(run, sotu, source, virus, taxon, species, stated, family, identity, closest,
congener)``
    the hits for which runs match; all of their hits where the request names no virus
``matched_value(run, field, value)``
    values of fields of these runs
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import duckdb

from index.store.run_pairs import mostly_other, other_libraries
from query.compiler.describing import runs_described
from query.compiler.flags import Lens, required
from query.compiler.held import hit_tables
from query.compiler.listing import relation, values_kept
from query.compiler.recording import runs_recorded
from query.compiler.resolving import Resolver
from query.compiler.statement import RunningRequest, RunsQuery
from query.compiler.tallying import conditions_of
from query.request import ANY_HIT, Count, Hit, Request, Values, field_named
from query.request.measures import Compare, Describe, Evidence, Like, Predicted, Records, Share
from query.request.run_sets import EVERYTHING, Carries, Has, Or, RunSet, intersect

_HIT_COLUMNS: Final = """
    d.run, d.sotu, d.source, d.virus, d.taxon, d.species, d.stated, d.family, d.identity, d.closest,
    d.congener
"""


@dataclass(frozen=True, slots=True)
class RunsOfRequest:
    """The runs that a request is about: a set, the hit that they must have, the sides compared."""

    of: RunSet
    hits: Hit | None = None
    sides: tuple[RunSet, ...] = ()

    @property
    def whole(self) -> RunSet:
        """The same runs as one set."""
        return self.of if self.hits is None else intersect(self.of, Carries(self.hits))


@dataclass(frozen=True)
class RunTables:
    """Writes the tables of one request on a connection of its own; see above."""

    asked: RunningRequest
    about: RunsOfRequest

    def write_runs(self) -> int:
        """Write ``matched``; return how many runs it has."""
        statement = self.asked.statement()
        flags, about = statement.flags, self.about
        conditions = conditions_of(flags, about.of, about.hits)
        searched = flags.searched(about.hits or ANY_HIT)
        sides = ", ".join(flags.holds(side) for side in about.sides)
        answer = _answer(statement, self.asked.request, conditions.answer)
        columns = (
            f"run, {searched} AS searched, {conditions.positive} AS found, "
            f"{conditions.at_90} AS at_90, [{sides}]::BOOLEAN[] AS sides"
        )
        return self._write(statement, "matched", f"SELECT {columns} FROM flagged WHERE {answer}")

    def write_hits(self) -> int:
        """Write ``matched_hit`` for the runs of ``matched``; return how many hits there are."""
        statement = self.asked.statement()
        named = hits_named(self.about.whole) or (ANY_HIT,)
        condition = " OR ".join(f"({statement.holdings.hits(hit)})" for hit in named)
        tables = hit_tables(condition)
        select = f"SELECT {_HIT_COLUMNS} FROM {tables} WHERE ({condition}) AND {_IS_MATCHED}"
        return self._write(statement, "matched_hit", select)

    def write_values(self, fields: Sequence[str]) -> int:
        """Write ``matched_value`` for the runs of ``matched``: their values of ``fields``.

        Values of hits are those of the hits that the request lists, otherwise of all hits of the
        runs. Taxa are rolled up as the request lists them, and if it lists one field, only the
        values that it lists are written. Returns the number of rows.
        """
        statement = self.asked.statement()
        listed = _listing(self.asked.request)
        selects = [_NO_VALUE]
        for name in fields:
            is_listed = listed is not None and name in listed.by
            level = listed.level if listed is not None and is_listed else None
            hits = listed.hits if listed is not None and is_listed else None
            held = relation(
                statement.holdings, (name,), hits, level=level, among="SELECT run FROM matched"
            )
            if listed is not None and listed.by == (name,):
                kept = " AND ".join(["true", *values_kept(statement, listed)])
                held = f"SELECT * FROM ({held}) WHERE {kept}"
            field = statement.holdings.parameters.bind(name)
            selects.append(
                f"SELECT DISTINCT run, {field} AS field, v1::VARCHAR AS value FROM ({held})"
            )
        return self._write(statement, "matched_value", " UNION ALL ".join(selects))

    def _write(self, statement: RunsQuery, table: str, select: str) -> int:
        is_whole = "flagged" in select or bool(statement.queries)
        text = statement.text(select) if is_whole else select
        parameters = statement.holdings.parameters
        created = f"CREATE OR REPLACE TEMP TABLE {table} AS {text}"
        ((rows,),) = self.asked.run_text(created, parameters)
        return int(rows)


def run_tables(con: duckdb.DuckDBPyConnection, request: Request) -> RunTables:
    """Return what writes the tables of ``request`` on ``con``.

    Raises ``UnknownNameError`` and ``AmbiguousNameError``, here or where a table is written.
    """
    running = RunningRequest(request, Resolver(con))
    return RunTables(running, _about(running))


def _about(asked: RunningRequest) -> RunsOfRequest:
    """Return the runs that a request is about; for stored rows, the runs that these are about."""
    measure, of = asked.request.measure, asked.request.of
    match measure:
        case Share(part):
            return RunsOfRequest(intersect(of, part))
        case Compare(inner, sides):
            return RunsOfRequest(intersect(of, Or(sides)), getattr(inner, "hits", None), sides)
        case Evidence(hit):
            return RunsOfRequest(intersect(of, Carries(hit)))
        case Describe():
            return RunsOfRequest(runs_described(asked, measure) or EVERYTHING)
    return RunsOfRequest(of, getattr(measure, "hits", None))


def select_runs(con: duckdb.DuckDBPyConnection, of: RunSet) -> str:
    """Return a SELECT of ``run``, without parameters: the runs of a set.

    Raises ``UnknownNameError`` and ``AmbiguousNameError``.
    """
    running = RunningRequest(Request(Count(), of=of), Resolver(con))
    statement = running.statement()
    condition = statement.flags.holds(of)
    text = statement.text(f"SELECT run FROM flagged WHERE {condition}")
    return statement.holdings.parameters.inlined(text)


def runs_mostly_other(
    names: Resolver, request: Request, listed: Values | None = None
) -> dict[str, list[tuple[str, str, int, int, int]]]:
    """Return organism, host, runs, number, whole for the runs of ``request`` that are, by their
    k-mers, mostly of another organism than stated (``index.store.run_pairs.mostly_other``): those
    of each value that is ``listed``, all under "" where none are.
    """
    running = RunningRequest(request, names)
    statement = running.statement()
    condition = _answer(statement, request, statement.flags.holds(_about(running).whole))
    held = f"SELECT '' AS community, run FROM flagged WHERE {condition}"
    if listed is not None:
        runs = statement.flags.among(condition)
        values = relation(
            statement.holdings, listed.by, listed.hits, level=listed.level, among=runs
        )
        held = f"SELECT v1 AS community, run FROM ({values})"
    found: dict[str, list[tuple[str, str, int, int, int]]] = {}
    for value, *row in running.run(statement, f"SELECT * FROM ({mostly_other(held)})"):
        found.setdefault(value, []).append(tuple(row))
    return found


def runs_of_other_libraries(
    names: Resolver, request: Request, *, lacking: Has | None = None
) -> tuple[list[tuple[str, str, int, int]], int]:
    """Return organism, host, runs, number of the runs of ``request`` whose library is of another
    organism than their host (``index.store.run_pairs.other_libraries``), and how many runs it has.

    With ``lacking``, a condition of ``request`` on the host, return the libraries of these
    organisms that the runs of ``request`` lack because another host is stated.
    """
    running = RunningRequest(request, names)
    statement = running.statement()
    whole = _counted(running)
    answer = _answer(statement, request, statement.flags.holds(whole))
    runs = f"SELECT run FROM flagged WHERE {answer}"
    select = other_libraries(runs)
    if lacking is not None:
        anywhere = statement.flags.holds(whole, Lens(leaf=lacking))
        host = field_named("host")
        of_organism = statement.holdings.is_one(host, lacking.values, below=lacking.below)
        matches = f"(SELECT {of_organism} FROM (SELECT organism AS value, organism AS curie))"
        others = f"SELECT run FROM flagged WHERE {anywhere} AND NOT {answer}"
        select = other_libraries(others, matches)
    counted = f"SELECT (SELECT count(*) FROM ({runs})) AS whole, o.* FROM (SELECT 1) LEFT JOIN "
    found = running.run(statement, f"{counted} ({select}) o ON true")
    return [row[1:] for row in found if row[1]], found[0][0]


def _counted(asked: RunningRequest) -> RunSet:
    """Return the runs of a request; if shares are compared, the runs in the part."""
    measure, whole = asked.request.measure, _about(asked).whole
    if isinstance(measure, Compare) and isinstance(measure.measure, Share):
        return intersect(whole, measure.measure.part)
    return whole


def hit_condition(con: duckdb.DuckDBPyConnection, hit: Hit) -> str:
    """Return the condition that a row of ``detection d`` is of the viruses of ``hit``."""
    running = RunningRequest(Request(Count(), of=Carries(hit)), Resolver(con))
    holdings = running.statement().holdings
    return holdings.parameters.inlined(holdings.hits(Hit(virus=hit.virus)))


def hits_named(runs: RunSet) -> tuple[Hit, ...]:
    """Return the hits that runs must or may have to be in ``runs``; negated ones are left out."""
    return tuple(dict.fromkeys(carries.hit for carries in required(runs, Carries)))


def _listing(request: Request) -> Values | None:
    """Return the list of values that ``request`` is, or compares."""
    measure = request.measure
    if isinstance(measure, Compare):
        measure = measure.measure
    return measure if isinstance(measure, Values) else None


def _answer(statement: RunsQuery, request: Request, condition: str) -> str:
    """Return the condition that a run of ``flagged`` is one of the runs of ``request``."""
    measure = request.measure
    if isinstance(measure, Describe) and measure.kind == "run":
        return f"lower(run) = lower({statement.holdings.parameters.bind(measure.id)})"
    if isinstance(measure, Records):
        return runs_recorded(statement.holdings, measure)
    if isinstance(measure, Like | Predicted):
        return "false"
    return condition


_IS_MATCHED: Final = "d.run IN (SELECT run FROM matched)"
_NO_VALUE: Final = "SELECT NULL AS run, NULL AS field, NULL AS value WHERE false"
