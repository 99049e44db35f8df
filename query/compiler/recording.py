"""Rows that a build stores ready-made (tests, effects, communities, …), and predictions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import duckdb

from query.compiler.errors import AmbiguousNameError, UnknownNameError
from query.compiler.held import Holdings
from query.compiler.parameters import Parameters
from query.compiler.resolving import Resolver
from query.compiler.result import Result, ResultColumn
from query.compiler.statement import RunningRequest, direction
from query.request import TABLES, Like, Predicted, Records, Where, field_named
from query.request.records import RecordTable

if TYPE_CHECKING:
    import polars as pl

_LIKE_COLUMNS: Final = (
    ResultColumn("virus"),
    ResultColumn("id"),
    ResultColumn("family"),
    ResultColumn("studies", "studies", "study-host pairs in which it is found"),
    ResultColumn("similarity", "", "cosine of learned vectors; a prediction"),
    ResultColumn("neighbourhood"),
)
_PAIR_COLUMNS: Final = (
    ResultColumn("virus"),
    ResultColumn("virus_id"),
    ResultColumn("host"),
    ResultColumn("host_id"),
    ResultColumn("probability", "", "that a study of the host that searches for it finds it"),
    ResultColumn("score", "", "cosine of learned vectors"),
    ResultColumn("searched", "studies", "studies of the host that searched, and found none"),
)


def records(asked: RunningRequest, measure: Records) -> Result:
    """Return stored rows, their number, or their number for each value of some columns."""
    table = TABLES[measure.table]
    parameters = Parameters()
    holdings = Holdings(asked.names, parameters)
    select = rows_recorded(holdings, measure)
    if table.once:
        select += f" QUALIFY row_number() OVER ({table.once}) = 1"
    if measure.count:
        ((number,),) = asked.run_text(f"SELECT count(*) FROM ({select})", parameters)
        return Result(request=asked.request, number=number, unit=table.name)
    columns = list(measure.by or measure.columns or table.usual)
    order = _order(measure, table)
    if measure.by:
        listed = ", ".join(columns)
        select = f"SELECT {listed}, count(*) AS records FROM ({select}) GROUP BY ALL"
        columns.append("records")
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
    return f"run IN ({_RUNS_OF[table.name].format(rows=rows_recorded(held, measure))})"


def rows_recorded(held: Holdings, measure: Records) -> str:
    """Return a SELECT of the requested stored rows, with every column."""
    table = TABLES[measure.table]
    conditions = [_condition(held, table, where) for where in measure.where]
    where = f" WHERE {' AND '.join(conditions)}" if conditions else ""
    return f"SELECT * FROM {table.relation}{where}"


def tests_with_effects(con: duckdb.DuckDBPyConnection, where: tuple[Where, ...]) -> pl.DataFrame:
    """Return every column of the stored tests, and with ``m_`` before it that of their effect over
    projects.
    """
    holdings = Holdings(Resolver(con), Parameters())
    tests = rows_recorded(holdings, Records("tests", where))
    text = _WITH_EFFECTS.format(tests=tests)
    found: pl.DataFrame = con.sql(text, params=holdings.parameters.used_in(text)).pl()
    return found


_WITH_EFFECTS: Final = """
SELECT a.* EXCLUDE (term), m.projects AS m_projects, m.projects_agreeing AS m_agreeing,
       m.effect AS m_effect, m.ci_low AS m_ci_low, m.ci_high AS m_ci_high,
       m.i_squared AS m_i_squared, m.q_value AS m_q_value
FROM ({tests}) a LEFT JOIN meta_association m USING (family, attribute, curie)
ORDER BY bioproject, attribute, value, source
"""
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
    says = _SAYS.get((table.name, column))
    if says is not None:
        words = [held.parameters.bind(name.lower()) for name in where.names]
        return f"({' OR '.join(says.format(name=word) for word in words)})"
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
    names, column = where.names, where.column
    if table.name == "novel" and column in _OF_SOTUS:
        field = field_named(_OF_SOTUS[column])
        having = f"SELECT run FROM ({held.written(field)}) WHERE {held.is_one(field, names)}"
        return f"sotu IN (SELECT sotu FROM detection WHERE run IN ({having}))"
    if f"{column}_id" not in table.columns:
        return "false"
    return held.is_below(f"{column}_id", held.taxa(field_named(column), names))


_BELOW: Final = """
    SELECT descendant FROM closure JOIN term ON curie = ancestor WHERE lower(label) = {name}
    UNION
    SELECT descendant FROM closure JOIN synonym ON curie = ancestor WHERE lower(synonym) = {name}
"""
_OF_TERM: Final = f"""
    regexp_matches(lower(term), concat('\\b', regexp_escape({{name}}), '\\b'))
    OR curie IN ({_BELOW})
    OR lower(value) IN (SELECT lower(label) FROM term WHERE curie IN ({_BELOW}))
"""
_GROUNDED: Final = f"""(lower(attribute), lower(value)) IN (
    SELECT (lower(attribute), lower(text)) FROM annotation
    WHERE facet = {{name}} OR curie IN ({_BELOW})
)"""
_IN_FACTS: Final = """
    contains(lower(text), {name})
    OR community IN (SELECT community FROM fact WHERE contains(lower(value), {name}))
"""
_SAYS: Final = {
    ("tests", "term"): f"{_OF_TERM} OR {_GROUNDED}",
    ("effects", "term"): _OF_TERM,
    ("communities", "text"): _IN_FACTS,
}
"""Column of texts of a table -> the condition that a row is about ``name``.

An effect has the CURIE of its term; the value of a test may be grounded only where it is annotated.
"""
_OF_SOTUS: Final = {"hosts": "host", "places": "country"}
"""Column that lists the first values of the runs of an sOTU -> the field of the runs."""


def _order(measure: Records, table: RecordTable) -> str:
    keys = ", ".join(measure.by)
    if measure.order is None:
        return f"records DESC, {keys}" if keys else table.order
    return f"{measure.order.by} {direction(measure.order)}, {keys or table.order}"


def like(asked: RunningRequest, measure: Like) -> Result:
    """Return the viruses whose vectors are nearest to that of a virus, or to the mean of several.

    There are none if the virus has no vector: nothing says what it is found with. Raises
    ``UnknownNameError`` and ``AmbiguousNameError``.
    """
    parameters = Parameters()
    own = _virus_condition(asked, measure.virus, parameters)
    text = _LIKE.format(own=own, limit=parameters.bind(measure.limit))
    return asked.listed(text, parameters, _LIKE_COLUMNS, further=_FURTHER)


def predicted(asked: RunningRequest, measure: Predicted) -> Result:
    """Return the pairs that are predicted of a virus or of a host; raises as ``like``."""
    parameters = Parameters()
    if measure.virus is not None:
        condition = _virus_condition(asked, measure.virus, parameters)
    else:
        hosts = asked.names.terms(field_named("host"), (str(measure.host),))
        condition = Holdings(asked.names, parameters).is_below("host", hosts)
    text = _PREDICTED.format(condition=condition, limit=parameters.bind(measure.limit))
    return asked.listed(text, parameters, _PAIR_COLUMNS, further=_FURTHER)


def _virus_condition(asked: RunningRequest, name: str, parameters: Parameters) -> str:
    """Return the condition that ``virus`` is the sOTU ``name``, or above or below such a taxon."""
    row = asked.con.execute(_SOTU, [name]).fetchone()
    if row is not None:
        return f"virus = {parameters.bind(str(row[0]))}"
    return _OF_TAXA.format(taxa=parameters.bind(list(asked.names.viruses((name,)).curies)))


_FURTHER: Final = "further predictions"
_SOTU: Final = "SELECT virus FROM virus_vector WHERE lower(virus) = lower($1)"
_OF_TAXA: Final = """virus IN (
    SELECT descendant FROM closure WHERE list_contains({taxa}::VARCHAR[], ancestor)
    UNION SELECT ancestor FROM closure WHERE list_contains({taxa}::VARCHAR[], descendant))"""
_LIKE: Final = """
WITH number AS (
    SELECT unnest(vector::FLOAT[]) AS value, generate_subscripts(vector::FLOAT[], 1) AS place
    FROM virus_vector WHERE {own}
),
centre AS (
    SELECT list(value ORDER BY place) AS vector
    FROM (SELECT place, avg(value) AS value FROM number GROUP BY place)
),
near AS (
    SELECT v.name, v.virus, v.family, v.studies,
           round(list_cosine_similarity(v.vector::DOUBLE[], c.vector), 4) AS similarity,
           v.neighbourhood
    FROM virus_vector AS v, centre AS c WHERE c.vector IS NOT NULL AND NOT ({own})
)
SELECT *, count(*) OVER () AS total FROM near ORDER BY similarity DESC, virus LIMIT {limit}
"""
_PREDICTED: Final = """
SELECT v.name, p.virus, coalesce(t.label, p.host) AS host, p.host AS host_id, p.probability,
       p.score, p.searched, count(*) OVER () AS total
FROM (FROM predicted_pair WHERE {condition}) AS p JOIN virus_vector AS v USING (virus)
LEFT JOIN used_term AS t ON t.curie = p.host
ORDER BY p.probability DESC, p.score DESC, p.virus, p.host LIMIT {limit}
"""
