"""Rows that the index stores ready-made: tests, effects, communities, studies, pairs."""

from __future__ import annotations

from typing import Final

from query.compiler.errors import AmbiguousNameError, UnknownNameError
from query.compiler.held import Holdings
from query.compiler.parameters import Parameters
from query.compiler.result import Result, ResultColumn
from query.compiler.statement import RunningRequest, direction
from query.request.fields import field_named
from query.request.measures import Records, Where
from query.request.records import TABLES, RecordTable


def records(asked: RunningRequest, measure: Records) -> Result:
    """Return stored rows, their number, or their number for each value of some columns."""
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
    shown = [ResultColumn(name) for name in columns]
    return asked.listed(text, parameters, shown, further=f"further {table.name}")


def runs_recorded(held: Holdings, measure: Records) -> str:
    """Return the condition that a run is what one of the stored rows is about.

    A test is about the runs of its project, a pair about the runs with that virus and host; builds
    and vocabularies are about no run.
    """
    table = TABLES[measure.table]
    if table.name not in _RUNS_OF:
        return "false"
    if not measure.where:
        return "true"
    conditions = " AND ".join(_condition(held, table, where) for where in measure.where)
    rows = f"SELECT * FROM {table.relation} WHERE {conditions}"
    return f"run IN ({_RUNS_OF[table.name].format(rows=rows)})"


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
    """Return a condition on a row; upper and lower case count as the same."""
    column, any_of = where.column, held.parameters.any_of
    if where.range is not None:
        return held.within(column, where.range.as_numbers())
    if column in table.numbers:
        return any_of(f"{column}::VARCHAR", where.values)
    if where.contains is not None:
        written = held.contains(column, where.contains)
    else:
        written = any_of(f"lower({column})", [value.lower() for value in where.values])
    try:
        return f"({written} OR {_named(held, table, where)})"
    except (AmbiguousNameError, UnknownNameError):
        return written


def _named(held: Holdings, table: RecordTable, where: Where) -> str:
    """Return the condition that a row is about what the values name, or about something below it.

    Raises ``AmbiguousNameError`` and ``UnknownNameError``.
    """
    names = where.values or (where.contains or "",)
    column = where.column
    if table.name == "novel" and column in _OF_SOTUS:
        field = field_named(_OF_SOTUS[column])
        having = f"SELECT run FROM ({held.written(field)}) WHERE {held.is_one(field, names)}"
        return f"sotu IN (SELECT sotu FROM detection WHERE run IN ({having}))"
    if f"{column}_id" not in table.columns:
        return "false"
    return held.is_below(f"{column}_id", held.taxa(field_named(column), names))


_OF_SOTUS: Final = {"hosts": "host", "places": "country"}
"""Column that lists the first values of the runs of an sOTU -> the field of the runs."""


def _order(measure: Records, table: RecordTable) -> str:
    keys = ", ".join(measure.by)
    if measure.order is None:
        return f"records DESC, {keys}" if keys else table.order
    return f"{measure.order.by} {direction(measure.order)}, {keys or table.order}"
