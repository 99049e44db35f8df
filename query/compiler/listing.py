"""The values of one or two fields, each with its tally or another measure."""

from __future__ import annotations

from dataclasses import dataclass

from query.compiler.relations import relation
from query.compiler.result import Cell, Omission, Result, ResultColumn, RunTally
from query.compiler.statement import RunningRequest, RunsQuery
from query.compiler.tallying import conditions_of, plan_tally
from query.request.fields import RequestField, field_named
from query.request.measures import Count, Share, Summary, Values
from query.request.run_sets import RunSet
from query.request.wording import said_field

_SEARCHED = ResultColumn(
    "searched", "runs", "of the runs with the value, those searched for the virus"
)
TALLY: tuple[ResultColumn, ...] = (
    ResultColumn("runs", "runs", "runs asked for that have the value"),
    _SEARCHED,
    ResultColumn("positive", "runs", "those with a hit"),
    ResultColumn("at_90", "runs", "those with a hit of 90 % identity and more"),
    ResultColumn("samples", "BioSamples", "distinct BioSamples of the runs that are counted"),
)
SUMMARY: tuple[ResultColumn, ...] = tuple(
    ResultColumn(name, comment=comment)
    for name, comment in (
        ("n", "numbers"),
        ("missing", "runs or hits without the number"),
        ("min", "least"),
        ("median", "half of the numbers are below"),
        ("mean", "arithmetic mean"),
        ("max", "greatest"),
    )
)
SUMMED = (
    "count(number)",
    "count(*) - count(number)",
    "min(number)",
    "median(number)",
    "avg(number)",
    "max(number)",
)
"""Aggregates of ``number`` that ``SUMMARY`` names."""


@dataclass(frozen=True)
class Measured:
    """What is measured for each value: columns, their aggregates, and the one that ranks."""

    columns: tuple[ResultColumn, ...]
    aggregates: tuple[str, ...]
    ranked: str


def values(asked: RunningRequest, measure: Values, of: RunSet) -> Result:
    """Return a row for each value, with the tally of all runs beside."""
    of_runs = tuple(name for name in measure.by if field_named(name).of == "run")
    statement = asked.statement()
    plan = plan_tally(statement, of, hits=measure.hits, stating=of_runs, brief=asked.brief)
    measured = _prepare(statement, measure, of, brief=asked.brief)
    names = [f"v{place}, min(c{place}) AS c{place}" for place in range(1, len(measure.by) + 1)]
    grouped = ", ".join(f"v{place}" for place in range(1, len(measure.by) + 1))
    numbers = ", ".join(
        f"{aggregate} AS n{place}" for place, aggregate in enumerate(measured.aggregates, 1)
    )
    statement.also(
        "grouped",
        f"SELECT {', '.join(names)}, {numbers}, {measured.ranked} AS ranked "
        f"FROM joined GROUP BY {grouped}",
    )
    kept = " AND ".join(_kept(statement, measure))
    statement.also("kept", f"SELECT * FROM grouped WHERE {kept}")
    found = asked.run(statement, _final(statement, measure, measured, plan.select))
    tallied = plan.read(found[0][: plan.width])
    listed_runs = found[0][plan.width]
    rows = [row[plan.width + 1 :] for row in found if row[-1] is not None]
    shown = [row[:-1] for row in rows]
    total = rows[0][-1] if rows else 0
    left_out = [*tallied.left_out, *_unlisted(measure, tallied.tally, listed_runs)]
    if total > len(rows):
        what = f"further {said_field(measure.by[0], plural=True)}"
        left_out.append(Omission("beyond the limit", total - len(rows), what))
    return Result(
        request=asked.request,
        tally=tallied.tally,
        columns=(*_named_columns(measure.by), *measured.columns),
        rows=_rows(shown, measure.by),
        total=total,
        left_out=tuple(left_out),
    )


def _unlisted(measure: Values, tally: RunTally, listed_runs: int) -> list[Omission]:
    """Return how many runs have hits, but none with a value of the fields: of no known family."""
    of_hits = [name for name in measure.by if field_named(name).of == "hit"]
    counts_runs = isinstance(measure.each, Count) and measure.each.unit == "run"
    if not counts_runs or len(of_hits) < len(measure.by) or tally.positive == listed_runs:
        return []
    said = " and ".join(said_field(name) for name in of_hits)
    what = f"runs whose hits are all of no known {said}"
    return [Omission("not stated", tally.positive - listed_runs, what)]


def _prepare(statement: RunsQuery, measure: Values, of: RunSet, *, brief: bool) -> Measured:
    """Add the query ``joined``, a row for each value of each run, and return what is measured."""
    flags, holdings = statement.flags, statement.holdings
    each = measure.each
    conditions = conditions_of(flags, of, measure.hits, brief=brief)
    is_of_hits = any(field_named(name).of == "hit" for name in measure.by)
    positive = conditions.runs if is_of_hits else conditions.positive
    answer = conditions.runs if is_of_hits else conditions.answer
    marks = [f"{conditions.runs} AS is_run", f"{conditions.searched} AS is_searched",
             f"{positive} AS is_positive", f"{conditions.at_90} AS is_strict",
             f"{answer} AS is_answer"]  # fmt: skip
    if isinstance(each, Share):
        part, known = flags.holds(each.part), flags.fails(each.part)
        marks += [f"{part} AS is_part", f"({part} OR {known}) AS is_known"]
    statement.also("marked", f"SELECT run, biosample, {', '.join(marks)} FROM flagged")
    number = field_named(each.number) if isinstance(each, Summary) else None
    if isinstance(each, Count) and each.unit not in ("run", "detection"):
        held = relation(holdings, (*measure.by, each.unit), measure.hits, level=measure.level)
        statement.also("joined", f"SELECT * FROM ({held}) JOIN marked USING (run)")
        counted = ResultColumn(each.unit, comment=f"distinct {field_named(each.unit).plural}")
        last = f"v{len(measure.by) + 1}"
        aggregate = f"count(DISTINCT {last}) FILTER (is_answer)"
        runs = ResultColumn("runs", "runs", "runs that have the value")
        several = "count(DISTINCT run) FILTER (is_answer)"
        return Measured((counted, runs), (aggregate, several), aggregate)
    if isinstance(each, Count) and each.unit == "detection":
        return _detections(statement, measure)
    if isinstance(each, Summary) and number is not None:
        return _summaries(statement, measure, number)
    held = relation(holdings, measure.by, measure.hits, level=measure.level)
    statement.also("joined", f"SELECT * FROM ({held}) JOIN marked USING (run)")
    return _shares() if isinstance(each, Share) else _tallies(of_hits=is_of_hits)


def _shares() -> Measured:
    """Return the share of each value: of its runs of which it is known, those in the part."""
    known = "count(*) FILTER (is_answer AND is_known)"
    part = "count(*) FILTER (is_answer AND is_part)"
    share = f"round(100.0 * {part} / nullif({known}, 0), 6)"
    columns = (
        ResultColumn("share", "percent", "of the runs of which it is known"),
        ResultColumn("part", "runs", "runs in the part"),
        ResultColumn("known", "runs", "runs of which it is known"),
        ResultColumn("runs", "runs", "runs that have the value"),
    )
    return Measured(columns, (share, part, known, "count(*) FILTER (is_answer)"), share)


def _tallies(*, of_hits: bool) -> Measured:
    """Return the tally of each value.

    Values of hits have no ``searched``: each virus has its own, and the tally of all runs has that
    of the virus that is asked for.
    """
    answer = "count(*) FILTER (is_answer)"
    counted = {
        "runs": "count(*) FILTER (is_run)",
        "searched": "count(*) FILTER (is_searched)",
        "positive": "count(*) FILTER (is_positive)",
        "at_90": "count(*) FILTER (is_strict AND strict)",
        "samples": "count(DISTINCT biosample) FILTER (is_answer)",
    }
    columns = tuple(column for column in TALLY if not (of_hits and column is _SEARCHED))
    return Measured(columns, tuple(counted[column.name] for column in columns), answer)


def _detections(statement: RunsQuery, measure: Values) -> Measured:
    """Prepare the number of hits for each value."""
    held = relation(statement.holdings, measure.by, measure.hits, level=measure.level, counted=True)
    statement.also("joined", f"SELECT * FROM ({held}) JOIN marked USING (run)")
    columns = (
        ResultColumn("detections", "detections", "hits"),
        ResultColumn("runs", "runs", "runs that have the value"),
    )
    hits = "coalesce(sum(hits) FILTER (is_answer), 0)::BIGINT"
    return Measured(columns, (hits, "count(*) FILTER (is_answer)"), hits)


def _summaries(statement: RunsQuery, measure: Values, number: RequestField) -> Measured:
    """Prepare the summary of a number for each value."""
    of_hits = number.of == "hit"
    held = relation(
        statement.holdings,
        measure.by,
        measure.hits,
        level=measure.level,
        number=number if of_hits else None,
    )
    if not of_hits:
        each = statement.holdings.numbers(number)
        numbers = f"SELECT run, max(value) AS number FROM ({each}) GROUP BY run"
        held = f"SELECT r.*, n.number FROM ({held}) r LEFT JOIN ({numbers}) n USING (run)"
    statement.also("joined", f"SELECT * FROM ({held}) JOIN marked USING (run) WHERE is_answer")
    return Measured(SUMMARY, SUMMED, "avg(number)")


def _kept(statement: RunsQuery, measure: Values) -> list[str]:
    """Return the conditions on rows of ``grouped``."""
    kept = ["ranked IS NOT NULL"]
    if not isinstance(measure.each, Summary | Share):
        kept.append("ranked > 0")
    if measure.at_least is not None:
        kept.append(f"ranked >= {statement.holdings.parameters.bind(measure.at_least)}")
    return [*kept, *values_kept(statement, measure)]


def values_kept(statement: RunsQuery, measure: Values) -> list[str]:
    """Return the conditions on the values ``v1, c1, …`` of rows: those that ``measure`` lists."""
    kept = []
    field = field_named(measure.by[0])
    if measure.under:
        kept.append(_is_named(statement, field, measure.under))
    if measure.other_than:
        kept.append(f"NOT coalesce({_is_named(statement, field, measure.other_than)}, false)")
    for name, others, has in (
        ("elsewhere", measure.absent_in, "NOT IN"),
        ("shared", measure.found_in, "IN"),
    ):
        if others is None:
            continue
        held = relation(statement.holdings, measure.by, measure.hits, level=measure.level)
        keys = ", ".join(f"v{place}" for place in range(1, len(measure.by) + 1))
        in_others = statement.flags.holds(others)
        statement.also(
            name, f"SELECT DISTINCT {keys} FROM ({held}) JOIN flagged USING (run) WHERE {in_others}"
        )
        kept.append(f"({keys}) {has} (SELECT ({keys}) FROM {name})")
    return kept


def _is_named(statement: RunsQuery, field: RequestField, names: tuple[str, ...]) -> str:
    """Return the condition that the first value of a row is one of ``names``, or below one."""
    condition = statement.holdings.is_one(field, names)
    return f"(SELECT {condition} FROM (SELECT v1::VARCHAR AS value, c1 AS curie))"


def _final(statement: RunsQuery, measure: Values, measured: Measured, tallied: str) -> str:
    """Return the SELECT of the tally with each row that is listed; once, with no row, for none."""
    names = [f"v{place}, c{place}" for place in range(1, len(measure.by) + 1)]
    keys = ", ".join(f"v{place}" for place in range(1, len(measure.by) + 1))
    order = {"most": "ranked DESC, ", "fewest": "ranked, ", "value": ""}[measure.order] + keys
    numbers = ", ".join(f"n{place}" for place in range(1, len(measured.columns) + 1))
    cut = ""
    if measure.limit is not None:
        limit = statement.holdings.parameters.bind(measure.limit)
        ranked = {"most": "ranked DESC", "fewest": "ranked", "value": keys}[measure.order]
        cut = f"QUALIFY rank() OVER (ORDER BY {ranked}) <= {limit} "
    listed = (
        f"SELECT {', '.join(names)}, {numbers}, ranked, (SELECT count(*) FROM kept) AS total "
        f"FROM kept {cut}"
    )
    return (
        f"SELECT t.*, (SELECT count(DISTINCT run) FROM joined WHERE is_answer AND is_positive), "
        f"k.* EXCLUDE (ranked) FROM ({tallied}) t LEFT JOIN ({listed}) k ON true "
        f"ORDER BY {order}"
    )


def _named_columns(by: tuple[str, ...]) -> tuple[ResultColumn, ...]:
    columns = []
    for name in by:
        field = field_named(name)
        columns.append(ResultColumn(name, field.unit, field.comment))
        if field.type == "term":
            columns.append(ResultColumn(f"{name}_id", comment=f"identifier of the {field.said}"))
    return tuple(columns)


def _rows(rows: list[tuple[Cell, ...]], by: tuple[str, ...]) -> tuple[tuple[Cell, ...], ...]:
    """Return ``rows`` without the identifiers of values that have none."""
    left_out = {2 * place + 1 for place, name in enumerate(by) if field_named(name).type != "term"}
    return tuple(
        tuple(cell for place, cell in enumerate(row) if place not in left_out) for row in rows
    )
