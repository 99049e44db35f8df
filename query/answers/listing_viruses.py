"""Lists of viruses: the named ones first, then weak matches, families and phyla of other hits."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from index.claims import TOTAL, Claim, NamedNumber, Ranking
from index.claims.counts import UNMEASURED
from index.claims.phrases import is_group, listed
from index.claims.verdicts import OutweighedViruses
from query.answers.drafting import Answering
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

_LEAST_POSITIVE: Final = 5
"""Runs from which it is said that none of them supports the virus."""
_WEAK: Final = "all below 90% identity"
_ARE: Final = {
    _WEAK: "matched only weakly (below 90% identity)",
    UNMEASURED: "also reported, match quality unknown",
}
"""What is said of viruses that no hit supports."""
_UNEXPECTED: Final = 3
"""Viruses that are not known from a host, which are named."""
_NOT_OF_HOST: Final = "not known from this host, so almost certainly no infection"
_PLACED: Final = 4
"""Families and higher taxa that are named."""


def only_named(context: Answering, measure: Values) -> tuple[Answering, list[Claim]]:
    """Return the answer without hits that are placed only in a family or higher, and without
    viruses that a relative outweighs; and what is said of these.
    """
    if measure.by != ("virus",) or measure.each.type != "count":
        return context, []
    result = context.result
    first_only = measure.limit is not None and measure.limit < result.total
    if first_only:
        result = context.look(replace(measure, limit=None))
    of = of_positive(context.request.of, measure.hits)
    outweighed = outweighed_rows(replace(context, result=result), measure, of)
    left_out = {row[0] for row in outweighed}
    placed = [row for row in result.rows if is_placed(str(row[0]))]
    named = [row for row in result.rows if row not in placed and str(row[0]) not in left_out]
    if not named:
        return context, []
    weak = [] if first_only else _weak(result, named)
    sure = [row for row in named if row not in weak]
    total = result.total - (len(result.rows) - len(sure))
    shown = sure[: measure.limit] if first_only else sure
    column = number_column(replace(result, request=context.request))
    claims = _besides(context, measure, weak, placed=[] if first_only else placed, column=column)
    least = number_of(shown[-1][column]) if first_only else 0
    outweighed = tuple(row for row in outweighed if row[3] >= least)
    if outweighed:
        claims.append(OutweighedViruses(viruses=outweighed))
    result = replace(result, request=context.request, rows=tuple(shown), total=total)
    return replace(context, result=result), claims


def _weak(result: Result, rows: Sequence[tuple[Cell, ...]]) -> list[tuple[Cell, ...]]:
    """Return the rows that no hit supports, where hits support others."""
    names = [column.name for column in result.columns]
    if "at_90" not in names:
        return []
    at_90, positive = names.index("at_90"), names.index("positive")
    weak = [row for row in rows if not row[at_90] and number_of(row[positive]) >= _LEAST_POSITIVE]
    return weak if any(number_of(row[at_90]) for row in rows) else []


def _besides(
    context: Answering,
    measure: Values,
    weak: Sequence[tuple[Cell, ...]],
    *,
    placed: Sequence[tuple[Cell, ...]],
    column: int,
) -> list[Claim]:
    """Return the viruses that no hit supports, then the families and phyla of other hits."""
    claims: list[Claim] = []
    weak_places = [place_of(str(row[0]), row[column]) for row in weak]
    noted = _noted(context, measure, measure.hits or Hit(), weak_places) if weak else ()
    for note, are in _ARE.items():
        places = tuple(replace(place, note="") for place in noted if place.note == note)
        if places:
            ranked = Ranking(begin="", places=places, end=f" is {are}")
            if len(places) > 1:
                others = ("other virus", "other viruses")
                ranked = Ranking(begin=f"{TOTAL} are {are}", places=places, thing=others)
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
    """Return a ranking that says which of its viruses are not known from the host that the question
    names, and a claim on those that it does not name.
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
    found = ranking(context.look(Values(measure.by, hits=hits)), "").places
    said = [place.name for place in lead.phrased()]
    here = [place.name for place in found if place.name in said]
    rest = tuple(place for place in found if place.name not in said)[:_UNEXPECTED]
    if here:
        which = "which" if len(said) == 1 else listed(here) if len(here) < len(said) else "they"
        are = "are" if len(here) > 1 or is_group(here[0]) else "is"
        joint = ", " if which == "which" else "; "
        lead = replace(lead, end=f"{lead.end}{joint}{which} {are} {_NOT_OF_HOST}")
    are = "are" if len(rest) > 1 or (rest and is_group(rest[0].name)) else "is"
    end = f" {are} {_NOT_OF_HOST}"
    return lead, [Ranking(begin="", places=rest, end=end, named=len(rest))] if rest else []


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


def with_notes(context: Answering, measure: Values, subject: Topic, lead: Ranking) -> Ranking:
    """Return a ranking whose places say where no hit supports the species, while others do."""
    field = field_named(measure.by[0])
    if field.name not in ("virus", "species") and not names_species(context, subject.hits):
        return lead
    weak = {str(row[0]) for row in _weak(context.result, context.result.rows)}
    if not weak:
        return lead
    hit = subject.hits[0] if field.of == "run" else measure.hits or Hit()
    noted = _noted(context, measure, hit, [place for place in lead.places if place.name in weak])
    notes = {place.name: place for place in noted if not is_placed(place.name)}
    return replace(lead, places=tuple(notes.get(place.name, place) for place in lead.places))


def _noted(
    context: Answering, measure: Values, hit: Hit, weak: Sequence[NamedNumber]
) -> tuple[NamedNumber, ...]:
    """Return places with what is wrong: weaker matches, or no identity that is known."""
    known = replace(measure, hits=replace(hit, evidence="known"), limit=None)
    measured = {str(row[0]) for row in context.look(known).rows}
    return tuple(
        replace(place, note=_WEAK if place.name in measured else UNMEASURED) for place in weak
    )
