"""Rankings of the values that an answer lists: by runs, by other numbers, shares and pairs."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from index.claims import RUN, TOTAL, Claim, Ranking
from index.claims.claim import joined
from index.claims.phrases import in_words
from query.answers.drafting import Answering
from query.answers.finding import Topic
from query.answers.listing_begin import among, at_least, begin_of, in_runs, runs_of, thing_of
from query.answers.listing_viruses import (
    with_common_names,
    with_confirmed,
    with_likeness,
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
    titled_places,
)
from query.answers.run_words import clause_words, runs_in_words, without_hits
from query.compiler.expecting import unexpected_hosts
from query.compiler.result import Cell
from query.request import Count, Searched, Share, Summary, Values, field_named, intersect

_JOINTS: Final = {
    **dict.fromkeys(("disease", "sex", "strategy", "year", "collection_year"), "with"),
    **dict.fromkeys(("plausibility", "risk", "genome"), "as"),
    "source": "by",
}
"""What joins the second value of a pair to the first, where that is not "in"."""
_ALL_SAID: Final = 3
"""If more than so many values are asked for, the first are named, and all are in the table."""
_LEAST_SEARCHED: Final = 20
"""Minimum number of searched runs for a remark on a value's share."""


def ranked(context: Answering, measure: Values, subject: Topic) -> Claim:
    """Return the first values with their numbers."""
    if isinstance(measure.each, Share):
        return _of_shares(context, measure, measure.each)
    if isinstance(measure.each, Summary):
        return _of_summaries(context, measure, measure.each)
    result = context.result
    if measure.order == "value" and result.total > DRAWN:
        column = number_column(result)
        rows = sorted(result.rows, key=lambda row: -number_of(row[column]))
        context = replace(context, result=replace(result, rows=tuple(rows)))
    lead = _counted(context, measure, subject)
    lead = with_confirmed(context, measure, subject, lead)
    lead = titled_places(context, measure.by[0], lead)
    lead = without_own(context, with_common_names(context, measure, lead))
    lead = with_likeness(context, measure, lead)
    return _of_sources(context, measure, lead) if measure.by == ("source",) else lead


def _counted(context: Answering, measure: Values, subject: Topic) -> Ranking:
    """Return how many values there are, and the first ones with their numbers."""
    each = measure.each
    assert isinstance(each, Count)
    thing = thing_of(measure, subject)
    begin, behind = begin_of(context, measure, subject, thing)
    noun = noun_of(each.unit)
    if each.unit == "host" and measure.hits is not None and measure.hits.plausibility:
        noun = ("plausible host", "plausible hosts")
    is_of_runs = each.unit in ("run", "detection")
    if (not is_of_runs and context.result.total > 1) or _is_cut(context, measure):
        rows, column = context.result.rows, number_column(context.result)
        named = min(measure.limit or SAID, len(rows))
        named = sum(row[column] == rows[0][column] for row in rows) if named == 1 else named
        extreme = "fewest" if measure.order == "fewest" else "most"
        within = behind if is_of_runs else _of_runs(context, measure)
        least = "" if is_of_runs else at_least(measure, noun)
        of = joined(f"of {TOTAL}", within, least)
        begin, end = f"{of}, the one with the {extreme} {noun[1]} is", ""
        said = min(named, SAID) if named > _ALL_SAID else named
        if named > 1:
            begin, end = f"{of}, these {in_words(named)} have the {extreme} {noun[1]}:", ""
        elif is_of_runs and extreme == "most":
            is_by_runs = measure.by[0] in _COUNTED_BY_RUNS
            most = "one with the most runs" if is_by_runs else "most frequent"
            begin = f"{of}, the {most} is"
        if said < named:
            begin = f"{of}, these have the {extreme} {noun[1]}:"
            end = f"; the table lists all {in_words(named)}"
        made = ranking(context.result, begin, thing=thing, noun=noun)
        places = made.places[:named]
        others = made.total - len(places)
        return replace(made, places=places, others=others, named=said, end=end)
    made = ranking(context.result, among(measure, subject) + begin, thing=thing, noun=noun)
    if measure.order == "value" and made.total <= DRAWN:
        return replace(made, begin=f"{made.begin}:", named=DRAWN)
    return made


_COUNTED_BY_RUNS: Final = ("study", "project", "biosample", "community", "country", "place", "sea")
"""Fields whose values are not frequent, but have many runs."""


def _of_runs(context: Answering, measure: Values) -> str:
    """Return of which runs the values are, if these are not just the runs that have them."""
    taken = runs_in_words(context.request.of, context.names)
    is_said = taken.carried == (measure.hits,) and not (taken.where or taken.lacking)
    return "" if is_said else f"of {runs_of(context)}"


def _is_cut(context: Answering, measure: Values) -> bool:
    is_fewest = measure.order == "fewest" and context.result.total > 1
    return is_fewest or (measure.limit is not None and measure.limit < context.result.total)


def _of_sources(context: Answering, measure: Values, lead: Ranking) -> Ranking:
    """Return a ranking of sources with their searched runs, without sources that list only hits."""
    virus = measure.hits.virus if measure.hits is not None else ()
    places = []
    for place in lead.places:
        searched = Searched(virus=virus, source=(place.name,))
        of = without_hits(context.request.of)
        whole = context.count(intersect(of, searched))
        of_whole = replace(place, part=int(place.number), whole=whole)
        only_hits = replace(place, note="it lists only runs with a virus")
        places.append(of_whole if whole > place.number else only_hits)
    each = "" if lead.named else ", in these shares of the runs they searched"
    return replace(lead, begin=f"{lead.begin}{each}", places=tuple(places))


def _of_shares(context: Answering, measure: Values, each: Share) -> Claim:
    """Return the values with the highest shares; values of many runs come first, if any."""
    field = field_named(measure.by[0])
    does = clause_words(each.part, context.names, first=True)
    records = context.result.records()
    taken = runs_in_words(each.part, context.names)
    if field.name == "host" and len(taken.carried) == 1:
        foreign = unexpected_hosts(context.resolver, taken.carried[0], context.request.of)
        usual = [
            row for row in records if number_of(row["part"]) > foreign.get(str(row["host"]), 0)
        ]
        records = usual or records
    compared = [row for row in records if not (taken.of_viruses and _is_hits_only(row))] or records
    many = [row for row in compared if number_of(row["known"]) >= _LEAST_SEARCHED]
    rows = many or compared
    places = tuple(
        place_of(str(row[field.name]), row["share"], part=row["part"], whole=row["known"])
        for row in rows[:DRAWN]
    )
    least = "lowest" if measure.order == "fewest" else "highest"
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
    """Return whether all searched runs of a value have the hits, while others were not searched.

    The sources list nothing else there, so the share says nothing.
    """
    return row["part"] == row["known"] and number_of(row["known"]) < number_of(row["runs"])


def _of_summaries(context: Answering, measure: Values, each: Summary) -> Claim:
    number = field_named(each.number)
    unit = "%" if number.unit == "percent" else number.unit
    least = "lowest" if measure.order == "fewest" else "highest"
    begin = f"of {TOTAL}, the mean {number.said}{in_runs(context)} is {least} for"
    return replace(ranking(context.result, begin, noun=(unit, unit)), named=SAID)


def ranked_pairs(context: Answering, measure: Values) -> Claim:
    """Return the first pairs of values."""
    result = context.result
    # a virus is in a host, whichever was asked for first
    first, second = sorted(measure.by, key=lambda name: field_named(name).of != "hit")
    joint = _JOINTS.get(second, "in")
    number = number_column(result)
    rows = zip(result.records(), result.rows, strict=True)
    places = [
        place_of(f"{record[first]} {joint} {record[second]}", row[number]) for record, row in rows
    ][:DRAWN]
    said = " and ".join(field_named(name).said for name in measure.by)
    return Ranking(
        begin=f"of {TOTAL} of {said}{in_runs(context)}, the most frequent are",
        places=tuple(places),
        thing=("pair", "pairs"),
        noun=noun_of(measure.each.unit) if isinstance(measure.each, Count) else RUN,
        others=max(0, result.total - len(places)),
        named=SAID,
    )
