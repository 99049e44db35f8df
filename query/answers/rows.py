"""Answers that are lists of runs or hits: how many there are, and that they are in the table."""

from __future__ import annotations

from index.claims import RUN, Claim, Listed
from query.answers.counting import certainty_of, found
from query.answers.drafting import Answering, Draft, table_of
from query.answers.subject import subject_of
from query.answers.unknowns import shown
from query.compiler.rows import is_of_hits
from query.request import Rows
from query.request.fields import RUN as THE_RUN
from query.request.fields import field_named

_FEW = 3


def draft_rows(context: Answering, measure: Rows) -> Draft:
    """Return how many runs or hits there are, and how many of them are in the table."""
    subject = subject_of(context, measure.hits)
    tally = context.result.tally
    number = 0 if tally is None else tally.runs if measure.hits is None else tally.positive
    claim = found(context, subject, number, RUN)
    if not context.result.rows:
        return Draft([claim], shown(context, certainty_of(context, subject, number, RUN)))
    lead: Claim = Listed(
        of=claim,
        total=context.result.total,
        shown=len(context.result.rows),
        noun=("hit", "hits") if is_of_hits(measure) else ("run", "runs"),
        names=_names(context, measure),
        order=_order(measure),
    )
    certainty = certainty_of(context, subject, number, RUN)
    return Draft([lead], shown(context, certainty, found=True), table=table_of(context.result))


def _names(context: Answering, measure: Rows) -> tuple[str, ...]:
    """Return the runs by name where they are few."""
    if THE_RUN not in measure.columns or len(context.result.rows) > _FEW:
        return ()
    place = measure.columns.index(THE_RUN)
    return tuple(dict.fromkeys(str(row[place]) for row in context.result.rows))


def _order(measure: Rows) -> str:
    if measure.order is None:
        return ""
    name = measure.order.by
    said = "run" if name == THE_RUN else field_named(name).said
    first = "highest" if measure.order.descending else "lowest"
    return f"{first} {said} first"
