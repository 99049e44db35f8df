"""A request in canonical English: what a virologist would ask, and only one request says so."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from query.request.hits import Hit
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
    SortBy,
    Summary,
    Values,
    Where,
)
from query.request.names import Range
from query.request.request import Request
from query.request.run_sets import Everything, RunSet
from query.request.saying_runs import say_clause, say_hit, say_runs
from query.request.wording import said_field, said_name, said_names, said_number, said_range


def say(request: Request) -> str:
    """Return ``request`` in canonical English. Equal texts are equal requests.

    >>> from query.request import Carries, Has
    >>> say(Request(Count(), of=Carries(Hit("EBV")) & Has("host", "human")))
    'How many runs carry EBV and have human as host?'
    """
    return say_measure(request.measure, request.of)


def say_all(requests: Sequence[Request]) -> str:
    """Return the requests of the parts of a question in canonical English."""
    return " ".join(map(say, requests))


def say_measure(measure: Measure, of: RunSet) -> str:
    """Return a measure of the runs ``of`` in canonical English."""
    match measure:
        case Count(unit, hits):
            return _say_count(unit, hits, of)
        case Exists():
            runs = "runs" if isinstance(of, Everything) else say_runs(of)
            return f"Are there any {runs}?"
        case Share(part):
            return f"Of {say_runs(of)}, what share {say_clause(part)}?"
        case Values():
            return _say_values(measure, of)
        case Rows():
            return _say_rows(measure, of)
        case Summary(number, hits):
            return f"Summarise {said_field(number)}{_of_hits(hits)} in {say_runs(of)}."
        case Compare(inner, sides):
            what = say_measure(inner, of)
            return f"Compare {' with '.join(map(say_runs, sides))}: {what[0].lower()}{what[1:]}"
        case Evidence(hit):
            return f"What is the evidence for {say_hit(hit)} in {say_runs(of)}?"
        case Describe(kind, name):
            return f"Describe the {kind} {said_name(name)}."
        case Records():
            return _say_records(measure)
        case Like(virus, limit):
            return f"Which {limit} viruses are most like {said_name(virus)}?"
        case Predicted():
            return _say_predicted(measure)


def _of_hits(hits: Hit | None) -> str:
    return "" if hits is None else f" of {say_hit(hits)}"


def _several(unit: str) -> str:
    return "detections" if unit == "detection" else said_field(unit, plural=True)


def _say_count(unit: str, hits: Hit | None, of: RunSet) -> str:
    if unit != "run":
        return f"How many {_several(unit)}{_of_hits(hits)} are in {say_runs(of)}?"
    if hits is not None:
        among = "runs" if isinstance(of, Everything) else f"of the {say_runs(of)}"
        return f"In how many {among} is {say_hit(hits)} found?"
    if isinstance(of, Everything):
        return "How many runs are there?"
    return f"How many runs {say_clause(of)}?"


def _say_values(values: Values, of: RunSet) -> str:
    listed = " by ".join(
        said_field(field, plural=not place) for place, field in enumerate(values.by)
    )
    level, limit, least = values.level, values.limit, values.at_least
    orders = {"most": "", "fewest": "fewest first", "value": "in order of value"}
    rolled = f"rolled up to {level}" if isinstance(level, str) else f"at level {level}"
    return _sentence(
        f"List {listed}{_of_hits(values.hits)} in {say_runs(of)}",
        "" if level is None else rolled,
        f"only under {said_names(values.under)}" if values.under else "",
        f"other than {said_names(values.other_than)}" if values.other_than else "",
        f"absent from {say_runs(values.absent_in)}" if values.absent_in is not None else "",
        f"found also in {say_runs(values.found_in)}" if values.found_in is not None else "",
        _said_each(values.each) if values.each != Count() else "",
        "" if least is None else f"at least {said_number(least)}",
        orders[values.order],
        "" if limit is None else f"the first {limit}",
    )


def _sentence(*parts: str) -> str:
    return "; ".join(part for part in parts if part) + "."


def _said_order(order: SortBy | None, said: Callable[[str], str]) -> str:
    """Return the sort order in words if a request has one; ``said`` names the column."""
    if order is None:
        return ""
    return f"by {said(order.by)}, {'descending' if order.descending else 'ascending'}"


def _said_each(each: Count | Share | Summary) -> str:
    match each:
        case Count(unit, _):
            return f"with the number of {_several(unit)}"
        case Share(part):
            return f"with the share that {say_clause(part)}"
        case Summary(number, _):
            return f"with a summary of {said_field(number)}"


def _say_rows(rows: Rows, of: RunSet) -> str:
    columns = ", ".join(said_field(column) for column in rows.columns)
    return _sentence(
        f"Show {columns}{_of_hits(rows.hits)} for {say_runs(of)}",
        _said_order(rows.order, said_field),
        "" if rows.limit == Rows().limit else f"the first {rows.limit}",
    )


def _say_records(records: Records) -> str:
    start = f"{'Count' if records.count else 'List'} {records.table}"
    if records.columns:
        start = f"Show {', '.join(records.columns)} of {records.table}"
    if records.by:
        start = f"Count {records.table} by {', '.join(records.by)}"
    return _sentence(
        start,
        " and ".join(map(_said_where, records.where)),
        _said_order(records.order, str),
        "" if records.limit == Records(records.table).limit else f"the first {records.limit}",
    )


def _say_predicted(measure: Predicted) -> str:
    if measure.virus is not None:
        return f"Which {measure.limit} hosts are predicted for {said_name(measure.virus)}?"
    return f"Which {measure.limit} viruses are predicted in {said_name(str(measure.host))}?"


def _said_where(where: Where) -> str:
    if isinstance(where.range, Range):
        return f"where {where.column} {said_range(where.range)}"
    if where.contains is not None:
        return f"where {where.column} containing {said_name(where.contains)}"
    return f"where {where.column} is {said_names(where.values)}"
