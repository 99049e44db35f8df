"""How well hits are supported: by name, source and identity."""

from __future__ import annotations

from index.store.run_values import AT_SPECIES
from query.compiler.held import hit_tables
from query.compiler.result import Result, ResultColumn
from query.compiler.statement import RunningRequest
from query.compiler.tallying import plan_tally, tallied_rows
from query.request.measures import Evidence
from query.request.run_sets import RunSet

_EVIDENCE = f"""
CASE WHEN {AT_SPECIES} THEN 'species' WHEN d.closest IS NOT NULL THEN 'nearer a relative'
     WHEN d.identity IS NOT NULL THEN 'below 90 %' ELSE 'reported only' END"""
_COLUMNS = {
    ResultColumn("stated", comment="what may be said of these hits"): "d.stated",
    ResultColumn("reported", comment="virus as the source names it"): "d.reported_name",
    ResultColumn("source", comment="source that detected it"): "d.source",
    ResultColumn(
        "evidence", comment="species: 90 % and more; nearer a relative; below 90 %; reported only"
    ): _EVIDENCE,
    ResultColumn("runs", "runs"): "count(DISTINCT d.run)",
    ResultColumn("hits", "detections"): "count(*)",
    ResultColumn("min_identity", "percent"): "min(d.identity)",
    ResultColumn("median_identity", "percent"): "median(d.identity)",
    ResultColumn("max_identity", "percent"): "max(d.identity)",
    ResultColumn("median_reads", "reads"): "median(d.reads)",
    ResultColumn("median_score"): "median(d.score)",
}
"""Columns and how they are counted."""


def evidence(asked: RunningRequest, measure: Evidence, of: RunSet) -> Result:
    """Return a row for each name, source and class of evidence of the hits, most runs first."""
    statement = asked.statement()
    plan = plan_tally(statement, of, hits=measure.hit)
    runs = statement.flags.among(statement.flags.holds(of))
    hit = statement.holdings.hits(measure.hit, among=runs)
    selected = ", ".join(f"{what} AS {column.name}" for column, what in _COLUMNS.items())
    final = f"SELECT {selected} FROM {hit_tables(hit)} WHERE {hit} GROUP BY ALL"
    order = "ORDER BY runs DESC, stated, reported, source, evidence"
    tallied, rows = tallied_rows(asked, statement, plan, final, order=order)
    return Result(
        request=asked.request,
        number=tallied.tally.positive,
        tally=tallied.tally,
        columns=tuple(_COLUMNS),
        rows=tuple(rows),
        total=len(rows),
        left_out=tallied.left_out,
    )
