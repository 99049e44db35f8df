"""A set of runs as one SELECT that stands alone, for SQL that somebody else writes around it."""

from __future__ import annotations

import re
from typing import Final

import duckdb

from query.compiler.flags import Flags
from query.compiler.held import Holdings
from query.compiler.parameters import Parameters, Value
from query.compiler.resolving import Resolver
from query.compiler.statement import RunsQuery
from query.request.run_sets import RunSet

_PLACEHOLDER: Final = re.compile(r"\$(p\d+)\b")


def runs_select(con: duckdb.DuckDBPyConnection, runs: RunSet) -> str:
    """Return a SELECT of one column, ``run``: the runs of ``runs``, with no parameter left open.

    Raises ``UnknownNameError`` and ``AmbiguousNameError``.
    """
    parameters = Parameters()
    statement = RunsQuery(Flags(Holdings(Resolver(con), parameters)))
    condition = statement.flags.holds(runs)
    text = statement.text(f"SELECT run FROM flagged WHERE {condition}")
    return _PLACEHOLDER.sub(lambda found: _literal(parameters.values[found[1]]), text)


def _literal(value: Value) -> str:
    """Return ``value`` as it is written in SQL.

    >>> _literal("O'nyong"), _literal(90.0)
    ("'O''nyong'", '90.0')
    """
    if isinstance(value, list):
        return f"[{', '.join(_literal(item) for item in value)}]"
    if isinstance(value, int | float):
        return str(value)
    text = str(value).replace("'", "''")
    return f"'{text}'"
