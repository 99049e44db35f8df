"""Answers that list values: how many there are, the first ones with their runs, and a table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from index.claims import (
    A_VIRUS,
    RUN,
    TOTAL,
    Claim,
    Counted,
    HitsOnly,
    NotKnown,
    OutweighedViruses,
    Portrait,
    Ranking,
    Unnamed,
)
from index.claims.claim import joined
from index.claims.phrases import in_words
from index.claims.ranks import NONE_CONFIRMED
from query.answer import ResultTable
from query.answers.doubting import of_laboratory
from query.answers.drafting import Answering, Draft
from query.answers.finding import found
from query.answers.hit_words import or_words
from query.answers.listing_begin import (
    among,
    begin_of,
    is_of_some,
    none_within_limits,
    runs_of,
    thing_of,
)
from query.answers.listing_viruses import (
    A_LIKE,
    VIRUSES,
    in_plausible_hosts,
    is_of_viruses,
    mostly_of_laboratory,
    none_to_name,
    of_plausible_hosts,
    with_codes,
    with_common_names,
    with_confirmed,
    with_likeness,
    without_doubtful,
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
from query.answers.other_organisms import of_viruses_by_kmers
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
    beside_relatives,
    left_out,
    lists_mostly_hits,
    none_of,
    outweighed_in_list,
    support,
)
from query.compiler.expecting import unexpected_hosts
from query.compiler.flags import leaves
from query.compiler.result import Cell
from query.request import And, Count, Has, Hit, Searched, Share, Summary
from query.request.fields import field_named
from query.request.measures import Values
from query.request.run_sets import EVERYTHING, RunSet

_JOINTS: Final = {
    **dict.fromkeys(("disease", "sex", "strategy", "year", "collection_year"), "with"),
    **dict.fromkeys(("plausibility", "risk", "genome"), "as"),
    "source": "by",
}
"""What joins the second value of a pair to the first, where that is not "in"."""
_OF_PARTS: Final = ("tissue", "environment")
"""Fields whose terms include values that a reader may not expect."""
_LEAST_SEARCHED: Final = 20
"""Minimum number of searched runs for a remark on a value's share."""
_MOST_SAID: Final = 3
"""Number of sentences after a list."""
_LEAST_MISSING: Final = 0.2
"""Minimum share of runs without a value of the field for that to be mentioned."""


def draft_values(context: Answering, measure: Values) -> Draft:
    """Return the first values in a sentence, and all of them in a table."""
    subject = subject_of(context, measure.hits)
    measure, context = of_plausible_hosts(context, measure)
    if not context.result.rows:
        own = _of_own(context, measure, subject)
        return Draft([_none(context, measure, subject)], [*own, *left_out(context)])
    if len(measure.by) == 2:
        of = of_positive(context.request.of, measure.hits)
        said = {str(cell) for row in context.result.rows[:DRAWN] for cell in row[:4]}
        doubtful = outweighed_in_list(context, measure, of, named=said)
        certainty = [*_relatives(context, measure, subject), *doubtful, *_missing(context, measure)]
        pairs = _pairs(context, measure)
        return Draft([pairs], [*certainty, *left_out(context)], table=_table(context, measure))
    named, besides = without_doubtful(context, measure)
    named, elsewhere = in_plausible_hosts(named, measure, subject)
    lead = none_to_name(context, measure, besides)
    if named.result.rows:
        lead = _ranked(named, measure, subject)
    if isinstance(lead, Ranking) and any(isinstance(claim, Unnamed) for claim in besides):
        lead = replace(lead, thing=(f"named {lead.thing[0]}", f"named {lead.thing[1]}"))
    supported = _support(context, measure, subject)
    missing = [] if is_of_some(measure) else _missing(context, measure)
    if missing and isinstance(lead, Ranking) and field_named(measure.by[0]).of == "run":
        lead, missing = _with_unstated(context, lead, missing[0], bool(supported)), []
    relatives = _relatives(context, measure, subject)
    laboratory = mostly_of_laboratory(context, measure, lead)
    if is_of_viruses(measure) and isinstance(lead, Ranking):
        names = [place.name.removeprefix(A_LIKE) for place in lead.phrased()[:SAID]]
        laboratory = [*of_viruses_by_kmers(context, measure, names), *laboratory]
    searched = _of_searched(context, measure)
    besides = [*searched, *besides, *_narrower(context, measure)]
    supported += _of_own(context, measure, subject)
    certainty = [*laboratory, *besides, *supported, *elsewhere, *relatives, *missing]
    is_cut = measure.limit is not None and bool(named.result.rows)
    table = _table(_first(named, measure) if is_cut else context, measure, lead)
    table = with_codes(context, measure, _with_relatives(table, besides))
    if table is not None and searched and "at_90" in table.columns:
        table = _without(table, "at_90")
    return Draft([lead], [*certainty[:_MOST_SAID], *left_out(context)], table=table)


def _of_searched(context: Answering, measure: Values) -> list[Claim]:
    """Return how many of the runs searched for a virus have it, if the question is about those."""
    searched = [leaf for leaf, denied in leaves(context.request.of)
                if isinstance(leaf, Searched) and leaf.virus and not denied]  # fmt: skip
    if measure.hits is not None or not searched or measure.by[0] in VIRUSES:
        return []
    hit = Hit(virus=searched[0].virus)
    of = context.request.of
    parts = of.of if isinstance(of, And) else (of,)
    rest: RunSet = EVERYTHING
    for part in parts:
        rest = rest if part in searched else both_of(rest, part)
    result = context.look(Count(hits=hit), rest, brief=False)
    within = replace(context, request=replace(context.request, of=rest), result=result)
    subject = subject_of(within, hit)
    claims = [found(within, subject, int(number_of(result.number)))]
    if result.number and not context.look(replace(measure, hits=hit), rest).rows:
        plural = field_named(measure.by[0]).plural
        claims.append(Portrait(text=f"none of it is in these {plural}"))
    return claims


def _narrower(context: Answering, measure: Values) -> list[Claim]:
    """Return what the tissue of a list of viruses includes, if most runs are of that.

    Example: blood includes blood cells.
    """
    named = [leaf for leaf, denied in leaves(context.request.of)
             if isinstance(leaf, Has) and leaf.values and not denied]  # fmt: skip
    asked = [leaf for leaf in named if leaf.field in _OF_PARTS]
    if not asked or not is_of_viruses(measure):
        return []
    field, names = field_named(asked[0].field), asked[0].values
    found_in = context.look(Values((field.name,), under=names))
    own = context.resolver.terms(field, names)
    below = [row for row in found_in.rows if row[1] not in own]
    column, tally = number_column(found_in), context.result.tally
    runs = sum(number_of(row[column]) for row in found_in.rows if row[1] in own)
    if tally is None or 2 * runs >= tally.runs or not below:
        return []
    called = " or ".join(context.names.called(name, field.said) for name in names)
    return [
        Ranking(
            begin=f"{called} includes {TOTAL}",
            places=tuple(place_of(str(row[0]), row[column]) for row in below[:DRAWN]),
            thing=("narrower term", "narrower terms"),
            others=len(below[DRAWN:]),
        )
    ]


def _without(table: ResultTable, name: str) -> ResultTable:
    """Return ``table`` without a column."""
    place = table.columns.index(name)
    rows = tuple((*row[:place], *row[place + 1 :]) for row in table.rows)
    return ResultTable((*table.columns[:place], *table.columns[place + 1 :]), rows)


def _with_unstated(
    context: Answering, lead: Ranking, missing: NotKnown | Counted, is_whole_said: bool
) -> Ranking:
    """Return a ranking of values that also says how many runs state none.

    It also says whether all confirmed runs are among these.
    """
    tally = context.result.tally
    are_all = tally is not None and tally.at_90 > 0 and (
        {place.note for place in lead.places} == {NONE_CONFIRMED}
    )  # fmt: skip
    note = ", among them all that are confirmed" if are_all else ""
    whole = tally.runs if tally is not None and not is_whole_said else None
    return replace(lead, unstated=missing.number, whole=whole, unstated_note=note)


def _first(context: Answering, measure: Values) -> Answering:
    """Return the answer with the rows that were asked for."""
    rows = context.result.rows[: measure.limit]
    return replace(context, result=replace(context.result, rows=rows))


def _with_relatives(table: ResultTable | None, claims: Sequence[Claim]) -> ResultTable | None:
    """Return a table of viruses with the relative that has more reads, if there is one."""
    relatives = {virus: relative for claim in claims if isinstance(claim, OutweighedViruses)
                 for virus, relative, *_ in claim.viruses}  # fmt: skip
    if table is None or not relatives:
        return table
    rows = tuple((*row, relatives.get(str(row[0]))) for row in table.rows)
    return ResultTable((*table.columns, "relative_with_more_reads"), rows)


def _table(context: Answering, measure: Values, lead: Claim | None = None) -> ResultTable | None:
    """Return the table of the answer, with titles, or with the runs that each source searched."""
    table = titled_table(context, measure.by[0])
    if table is None or measure.by != ("source",) or not isinstance(lead, Ranking):
        return table
    searched = {place.name: place.whole or place.number for place in lead.places}
    rows = tuple((*row, searched.get(str(row[0]))) for row in table.rows)
    return ResultTable((*table.columns, "searched"), rows)


def _missing(context: Answering, measure: Values) -> list[NotKnown | Counted]:
    """Return how many of the runs lack a value of the listed field, if that matters."""
    field, tally = field_named(measure.by[0]), context.result.tally
    asked = {leaf.field for leaf, _ in leaves(context.request.of) if isinstance(leaf, Has)}
    if tally is None or measure.hits is not None or field.name in asked or context.full:
        return []
    is_of_hits = field.of == "hit"
    whole = tally.positive if is_of_hits else tally.runs
    for part in context.result.left_out:
        is_of_field = part.what.endswith((f" no {field.said}", f"no known {field.said}"))
        if part.reason != "not stated" or not is_of_field or part.number < _LEAST_MISSING * whole:
            continue
        if not is_of_hits:
            return [NotKnown(number=part.number, what=f"without a recorded {field.said}")]
        none = f"the {field.said} of all viral sequences is unknown"
        if field.name == "virus":
            none = "all viral sequences are of unnamed viruses"
        return [Counted(number=part.number, noun=RUN, before="in", after=none)]
    return []


def _relatives(context: Answering, measure: Values, subject: Topic) -> list[Claim]:
    """Return the relatives that better explain the hits of the answer, or those of a share."""
    of = of_positive(context.request.of, measure.hits)
    if isinstance(measure.each, Share):
        carried = runs_in_words(measure.each.part, context.names).carried
        both = both_of(of, measure.each.part)
        words = or_words(carried, context.names)
        mostly = carried and lists_mostly_hits(context, context.request.of)
        caution = [HitsOnly(subject=words)] if mostly else []
        return [*caution, *beside_relatives(context, carried, both)]
    return beside_relatives(context, subject.hits, of)


def _support(context: Answering, measure: Values, subject: Topic) -> list[Claim]:
    """Return how many of the runs support the species, if the values count runs with it."""
    tally = context.result.tally
    is_of_runs = measure.each == Count() and field_named(measure.by[0]).of == "run"
    if tally is None or not subject.is_named or not is_of_runs or measure.limit == 1:
        return []
    supported = support(context, subject.hits, tally.positive, tally.at_90)
    laboratory = of_laboratory(context, subject.hits, tally.positive)
    return [*([supported] if supported else []), *laboratory]


def _of_own(context: Answering, measure: Values, subject: Topic) -> list[Claim]:
    """Return how many runs have a virus, if the other viruses of these runs are listed."""
    if not thing_of(measure, subject)[0].startswith("other "):
        return []
    own = context.look(Count(), brief=False)
    return [found(replace(context, result=own), subject, int(number_of(own.number)))]


def _none(context: Answering, measure: Values, subject: Topic) -> Claim:
    """Return that there are no values, or no runs that might have some."""
    tally = context.result.tally
    field = field_named(measure.by[0])
    is_limited = is_of_some(measure) or measure.at_least is not None
    is_of_hits = bool(subject.hits) or field.of == "hit"
    if is_of_hits and tally and not tally.positive and not (is_limited and tally.runs):
        any_virus = replace(subject, hits=(Hit(),), words=A_VIRUS)
        return found(context, subject if subject.hits else any_virus, 0)
    if is_limited or field.of == "hit":
        return Portrait(text=none_within_limits(context, measure, subject))
    where = runs_words(of_positive(context.request.of, measure.hits), context.names)
    runs = 0 if tally is None else tally.positive if measure.hits is not None else tally.runs
    if not runs:
        return none_of(context, without_hits(context.request.of))
    before = f"no {field.said} is recorded for any of the"
    return Counted(number=runs, before=before, where=where)


def _ranked(context: Answering, measure: Values, subject: Topic) -> Claim:
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
        behind = behind if is_of_runs else _of_runs(context, measure)
        begin, end = f"{joined(f'of {TOTAL}', behind)},", f" has the {extreme} {noun[1]}"
        if named > 1:
            of = joined(f"{in_words(named)} of {TOTAL}", behind)
            begin, end = f"{of} have the {extreme} {noun[1]}:", ""
        made = ranking(context.result, begin, thing=thing, noun=noun)
        places = made.places[:named]
        others = made.total - len(places)
        return replace(made, places=places, others=others, named=named, end=end)
    made = ranking(context.result, among(measure, subject) + begin, thing=thing, noun=noun)
    if measure.order == "value" and made.total <= DRAWN:
        return replace(made, begin=f"{made.begin}:", named=DRAWN)
    return made


def _of_runs(context: Answering, measure: Values) -> str:
    """Return of which runs the values are, if these are not just the runs that have them."""
    taken = runs_in_words(context.request.of, context.names)
    is_said = taken.carried == (measure.hits,) and not (taken.where or taken.lacking)
    return "" if is_said else f"of {runs_of(context)}"


def _is_cut(context: Answering, measure: Values) -> bool:
    """Return whether only the first of more values are asked for."""
    is_fewest = measure.order == "fewest" and context.result.total > 1
    return is_fewest or (measure.limit is not None and measure.limit < context.result.total)


def _of_sources(context: Answering, measure: Values, lead: Ranking) -> Ranking:
    """Return a ranking of sources with their searched runs, without sources that list only hits."""
    virus = measure.hits.virus if measure.hits is not None else ()
    places = []
    for place in lead.places:
        searched = Searched(virus=virus, source=(place.name,))
        of = without_hits(context.request.of)
        whole = int(number_of(context.look(Count(), both_of(of, searched)).number))
        of_whole = replace(place, part=int(place.number), whole=whole)
        only_hits = replace(place, note="all that it lists")
        places.append(of_whole if whole > place.number else only_hits)
    each = "" if lead.named else ", of the runs that each searched"
    return replace(lead, begin=f"{lead.begin}{each}", places=tuple(places))


def _of_shares(context: Answering, measure: Values, each: Share) -> Claim:
    """Return the values with the highest shares; values of many runs come first, if any."""
    field = field_named(measure.by[0])
    does = clause_words(each.part, context.names, first=True)
    records = context.result.records()
    of_viruses = runs_in_words(each.part, context.names).of_viruses
    carried = runs_in_words(each.part, context.names).carried
    if field.name == "host" and len(carried) == 1:
        foreign = dict(unexpected_hosts(context.resolver, carried[0], context.request.of))
        usual = [
            row for row in records if number_of(row["part"]) > foreign.get(str(row["host"]), 0)
        ]
        records = usual or records
    compared = [row for row in records if not (of_viruses and _is_hits_only(row))] or records
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
    where = runs_words(context.request.of, context.names)
    within = f" in runs {where}" if where else ""
    begin = f"of {TOTAL}, the mean {number.said}{within} is {least} for"
    return replace(ranking(context.result, begin, noun=(unit, unit)), named=SAID)


def _pairs(context: Answering, measure: Values) -> Claim:
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
    where = runs_words(context.request.of, context.names)
    within = f" in runs {where}" if where else ""
    return Ranking(
        begin=f"of {TOTAL} of {said}{within}, the most frequent are",
        places=tuple(places),
        thing=("pair", "pairs"),
        noun=noun_of(measure.each.unit) if isinstance(measure.each, Count) else RUN,
        others=max(0, result.total - len(places)),
        named=SAID,
    )
