"""Lists of runs or hits, and how well hits are supported: by name, source and identity."""

from __future__ import annotations

from index.store.run_values import AT_SPECIES
from query.compiler.held import Holdings, hit_tables
from query.compiler.result import Result, ResultColumn
from query.compiler.statement import RunningRequest, RunsQuery, beyond, column_of, direction
from query.compiler.tallying import conditions_of, plan_tally, tallied_rows
from query.request import ANY_HIT, Evidence, Rows, RunSet, SortBy, field_named
from query.request.fields import RUN

_CLASS = f"""
CASE WHEN {AT_SPECIES} THEN 'species' WHEN d.closest IS NOT NULL THEN 'nearer a relative'
     WHEN d.identity IS NOT NULL THEN 'below 90 %' ELSE 'reported only' END"""
_OF_EVIDENCE = {
    ResultColumn("stated", comment="what may be said of these hits"): "d.stated",
    ResultColumn("reported", comment="virus as the source names it"): "d.reported_name",
    ResultColumn("source", comment="source that detected it"): "d.source",
    ResultColumn(
        "evidence", comment="species: 90 % and more; nearer a relative; below 90 %; reported only"
    ): _CLASS,
    ResultColumn("runs", "runs"): "count(DISTINCT d.run)",
    ResultColumn("hits", "detections"): "count(*)",
    ResultColumn("min_identity", "percent"): "min(d.identity)",
    ResultColumn("median_identity", "percent"): "median(d.identity)",
    ResultColumn("max_identity", "percent"): "max(d.identity)",
    ResultColumn("median_reads", "reads"): "median(d.reads)",
    ResultColumn("median_score"): "median(d.score)",
}
"""Columns and how they are counted."""
_SEPARATOR = "; "
"""Separates the values if a run has several in a field."""


def rows(asked: RunningRequest, measure: Rows, of: RunSet) -> Result:
    """Return the rows of a list, with the tally of its runs."""
    statement = asked.statement()
    plan = plan_tally(statement, of, hits=measure.hits)
    _prepare(statement, measure, of)
    columns = [f"column{place}" for place in range(1, len(measure.columns) + 1)]
    limit = statement.holdings.parameters.bind(measure.limit)
    order = "ORDER BY key"
    cut = f"{order} LIMIT {limit}"
    if measure.order is not None:
        by = f"column{measure.columns.index(measure.order.by) + 1}"
        order = f"ORDER BY {by} {direction(measure.order)}"
        # all ties at the end are shown, but not the rows that lack the value
        ties = f"rank() OVER ({order}) <= {limit} AND {by} IS NOT NULL"
        cut = f"QUALIFY ({ties}) OR row_number() OVER ({order}, key) <= {limit}"
    every = "listed" if _hit_columns(measure) else "wanted"
    select = (
        f"SELECT key, {', '.join(columns)}, (SELECT count(*) FROM {every}) AS total "
        f"FROM listed {cut}"
    )
    tallied, found = tallied_rows(asked, statement, plan, select, order=f"{order}, key")
    total = found[0][-1] if found else 0
    what = "further hits" if is_of_hits(measure) else "further runs"
    return Result(
        request=asked.request,
        tally=tallied.tally,
        columns=tuple(map(column_of, measure.columns)),
        rows=tuple(row[1:-1] for row in found),
        total=total,
        left_out=(*tallied.left_out, *beyond(total, len(found), what)),
    )


def is_of_hits(measure: Rows) -> bool:
    """Return whether each row is a hit because of its columns; else numbers are of the best hit."""
    return any(not field_named(name).is_number for name in _hit_columns(measure))


def _hit_columns(measure: Rows) -> list[str]:
    return [name for name in measure.columns if name != RUN and field_named(name).of == "hit"]


def _prepare(statement: RunsQuery, measure: Rows, of: RunSet) -> None:
    holdings = statement.holdings
    condition = conditions_of(statement.flags, of, measure.hits).answer
    statement.also("wanted", f"SELECT run AS wanted_run FROM flagged WHERE {condition}")
    source = "wanted w"
    if measure.order is None and not _hit_columns(measure):
        limit = holdings.parameters.bind(measure.limit)
        statement.also("first", f"FROM wanted ORDER BY wanted_run LIMIT {limit}")
        source = "first w"
    columns, joins = [], []
    for place, name in enumerate(measure.columns, 1):
        column = f"column{place}"
        if name == RUN:
            columns.append(f"w.wanted_run AS {column}")
        elif field_named(name).of == "hit":
            columns.append(f"{field_named(name).column} AS {column}")
        else:
            per_run = _per_run(holdings, name, column, of=source.split()[0])
            joins.append(f"LEFT JOIN ({per_run}) j{place} "
                         f"ON j{place}.run = w.wanted_run")  # fmt: skip
            columns.append(f"j{place}.{column}")
    key = "w.wanted_run AS key"
    if _hit_columns(measure):
        hit = holdings.hits(measure.hits or ANY_HIT)
        source = f"{hit_tables(hit, *columns)} JOIN wanted w ON w.wanted_run = d.run"
        one = "concat_ws('|', d.run, d.sotu, d.source)"
        joins.append(f"WHERE {hit}")
        if is_of_hits(measure):
            key = f"{one} AS key"
        else:
            best = f"PARTITION BY w.wanted_run ORDER BY {_best_first(measure)}, {one}"
            joins.append(f"QUALIFY row_number() OVER ({best}) = 1")
    statement.also("listed", f"SELECT {key}, {', '.join(columns)} FROM {source} {' '.join(joins)}")


def _best_first(measure: Rows) -> str:
    """Return how hits of a run are sorted: as the rows, else by the first number, highest first."""
    numbers, order = _hit_columns(measure), measure.order
    if order is None or order.by not in numbers:
        order = SortBy(numbers[0], descending=True)
    return f"{field_named(order.by).column} {direction(order)}"


def _per_run(holdings: Holdings, name: str, column: str, *, of: str) -> str:
    """Return a SELECT of each run of the query ``of`` with its values of a field, joined."""
    field = field_named(name)
    wanted = f"run IN (SELECT wanted_run FROM {of})"
    if field.is_ordered:
        values = holdings.numbers(field)
        return f"SELECT run, max(value) AS {column} FROM ({values}) WHERE {wanted} GROUP BY run"
    values = holdings.at_level(field, None)
    text = f"string_agg(DISTINCT value, '{_SEPARATOR}' ORDER BY value)"
    return f"SELECT run, {text} AS {column} FROM ({values}) WHERE {wanted} GROUP BY run"


def evidence(asked: RunningRequest, measure: Evidence, of: RunSet) -> Result:
    """Return a row for each name, source and class of evidence of the hits, most runs first."""
    statement = asked.statement()
    plan = plan_tally(statement, of, hits=measure.hit)
    runs = statement.flags.among(statement.flags.holds(of))
    hit = statement.holdings.hits(measure.hit, among=runs)
    selected = ", ".join(f"{what} AS {column.name}" for column, what in _OF_EVIDENCE.items())
    final = f"SELECT {selected} FROM {hit_tables(hit)} WHERE {hit} GROUP BY ALL"
    order = "ORDER BY runs DESC, stated, reported, source, evidence"
    tallied, rows = tallied_rows(asked, statement, plan, final, order=order)
    return Result(
        request=asked.request,
        number=tallied.tally.positive,
        tally=tallied.tally,
        columns=tuple(_OF_EVIDENCE),
        rows=tuple(rows),
        total=len(rows),
        left_out=tallied.left_out,
    )
