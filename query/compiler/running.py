"""Run a request on an index: from names to SQL to a result."""

from __future__ import annotations

from dataclasses import replace

import duckdb

from query.compiler.comparing import compare
from query.compiler.counting import count, exists
from query.compiler.describing import describe
from query.compiler.evidence import evidence
from query.compiler.listing import values
from query.compiler.predicting import like, predicted
from query.compiler.recording import records
from query.compiler.resolving import Resolver
from query.compiler.result import Result
from query.compiler.rows import rows
from query.compiler.statement import RunningRequest
from query.compiler.summarising import summary
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
from query.request.run_sets import RunSet


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
    asked = RunningRequest(names.con, request, names, brief=brief)
    return _measured(asked, request.measure, request.of)


def run_explained(con: duckdb.DuckDBPyConnection, request: Request) -> tuple[Result, list[str]]:
    """Return what ``run`` does, and the statements that were run for it."""
    asked = RunningRequest(con, request, Resolver(con))
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
            return compare(asked, measure, of, _measured)
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
    raise TypeError(f"no measure: {measure!r}")
