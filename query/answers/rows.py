"""Answers that are lists of runs or hits: how many there are, and that they are in the table."""

from __future__ import annotations

from index.claims import RUN, Listed
from query.answers.counting import certainty_of
from query.answers.drafting import Answering, Draft, table_of
from query.answers.finding import found
from query.answers.subject import subject_of
from query.compiler.rows import is_of_hits
from query.request import Rows
from query.request.fields import RUN as THE_RUN
from query.request.fields import field_named

_FEW = 3


def draft_rows(context: Answering, measure: Rows) -> Draft:
    """Return how many runs or hits there are, and how many of them are in the table."""
    subject = subject_of(context, measure.hits)
    result, tally = context.result, context.result.tally
    number = 0 if tally is None else tally.runs if measure.hits is None else tally.positive
    claim = found(context, subject, number)
    certainty = certainty_of(context, subject, number)
    if not result.rows:
        return Draft([claim], certainty)
    is_few = THE_RUN in measure.columns and len(result.rows) <= _FEW
    runs = [str(row[THE_RUN]) for row in result.records()] if is_few else []
    lead = Listed(
        of=claim,
        total=result.total,
        shown=len(result.rows),
        noun=("detection", "detections") if is_of_hits(measure) else RUN,
        names=tuple(dict.fromkeys(runs)),
        order=_order(measure),
    )
    return Draft([lead], certainty, table=table_of(result))


def _order(measure: Rows) -> str:
    if measure.order is None:
        return ""
    name = measure.order.by
    said = "run" if name == THE_RUN else field_named(name).said
    return f"{'highest' if measure.order.descending else 'lowest'} {said} first"
