"""A request in canonical English: what a virologist would ask, and only one request says so."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from index.claims.phrases import listed
from query.request.fields import field_named
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
from query.request.saying_runs import say_clause, say_hit, say_runs, with_phrases
from query.request.wording import said_field, said_name, said_names, said_number, said_range

FREQUENT: Final = {"most": "most frequent", "fewest": "least frequent"}
"""How the first values of a list are said to come first, by their order."""


def say(request: Request) -> str:
    """Return ``request`` in canonical English. Equal texts are equal requests.

    >>> from query.request import Carries, Has
    >>> say(Request(Count(), of=Carries(Hit("EBV")) & Has("host", "human")))
    'How many runs carry EBV and are from the host human?'
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
            if isinstance(of, Everything):
                return f"What share of runs {say_clause(part)}?"
            return f"Of {say_runs(of)}, what share {say_clause(part)}?"
        case Values():
            return _say_values(measure, of)
        case Rows():
            return _say_rows(measure, of)
        case Summary(number, hits):
            where = f" of {say_runs(of)}" if hits is None else f"{_of_hits(hits)}{_in(of)}"
            return f"Summarise the {said_field(number)}{where}."
        case Compare(inner, sides):
            what = say_measure(inner, of)
            return f"Compare {' with '.join(map(say_runs, sides))}: {what[0].lower()}{what[1:]}"
        case Evidence(hit):
            return f"What is the evidence for {say_hit(hit)}{_in(of)}?"
        case Describe(kind, name):
            return f"Describe the {kind} {said_name(name)}."
        case Records():
            return _say_records(measure)
        case Like(virus, limit):
            return f"Which {limit} viruses are most like {said_name(virus)}?"
        case Predicted():
            return _say_predicted(measure)


def _in(of: RunSet) -> str:
    """Return where something is; nothing for all runs."""
    return "" if isinstance(of, Everything) else f" in {say_runs(of)}"


def _of_hits(hits: Hit | None, *, of_viruses: bool = False) -> str:
    """Return the hits of a measure; "any virus" is said by "viruses" before them."""
    if hits is None:
        return ""
    said = say_hit(hits)
    restricted = said.removeprefix("any virus") if of_viruses and not hits.virus else ""
    return restricted or f" of {said}"


def _several(unit: str) -> str:
    return "detections" if unit == "detection" else said_field(unit, plural=True)


def _say_count(unit: str, hits: Hit | None, of: RunSet) -> str:
    if unit != "run":
        what = f"{_several(unit)}{_of_hits(hits, of_viruses=unit == 'virus')}"
        return f"How many {what} are{_in(of) or ' there'}?"
    if hits is not None:
        among = "runs" if isinstance(of, Everything) else f"of the {say_runs(of)}"
        return f"In how many {among} is {say_hit(hits)} found?"
    if isinstance(of, Everything):
        return "How many runs are there?"
    phrases, rest = with_phrases(of)
    return f"How many {phrases} {rest}?" if rest else f"How many runs {say_clause(of)}?"


def _say_values(values: Values, of: RunSet) -> str:
    level, least = values.level, values.at_least
    first, *second = values.by
    start, is_cut = _said_first(values)
    begin = " by ".join([start, *map(said_field, second)])
    hits = _of_hits(values.hits, of_viruses=first == "virus" and not second)
    joint = "of" if field_named(first).of == "run" else "in"
    where = _in(of) if values.hits is not None else f" {joint} {say_runs(of)}"
    orders = {"most": "", "fewest": "fewest first", "value": "in order of value"}
    rolled = f"rolled up to {level}" if isinstance(level, str) else f"at level {level}"
    return _sentence(
        f"{begin}{hits}{where}",
        "" if level is None else rolled,
        f"only {said_names(values.under)}" if values.under else "",
        f"other than {said_names(values.other_than)}" if values.other_than else "",
        f"not in {say_runs(values.absent_in)}" if values.absent_in is not None else "",
        f"also in {say_runs(values.found_in)}" if values.found_in is not None else "",
        _said_each(values.each) if values.each != Count() else "",
        "" if least is None else f"at least {said_number(least)}",
        "" if is_cut else orders[values.order],
        "" if is_cut or values.limit is None else _said_limit(values.limit),
    )


def _said_first(values: Values) -> tuple[str, bool]:
    """Return how a list begins, and whether that says its order and limit."""
    frequent = FREQUENT.get(values.order)
    if values.each != Count() or values.limit is None or frequent is None:
        return f"List {said_field(values.by[0], plural=True)}", False
    if values.limit == 1:
        return f"Name the {frequent} {said_field(values.by[0])}", True
    return f"List the {values.limit} {frequent} {said_field(values.by[0], plural=True)}", True


def _said_limit(limit: int) -> str:
    return f"the first {limit}" if limit > 1 else "only the first"


def _sentence(*parts: str) -> str:
    return "; ".join(part for part in parts if part) + "."


def _said_order(order: SortBy | None, said: Callable[[str], str]) -> str:
    """Return the sort order in words if a request has one; ``said`` names the column."""
    if order is None:
        return ""
    return f"sorted by {said(order.by)}, {'descending' if order.descending else 'ascending'}"


def _said_each(each: Count | Share | Summary) -> str:
    match each:
        case Count(unit, _):
            return f"with the number of {_several(unit)}"
        case Share(part):
            return f"with the share of runs that {say_clause(part)}"
        case Summary(number, _):
            return f"with a summary of {said_field(number)}"


def _say_rows(rows: Rows, of: RunSet) -> str:
    what = say_runs(of)
    if rows.hits is not None or rows.columns != Rows().columns:
        columns = listed([said_field(column) for column in rows.columns])
        what = f"{columns}{_of_hits(rows.hits)} for {what}"
    return _sentence(
        f"Show {what}",
        _said_order(rows.order, said_field),
        "" if rows.limit == Rows().limit else _said_limit(rows.limit),
    )


def _say_records(records: Records) -> str:
    start = f"{'Count' if records.count else 'List'} {records.table}"
    if records.columns:
        start = f"Show {', '.join(records.columns)} of {records.table}"
    if records.by:
        start = f"Count {records.table} by {', '.join(records.by)}"
    return _sentence(
        f"{start} {' and '.join(map(_said_where, records.where))}".strip(),
        _said_order(records.order, str),
        "" if records.limit == Records(records.table).limit else _said_limit(records.limit),
    )


def _say_predicted(measure: Predicted) -> str:
    if measure.virus is not None:
        return f"Which {measure.limit} hosts are predicted for {said_name(measure.virus)}?"
    return f"Which {measure.limit} viruses are predicted in {said_name(str(measure.host))}?"


def _said_where(where: Where) -> str:
    if isinstance(where.range, Range):
        return f"whose {where.column} is {said_range(where.range).removeprefix('of ')}"
    if where.contains is not None:
        return f"whose {where.column} contains {said_name(where.contains)}"
    return f"whose {where.column} is {said_names(where.values)}"
