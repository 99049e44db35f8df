"""Answers that list values: how many there are, the first ones with their runs, and a table."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from index.claims import (
    A_VIRUS,
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
from index.claims.phrases import in_quotes, is_or_are, listed
from index.claims.ranks import NONE_CONFIRMED
from query.answer import ResultTable
from query.answers.doubting import of_laboratory
from query.answers.drafting import Answering, Draft, with_column
from query.answers.finding import (
    Topic,
    beside_relatives,
    found,
    left_out,
    lists_mostly_hits,
    none_of,
    outweighed_in_list,
    subject_of,
    support,
)
from query.answers.listing_begin import is_of_some, none_within_limits, thing_of
from query.answers.listing_ranked import ranked, ranked_pairs
from query.answers.listing_viruses import (
    A_LIKE,
    VIRUSES,
    in_plausible_hosts,
    is_of_viruses,
    mostly_of_laboratory,
    none_to_name,
    of_plausible_hosts,
    with_codes,
    without_doubtful,
    without_name,
)
from query.answers.listing_words import (
    DRAWN,
    SAID,
    number_column,
    number_of,
    place_of,
    titled_table,
)
from query.answers.other_organisms import of_viruses_by_kmers
from query.answers.run_words import runs_in_words, runs_words
from query.compiler.flags import leaves, required
from query.compiler.result import Cell
from query.request import (
    EVERYTHING,
    Count,
    Has,
    Hit,
    Records,
    Rows,
    Searched,
    Share,
    SortBy,
    Values,
    field_named,
    intersect,
    parts_of,
)
from query.request.fields import RUN as THE_RUN
from query.request.measures import MOST_ROWS
from query.request.wording import said_missing

_OF_PARTS: Final = ("tissue", "environment")
"""Fields whose terms include values that a reader may not expect."""
_MOST_SAID: Final = 3
"""Number of sentences after a list."""
MOST_NAMED: Final = 5
"""Up to so many runs without a value of the field are named."""
_LEAST_MISSING: Final = 0.2
"""Minimum share of runs without a value of the field for that to be mentioned."""


def draft_values(context: Answering, measure: Values) -> Draft:
    """Return the first values in a sentence, and all of them in a table."""
    subject = subject_of(context, measure.hits)
    measure, context = of_plausible_hosts(context, measure)
    if not context.result.rows:
        own = _of_own(context, measure, subject)
        unnamed = without_name(context, measure, (), 0)
        lead = _none(context, measure, subject)
        if unnamed:
            lead, unnamed = none_to_name(context, measure, unnamed)
        return Draft([lead], [*unnamed, *own, *left_out(context)])
    if len(measure.by) == 2:
        said = {str(cell) for row in context.result.rows[:DRAWN] for cell in row[:4]}
        doubtful = outweighed_in_list(context, measure, context.runs, named=said)
        certainty = [*_relatives(context, measure, subject), *doubtful, *_missing(context, measure)]
        pairs = ranked_pairs(context, measure)
        return Draft([pairs], [*certainty, *left_out(context)], table=_table(context, measure))
    named, besides = without_doubtful(context, measure)
    named, elsewhere = in_plausible_hosts(named, measure, subject)
    if named.result.rows:
        lead = ranked(named, measure, subject)
    else:
        lead, besides = none_to_name(context, measure, besides)
    if isinstance(lead, Ranking) and any(isinstance(claim, Unnamed) for claim in besides):
        lead = replace(lead, thing=(f"named {lead.thing[0]}", f"named {lead.thing[1]}"))
    supported = _support(context, measure, subject)
    is_missing_said = is_of_some(measure) or isinstance(lead, Portrait)
    missing = [] if is_missing_said else _missing(context, measure)
    if missing and isinstance(lead, Ranking) and field_named(measure.by[0]).of == "run":
        lead, missing = _with_unstated(context, measure, lead, missing[0], bool(supported)), []
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
    leads = _named_after(context, subject, lead) if measure.by == ("community",) else [lead]
    return Draft(leads, [*certainty[:_MOST_SAID], *left_out(context)], table=table)


def _named_after(context: Answering, subject: Topic, lead: Claim) -> list[Claim]:
    """Return the communities of any level whose titles name the virus, or a virus of its kind,
    before those of the list.
    """
    if not isinstance(lead, Ranking) or not subject.is_named:
        return [lead]
    titled = _titled(context, subject)
    is_one = is_or_are(subject.words) == "is"
    if not titled:
        pronoun = "it" if is_one else "them"
        return [lead, Portrait(text=f"no community is named after {pronoun}")]
    places = tuple(place_of(f"{community} {in_quotes(str(title))}", runs)
                   for community, title, runs in titled[:DRAWN])  # fmt: skip
    named = Ranking(
        begin=f"{TOTAL} are named after {subject.words}",
        places=places,
        thing=lead.thing,
        others=len(titled) - len(places),
    )
    noun = ("community of level 0", "communities of level 0")
    before = "it is found in" if is_one else "they are found in"
    return [named, Counted(number=lead.total, noun=noun, before=before)]


def _titled(context: Answering, subject: Topic) -> list[tuple[Cell, ...]]:
    """Return the reports, those of most runs first, whose titles have a name of the viruses."""
    names = {context.names.formal(name, "virus") or name
             for hit in subject.hits for name in hit.virus}  # fmt: skip
    for hit in subject.hits:
        found_there = context.look(Values(("virus",), hits=replace(hit, named=True)))
        names |= {str(row[0]) for row in found_there.rows}
    any_name = re.compile(rf"(?<!\w)(?:{'|'.join(map(re.escape, sorted(names)))})(?!\w)", re.I)
    most = SortBy("runs", descending=True)
    columns = ("community", "title", "runs")
    reports = Records("reports", columns=columns, order=most, limit=MOST_ROWS)
    rows = context.look(reports, EVERYTHING).rows
    return [row for row in rows if any_name.search(str(row[1]))]


def _of_searched(context: Answering, measure: Values) -> list[Claim]:
    """Return how many of the runs searched for a virus have it, if the question is about those."""
    searched = [leaf for leaf in required(context.request.of, Searched) if leaf.virus]
    if measure.hits is not None or not searched or measure.by[0] in VIRUSES:
        return []
    hit = Hit(virus=searched[0].virus)
    of = context.request.of
    rest = intersect(*(part for part in parts_of(of) if part not in searched))
    result = context.look(Count(hits=hit), rest, brief=False)
    within = replace(context, result=result)
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
    named = [has for has in required(context.request.of, Has) if has.values]
    asked = [has for has in named if has.field in _OF_PARTS]
    if not asked or not is_of_viruses(measure):
        return []
    field, names = field_named(asked[0].field), asked[0].values
    found_in = context.look(Values((field.name,), under=names))
    own = context.resolver.terms(field, names)
    below = [row for row in found_in.rows if row[1] not in own]
    column = number_column(found_in)
    runs = sum(number_of(row[column]) for row in found_in.rows if row[1] in own)
    if 2 * runs >= context.tally.runs or not below:
        return []
    called = " or ".join(context.names.called(name, field.said) for name in names)
    return [
        Ranking(
            begin=f"{called} includes {TOTAL}",
            places=tuple(place_of(str(row[0]), row[column]) for row in below[:DRAWN]),
            thing=(f"narrower {field.said}", f"narrower {field.plural}"),
            others=len(below[DRAWN:]),
        )
    ]


def _without(table: ResultTable, name: str) -> ResultTable:
    place = table.columns.index(name)
    rows = tuple((*row[:place], *row[place + 1 :]) for row in table.rows)
    return ResultTable((*table.columns[:place], *table.columns[place + 1 :]), rows)


def _with_unstated(
    context: Answering,
    measure: Values,
    lead: Ranking,
    missing: NotKnown | Counted,
    is_whole_said: bool,
) -> Ranking:
    """Return a ranking of values that also says how many runs state none.

    It also says whether all confirmed runs are among these.
    """
    tally, notes = context.tally, {place.note for place in lead.places}
    are_all = tally.at_90 > 0 and notes == {NONE_CONFIRMED}
    note = ", among them all confirmed ones," if are_all else ""
    whole = None if is_whole_said else tally.runs
    lacking = said_missing(measure.by[0])
    return replace(
        lead, unstated=missing.number, whole=whole, unstated_note=note, unstated_thing=lacking
    )


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
    cells = (relatives.get(str(row[0])) for row in table.rows)
    return with_column(table, "relative_with_more_reads", cells)


def _table(context: Answering, measure: Values, lead: Claim | None = None) -> ResultTable | None:
    """Return the table of the answer, with titles, or with the runs that each source searched."""
    table = titled_table(context, measure.by[0])
    if table is None or measure.by != ("source",) or not isinstance(lead, Ranking):
        return table
    searched = {place.name: place.whole or place.number for place in lead.places}
    return with_column(table, "searched", (searched.get(str(row[0])) for row in table.rows))


def _missing(context: Answering, measure: Values) -> list[NotKnown | Counted]:
    """Return how many of the runs lack a value of the listed field, if that matters."""
    field, tally = field_named(measure.by[0]), context.tally
    asked = {leaf.field for leaf, _ in leaves(context.request.of) if isinstance(leaf, Has)}
    if measure.hits is not None or field.name in asked or context.full:
        return []
    is_of_hits = field.of == "hit"
    whole = tally.positive if is_of_hits else tally.runs
    for part in context.result.left_out:
        is_of_field = part.what.endswith((f" no {field.said}", f"no known {field.said}"))
        if part.reason != "not stated" or not is_of_field or part.number < _LEAST_MISSING * whole:
            continue
        if not is_of_hits:
            lacking = said_missing(field.name)
            return [NotKnown(number=part.number, what=f"without a recorded {lacking}")]
        noun = ("virus-positive run", "virus-positive runs")
        known = f"known {field.said.removeprefix('virus ')}"
        none = f"no virus has a {'name' if field.name == 'virus' else known}"
        return [Counted(number=part.number, noun=noun, before="in", after=none)]
    return []


def _relatives(context: Answering, measure: Values, subject: Topic) -> list[Claim]:
    """Return the relatives that better explain the hits of the answer, or those of a share."""
    if isinstance(measure.each, Share):
        carried = runs_in_words(measure.each.part, context.names).carried
        both = intersect(context.runs, measure.each.part)
        mostly = carried and lists_mostly_hits(context)
        caution = [HitsOnly()] if mostly else []
        return [*caution, *beside_relatives(context, carried, both)]
    return beside_relatives(context, subject.hits, context.runs)


def _support(context: Answering, measure: Values, subject: Topic) -> list[Claim]:
    """Return how many of the runs support the species, if the values count runs with it."""
    tally = context.tally
    is_of_runs = measure.each == Count() and field_named(measure.by[0]).of == "run"
    if not subject.is_named or not is_of_runs or measure.limit == 1 or is_of_some(measure):
        return []
    supported = support(context, subject.hits, tally.positive)
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
    tally = context.tally
    field = field_named(measure.by[0])
    is_limited = is_of_some(measure) or measure.at_least is not None
    is_of_hits = bool(subject.hits) or field.of == "hit"
    if is_of_hits and not tally.positive and not (is_limited and tally.runs):
        any_virus = replace(subject, hits=(Hit(),), words=A_VIRUS)
        return found(context, subject if subject.hits else any_virus, 0)
    if is_limited or field.of == "hit":
        return Portrait(text=none_within_limits(context, measure, subject))
    where = runs_words(context.runs, context.names)
    runs = tally.counted(measure.hits)
    if not runs:
        return none_of(context)
    before = f"no {field.said} is recorded for any of the"
    names = []
    if runs <= MOST_NAMED:
        named = context.look(Rows((THE_RUN,), limit=MOST_NAMED), context.runs)
        names = [f": {listed([str(row[0]) for row in named.rows])}"]
    return Counted(number=runs, before=before, where=joined(where, *names).replace(" :", ":"))
