"""Numbers of a set of runs: how many, whether any, what share."""

from __future__ import annotations

from query.compiler.flags import has_virus
from query.compiler.held import hit_tables
from query.compiler.relations import relation
from query.compiler.result import Result, Verdict
from query.compiler.statement import RunningRequest, RunsQuery
from query.compiler.tallying import Tallied, conditions_of, plan_tally, tallied_rows, tally
from query.request.fields import field_named
from query.request.hits import ANY_HIT, Hit
from query.request.measures import Count, Share
from query.request.run_sets import And, Everything, RunSet


def count(asked: RunningRequest, measure: Count, of: RunSet) -> Result:
    """Return how many runs, detections or values there are; the tally is of their runs."""
    unit = measure.unit
    is_field = unit not in ("run", "detection")
    is_sample = unit == "biosample"
    stating = (unit,) if is_field and field_named(unit).of == "run" and not is_sample else ()
    statement = asked.statement()
    plan = plan_tally(statement, of, hits=measure.hits, stating=stating, samples=is_sample)
    if unit == "run" or is_sample:
        (row,) = asked.run(statement, plan.select)
        tallied = plan.read(row)
        runs = tallied.tally.runs if measure.hits is None else tallied.tally.positive
        number = tallied.tally.samples if is_sample else runs
    else:
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


def share(asked: RunningRequest, measure: Share, of: RunSet) -> Result:
    """Return the percentage of runs in ``part``, among the runs for which that is known.

    The tally is of the runs in both sets; ``stated`` is the number of runs for which it is known.
    """
    both = joined(of, measure.part)
    statement = asked.statement()
    flags = statement.flags
    whole = flags.holds(of)
    known = f"{whole} AND ({flags.holds(measure.part)} OR {flags.holds(measure.part, denied=True)})"
    plan = plan_tally(statement, both, more={"whole": whole, "known": known})
    (row,) = asked.run(statement, plan.select)
    tallied = plan.read(row)
    among = tallied.more["known"]
    return Result(
        request=asked.request,
        number=100 * tallied.tally.runs / among if among else None,
        among=among,
        unit=f"percent of {among} runs of which it is known, of {tallied.more['whole']} in all",
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
    runs = statement.flags.holds(of)
    condition = statement.holdings.hits(hits or ANY_HIT)
    return (
        f"SELECT count(*) FROM {hit_tables(condition)} WHERE {condition} "
        f"AND d.run IN (SELECT run FROM flagged WHERE {runs})"
    )


def _distinct(statement: RunsQuery, unit: str, hits: Hit | None, of: RunSet) -> str:
    """Return a SELECT of the number of values of a field in the runs that are the answer."""
    answer = conditions_of(statement.flags, of, hits).answer
    statement.also("held", relation(statement.holdings, (unit,), hits))
    return (
        f"SELECT count(DISTINCT v1) FROM held WHERE run IN (SELECT run FROM flagged WHERE {answer})"
    )


def _plural(unit: str) -> str:
    return f"{unit}s" if unit in ("run", "detection") else field_named(unit).plural
