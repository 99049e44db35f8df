"""Run a request on an index: from names to SQL to a result."""

from __future__ import annotations

from dataclasses import astuple, fields, replace

import duckdb

from query.compiler.counting import count, counts, exists, summary
from query.compiler.describing import describe
from query.compiler.listing import values
from query.compiler.recording import like, predicted, records
from query.compiler.resolving import Resolver
from query.compiler.result import Omission, Result, ResultColumn, RunTally
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
    asked = RunningRequest(request, names, brief=brief)
    return _measured(asked, request.measure, request.of)


def run_explained(con: duckdb.DuckDBPyConnection, request: Request) -> tuple[Result, list[str]]:
    """Return what ``run`` does, and the statements that were run for it."""
    asked = RunningRequest(request, Resolver(con))
    result = _measured(asked, request.measure, request.of)
    return replace(result, names=tuple(asked.names.resolved.values())), asked.statements


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
    compared = ResultColumn("side", comment="set that is compared")
    left_out = _named_left_out(names, results)
    if results[0].columns:
        rows = [(name, *row) for name, result in zip(names, results, strict=True)
                for row in result.rows]  # fmt: skip
        return Result(
            request=asked.request,
            columns=(compared, *results[0].columns),
            rows=tuple(rows),
            total=sum(result.total for result in results),
            left_out=left_out,
        )
    tallied = [ResultColumn(part.name, "runs") for part in fields(RunTally)]
    rows = [(name, result.number, *astuple(result.of_runs))
            for name, result in zip(names, results, strict=True)]  # fmt: skip
    if measure.measure.type == "share":
        tallied.append(ResultColumn("among", "runs", "of which it is known"))
        rows = [(*row, result.among) for row, result in zip(rows, results, strict=True)]
    unit = results[0].unit if measure.measure.type == "count" else measure.measure.type
    return Result(
        request=asked.request,
        columns=(compared, ResultColumn("number", unit), *tallied),
        rows=tuple(rows),
        total=len(rows),
        left_out=left_out,
    )


def _named_left_out(names: list[str], results: list[Result]) -> tuple[Omission, ...]:
    """Return what each side leaves out, with the name of the side."""
    return tuple(
        replace(part, what=f"{part.what} (of runs that {name})")
        for name, result in zip(names, results, strict=True)
        for part in result.left_out
    )
