"""Lists of viruses: the confirmed first, then others, families and phyla of other hits."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from index.claims import TOTAL, Claim, Ranking
from index.claims.verdicts import OutweighedViruses
from query.answers.drafting import Answering
from query.answers.listing_begin import is_of_some, runs_of
from query.answers.listing_words import (
    is_placed,
    number_column,
    number_of,
    place_of,
    placed_words,
    ranking,
)
from query.answers.relatives import outweighed_rows
from query.answers.run_words import runs_in_words
from query.answers.subject import Topic, of_positive
from query.answers.unknowns import names_species
from query.compiler import Result
from query.compiler.flags import leaves
from query.compiler.result import Cell
from query.compiler.virus_names import common_names
from query.request import Has, Hit
from query.request.fields import field_named
from query.request.measures import Values

CONFIRMED: Final = "confirmed (a match of at least 90%)"
UNCONFIRMED: Final = "reported, but not confirmed,"
NONE_CONFIRMED: Final = "none confirmed"
_CONFIRMED_BY: Final = ("virus", "species", "family")
"""Fields of hits whose values are told apart by whether they are confirmed."""
_NO_INFECTION: Final = "almost certainly contamination or food"
_PLACED: Final = 4
"""Families and higher taxa that are named."""


def only_named(context: Answering, measure: Values) -> tuple[Answering, list[Claim]]:
    """Return the answer without hits that are placed only in a family or higher, without viruses
    that a relative outweighs, and without those of which no run is confirmed, where some are; and
    what is said of these.
    """
    if measure.by[0] not in _CONFIRMED_BY or len(measure.by) > 1 or measure.each.type != "count":
        return context, []
    result = context.result
    first_only = measure.limit is not None and measure.limit < result.total
    if first_only:
        result = context.look(replace(measure, limit=None), brief=False)
    of = of_positive(context.request.of, measure.hits)
    outweighed = outweighed_rows(replace(context, result=result), measure, of)
    left_out = {row[0] for row in outweighed}
    placed = [row for row in result.rows if measure.by == ("virus",) and is_placed(str(row[0]))]
    named = [row for row in result.rows if row not in placed and str(row[0]) not in left_out]
    if not named:
        return context, []
    sure = named if first_only else _confirmed(result, measure, named)
    total = result.total - (len(result.rows) - len(sure))
    shown = sure[: measure.limit] if first_only else sure
    column = number_column(replace(result, request=context.request))
    claims: list[Claim] = []
    if not first_only:
        weak = [row for row in named if row not in sure]
        claims = _besides(context, measure, weak, placed=placed, column=column)
    least = number_of(shown[-1][column]) if first_only else 0
    outweighed = tuple(row for row in outweighed if row[3] >= least)
    if outweighed:
        claims.append(OutweighedViruses(viruses=outweighed))
    result = replace(result, request=context.request, rows=tuple(shown), total=total)
    return replace(context, result=result), claims


def only_placed(context: Answering, measure: Values) -> Claim | None:
    """Return that no virus has a name, where hits are placed only in families or higher."""
    rows = context.result.rows
    if measure.by != ("virus",) or not all(is_placed(str(row[0])) for row in rows):
        return None
    column = number_column(context.result)
    places = tuple(place_of(placed_words(str(row[0])), row[column]) for row in rows)
    begin = f"no named virus is found in {runs_of(context)}; hits could be assigned only to"
    return Ranking(begin=begin, places=places, named=_PLACED)


def _confirmed(
    result: Result, measure: Values, rows: list[tuple[Cell, ...]]
) -> list[tuple[Cell, ...]]:
    """Return the rows with confirmed runs, most of these first; all where there are none."""
    column = _column_of_confirmed(result)
    if column is None or is_of_some(measure) or measure.at_least is not None:
        return rows
    sure = [row for row in rows if row[column]]
    return sorted(sure, key=lambda row: -number_of(row[column])) or rows


def _column_of_confirmed(result: Result) -> int | None:
    """Return the place of the confirmed runs, where runs are counted."""
    names = [column.name for column in result.columns]
    measure = result.request.measure
    if not isinstance(measure, Values) or measure.each != Values(measure.by).each:
        return None
    return names.index("at_90") if "at_90" in names else None


def _besides(
    context: Answering,
    measure: Values,
    weak: Sequence[tuple[Cell, ...]],
    *,
    placed: Sequence[tuple[Cell, ...]],
    column: int,
) -> list[Claim]:
    """Return the viruses that are not confirmed, then the families and phyla of other hits."""
    claims: list[Claim] = []
    if weak:
        one, several = field_named(measure.by[0]).said, field_named(measure.by[0]).plural
        places = tuple(place_of(str(row[0]), row[column]) for row in weak)
        begin = f"{TOTAL} {'are' if len(weak) > 1 else 'is'} reported but not confirmed"
        others = (f"other {one}", f"other {several}")
        ranked = Ranking(begin=begin, places=places, thing=others)
        claims.append(with_common_names(context, measure, ranked))
    if placed:
        places = tuple(place_of(placed_words(str(row[0])), row[column]) for row in placed)
        begin = "further hits could be assigned only to"
        claims.append(Ranking(begin=begin, places=places, named=_PLACED))
    return claims


def named_lead(lead: Claim, besides: Sequence[Claim]) -> Claim:
    """Return a ranking of viruses that says "named", where others are only placed in a family."""
    are_placed = any(isinstance(claim, Ranking) and claim.named == _PLACED for claim in besides)
    if not are_placed or not isinstance(lead, Ranking):
        return lead
    one, several = lead.thing
    only = lead.only.replace(one, f"named {one}", 1)
    return replace(lead, thing=(f"named {one}", f"named {several}"), only=only)


def with_implausible(context: Answering, measure: Values, lead: Claim) -> tuple[Claim, list[Claim]]:
    """Return a ranking without the viruses that are not known from the host that the question
    names, and a claim on these.
    """
    hosts = [leaf for leaf, denied in leaves(context.request.of)
             if isinstance(leaf, Has) and leaf.field == "host" and not denied]  # fmt: skip
    is_whole = measure.absent_in is None and measure.found_in is None
    if (
        not hosts
        or not is_whole
        or measure.by[0] not in ("virus", "species", "family")
        or not isinstance(lead, Ranking)
    ):
        return lead, []
    named = True if measure.by != ("family",) else None
    hits = replace(measure.hits or Hit(), named=named, plausibility=("unexpected",))
    reported = {place.name: place.out_of or place.number for place in lead.places}
    ranked = ranking(context.look(Values(measure.by, hits=hits)), "").places
    found = [place for place in ranked if place.number >= reported.get(place.name, 0)]
    unexpected = {place.name for place in found}
    usual = tuple(place for place in lead.places if place.name not in unexpected)
    if not found:
        return lead, []
    if not usual:
        it = "it is" if len(lead.places) == 1 else "they are"
        end = f"{lead.end}; {it} not known from this host: {_NO_INFECTION}"
        return replace(lead, end=end), []
    one, several = field_named(measure.by[0]).said, field_named(measure.by[0]).plural
    thing = (f"{one} not known from this host", f"{several} not known from this host")
    begin = f"{TOTAL} also {'turn' if len(found) > 1 else 'turns'} up"
    claim = Ranking(begin=begin, places=tuple(found), thing=thing, end=f": {_NO_INFECTION}")
    return replace(lead, places=usual), [with_common_names(context, measure, claim)]


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


def with_confirmed(context: Answering, measure: Values, subject: Topic, lead: Ranking) -> Ranking:
    """Return a ranking that tells confirmed runs from others: of lists of viruses those that are
    confirmed come first and are counted, else the values say how many are.
    """
    result = context.result
    column = _column_of_confirmed(result)
    is_of_viruses = measure.by[0] in _CONFIRMED_BY
    if column is None or not (is_of_viruses or names_species(context, subject.hits)):
        return lead
    rows = list(zip(lead.places, result.rows, strict=False))
    confirmed = [int(number_of(row[column])) for _, row in rows]
    is_cut = is_of_some(measure) or measure.at_least or result.total > len(result.rows)
    if is_of_viruses and not is_cut and len({bool(number) for number in confirmed}) == 1:
        said = f"{CONFIRMED if confirmed[0] else UNCONFIRMED} in"
        begin = lead.begin.replace("found in", said, 1)
        lead = replace(lead, begin=begin, only=lead.only.replace("found in", said, 1))
        if not confirmed[0]:
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
