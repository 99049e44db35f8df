"""Lists of hosts, and numbers of hosts, without those that a virus is not known from."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from index.claims import Claim
from query.answers.drafting import Answering
from query.answers.listing_words import number_column, number_of
from query.answers.next_steps import turning_up
from query.answers.subject import Topic
from query.compiler.expecting import unexpected_hosts
from query.request import Hit
from query.request.measures import Values

_PLAUSIBLE: Final = ("recorded", "new within class")


def of_plausible_hosts(context: Answering, measure: Values) -> tuple[Values, Answering]:
    """Return a request that counts hosts of viruses as one that counts those that are plausible,
    with its result.
    """
    each, hits = measure.each, measure.hits or Hit()
    counts_hosts = each.type == "count" and each.unit == "host"
    if measure.by != ("virus",) or not counts_hosts or hits.plausibility:
        return measure, context
    narrowed = replace(measure, hits=replace(hits, plausibility=_PLAUSIBLE))
    request = replace(context.request, measure=narrowed)
    return narrowed, replace(context, request=request, result=context.look(narrowed))


def in_plausible_hosts(
    context: Answering, measure: Values, subject: Topic
) -> tuple[Answering, list[Claim]]:
    """Return a list of hosts without those in which all hits are unexpected, and these."""
    is_count = measure.each == Values(("host",)).each
    if measure.by != ("host",) or len(subject.hits) != 1 or not is_count:
        return context, []
    unexpected = dict(unexpected_hosts(context.resolver, subject.hits[0], context.request.of))
    if not unexpected:
        return context, []
    whole = context.result
    if whole.total > len(whole.rows):
        whole = context.look(replace(measure, limit=None), brief=False)
    column = number_column(whole)
    others = [row for row in whole.rows if unexpected.get(str(row[0]), 0) >= number_of(row[column])]
    usual = [row for row in whole.rows if row not in others]
    if not usual or not others:
        return context, []
    rows = tuple(usual[: measure.limit])
    result = replace(context.result, rows=rows, total=whole.total - len(others))
    claims = turning_up(
        context, subject, [(str(row[0]), int(number_of(row[column]))) for row in others]
    )
    return replace(context, result=result), claims
