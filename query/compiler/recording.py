"""Rows that the index stores ready-made: tests, effects, communities, studies, pairs."""

from __future__ import annotations

from typing import Final

from query.compiler.held import Holdings
from query.compiler.parameters import Parameters
from query.compiler.result import Omission, Result, ResultColumn
from query.compiler.statement import RunningRequest, cells
from query.request.measures import Records, Where
from query.request.records import TABLES, RecordTable

_SIGNS: Final = {"at_least": ">=", "above": ">", "at_most": "<=", "below": "<"}


def records(asked: RunningRequest, measure: Records) -> Result:
    """Return stored rows, their number, or how many there are of each value of columns."""
    table = TABLES[measure.table]
    parameters = Parameters()
    held = Holdings(asked.names, parameters)
    conditions = [_condition(held, table, where) for where in measure.where]
    where = f"WHERE {' AND '.join(conditions)}" if conditions else ""
    if measure.count:
        ((number,),) = asked.run_text(f"SELECT count(*) FROM {table.relation} {where}", parameters)
        return Result(request=asked.request, number=number, unit=table.name)
    columns = list(measure.by or measure.columns or table.usual)
    order = _order(measure, table)
    if measure.by:
        listed = ", ".join(columns)
        select = f"SELECT {listed}, count(*) AS records FROM {table.relation} {where} GROUP BY ALL"
        columns.append("records")
    else:
        select = f"SELECT * FROM {table.relation} {where}"
    limit = parameters.bind(measure.limit)
    text = (
        f"WITH listed AS ({select}) SELECT {', '.join(columns)}, "
        f"(SELECT count(*) FROM listed) AS total FROM listed ORDER BY {order} LIMIT {limit}"
    )
    rows = asked.run_text(text, parameters)
    total = rows[0][-1] if rows else 0
    left_out: tuple[Omission, ...] = ()
    if total > len(rows):
        left_out = (Omission("beyond the limit", total - len(rows), f"further {table.name}"),)
    return Result(
        request=asked.request,
        columns=tuple(ResultColumn(name) for name in columns),
        rows=cells([row[:-1] for row in rows]),
        total=total,
        left_out=left_out,
    )


def runs_recorded(held: Holdings, measure: Records) -> str:
    """Return the condition on a run that one of the rows is about it.

    Of tests, the runs of their projects; of pairs, the runs that have virus and host; of builds and
    vocabularies none.
    """
    table = TABLES[measure.table]
    if not measure.where:
        return "false" if table.name not in _RUNS_OF else "true"
    conditions = " AND ".join(_condition(held, table, where) for where in measure.where)
    rows = f"SELECT * FROM {table.relation} WHERE {conditions}"
    return (
        f"run IN ({_RUNS_OF[table.name].format(rows=rows)})" if table.name in _RUNS_OF else "false"
    )


_RUNS_OF: Final = {
    "tests": "SELECT run FROM run WHERE bioproject IN (SELECT bioproject FROM ({rows}))",
    "effects": "SELECT run FROM run WHERE bioproject IN (SELECT bioproject FROM association "
    "SEMI JOIN ({rows}) USING (family, attribute, curie))",
    "communities": "SELECT entity FROM community_member SEMI JOIN ({rows}) USING (community)",
    "reports": "SELECT entity FROM community_member SEMI JOIN ({rows}) USING (community)",
    "studies": "SELECT run FROM run WHERE study IN (SELECT study FROM ({rows}))",
    "projects": "SELECT run FROM run WHERE bioproject IN (SELECT project FROM ({rows}))",
    "novel": "SELECT run FROM detection SEMI JOIN ({rows}) USING (sotu)",
    "pairs": "SELECT run FROM run_plausibility WHERE (virus, host) IN "
    "(SELECT (virus_id, host_id) FROM ({rows}))",
}
"""Stored table -> SELECT of the runs that ``rows`` of it are about."""


def _condition(held: Holdings, table: RecordTable, where: Where) -> str:
    """Return a condition on a row; a value that is a term counts with those below it."""
    column, parameters = where.column, held.parameters
    if where.range is not None:
        bounds = where.range.as_numbers().bounds()
        return " AND ".join(
            f"{column} {_SIGNS[name]} {parameters.bind(float(bound))}"
            for name, bound in bounds.items()
        )
    if where.contains is not None:
        return f"contains(lower({column}), {parameters.bind(where.contains.lower())})"
    if column in table.numbers:
        return parameters.any_of(f"{column}::VARCHAR", where.values)
    return parameters.any_of(f"lower({column})", [value.lower() for value in where.values])


def _order(measure: Records, table: RecordTable) -> str:
    keys = ", ".join(measure.by)
    if measure.order is None:
        return f"records DESC, {keys}" if measure.by else table.order
    direction = "DESC" if measure.order.descending else "ASC"
    rest = keys or table.order
    return f"{measure.order.by} {direction} NULLS LAST, {rest}"
