"""A request in canonical English: what a virologist would ask, and only one request says so."""

from __future__ import annotations

from collections.abc import Sequence

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
    Summary,
    Values,
    Where,
)
from query.request.names import Range
from query.request.request import Request
from query.request.run_sets import Everything, RunSet
from query.request.saying_runs import say_clause, say_hit, say_runs
from query.request.wording import (
    said_field,
    said_name,
    said_names,
    said_number,
    said_range,
)


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
    """Return what is asked of the runs ``of``."""
    match measure:
        case Count(unit, hits):
            return _say_count(unit, hits, of)
        case Exists():
            return f"Are there any {_runs_plain(of)}?"
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
    raise TypeError(f"no measure: {measure!r}")


def _runs_plain(of: RunSet) -> str:
    """Return a set of runs behind "any"."""
    return "runs" if isinstance(of, Everything) else say_runs(of)


def _of_hits(hits: Hit | None) -> str:
    return "" if hits is None else f" of {say_hit(hits)}"


def _say_count(unit: str, hits: Hit | None, of: RunSet) -> str:
    if unit != "run":
        counted = "detections" if unit == "detection" else said_field(unit, plural=True)
        return f"How many {counted}{_of_hits(hits)} are in {say_runs(of)}?"
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
    parts = [f"List {listed}{_of_hits(values.hits)} in {say_runs(of)}"]
    if values.level is not None:
        is_rank = isinstance(values.level, str)
        parts.append(f"rolled up to {values.level}" if is_rank else f"at level {values.level}")
    if values.under:
        parts.append(f"only under {said_names(values.under)}")
    if values.other_than:
        parts.append(f"other than {said_names(values.other_than)}")
    if values.absent_in is not None:
        parts.append(f"absent from {say_runs(values.absent_in)}")
    if values.found_in is not None:
        parts.append(f"found also in {say_runs(values.found_in)}")
    if values.each != Count():
        parts.append(_said_each(values.each))
    if values.at_least is not None:
        parts.append(f"at least {said_number(values.at_least)}")
    if values.order != "most":
        parts.append("fewest first" if values.order == "fewest" else "in order of value")
    if values.limit is not None:
        parts.append(f"the first {values.limit}")
    return "; ".join(parts) + "."


def _said_each(each: Count | Share | Summary) -> str:
    """Return what is measured for each value."""
    match each:
        case Count(unit, _):
            counted = "detections" if unit == "detection" else said_field(unit, plural=True)
            return f"with the number of {counted}"
        case Share(part):
            return f"with the share that {say_clause(part)}"
        case Summary(number, _):
            return f"with a summary of {said_field(number)}"


def _say_rows(rows: Rows, of: RunSet) -> str:
    columns = ", ".join(said_field(column) for column in rows.columns)
    parts = [f"Show {columns}{_of_hits(rows.hits)} for {say_runs(of)}"]
    if rows.order is not None:
        direction = "descending" if rows.order.descending else "ascending"
        parts.append(f"by {said_field(rows.order.by)}, {direction}")
    if rows.limit != Rows().limit:
        parts.append(f"the first {rows.limit}")
    return "; ".join(parts) + "."


def _say_records(records: Records) -> str:
    start = f"List {records.table}"
    if records.count:
        start = f"Count {records.table}"
    if records.columns:
        start = f"Show {', '.join(records.columns)} of {records.table}"
    if records.by:
        start = f"Count {records.table} by {', '.join(records.by)}"
    parts = [start]
    if records.where:
        parts.append(" and ".join(_said_where(where) for where in records.where))
    if records.order is not None:
        direction = "descending" if records.order.descending else "ascending"
        parts.append(f"by {records.order.by}, {direction}")
    if records.limit != Records(records.table).limit:
        parts.append(f"the first {records.limit}")
    return "; ".join(parts) + "."


def _say_predicted(measure: Predicted) -> str:
    if measure.virus is not None:
        return f"Which {measure.limit} hosts are predicted for {said_name(measure.virus)}?"
    return f"Which {measure.limit} viruses are predicted in {said_name(str(measure.host))}?"


def _said_where(where: Where) -> str:
    """Return a condition on stored rows."""
    if isinstance(where.range, Range):
        return f"where {where.column} {said_range(where.range)}"
    if where.contains is not None:
        return f"where {where.column} containing {said_name(where.contains)}"
    return f"where {where.column} is {said_names(where.values)}"
