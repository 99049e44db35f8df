"""A request while it is answered: the index, the names resolved so far, and its statements."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import duckdb

from query.compiler.flags import Flags
from query.compiler.held import Holdings
from query.compiler.parameters import Parameters
from query.compiler.resolving import Resolver
from query.compiler.result import Omission, Result, ResultColumn
from query.request import Request, SortBy, field_named
from query.request.fields import RUN


@dataclass
class RunsQuery:
    """A SELECT over queries that come before it, with its parameters."""

    flags: Flags
    queries: list[str] = field(default_factory=list)

    @property
    def holdings(self) -> Holdings:
        """What writes the SELECTs of hits and fields."""
        return self.flags.holdings

    def also(self, name: str, select: str) -> None:
        """Add the query ``name``; it may read ``flagged`` and the queries before it."""
        self.queries.append(f"{name} AS ({select})")

    def text(self, final: str) -> str:
        """Return the whole statement that ends with ``final``."""
        queries = [*self.flags.queries(), *self.queries]
        listed = ",\n".join(queries)
        return f"WITH {listed}\n{final}"


@dataclass
class RunningRequest:
    """A request being answered from one index.

    ``brief``  leave out of lists the numbers of runs searched and at 90 % identity
    """

    request: Request
    names: Resolver
    statements: list[str] = field(default_factory=list)
    brief: bool = False

    @property
    def con(self) -> duckdb.DuckDBPyConnection:
        """The connection to the index."""
        return self.names.con

    def statement(self) -> RunsQuery:
        """Return an empty statement."""
        return RunsQuery(Flags(Holdings(self.names, Parameters())))

    def run(self, statement: RunsQuery, final: str) -> list[tuple[Any, ...]]:
        """Return the rows of ``statement`` that ends with ``final``."""
        return self.run_text(statement.text(final), statement.holdings.parameters)

    def run_text(self, text: str, parameters: Parameters) -> list[tuple[Any, ...]]:
        """Return the rows of a SELECT."""
        self.statements.append(parameters.inlined(text))
        return self.con.execute(text, parameters.used_in(text) or None).fetchall()

    def listed(
        self, text: str, parameters: Parameters, columns: Sequence[ResultColumn], *, further: str
    ) -> Result:
        """Return the rows of a SELECT that end with their total; ``further`` names the others."""
        rows = self.run_text(text, parameters)
        total = rows[0][-1] if rows else 0
        return Result(
            request=self.request,
            columns=tuple(columns),
            rows=tuple(row[:-1] for row in rows),
            total=total,
            left_out=beyond(total, len(rows), further),
        )


def beyond(total: int, shown: int, what: str) -> tuple[Omission, ...]:
    """Return how many rows of ``total`` are beyond the limit; nothing if all are shown."""
    return (Omission("beyond the limit", total - shown, what),) if total > shown else ()


def column_of(name: str) -> ResultColumn:
    """Return the column of a list that shows a field, or the run itself."""
    if name == RUN:
        return ResultColumn(RUN, comment="run accession")
    field = field_named(name)
    return ResultColumn(name, field.unit, field.comment)


def direction(order: SortBy) -> str:
    """Return the sort direction to put behind a column."""
    return f"{'DESC' if order.descending else 'ASC'} NULLS LAST"
