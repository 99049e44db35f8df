"""Run a request on an index: from names to SQL to a result."""

from __future__ import annotations

from dataclasses import astuple, fields, replace

import duckdb

from query.compiler.counting import count, counts, exists, summary
from query.compiler.describing import describe
from query.compiler.listing import values
from query.compiler.recording import like, predicted, records
from query.compiler.resolving import Resolver
from query.compiler.result import Result, ResultColumn, RunTally
from query.compiler.rows import evidence, rows
from query.compiler.statement import RunningRequest
from query.request.measures import (
    Compare,
    Count,
    Describe,
    Evidence,
    Exists,
    Like,
    Measure,
    Predicted,
    Records,
    Rows,
    Share,
    Summary,
    Values,
)
from query.request.request import Request
from query.request.run_sets import RunSet, intersect
from query.request.saying_runs import say_clause


def run(con: duckdb.DuckDBPyConnection, request: Request) -> Result:
    """Return what the index that ``con`` reads answers to ``request``.

    Raises ``UnknownNameError`` and ``AmbiguousNameError`` for names.
    """
    return run_explained(con, request)[0]


def run_further(names: Resolver, request: Request, *, brief: bool = True) -> Result:
    """Return the answer to a request that accompanies another, whose ``names`` are not looked up
    again.

    If ``brief``, lists leave out how many runs were searched and are at 90 % identity.
    """
    running = RunningRequest(request, names, brief=brief)
    return _measured(running, request.measure, request.of)


def run_explained(con: duckdb.DuckDBPyConnection, request: Request) -> tuple[Result, list[str]]:
    """Return what ``run`` does, and the statements that were run for it."""
    running = RunningRequest(request, Resolver(con))
    result = _measured(running, request.measure, request.of)
    return replace(result, names=tuple(running.names.resolved.values())), running.statements


def _measured(asked: RunningRequest, measure: Measure, of: RunSet) -> Result:
    match measure:
        case Count() | Share():
            return count(asked, measure, of)
        case Exists():
            return exists(asked, of)
        case Values():
            return values(asked, measure, of)
        case Rows():
            return rows(asked, measure, of)
        case Summary():
            return summary(asked, measure, of)
        case Compare():
            return _compare(asked, measure, of)
        case Evidence():
            return evidence(asked, measure, of)
        case Describe():
            return describe(asked, measure)
        case Records():
            return records(asked, measure)
        case Like():
            return like(asked, measure)
        case Predicted():
            return predicted(asked, measure)


def _compare(asked: RunningRequest, measure: Compare, of: RunSet) -> Result:
    """Return a row for each side, or the rows of each side with the side in front."""
    sets = [intersect(of, side) for side in measure.sides]
    if isinstance(measure.measure, Count | Share):
        results = counts(asked, measure.measure, sets)
    else:
        results = [_measured(asked, measure.measure, runs) for runs in sets]
    names = [say_clause(side) for side in measure.sides]
    if not results[0].columns:
        results = [_as_row(result, measure.measure.type) for result in results]
    sides = list(zip(names, results, strict=True))
    compared = ResultColumn("side", comment="set that is compared")
    return Result(
        request=asked.request,
        columns=(compared, *results[0].columns),
        rows=tuple((name, *row) for name, result in sides for row in result.rows),
        total=sum(result.total for result in results),
        left_out=tuple(
            replace(part, what=f"{part.what} (of runs that {name})")
            for name, result in sides
            for part in result.left_out
        ),
    )


def _as_row(result: Result, kind: str) -> Result:
    """Return a number with its tally as a row; of a share, also among how many runs."""
    columns = [ResultColumn("number", result.unit if kind == "count" else kind)]
    columns += [ResultColumn(part.name, "runs") for part in fields(RunTally)]
    row = (result.number, *astuple(result.of_runs))
    if kind == "share":
        columns.append(ResultColumn("among", "runs", "of which it is known"))
        row = (*row, result.among)
    return replace(result, columns=tuple(columns), rows=(row,), total=1)
