"""Numbers of a set of runs: how many, whether any, what share."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeGuard

from query.compiler.flags import has_virus
from query.compiler.held import hit_tables
from query.compiler.relations import relation
from query.compiler.result import Result, Verdict
from query.compiler.statement import RunningRequest, RunsQuery
from query.compiler.tallying import (
    Tallied,
    TallyPlan,
    conditions_of,
    plan_tally,
    tallied_rows,
    tally,
)
from query.request.fields import field_named
from query.request.hits import ANY_HIT, Hit
from query.request.measures import Count, Measure, Share
from query.request.run_sets import And, Everything, RunSet


def count(asked: RunningRequest, measure: Count | Share, of: RunSet) -> Result:
    """Return how many runs, detections or values there are, or what percentage of the runs of which
    it is known; the tally is of the runs that are counted.
    """
    if isinstance(measure, Share) or is_tally(measure):
        (result,) = tallies(asked, measure, (of,))
        return result
    unit = measure.unit
    is_field = unit != "detection"
    stating = (unit,) if is_field and field_named(unit).of == "run" else ()
    statement = asked.statement()
    plan = plan_tally(statement, of, hits=measure.hits, stating=stating)
    counted = _distinct if is_field else _detections
    select = counted(statement, unit, measure.hits, of)
    tallied, ((number,),) = tallied_rows(asked, statement, plan, select)
    return Result(
        request=asked.request,
        number=number,
        unit=_plural(unit),
        tally=tallied.tally,
        left_out=tallied.left_out,
    )


def is_tally(measure: Measure) -> TypeGuard[Count | Share]:
    """Return whether ``measure`` is a number of a tally: of runs, of samples, or a share."""
    is_count = isinstance(measure, Count) and measure.unit in ("run", "biosample")
    return is_count or isinstance(measure, Share)


def tallies(asked: RunningRequest, measure: Count | Share, sets: Sequence[RunSet]) -> list[Result]:
    """Return a number of a tally for each of several sets of runs, by one statement."""
    statement = asked.statement()
    plans = [_planned(statement, measure, of) for of in sets]
    rows = ", ".join(f"({plan.select}) t{place}" for place, plan in enumerate(plans))
    (row,) = asked.run(statement, f"SELECT * FROM {rows}")
    results = []
    for plan in plans:
        results.append(_result(asked, measure, plan.read(row[: plan.width])))
        row = row[plan.width :]
    return results


def _planned(statement: RunsQuery, measure: Count | Share, of: RunSet) -> TallyPlan:
    if isinstance(measure, Count):
        is_sample = measure.unit == "biosample"
        return plan_tally(statement, of, hits=measure.hits, samples=is_sample)
    flags, part = statement.flags, measure.part
    whole = flags.holds(of)
    known = f"{whole} AND ({flags.holds(part)} OR {flags.holds(part, denied=True)})"
    return plan_tally(statement, joined(of, part), more={"whole": whole, "known": known})


def _result(asked: RunningRequest, measure: Count | Share, tallied: Tallied) -> Result:
    tally = tallied.tally
    among: int | None = None
    number: float | None = tally.runs
    if isinstance(measure, Share):
        among = tallied.more["known"]
        number = 100 * tally.runs / among if among else None
        whole = tallied.more["whole"]
        unit = f"percent of {among} runs of which it is known, of {whole} in all"
    else:
        unit = _plural(measure.unit)
        if measure.unit == "biosample":
            number = tally.samples
        elif measure.hits is not None:
            number = tally.positive
    return Result(
        request=asked.request,
        number=number,
        among=among,
        unit=unit,
        tally=tally,
        left_out=tallied.left_out,
    )


def exists(asked: RunningRequest, of: RunSet) -> Result:
    """Return yes with the number of runs, no with the number of runs searched, or never
    searched.
    """
    tallied = tally(asked, of)
    return Result(
        request=asked.request,
        number=tallied.tally.runs,
        verdict=_verdict(tallied, of),
        tally=tallied.tally,
        left_out=tallied.left_out,
    )


def joined(of: RunSet, part: RunSet) -> RunSet:
    """Return the runs that are in both sets."""
    if isinstance(of, Everything) or of == part:
        return part
    if isinstance(part, Everything):
        return of
    return And((of, part))


def _verdict(tallied: Tallied, of: RunSet) -> Verdict:
    if tallied.tally.runs:
        return "yes"
    if has_virus(of) and not tallied.tally.searched:
        return "never searched"
    return "no"


def _detections(statement: RunsQuery, _unit: str, hits: Hit | None, of: RunSet) -> str:
    """Return a SELECT of the number of hits in the runs of ``of``."""
    runs = statement.flags.among(statement.flags.holds(of))
    hit = statement.holdings.hits(hits or ANY_HIT, among=runs)
    return f"SELECT count(*) FROM {hit_tables(hit)} WHERE {hit}"


def _distinct(statement: RunsQuery, unit: str, hits: Hit | None, of: RunSet) -> str:
    """Return a SELECT of the number of values of a field in the runs that are the answer."""
    answer = conditions_of(statement.flags, of, hits).answer
    runs = statement.flags.among(answer)
    held = relation(statement.holdings, (unit,), hits, among=runs)
    return f"SELECT count(DISTINCT v1) FROM ({held})"


def _plural(unit: str) -> str:
    return f"{unit}s" if unit in ("run", "detection") else field_named(unit).plural
