"""Numbers of a set of runs: how many, whether any, what share, and the summary of a number."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from query.compiler.flags import all_of, has_virus
from query.compiler.held import hit_tables
from query.compiler.listing import SUMMARY, largest_numbers, relation
from query.compiler.result import Omission, Result, Verdict
from query.compiler.statement import RunningRequest, RunsQuery
from query.compiler.tallying import Tallied, TallyPlan, conditions_of, plan_tally, tallied_rows
from query.request import ANY_HIT, Count, Hit, RunSet, Share, Summary, intersect, said_field
from query.request.fields import field_named


def count(asked: RunningRequest, measure: Count | Share, of: RunSet) -> Result:
    """Return how many runs, detections or values there are, or a percentage.

    The percentage is of the runs for which it is known; the tally is of the runs that are counted.
    """
    (result,) = counts(asked, measure, (of,))
    return result


def counts(asked: RunningRequest, measure: Count | Share, sets: Sequence[RunSet]) -> list[Result]:
    """Return what ``count`` returns for each of several sets of runs, by one statement."""
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
    flags = statement.flags
    if isinstance(measure, Share):
        whole, part = flags.holds(of), measure.part
        is_known = f"({flags.holds(part)} OR {flags.holds(part, denied=True)})"
        more = {
            "whole": f"count(*) FILTER ({whole})",
            "known": f"count(*) FILTER ({all_of(whole, is_known)})",
        }
        return plan_tally(statement, intersect(of, part), more=more)
    unit, hits = measure.unit, measure.hits
    if unit in ("run", "biosample"):
        return plan_tally(statement, of, hits=hits, samples=unit == "biosample")
    stating: tuple[str, ...] = ()
    if unit == "detection":
        number = _detections(statement, hits, of)
    else:
        number = _distinct(statement, unit, hits, of)
        stating = (unit,) if field_named(unit).of == "run" else ()
    more = {"number": f"({number})"}
    return plan_tally(statement, of, hits=hits, stating=stating, more=more)


def _result(asked: RunningRequest, measure: Count | Share, tallied: Tallied) -> Result:
    tally, more = tallied.tally, tallied.more
    among: int | None = None
    number: float | None
    if isinstance(measure, Share):
        among = more["known"]
        number = 100 * tally.runs / among if among else None
        unit = f"percent of {among} runs of which it is known, of {more['whole']} in all"
    else:
        unit = measure.unit
        unit = f"{unit}s" if unit in ("run", "detection") else field_named(unit).plural
        number = more.get("number", tally.counted(measure.hits))
        number = tally.samples if measure.unit == "biosample" else number
    return Result(
        request=asked.request,
        number=number,
        among=among,
        unit=unit,
        tally=tally,
        left_out=tallied.left_out,
    )


def exists(asked: RunningRequest, of: RunSet) -> Result:
    """Return yes with the number of runs, no with the number searched, or never searched."""
    counted = count(asked, Count(), of)
    verdict: Verdict = "yes" if counted.number else "no"
    if not counted.number and has_virus(of) and not counted.of_runs.searched:
        verdict = "never searched"
    return replace(counted, verdict=verdict)


def _detections(statement: RunsQuery, hits: Hit | None, of: RunSet) -> str:
    runs = statement.flags.among(statement.flags.holds(of))
    hit = statement.holdings.hits(hits or ANY_HIT, among=runs)
    return f"SELECT count(*) FROM {hit_tables(hit)} WHERE {hit}"


def _distinct(statement: RunsQuery, unit: str, hits: Hit | None, of: RunSet) -> str:
    """Return a SELECT of the number of values of a field in the runs that are the answer."""
    answer = conditions_of(statement.flags, of, hits).answer
    runs = statement.flags.among(answer)
    values = relation(statement.holdings, (unit,), hits, among=runs)
    return f"SELECT count(DISTINCT v1) FROM ({values})"


def summary(asked: RunningRequest, measure: Summary, of: RunSet) -> Result:
    """Return the summary of a number; for hits, the best number of each run and virus counts."""
    field = field_named(measure.number)
    said = said_field(measure.number)
    statement = asked.statement()
    plan = plan_tally(statement, of, hits=measure.hits)
    answer = conditions_of(statement.flags, of, measure.hits).answer
    holdings = statement.holdings
    if field.of == "hit":
        runs = statement.flags.among(answer)
        joined = relation(holdings, (), measure.hits, number=field, among=runs)
        of_what = "hits (the best of each run and virus)"
    else:
        numbers = largest_numbers(holdings, field)
        joined = f"SELECT n.number FROM flagged LEFT JOIN ({numbers}) n USING (run) WHERE {answer}"
        of_what = "runs"
    final = f"SELECT {', '.join(SUMMARY.values())} FROM ({joined})"
    tallied, (row,) = tallied_rows(asked, statement, plan, final)
    _, missing, _, _, mean, _ = row
    lacking = (Omission("no number", missing, f"{of_what} without {said}"),) if missing else ()
    return Result(
        request=asked.request,
        number=mean,
        unit=f"mean {said}" + (f", {field.unit}" if field.unit else ""),
        tally=tallied.tally,
        columns=tuple(SUMMARY),
        rows=(tuple(row),),
        total=1,
        left_out=(*tallied.left_out, *lacking),
    )
