"""How well hits are supported: by name, source and identity."""

from __future__ import annotations

from index.store.run_values import AT_SPECIES
from query.compiler.held import hit_tables
from query.compiler.result import Result, ResultColumn
from query.compiler.statement import RunningRequest
from query.compiler.tallying import plan_tally, tallied_rows
from query.request.measures import Evidence
from query.request.run_sets import RunSet

_COLUMNS = (
    ResultColumn("stated", comment="what may be said of these hits"),
    ResultColumn("reported", comment="virus as the source names it"),
    ResultColumn("source", comment="source that detected it"),
    ResultColumn(
        "evidence", comment="species: 90 % and more; nearer a relative; below 90 %; reported only"
    ),
    ResultColumn("runs", "runs"),
    ResultColumn("hits", "detections"),
    ResultColumn("min_identity", "percent"),
    ResultColumn("median_identity", "percent"),
    ResultColumn("max_identity", "percent"),
    ResultColumn("median_reads", "reads"),
    ResultColumn("median_score"),
)
_SELECT = f"""
SELECT d.stated, d.reported_name, d.source,
       CASE WHEN {AT_SPECIES} THEN 'species' WHEN d.closest IS NOT NULL THEN 'nearer a relative'
            WHEN d.identity IS NOT NULL THEN 'below 90 %' ELSE 'reported only' END AS evidence,
       count(DISTINCT d.run) AS runs, count(*), min(d.identity), median(d.identity),
       max(d.identity), median(d.reads), median(d.score)
FROM {{tables}} WHERE {{hit}}
GROUP BY ALL
"""
_ORDER = "ORDER BY runs DESC, stated, reported_name, source, evidence"


def evidence(asked: RunningRequest, measure: Evidence, of: RunSet) -> Result:
    """Return a row for each name, source and class of evidence of the hits, most runs first."""
    statement = asked.statement()
    plan = plan_tally(statement, of, hits=measure.hit)
    runs = statement.flags.among(statement.flags.holds(of))
    hit = statement.holdings.hits(measure.hit, among=runs)
    final = _SELECT.format(hit=hit, tables=hit_tables(hit))
    tallied, rows = tallied_rows(asked, statement, plan, final, order=_ORDER)
    return Result(
        request=asked.request,
        number=tallied.tally.positive,
        tally=tallied.tally,
        columns=_COLUMNS,
        rows=tuple(rows),
        total=len(rows),
        left_out=tallied.left_out,
    )
