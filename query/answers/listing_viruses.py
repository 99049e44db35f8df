"""Lists of viruses and hosts: confirmed and known ones first, doubtful ones after them."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Final

from index.claims import TOTAL, Claim, NamedNumber, OutweighedViruses, Portrait, Ranking, Unnamed
from index.claims.counts import CONFIRMED as _CONFIRMED
from index.claims.phrases import is_or_are, listed
from index.claims.ranks import ALL_CONFIRMED, CONFIRMED, NONE_CONFIRMED
from index.claims.verdicts import MostlyOfLaboratory
from index.stated import LIKE
from query.answer import ResultTable
from query.answers.drafting import Answering, with_column
from query.answers.finding import Topic, names_species, outweighed_rows
from query.answers.listing_begin import elsewhere, runs_of, without_those_of
from query.answers.listing_words import (
    OF_SPECIES,
    SAID,
    is_placed,
    number_column,
    number_of,
    place_of,
    placed_words,
    places_of,
)
from query.answers.run_words import runs_in_words
from query.compiler.expecting import of_laboratory_values, unexpected_hosts
from query.compiler.flags import leaves, required
from query.compiler.held import SPECIES_IDENTITY
from query.compiler.result import Cell
from query.compiler.virus_names import common_names
from query.request import EVERYTHING, Compare, Count, Has, Hit, Records, Summary, Values, Where
from query.request.fields import field_named

_REPORTED: Final = "reported, but not confirmed,"
VIRUSES: Final = ("virus", "species", "family")
"""Fields of hits whose values are confirmed or not."""
A_LIKE: Final = "a virus like "
"""Precedes the name of the nearest virus if no hit is near enough."""
_OF_CELLS: Final = ("tissue", "cell_line")
"""Fields whose values say by themselves that runs are from cell cultures."""
_NO_INFECTION: Final = "; contamination, diet or mislabelling is more likely than infection"
_PLACED: Final = 4
"""Number of families and higher taxa that are named."""
_SEQUENCE: Final = re.compile(r"u\d+")
"""A cluster of sequences of the polymerase."""
_SEQUENCES: Final = 5
"""Number of sOTUs listed to find the most frequent cluster."""
_PLAUSIBLE: Final = ("recorded", "new within class")
Row = tuple[Cell, ...]


def is_code(name: str) -> bool:
    """Return whether an sOTU has no name but its code: "u146197"."""
    return _SEQUENCE.fullmatch(name) is not None


def with_codes(
    context: Answering, shown: Values | Compare, table: ResultTable | None
) -> ResultTable | None:
    """Return a table of viruses with the codes of unnamed viruses, the most frequent first.

    This is only for tables in which each row is a virus of its own.
    """
    inner = shown.measure if isinstance(shown, Compare) else shown
    if table is None or not isinstance(inner, Values):
        return table
    if inner.by != ("virus",) or inner.each != Count():
        return table
    column = table.columns.index("virus")
    if not any(is_placed(str(row[column])) for row in table.rows):
        return table
    hits = replace(inner.hits or Hit(), named=False)
    codes = Values(("virus", "sotu"), hits=hits, absent_in=inner.absent_in, found_in=inner.found_in)
    wanted = replace(shown, measure=codes) if isinstance(shown, Compare) else codes
    named: dict[tuple[Cell, Cell], list[str]] = {}
    for row in context.look(wanted).records():
        if is_code(str(row["sotu"])):
            named.setdefault((row.get("side"), row["virus"]), []).append(str(row["sotu"]))
    keys = [(str(row[0]) if column else None, str(row[column])) for row in table.rows]
    said = [_few(named.get(key, [])) for key in keys]
    return with_column(table, "codes", said) if any(said) else table


def _few(codes: Sequence[str]) -> str:
    others = len(codes) - SAID
    return listed([*codes[:SAID], *([f"{others:,} more"] if others > 0 else [])])


def is_of_viruses(measure: Values) -> bool:
    """Return whether viruses are listed by a number."""
    is_alone = len(measure.by) == 1 and isinstance(measure.each, Count)
    return is_alone and measure.by[0] in VIRUSES


def without_doubtful(context: Answering, measure: Values) -> tuple[Answering, list[Claim]]:
    """Return the answer without doubtful viruses, and what is said about these.

    Doubtful are hits that are placed only in a family or higher, viruses that a relative outweighs,
    and viruses not known from the host that the question names. The rest keeps its order, by runs.
    """
    if not is_of_viruses(measure):
        return context, []
    result, limit = context.result, measure.limit
    if limit is not None and limit < result.total:
        result = context.look(replace(measure, limit=None), brief=False)
    whole = replace(context, result=result)
    outweighed = outweighed_rows(whole, measure, context.runs)
    explained = {row[0] for row in outweighed}
    unexpected = [place for place in _unexpected(whole, measure) if place.name not in explained]
    explained |= {place.name for place in unexpected}
    placed = [row for row in result.rows if measure.by == ("virus",) and is_placed(str(row[0]))]
    named = [row for row in result.rows if row not in placed and str(row[0]) not in explained]
    confirmed = _column_of_confirmed(context, measure)
    columns = result.column_names
    counted = columns.index("runs") if "runs" in columns else number_column(result)
    claims = without_name(context, measure, named, counted)
    if (
        placed
        and measure.each == Count()
        and not any(confirmed is not None and row[confirmed] for row in named)
    ):
        most = sorted(placed, key=lambda row: -number_of(row[counted]))
        places = tuple(place_of(placed_words(str(row[0])), row[counted]) for row in most)
        are_some_said = any(isinstance(claim, Unnamed) for claim in claims)
        begin = f"{'some of these' if are_some_said else 'other viruses'} could only be placed in"
        claims.append(Ranking(begin=begin, places=places, named=_PLACED))
    least = number_of(named[:limit][-1][counted]) if limit and named else 0
    outweighed = tuple(row for row in outweighed if row[3] >= least)
    claims += [OutweighedViruses(viruses=outweighed, left_out=bool(named))] if outweighed else []
    unknown = f"not known from {_hosts_of(context)}"
    claims += _turning_up(context, measure, unexpected, unknown, also="also " if named else "")
    result = replace(result, request=context.request, rows=tuple(named), total=len(named))
    return replace(context, result=result), claims


def _unexpected(context: Answering, measure: Values) -> tuple[NamedNumber, ...]:
    """Return the viruses that no run has as viruses known from the question's host or relatives."""
    hosts = [has for has in required(context.request.of, Has) if has.field == "host"]
    asked = measure.hits or Hit()
    if not hosts or asked.plausibility or asked.named is False:
        return ()
    named = True if measure.by != ("family",) else None
    hits = replace(asked, named=named, plausibility=("unexpected",))
    whole = context.result
    if measure.each != Count():
        whole = context.look(Values(measure.by, hits=measure.hits))
    runs = {row[0]: row[number_column(whole)] for row in whole.rows}
    found = context.look(Values(measure.by, hits=hits))
    return tuple(place for place in places_of(found)
                 if place.name in runs and place.number >= number_of(runs[place.name]))  # fmt: skip


def _turning_up(
    context: Answering,
    measure: Values,
    places: Sequence[NamedNumber],
    unknown: str,
    *,
    also: str = "also ",
) -> list[Claim]:
    """Return the viruses or hosts that are not known from each other."""
    field = field_named(measure.by[0])
    claim = Ranking(
        begin=f"{TOTAL} {also}turn up",
        places=tuple(places),
        thing=(f"{field.said} {unknown}", f"{field.plural} {unknown}"),
        end=_NO_INFECTION,
    )
    return [with_common_names(context, measure, claim)] if places else []


def _hosts_of(context: Answering) -> str:
    """Return the host that the question names, in the plural; "this host" for several."""
    hosts = [has for has in required(context.request.of, Has) if has.field == "host"]
    if len(hosts) != 1 or len(hosts[0].values) != 1:
        return "this host"
    return context.names.hosts(hosts[0].values[0])


def none_to_name(
    context: Answering, measure: Values, besides: Sequence[Claim]
) -> tuple[Claim, list[Claim]]:
    """Return that no virus of the hits can be named, and those of ``besides`` that follow.

    The most frequent unnamed viruses are named by their codes at once, unless the question is about
    a host that named viruses are not known from.
    """
    field = field_named(measure.by[0])
    runs = runs_of(context)
    before = without_those_of(context, measure)
    if measure.found_in is not None:
        runs = f"{runs}{elsewhere(context, measure)}"
    unnamed = [claim for claim in besides if isinstance(claim, Unnamed)]
    if any(_NO_INFECTION in claim.clause() for claim in besides):
        which = f"named {field.said} known from {_hosts_of(context)}"
        return Portrait(text=f"{before}no {which} is found in {runs}"), list(besides)
    if not unnamed:
        return Portrait(text=f"{before}no named {field.said} is found in {runs}"), list(besides)
    only = "" if measure.hits is not None and measure.hits.named is False else "only "
    most = unnamed[0].phrase()
    lead = f"{before}{only}unnamed viruses are found in {runs}, most often {most}"
    return Portrait(text=lead), [claim for claim in besides if claim is not unnamed[0]]


def without_name(
    context: Answering, measure: Values, named: Sequence[Row], counted: int
) -> list[Claim]:
    """Return the most frequent unnamed viruses, if they are among the first of all viruses.

    This is for lists of all viruses.
    """
    no_name = Hit(named=False)
    is_of_all = measure.hits in (None, no_name) and not (measure.under or measure.other_than)
    if measure.by != ("virus",) or not is_of_all or measure.each != Count():
        return []
    found = context.look(replace(measure, by=("sotu",), hits=no_name, limit=_SEQUENCES))
    counts = [(str(row[0]), int(number_of(row[number_column(found)])))
              for row in found.rows if is_code(str(row[0]))]  # fmt: skip
    most = sorted((number_of(row[counted]) for row in named), reverse=True)
    is_first = bool(counts) and counts[0][1] > max(most, default=0)
    least = most[0] if is_first and most else most[SAID - 1] if len(most) >= SAID else 0
    if not counts or counts[0][1] <= least:
        return []
    sotu, runs = counts[0]
    unnamed = Unnamed(sotu=sotu, runs=runs, alone=not named, is_first=is_first)
    if others := tuple(other for other in counts[1:SAID] if other[1] > max(least, 1)):
        return [replace(unnamed, others=others)]
    asked = Records("novel", (Where("sotu", (sotu,)),), columns=("nearest", "identity"))
    for nearest, identity in context.look(asked, EVERYTHING).rows:
        near = str(nearest or "").removesuffix(LIKE)
        return [replace(unnamed, nearest=near, identity=number_of(identity))]
    return [unnamed]


def _column_of_confirmed(context: Answering, measure: Values) -> int | None:
    """Return the place of the column of confirmed runs, if runs are counted."""
    names = context.result.column_names
    counts_runs = measure.each == Count() and measure.at_least is None
    return names.index("at_90") if counts_runs and "at_90" in names else None


def with_confirmed(context: Answering, measure: Values, subject: Topic, lead: Ranking) -> Ranking:
    """Return a ranking of viruses that says how many are confirmed, and each in how many runs."""
    result = context.result
    column = _column_of_confirmed(context, measure)
    is_of_viruses = measure.by[0] in VIRUSES
    if column is None or not (is_of_viruses or names_species(context, subject.hits)):
        return lead
    confirmed = [int(number_of(row[column])) for row in result.rows]
    if is_of_viruses:
        sure = sum(map(bool, confirmed))
        said = _CONFIRMED if sure == len(confirmed) else "found" if sure else _REPORTED
        lead = replace(lead, begin=lead.begin.replace("found in", f"{said} in", 1))
        if said == "found":
            least = dict(zip((str(row[0]) for row in result.rows), confirmed, strict=True))
            sure_of = [place_of(name, number) for name, number in least.items() if number]
            lead = replace(lead, sure=sure, sure_of=tuple(sure_of[:SAID]))
    if not any(confirmed) and (is_of_viruses or not context.tally.at_90):
        return lead
    pairs = list(zip(lead.places, confirmed, strict=False))
    if not lead.sure and all(place.number == number for place, number in pairs):
        return lead
    noted = (replace(place, note=confirmed_of(place, number)) for place, number in pairs)
    return replace(lead, places=tuple(noted))


def confirmed_of(place: NamedNumber, number: int) -> str:
    """Return the number of runs in which a value is confirmed."""
    if place.number == number:
        return ALL_CONFIRMED if number > 1 else CONFIRMED
    return f"{number:,} confirmed" if number else NONE_CONFIRMED


def with_likeness(context: Answering, measure: Values, lead: Ranking) -> Ranking:
    """Return a ranking in which a virus below 90% identity is "a virus like X", with its range.

    All of its runs must have a known identity.
    """
    doubted = _column_of_confirmed(context, measure) is not None and measure.by[0] in OF_SPECIES
    weak = [place for place in lead.phrased() if doubted and place.note in ("", NONE_CONFIRMED)]
    if not weak or _CONFIRMED in lead.begin:
        return lead
    found = context.look(replace(measure, each=Summary("identity"), limit=None))
    known = {row[measure.by[0]]: row for row in found.records()}
    return replace(lead, places=tuple(_like(place, known.get(place.name)) for place in lead.places))


def _like(place: NamedNumber, known: Mapping[str, Cell] | None) -> NamedNumber:
    if known is None or known["n"] != place.number or number_of(known["max"]) >= SPECIES_IDENTITY:
        return place
    low, high = (int(number_of(known[end])) for end in ("min", "max"))
    identity = f"{low}-{high}% identity" if low < high else f"{low}% identity"
    return replace(place, name=f"{A_LIKE}{place.name}", note=identity)


def mostly_of_laboratory(context: Answering, measure: Values, lead: Claim) -> list[Claim]:
    """Return which of the viruses that a list names are mostly from laboratories."""
    cells = [leaf for leaf, _ in leaves(context.request.of)
             if isinstance(leaf, Has) and leaf.field in _OF_CELLS]  # fmt: skip
    if not is_of_viruses(measure) or cells or not isinstance(lead, Ranking):
        return []
    field, hits = field_named(measure.by[0]), measure.hits or Hit()
    found = of_laboratory_values(context.resolver, field, hits, context.request.of)
    named = tuple((place.alias or place.name, *found[place.name])
                  for place in lead.phrased()[:SAID] if place.name in found)  # fmt: skip
    return [MostlyOfLaboratory(viruses=named)] if named else []


def without_own(context: Answering, lead: Ranking) -> Ranking:
    """Return a ranking of the viruses of runs that carry a certain virus, without that virus."""
    names = [name for hit in runs_in_words(context.request.of, context.names).carried
             for name in hit.virus]  # fmt: skip
    own = {context.names.formal(name, "virus") for name in names}
    others = tuple(place for place in lead.places if place.name not in own)
    if not others or len(others) == len(lead.places):
        return lead
    thing = lead.thing
    if not thing[0].startswith("other "):
        thing = (f"other {thing[0]}", f"other {thing[1]}")
    sure = sum(place.name in own and place.note != NONE_CONFIRMED for place in lead.places)
    return replace(lead, places=others, thing=thing, sure=max(0, lead.sure - sure))


def with_common_names(context: Answering, measure: Values, lead: Ranking) -> Ranking:
    """Return a ranking of viruses with the names that laboratories use."""
    if measure.by[0] not in OF_SPECIES:
        return lead
    taxa = {str(row[0]): str(row[1]) for row in context.result.rows} if lead.places else {}
    named = {place.name: taxa.get(place.name, "") for place in lead.places}
    common = common_names(context.con, named)
    places = [replace(place, alias=common.get(place.name, "")) for place in lead.places]
    return replace(lead, places=tuple(places))


def of_plausible_hosts(context: Answering, measure: Values) -> tuple[Values, Answering]:
    """Return a request for the hosts of viruses as one for plausible hosts, with its result."""
    hits = measure.hits or Hit()
    if measure.by != ("virus",) or measure.each != Count("host") or hits.plausibility:
        return measure, context
    narrowed = replace(measure, hits=replace(hits, plausibility=_PLAUSIBLE))
    return narrowed, replace(context, result=context.look(narrowed))


def in_plausible_hosts(
    context: Answering, measure: Values, subject: Topic
) -> tuple[Answering, list[Claim]]:
    """Return a list of hosts without those in which all hits are unexpected, and the latter."""
    if measure.by != ("host",) or len(subject.hits) != 1 or measure.each != Count():
        return context, []
    unexpected = unexpected_hosts(context.resolver, subject.hits[0], context.request.of)
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
    are_several = is_or_are(subject.words) == "are"
    unknown = f"not known for {'these viruses' if are_several else 'this virus'}"
    return replace(context, result=result), _turning_up(context, measure, places, unknown)
