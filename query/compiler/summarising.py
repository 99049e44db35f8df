"""Numbers of runs or hits summarised: n, missing, min, median, mean, max."""

from __future__ import annotations

from query.compiler.listing import SUMMARY
from query.compiler.relations import largest_numbers, relation
from query.compiler.result import Omission, Result
from query.compiler.statement import RunningRequest
from query.compiler.tallying import conditions_of, plan_tally, tallied_rows
from query.request.fields import field_named
from query.request.measures import Summary
from query.request.run_sets import RunSet
from query.request.wording import said_field


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
