"""Lists of viruses and hosts: the confirmed and known first, the doubtful behind them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from index.claims import TOTAL, Claim, Counted, NamedNumber, OutweighedViruses, Portrait, Ranking
from query.answers.drafting import Answering
from query.answers.listing_begin import runs_of
from query.answers.listing_words import (
    DRAWN,
    SAID,
    is_placed,
    number_column,
    number_of,
    place_of,
    placed_words,
)
from query.answers.run_words import runs_in_words
from query.answers.subject import Topic, of_positive
from query.answers.unknowns import names_species, outweighed_rows
from query.compiler.expecting import unexpected_hosts
from query.compiler.flags import leaves
from query.compiler.result import Cell
from query.compiler.virus_names import common_names
from query.request import Count, Has, Hit
from query.request.fields import field_named
from query.request.measures import Values

NONE_CONFIRMED: Final = "none confirmed"
_CONFIRMED: Final = "confirmed (at least 90% identity)"
_VIRUSES: Final = ("virus", "species", "family")
"""Fields of hits whose values are told apart by whether they are confirmed."""
_NO_INFECTION: Final = ", almost certainly through contamination or food"
_NOT_KNOWN: Final = "not known from this host"
_PLACED: Final = 4
"""Families and higher taxa that are named."""
_SEQUENCE: Final = re.compile(r"u\d+")
"""A cluster of sequences of the polymerase."""
_SEQUENCES: Final = 5
"""Values of sOTUs, among which is the most frequent cluster."""
_PLAUSIBLE: Final = ("recorded", "new within class")
Row = tuple[Cell, ...]


def confirmed_first(context: Answering, measure: Values) -> tuple[Answering, list[Claim]]:
    """Return the answer without hits that are placed only in a family or higher, without viruses
    that a relative outweighs or that are not known from the host that the question names, and
    without those of which no run is confirmed, where some are; and what is said of these.
    """
    if measure.by[0] not in _VIRUSES or len(measure.by) > 1 or not isinstance(measure.each, Count):
        return context, []
    result, limit = context.result, measure.limit
    if limit is not None and limit < result.total:
        result = context.look(replace(measure, limit=None), brief=False)
    whole = replace(context, result=result)
    outweighed = outweighed_rows(whole, measure, of_positive(context.request.of, measure.hits))
    unexpected = _unexpected(whole, measure)
    explained = {row[0] for row in outweighed} | {place.name for place in unexpected}
    placed = [row for row in result.rows if measure.by == ("virus",) and is_placed(str(row[0]))]
    named = [row for row in result.rows if row not in placed and str(row[0]) not in explained]
    column = _column_of_confirmed(context, measure)
    columns = [part.name for part in result.columns]
    counted = columns.index("runs") if "runs" in columns else number_column(result)
    sure = [row for row in named if column is not None and row[column]]
    if measure.order == "most" and column is not None:
        sure.sort(key=lambda row: -number_of(row[column]))
    shown = (sure or named)[:limit]
    weak = [row for row in named if row not in sure] if sure and len(sure) != limit else []
    claims = _besides(context, measure, weak, placed if not sure else [], counted)
    least = number_of(shown[-1][counted]) if limit and shown else 0
    outweighed = tuple(row for row in outweighed if row[3] >= least)
    claims += [OutweighedViruses(viruses=outweighed, left_out=bool(shown))] if outweighed else []
    claims += _turning_up(context, measure, unexpected, _NOT_KNOWN)
    claims = _without_name(context, measure, shown, counted) + claims
    result = replace(result, request=context.request, rows=tuple(shown), total=len(sure or named))
    return replace(context, result=result), claims


def _unexpected(context: Answering, measure: Values) -> tuple[NamedNumber, ...]:
    """Return the viruses that are in no run as a virus that is known from the host of the question,
    or from relatives of it.
    """
    hosts = [leaf for leaf, denied in leaves(context.request.of)
             if isinstance(leaf, Has) and leaf.field == "host" and not denied]  # fmt: skip
    is_asked = measure.hits is not None and bool(measure.hits.plausibility)
    if not hosts or is_asked or measure.absent_in is not None or measure.found_in is not None:
        return ()
    named = True if measure.by != ("family",) else None
    hits = replace(measure.hits or Hit(), named=named, plausibility=("unexpected",))
    whole = context.result
    if measure.each != Count():
        whole = context.look(Values(measure.by, hits=measure.hits))
    runs = {row[0]: row[number_column(whole)] for row in whole.rows}
    found = context.look(Values(measure.by, hits=hits))
    places = [place_of(str(row[0]), row[number_column(found)]) for row in found.rows]
    return tuple(place for place in places if place.number >= number_of(runs.get(place.name)))


def _turning_up(
    context: Answering, measure: Values, places: Sequence[NamedNumber], unknown: str
) -> list[Claim]:
    """Return the viruses or hosts that are not known from each other."""
    field = field_named(measure.by[0])
    claim = Ranking(
        begin=f"{TOTAL} also turn up",
        places=tuple(places[:DRAWN]),
        thing=(f"{field.said} {unknown}", f"{field.plural} {unknown}"),
        others=len(places[DRAWN:]),
        end=_NO_INFECTION,
    )
    return [with_common_names(context, measure, claim)] if places else []


def none_to_name(context: Answering, measure: Values, besides: Sequence[Claim]) -> Claim:
    """Return that the hits are of no virus that could be named first, as ``besides`` says why."""
    field = field_named(measure.by[0])
    is_foreign = any(_NO_INFECTION in claim.clause() for claim in besides)
    which = f"{field.said} known from this host" if is_foreign else f"named {field.said}"
    return Portrait(text=f"no {which} is found in {runs_of(context)}")


def _without_name(
    context: Answering, measure: Values, shown: Sequence[Row], counted: int
) -> list[Claim]:
    """Return the virus without a name that is in most of the runs, in a list of all viruses, if it
    is in more runs than any that has a name.
    """
    if measure.by != ("virus",) or measure.hits is not None:
        return []
    found = context.look(Values(("sotu",), hits=Hit(named=False), limit=_SEQUENCES))
    rows = [row for row in found.rows if _SEQUENCE.fullmatch(str(row[0]))]
    runs = number_of(rows[0][number_column(found)]) if rows else 0
    if runs <= max((number_of(row[counted]) for row in shown), default=0):
        return []
    before = f"the most frequent virus has no name: {rows[0][0]} is found in"
    return [Counted(number=int(runs), before=before)]


def _column_of_confirmed(context: Answering, measure: Values) -> int | None:
    """Return the place of the confirmed runs, where runs are counted."""
    names = [column.name for column in context.result.columns]
    counts_runs = measure.each == Count() and measure.at_least is None
    return names.index("at_90") if counts_runs and "at_90" in names else None


def _besides(
    context: Answering, measure: Values, weak: Sequence[Row], placed: Sequence[Row], counted: int
) -> list[Claim]:
    """Return the viruses that are not confirmed, then the families and phyla of other hits."""
    claims: list[Claim] = []
    field = field_named(measure.by[0])
    if weak:
        ranked = Ranking(
            begin=f"{TOTAL} are reported but not confirmed",
            places=tuple(place_of(str(row[0]), row[counted]) for row in weak[:SAID]),
            thing=(f"other {field.said}", f"other {field.plural}"),
            others=len(weak[SAID:]),
        )
        claims.append(with_common_names(context, measure, ranked))
    if placed:
        places = tuple(place_of(placed_words(str(row[0])), row[counted]) for row in placed)
        begin = "some viral sequences could be placed only in"
        claims.append(Ranking(begin=begin, places=places, named=_PLACED))
    return claims


def with_confirmed(context: Answering, measure: Values, subject: Topic, lead: Ranking) -> Ranking:
    """Return a ranking that distinguishes confirmed runs from others: of viruses it counts them, of
    other values it notes them.
    """
    result = context.result
    column = _column_of_confirmed(context, measure)
    is_of_viruses = measure.by[0] in _VIRUSES
    if column is None or not (is_of_viruses or names_species(context, subject.hits)):
        return lead
    rows = list(zip(lead.places, result.rows, strict=False))
    confirmed = [int(number_of(row[column])) for _, row in rows]
    if is_of_viruses:
        said = f"{_CONFIRMED} in" if any(confirmed) else "reported, but not confirmed, in"
        lead = replace(lead, begin=lead.begin.replace("found in", said, 1))
        if not all(confirmed):
            return lead
        places = [replace(place, number=number, out_of=int(place.number))
                  for (place, _), number in zip(rows, confirmed, strict=True)]  # fmt: skip
        return replace(lead, places=tuple(places))
    if not any(confirmed) and not (result.tally and result.tally.at_90):
        return lead
    noted = [
        place if number == place.number
        else replace(place, note=f"{number:,} confirmed" if number else NONE_CONFIRMED)
        for (place, _), number in zip(rows, confirmed, strict=True)
    ]  # fmt: skip
    return replace(lead, places=tuple(noted))


def without_own(context: Answering, lead: Ranking) -> Ranking:
    """Return a ranking of viruses of runs that carry one without that virus."""
    names = [name for hit in runs_in_words(context.request.of, context.names).carried
             for name in hit.virus]  # fmt: skip
    own = {context.names.formal(name, "virus") for name in names}
    others = tuple(place for place in lead.places if place.name not in own)
    if not others or len(others) == len(lead.places):
        return lead
    thing = (f"other {lead.thing[0]}", f"other {lead.thing[1]}")
    return replace(lead, places=others, thing=thing)


def with_common_names(context: Answering, measure: Values, lead: Ranking) -> Ranking:
    """Return a ranking of viruses with what they are called in the laboratory."""
    if measure.by[0] not in ("virus", "species"):
        return lead
    common = common_names(context.con, [place.name for place in lead.places])
    places = [replace(place, alias=common.get(place.name, "")) for place in lead.places]
    return replace(lead, places=tuple(places))


def of_plausible_hosts(context: Answering, measure: Values) -> tuple[Values, Answering]:
    """Return a request that counts hosts of viruses as one that counts those that are plausible,
    with its result.
    """
    hits = measure.hits or Hit()
    if measure.by != ("virus",) or measure.each != Count("host") or hits.plausibility:
        return measure, context
    narrowed = replace(measure, hits=replace(hits, plausibility=_PLAUSIBLE))
    request = replace(context.request, measure=narrowed)
    return narrowed, replace(context, request=request, result=context.look(narrowed))


def in_plausible_hosts(
    context: Answering, measure: Values, subject: Topic
) -> tuple[Answering, list[Claim]]:
    """Return a list of hosts without those in which all hits are unexpected, and these."""
    if measure.by != ("host",) or len(subject.hits) != 1 or measure.each != Count():
        return context, []
    unexpected = dict(unexpected_hosts(context.resolver, subject.hits[0], context.request.of))
    whole = context.result
    if unexpected and whole.total > len(whole.rows):
        whole = context.look(replace(measure, limit=None), brief=False)
    column = number_column(whole)
    others = [row for row in whole.rows if unexpected.get(str(row[0]), 0) >= number_of(row[column])]
    usual = [row for row in whole.rows if row not in others]
    if not usual or not others:
        return context, []
    rows = tuple(usual[: measure.limit])
    result = replace(context.result, rows=rows, total=whole.total - len(others))
    places = [place_of(str(row[0]), row[column]) for row in others]
    unknown = "not known for this virus"
    return replace(context, result=result), _turning_up(context, measure, places, unknown)
