"""Answers that list values: how many there are, the first of them with their runs, and a table."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from index.claims import (
    A_VIRUS,
    RUN,
    TOTAL,
    Claim,
    Counted,
    HitsOnly,
    Most,
    NotKnown,
    Portrait,
    Ranking,
)
from index.claims.claim import joined
from index.claims.phrases import in_words, is_group
from query.answer import ResultTable
from query.answers.counting import found
from query.answers.doubting import of_laboratory
from query.answers.drafting import Answering, Draft
from query.answers.listing_begin import among, begin_of, elsewhere, is_of_some, runs_of, thing_of
from query.answers.listing_hosts import in_plausible_hosts, of_plausible_hosts
from query.answers.listing_viruses import (
    NONE_CONFIRMED,
    named_lead,
    only_named,
    only_placed,
    with_common_names,
    with_confirmed,
    with_implausible,
    without_own,
)
from query.answers.listing_words import (
    DRAWN,
    SAID,
    noun_of,
    number_column,
    number_of,
    place_of,
    ranking,
)
from query.answers.relatives import beside_relatives, outweighed_in_list
from query.answers.run_words import (
    both_of,
    clause_words,
    runs_in_words,
    runs_words,
    without_hits,
)
from query.answers.subject import Topic, of_positive, subject_of
from query.answers.titles import titled_places, titled_table
from query.answers.unknowns import (
    MOST_UNKNOWN,
    shown,
    support,
    unknowns,
)
from query.compiler.flags import leaves
from query.compiler.result import Cell
from query.request import Count, Has, Hit, Searched, Share
from query.request.fields import field_named
from query.request.measures import Values

_OF_SPECIES: Final = "counted are hits that support a species, at 90% identity or more"
_JOINED_BY_WITH: Final = ("disease", "sex", "strategy", "year", "collection_year")
"""Fields whose values stand behind "with" in a pair, not behind "in"."""
_LEAST_SEARCHED: Final = 20
"""Searched runs from which a share of a value is worth a remark."""
_LEAST_MISSING: Final = 0.2
"""Share of the runs from which it is said that they have no value of the field."""


def draft_values(context: Answering, measure: Values) -> Draft:
    """Return the first values in a sentence, all of them in a table."""
    subject = subject_of(context, measure.hits)
    measure, context = of_plausible_hosts(context, measure)
    unknown = unknowns(context, subject.hits)
    if not context.result.rows:
        none = _none(context, measure, subject)
        return Draft([none], shown(context, unknown, found=isinstance(none, Portrait)))
    if len(measure.by) == 2:
        leads = [_pairs(context, measure)]
        certain = _relatives(context, measure, subject)
        unknown = unknown if context.full else [*_missing(context, measure)]
    else:
        named, certain = only_named(context, measure)
        named, elsewhere_too = in_plausible_hosts(named, measure, subject)
        lead = named_lead(_ranked(named, measure, subject), certain)
        lead, implausible = with_implausible(context, measure, lead)
        lead = only_placed(context, measure) or lead
        certain += [*elsewhere_too, *_relatives(named, measure, subject), *implausible]
        hides = context.full or is_of_some(measure)
        missing = [] if hides else _missing(context, measure)
        if missing and isinstance(lead, Ranking) and field_named(measure.by[0]).of == "run":
            lead, missing = _with_unstated(context, lead, missing[0]), []
        unknown = unknown if context.full else [*missing]
        leads = [lead]
        if isinstance(lead, Most) and lead.whole and field_named(measure.by[0]).of == "hit":
            certain.append(HitsOnly(subject=""))
    certainty = [*certain, *_support(context, measure, subject), *unknown]
    if "species" in measure.by:
        certainty.insert(0, Portrait(text=_OF_SPECIES))
    return Draft(leads, certainty[: MOST_UNKNOWN + 3], table=_table(context, measure, leads[0]))


def _with_unstated(context: Answering, lead: Ranking, missing: NotKnown) -> Ranking:
    """Return a ranking of values that says how many runs state none, and whether all that are
    confirmed are among these.
    """
    tally = context.result.tally
    confirmed = [place.note for place in lead.places]
    are_all = tally is not None and tally.at_90 and set(confirmed) == {NONE_CONFIRMED}
    note = ", among them all that are confirmed" if are_all else ""
    return replace(lead, unstated=missing.number, whole=missing.whole, unstated_note=note)


def _table(context: Answering, measure: Values, lead: Claim) -> ResultTable | None:
    """Return the table of the answer, with titles, or with the runs that each source searched."""
    table = titled_table(context, measure.by[0])
    if table is None or measure.by != ("source",) or not isinstance(lead, Ranking):
        return table
    searched = {place.name: place.whole or place.number for place in lead.places}
    rows = tuple((*row, searched.get(str(row[0]))) for row in table.rows)
    return ResultTable((*table.columns, "searched"), rows)


def _missing(context: Answering, measure: Values) -> list[NotKnown]:
    """Return how many of the runs have no value of what is listed, where that matters."""
    result, field = context.result, field_named(measure.by[0])
    tally = result.tally
    if tally is None or measure.hits is not None:
        return []
    asked = {leaf.field for leaf, _ in leaves(context.request.of) if isinstance(leaf, Has)}
    is_of_hits = field.of == "hit"
    whole = tally.positive if is_of_hits else tally.runs
    for part in result.left_out:
        said = part.what.endswith((f" no {field.said}", f"no known {field.said}"))
        if part.reason != "not stated" or not said or field.name in asked:
            continue
        if part.number < _LEAST_MISSING * whole:
            continue
        if is_of_hits:
            what = f"the hits match no known {field.said}"
            return [NotKnown(number=part.number, what=what, whole=part.number)]
        what = f"no {field.said} is recorded"
        return [NotKnown(number=part.number, what=what, whole=whole)]
    return []


def _relatives(context: Answering, measure: Values, subject: Topic) -> list[Claim]:
    """Return the relatives that explain the hits of the answer better, or those of a share."""
    of = of_positive(context.request.of, measure.hits)
    if isinstance(measure.each, Share):
        carried = runs_in_words(measure.each.part, context.names).carried
        return beside_relatives(context, carried, both_of(of, measure.each.part))
    return [
        *beside_relatives(context, subject.hits, of),
        *outweighed_in_list(context, measure, of),
    ]


def _support(context: Answering, measure: Values, subject: Topic) -> list[Claim]:
    """Return how many of the runs support the species, where the values count runs with it."""
    tally = context.result.tally
    counts_runs = measure.each.type == "count" and measure.each.unit == "run"
    if tally is None or not subject.is_named or not counts_runs:
        return []
    if field_named(measure.by[0]).of == "hit":
        return []
    if measure.limit == 1:
        return []
    return [
        *support(context, subject.hits, tally.positive, tally.at_90),
        *of_laboratory(context, subject.hits, tally.positive),
    ]


def _none(context: Answering, measure: Values, subject: Topic) -> Claim:
    """Return that there are no values, or no runs that might have some."""
    tally = context.result.tally
    field = field_named(measure.by[0])
    limits = (measure.under, measure.other_than, measure.absent_in, measure.found_in)
    is_limited = any(limits) or measure.at_least is not None
    if tally is not None and not tally.positive and not (is_limited and tally.runs):
        return _no_runs(context, measure, subject)
    if is_limited:
        return _none_of_these(context, measure, subject)
    if field.of == "run":
        return _no_value(context, measure)
    where = runs_words(context.request.of, context.names)
    of = f"of {subject.words} " if subject.is_named else ""
    within = f"{of}in runs {where}" if where else f"{of}in the index"
    return Counted(number=0, noun=(field.said, field.plural), before="there are", where=within)


def _none_of_these(context: Answering, measure: Values, subject: Topic) -> Claim:
    """Return that no value is within the limits of the list: under a term, or of no other runs."""
    field = field_named(measure.by[0])
    of = f" of {subject.words}" if subject.is_named else ""
    found_in = "found in" if field.of == "hit" else "recorded for"
    runs = runs_of(context)
    if measure.at_least is not None:
        runs = f"at least {measure.at_least:,g} {'runs' if runs == 'the index' else runs}"
    if measure.absent_in is not None and measure.at_least is None:
        others = f"runs {runs_words(measure.absent_in, context.names)}"
        every = f"every {field.said}{of} {found_in} {runs} is also {found_in} {others}"
        return Portrait(text=f"none: {among(measure)}{every}")
    runs += elsewhere(context, measure)
    return Portrait(text=f"{among(measure)}no {field.said}{of} is {found_in} {runs}")


def _no_value(context: Answering, measure: Values) -> Claim:
    """Return that the field is recorded for no run."""
    where = runs_words(of_positive(context.request.of, measure.hits), context.names)
    said = field_named(measure.by[0]).said
    tally = context.result.tally
    runs = 0 if tally is None else tally.positive if measure.hits is not None else tally.runs
    if not runs:
        return Portrait(text=joined(f"no {said} is recorded for any run", where))
    return Counted(number=runs, before=f"no {said} is recorded for any of the", where=where)


def _no_runs(context: Answering, measure: Values, subject: Topic) -> Claim:
    """Return that no run has a hit: as there are no such runs, none was searched, or none found."""
    of = without_hits(context.request.of)
    if not context.look(Count(), of).number or subject.hits:
        hits = subject if context.look(Count(), of).number else replace(subject, hits=())
        return found(context, hits, 0, RUN)
    if field_named(measure.by[0]).of == "hit":
        return found(context, replace(subject, hits=(Hit(),), words=A_VIRUS), 0, RUN)
    return _no_value(context, measure)


def _ranked(context: Answering, measure: Values, subject: Topic) -> Claim:
    """Return the first values with their numbers."""
    each = measure.each
    if each.type == "share":
        return _of_shares(context, measure)
    if each.type == "summary":
        return _of_summaries(context, measure)
    result = context.result
    if measure.order == "value" and result.total > DRAWN:
        column = number_column(result)
        rows = sorted(result.rows, key=lambda row: -number_of(row[column]))
        context = replace(context, result=replace(result, rows=tuple(rows)))
    lead = _counted(context, measure, subject)
    lead = with_confirmed(context, measure, subject, lead)
    lead = titled_places(context, measure.by[0], lead)
    lead = without_own(context, with_common_names(context, measure, lead))
    if _is_cut(context, measure) and lead.named == 1:
        return _most(context, measure, subject, lead)
    return _of_sources(context, measure, lead) if measure.by == ("source",) else lead


def _most(context: Answering, measure: Values, subject: Topic, lead: Ranking) -> Claim:
    """Return the value with the most runs, and of how many."""
    tally = context.result.tally
    counts_runs = measure.each.type == "count" and measure.each.unit == "run"
    whole = None
    if counts_runs and tally is not None:
        whole = tally.positive if subject.hits else tally.runs
    where = runs_words(of_positive(context.request.of, measure.hits), context.names)
    if subject.hits and subject.is_named:
        where = joined(subject.where, f"with {subject.words}")
    return Most(
        place=lead.places[0],
        noun=lead.noun,
        thing=lead.thing,
        where=where if counts_runs else "",
        whole=whole,
        fewest=measure.order == "fewest",
    )


def _counted(context: Answering, measure: Values, subject: Topic) -> Ranking:
    """Return how many values there are, and the first of them with what is counted of each."""
    each = measure.each
    thing = thing_of(measure, subject)
    begin, only, behind = begin_of(context, measure, subject, thing)
    noun = noun_of(each.unit) if each.type == "count" else RUN
    if noun == noun_of("host") and measure.hits is not None and measure.hits.plausibility:
        noun = ("plausible host", "plausible hosts")
    is_of_runs = each.type == "count" and each.unit in ("run", "detection")
    if not is_of_runs or _is_cut(context, measure):
        rows, column = context.result.rows, number_column(context.result)
        named = min(measure.limit or SAID, len(rows))
        named = sum(row[column] == rows[0][column] for row in rows) if named == 1 else named
        extreme = "fewest" if measure.order == "fewest" else "most"
        behind = behind if is_of_runs else f"of {runs_of(context)}"
        begin = f"of {TOTAL} {behind}, the {in_words(named)} with the {extreme} {noun[1]} are"
        made = ranking(context.result, begin, only=only, thing=thing, noun=noun)
        return replace(made, named=named)
    made = ranking(context.result, begin, only=only, thing=thing, noun=noun)
    if made.total == 1 and is_group(made.places[0].name) and only.endswith(" is"):
        only = only.removesuffix("is").replace(thing[0], thing[1], 1)
        made = replace(made, only=f"{only}are")
    prefix = among(measure)
    if measure.order == "value" and made.total <= DRAWN:
        made = replace(made, begin=f"{made.begin}:", named=DRAWN)
    return replace(made, begin=prefix + made.begin, only=prefix + made.only)


def _is_cut(context: Answering, measure: Values) -> bool:
    """Return whether the first values are asked for, out of more."""
    is_fewest = measure.order == "fewest" and context.result.total > 1
    return is_fewest or (measure.limit is not None and measure.limit < context.result.total)


def _of_sources(context: Answering, measure: Values, lead: Ranking) -> Ranking:
    """Return a ranking of sources with the runs that each searched; none of those that list hits
    only.
    """
    virus = measure.hits.virus if measure.hits is not None else ()
    places = []
    for place in lead.places:
        searched = Searched(virus=virus, source=(place.name,))
        of = without_hits(context.request.of)
        whole = _count(context.look(Count(), both_of(of, searched)).number)
        if whole > place.number:
            places.append(replace(place, part=int(place.number), whole=whole))
        else:
            places.append(replace(place, note="all that it lists"))
    each = "" if lead.named else ", of the runs that each searched"
    return replace(lead, begin=f"{lead.begin}{each}", places=tuple(places))


def _of_shares(context: Answering, measure: Values) -> Claim:
    """Return the values with the highest shares, those of many runs first where there are some."""
    each = measure.each
    assert each.type == "share"
    field = field_named(measure.by[0])
    does = clause_words(each.part, context.names, first=True)
    records = context.result.records()
    of_viruses = runs_in_words(each.part, context.names).of_viruses
    compared = [row for row in records if not (of_viruses and _is_hits_only(row))] or records
    many = [row for row in compared if _count(row["known"]) >= _LEAST_SEARCHED]
    least = "lowest" if measure.order == "fewest" else "highest"
    rows = many or compared
    places = tuple(
        place_of(str(row[field.name]), row["share"], part=row["part"], whole=row["known"])
        for row in rows[:DRAWN]
    )
    with_many = f" with at least {_LEAST_SEARCHED} runs" if many else ""
    begin = f"among {TOTAL}{with_many}, the share of runs that {does} is {least} for"
    in_order = measure.order == "value"
    if in_order:
        begin = f"by {field.said}, these shares of the runs {does}:"
    return Ranking(
        begin=begin,
        places=places,
        thing=(field.said, field.plural),
        noun=("", ""),
        others=max(0, len(rows) - len(places)),
        named=DRAWN if in_order else SAID,
    )


def _is_hits_only(row: dict[str, Cell]) -> bool:
    """Return whether all runs of a value that were searched have the hits, while others were not
    searched: the sources list nothing else there, so that the share says nothing.
    """
    return row["part"] == row["known"] and _count(row["known"]) < _count(row["runs"])


def _count(cell: object) -> int:
    return cell if isinstance(cell, int) else 0


def _of_summaries(context: Answering, measure: Values) -> Claim:
    each = measure.each
    assert each.type == "summary"
    number = field_named(each.number)
    unit = "%" if number.unit == "percent" else number.unit
    least = "lowest" if measure.order == "fewest" else "highest"
    where = runs_words(context.request.of, context.names)
    within = f" in runs {where}" if where else ""
    begin = f"of {TOTAL}, the mean {number.said}{within} is {least} for"
    return replace(ranking(context.result, begin, noun=(unit, unit)), named=SAID)


def _pairs(context: Answering, measure: Values) -> Claim:
    """Return the first pairs of values."""
    result = context.result
    names = [column.name for column in result.columns]
    first, second = (names.index(name) for name in measure.by)
    joint = "with" if measure.by[1] in _JOINED_BY_WITH else "in"
    number = number_column(result)
    places = [
        place_of(f"{row[first]} {joint} {row[second]}", row[number]) for row in result.rows[:DRAWN]
    ]
    said = " and ".join(field_named(name).said for name in measure.by)
    where = runs_words(context.request.of, context.names)
    within = f" in runs {where}" if where else ""
    return Ranking(
        begin=f"of {TOTAL} of {said}{within}, the most frequent are",
        only=f"the only pair of {said}{within} is",
        places=tuple(places),
        thing=("pair", "pairs"),
        noun=noun_of(measure.each.unit) if measure.each.type == "count" else RUN,
        others=max(0, result.total - len(places)),
        named=SAID,
    )
