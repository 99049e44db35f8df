"""Answers that compare sets of runs: which has more, by how much, and as a share of what."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from index.claims import (
    RUN,
    TOTAL,
    Alike,
    AtSpecies,
    Claim,
    Compared,
    Fisher,
    FoundIn,
    HitsOnly,
    InBoth,
    InBothLists,
    NamedNumber,
    NeverSearched,
    NotFound,
    Noun,
    Ranking,
)
from index.claims.exact_tests import fisher_p
from index.claims.phrases import is_or_are, listed
from query.answer import ResultTable
from query.answers.drafting import Answering, Draft, table_of
from query.answers.hit_words import hit_words
from query.answers.listing_words import DRAWN, is_placed, noun_of, number_of, place_of, said_value
from query.answers.relatives import beside_relatives, outweighed_in_list
from query.answers.run_words import both_of, clause_words, runs_in_words
from query.answers.sides import Row, are_known, side_words, sides_of, virus_of
from query.answers.subject import Topic, subject_of
from query.answers.unknowns import names_species, shown
from query.compiler.result import Cell
from query.request import And, Carries, Compare, Count, Hit, Or, Searched, Share, Summary, Values
from query.request.fields import RequestField, field_named
from query.request.run_sets import RunSet
from query.request.saying_runs import say_clause

_NO_UNIT: Final = ("", "")
_HARDLY: Final = 1.1
"""Ratio of two shares up to which one is only slightly higher."""


def draft_compare(context: Answering, measure: Compare) -> Draft:
    """Return which side has more, of what whole, and a test where the sides are disjoint."""
    inner = measure.measure
    table = table_of(context.result)
    if isinstance(inner, Values):
        certainty = outweighed_in_list(context, inner, _all_sides(context, measure))
        return Draft(_of_values(context, measure, inner), certainty, table=table)
    certainty = _relatives(context, measure)
    if isinstance(inner, Summary):
        return Draft([_of_summaries(context, measure, inner)], certainty, table=table)
    rows = sides_of(context, measure)
    subject = subject_of(context, inner.hits if isinstance(inner, Count) else None)
    if isinstance(inner, Share):
        lead = _of_shares(context, rows, inner)
        tested = _tested(context, rows, _shared(context, inner))
        if isinstance(lead, NeverSearched):
            return Draft([lead], certainty)
        if tested and isinstance(tested[0], HitsOnly):
            return Draft([lead, *tested], certainty, table=_without_shares(table))
        return Draft([lead], [*certainty, *tested], table=table)
    never = _never_searched(rows, subject)
    known = [row for row in rows if row.whole or row.part] if never else rows
    if len(known) < 2 and never:
        leads = [_alone(known[0], inner, subject)] if known else never
        never = never if known else []
        certainty = [*never, *certainty]
        return Draft(leads, shown(context, certainty), table=table)
    both = _searched_for_both(context, known, subject)
    compared, at_90 = _of_counts(known, inner, subject), _at_90(context, known, subject)
    leads = _fairest_first(both, compared, at_90, known) or [
        compared,
        *at_90,
        *(both or _other_way_round(known, subject)),
    ]
    certainty += never
    if subject.is_named and inner.unit == "run":
        certainty += _tested(context, known, subject.words)
    return Draft(leads, shown(context, certainty), table=table)


def _fairest_first(
    both: list[InBoth], compared: Claim, at_90: list[AtSpecies], rows: list[Row]
) -> list[Claim]:
    """Return the claims in the order that the fairest of them gives, that one first: of runs that
    were searched for both sides, else at 90 % identity where it turns the order; else none.
    """
    if not isinstance(compared, Compared):
        return []
    if both:
        return [*both, *at_90]
    if not at_90 or not at_90[0].is_reversed:
        return []
    sides = tuple(NamedNumber(name=row.virus or row.words, number=row.part) for row in rows[::-1])
    weaker = Compared(begin="with hits that are not confirmed", than="", sides=sides)
    names = [f"with {row.virus}" if row.virus else row.where for row in rows]
    return [replace(at_90[0], names=(names[0], names[1])), weaker]


def _shared(context: Answering, inner: Share) -> str:
    """Return the viruses whose share is compared, in words."""
    carried = runs_in_words(inner.part, context.names).carried
    return listed([hit_words(hit, context.names) for hit in carried])


def _without_shares(table: ResultTable | None) -> ResultTable | None:
    """Return a table without the shares that say nothing."""
    if table is None:
        return None
    places = [place for place, name in enumerate(table.columns) if name not in ("number", "among")]
    rows = tuple(tuple(row[place] for place in places) for row in table.rows)
    return ResultTable(tuple(table.columns[place] for place in places), rows)


def _relatives(context: Answering, measure: Compare) -> list[Claim]:
    """Return the relatives that explain hits of the viruses compared better, over all sides."""
    inner = measure.measure
    hits: list[Hit] = []
    of = _all_sides(context, measure)
    if isinstance(inner, Share):
        of = both_of(of, inner.part)
        hits += runs_in_words(inner.part, context.names).carried
    elif inner.hits is not None:
        of = both_of(of, Carries(inner.hits))
        hits.append(inner.hits)
    for runs in (context.request.of, *measure.sides):
        hits += runs_in_words(runs, context.names).carried
    return beside_relatives(context, tuple(dict.fromkeys(hits)), of)


def _all_sides(context: Answering, measure: Compare) -> RunSet:
    """Return the runs of any side."""
    return both_of(context.request.of, Or(measure.sides))


def _alone(row: Row, inner: Count, subject: Topic) -> Claim:
    """Return what was counted of the only side that was searched."""
    words = row.virus or subject.words
    where = subject.where if row.virus else row.where
    noun = noun_of(inner.unit)
    if not row.part:
        return NotFound(subject=words, searched=row.whole, where=where)
    searched = row.whole if inner.unit == "run" and row.known else None
    return FoundIn(subject=words, number=int(row.number), where=where, noun=noun, searched=searched)


def _of_counts(rows: list[Row], inner: Count, subject: Topic) -> Claim:
    """Return which side has more runs, samples or values."""
    noun = noun_of(inner.unit)
    of_viruses = all(row.virus for row in rows) and not subject.is_named
    if len({row.number for row in rows}) == 1:
        return _alike(rows, noun, subject, of_viruses=of_viruses)
    if len(rows) > 2:
        return _ranked(rows, noun, subject, of_viruses=of_viruses)
    shares = inner.unit == "run" and (subject.is_named or of_viruses) and are_known(rows)
    first, second = rows
    sides = tuple(row.side(shares=shares) for row in rows)
    more = f"more {noun[1]}"
    known = first.known if shares else ""
    if of_viruses:
        where = f" {subject.where}" if subject.where else ""
        begin = f"{first.virus} {is_or_are(first.virus)} found in {more}{where}"
        return Compared(
            begin=begin,
            than=f"than {second.virus}",
            sides=sides,
            known=known,
            are_alike=_searched_alike(rows),
        )
    if subject.is_named:
        begin = f"{subject.words} {is_or_are(subject.words)} found in {more} {first.where}"
        return Compared(begin=begin, than=f"than {second.where}", sides=sides, known=known)
    begin, than = f"there are {more} {first.where}", f"than {second.where}"
    if inner.unit not in ("run", "biosample"):
        begin, than = f"there are {more} in {first.words}", f"than in {second.words}"
    return Compared(begin=begin, than=than, sides=sides)


def _ranked(rows: list[Row], noun: Noun, subject: Topic, *, of_viruses: bool) -> Claim:
    """Return three sides or more in order."""
    shares = noun == RUN and (subject.is_named or of_viruses) and are_known(rows)
    places = tuple(
        replace(row.side(shares=shares), name=_short(row.virus) if of_viruses else row.where)
        for row in rows
    )
    of = f" with {subject.words}" if subject.is_named else ""
    of += ", of those searched" if shares else ""
    begin = f"by number of {noun[1]}{of}, the order is"
    return Ranking(begin=begin, places=places, noun=noun)


def _alike(rows: list[Row], noun: Noun, subject: Topic, *, of_viruses: bool) -> Claim:
    """Return that the sides have equal numbers."""
    number = int(rows[0].number)
    said = f"{number:,} {noun[0] if number == 1 else noun[1]}" if number else f"no {noun[1]}"
    if of_viruses:
        names = listed([row.virus for row in rows])
        begin = f"{names} are found equally often"
    elif subject.is_named:
        verb = is_or_are(subject.words)
        names = listed([row.words for row in rows])
        begin = f"{subject.words} {verb} found equally often in {names}"
    else:
        names = listed([row.where for row in rows])
        begin = f"there are equally many {noun[1]} {names}"
    return Alike(begin=begin, names=(names,), said=said, values=(number,) if number else ())


def _never_searched(rows: list[Row], subject: Topic) -> list[Claim]:
    """Return the sides of which no run was searched, so that zero means nothing."""
    unsearched = [row for row in rows if not row.whole and not row.part]
    if subject.is_named:
        return [NeverSearched(subject=subject.words, where=row.where) for row in unsearched]
    return [
        NeverSearched(subject=row.virus, where=subject.where) for row in unsearched if row.virus
    ]


def _searched_alike(rows: list[Row]) -> bool:
    """Return whether about as many runs were searched for each side."""
    wholes = [row.whole for row in rows]
    return max(wholes) <= 1.2 * min(wholes)


def _searched_for_both(context: Answering, rows: list[Row], subject: Topic) -> list[InBoth]:
    """Return the numbers in the runs that were searched for all viruses, where others were not."""
    of_viruses = all(row.virus and row.whole for row in rows) and not subject.is_named
    if len(rows) != 2 or not of_viruses or _searched_alike(rows):
        return []
    viruses = [runs_in_words(row.of, context.names).carried[0].virus for row in rows]
    searched = And(tuple(Searched(virus=names) for names in viruses))
    sides = tuple(row.of for row in rows)
    both = context.look(Compare(Count(), sides), both_of(context.request.of, searched))
    numbers = [int(number_of(record["number"])) for record in both.records()]
    if numbers[0] < numbers[1]:
        numbers, rows = numbers[::-1], rows[::-1]
    first, second = rows
    return [
        InBoth(
            names=(_short(first.virus), _short(second.virus)),
            formal=(first.virus, second.virus),
            numbers_of=(numbers[0], numbers[1]),
            searched=int(number_of(both.records()[0]["searched"])),
        )
    ]


def _at_90(context: Answering, rows: list[Row], subject: Topic) -> list[AtSpecies]:
    """Return the numbers at 90 % identity of two sides, where they differ from all hits."""
    if len(rows) != 2 or not (subject.is_named or all(row.virus for row in rows)):
        return []
    hits = [hit for row in rows for hit in runs_in_words(row.of, context.names).carried]
    hits += subject.hits
    if all(row.at_90 == row.part for row in rows) or not names_species(context, hits):
        return []
    names = [f"with {_short(row.virus)}" if row.virus else row.where for row in rows]
    return [AtSpecies(names=(names[0], names[1]), numbers_of=(rows[0].at_90, rows[1].at_90))]


def _short(virus: str) -> str:
    """Return a virus without the formal name that was said before."""
    return virus.partition(" (")[0]


def _other_way_round(rows: list[Row], subject: Topic) -> list[Claim]:
    """Return that the second side has the higher share, where the first has more runs."""
    sides = [row.side(shares=True) for row in rows]
    if (
        len(rows) != 2
        or not are_known(rows)
        or not (subject.is_named or all(row.virus for row in rows))
    ):
        return []
    first, second = (side.share for side in sides)
    if first is None or second is None or first >= second or rows[0].number == rows[1].number:
        return []
    name = f"of {_short(rows[1].virus)}" if rows[1].virus else f"in {rows[1].words}"
    begin = f"the share of the searched runs, however, is higher {name}"
    return [Alike(begin=begin, names=(name,), said="", values=())]


def _tested(context: Answering, rows: list[Row], subject: str) -> list[Claim]:
    """Return Fisher's test of two disjoint sides; nothing for equal shares or shared runs.

    Where sources list only hits, that is said instead.
    """
    if not are_known(rows):
        others = [row for row in rows if not row.known]
        where = "" if len(others) == len(rows) else listed([row.where for row in others])
        return [HitsOnly(subject=subject, where=where)]
    if len(rows) != 2 or not all(row.whole for row in rows):
        return []
    first, second = rows
    is_equal = first.part * second.whole == second.part * first.whole
    if is_equal or _overlap(context, first.of, second.of):
        return []
    p_value = fisher_p(
        with_it=first.part, of=first.whole, others_with_it=second.part, of_others=second.whole
    )
    return [Fisher(p_value=p_value)]


def _overlap(context: Answering, first: RunSet, second: RunSet) -> bool:
    """Return whether some run is in both sides."""
    found = context.look(Count(), both_of(context.request.of, And((first, second))))
    return bool(found.number)


def _of_shares(context: Answering, rows: list[Row], inner: Share) -> Claim:
    """Return which side has the higher share."""
    does = clause_words(inner.part, context.names, first=True)
    known = [row for row in rows if row.whole]
    if not known:
        names = " or ".join(row.where for row in rows)
        subject = _shared(context, inner) or f"what runs {does}"
        return NeverSearched(subject=subject, where=names)
    if not are_known(known):
        return _of_hits_only(known, _shared(context, inner))
    sides = tuple(row.side(shares=True) for row in known)
    if len(known) == 2 and sides[0].number == sides[1].number:
        names = listed([side.name for side in sides])
        begin = f"{names} {does} equally often"
        return Alike(begin=begin, names=(names,), said=sides[0].said(), values=sides[0].numbers())
    if len(known) == 2:
        first, second = (side.share or 0 for side in sides)
        slightly = "slightly " if first < _HARDLY * second else ""
        begin = f"{sides[0].name} {does} {slightly}more often"
        what = rows[0].known if _shared(context, inner) else ""
        return Compared(begin=begin, than=f"than {sides[1].name}", sides=sides, known=what)
    begin = f"the share that {does} is highest of" if len(known) > 1 else (
        f"the share that {does} is known only of"
    )  # fmt: skip
    return Ranking(begin=begin, places=sides, noun=_NO_UNIT)


def _of_hits_only(rows: list[Row], subject: str) -> Claim:
    """Return the runs of each side instead of shares, as some source lists only hits."""
    rows = sorted(rows, key=lambda row: -row.part)
    are = f"{subject} {is_or_are(subject)} found in"
    if len(rows) == 2 and rows[0].part != rows[1].part:
        begin, than = f"{are} more {rows[0].words}", f"than {rows[1].where}"
        sides = tuple(NamedNumber(name=row.words, number=row.part) for row in rows)
        return Compared(begin=begin, than=than, sides=sides)
    places = tuple(NamedNumber(name=row.words, number=row.part) for row in rows)
    return Ranking(begin=are, places=places, noun=_NO_UNIT)


def _of_summaries(context: Answering, measure: Compare, inner: Summary) -> Claim:
    """Return which side has the higher median."""
    field = field_named(inner.number)
    unit = "%" if field.unit == "percent" else ""
    places = []
    for side, record in zip(measure.sides, context.result.records(), strict=True):
        virus = virus_of(context, side)
        name = f"for {virus}" if virus else f"in {side_words(context, side)}"
        if record["median"] is not None:
            places.append(place_of(name, record["median"]))
    ranked = tuple(sorted(places, key=lambda place: -place.number))
    if not ranked:
        return NeverSearched(subject=f"the {field.said}", where="")
    return Ranking(begin=f"the median {field.said} is highest", places=ranked, noun=(unit, unit))


def _of_values(context: Answering, measure: Compare, inner: Values) -> list[Claim]:
    """Return the first values of each side."""
    field = field_named(inner.by[0])
    columns = [column.name for column in context.result.columns]
    number = columns.index("runs") if "runs" in columns else len(columns) - 1
    does = "are found in" if field.of == "hit" else "are recorded for"
    listed_of = [
        [row for row in context.result.rows if row[0] == say_clause(side)] for side in measure.sides
    ]
    if len(listed_of) == 2 and all(listed_of) and inner.each.type == "count":
        return _shared_and_alone(context, measure, field, number, listed_of)
    claims: list[Claim] = []
    for side, rows in zip(measure.sides, listed_of, strict=True):
        places = tuple(
            place_of(said_value(field, str(row[1])), number_of(row[number])) for row in rows[:DRAWN]
        )
        if places:
            claims.append(
                Ranking(
                    begin=f"{TOTAL} {does} {side_words(context, side)}",
                    only=f"the only {field.said} {does.removeprefix('are ')} "
                    f"{side_words(context, side)} is",
                    places=places,
                    thing=(field.said, field.plural),
                    others=len(rows) - len(places),
                )
            )
    return claims


def _shared_and_alone(
    context: Answering,
    measure: Compare,
    field: RequestField,
    number: int,
    listed_of: list[list[tuple[Cell, ...]]],
) -> list[Claim]:
    """Return the values that both sides have, and those of each alone: of viruses the named."""
    is_of_viruses = field.name == "virus"
    first, second = (
        {
            str(row[1]): int(number_of(row[number]))
            for row in rows
            if not (is_of_viruses and is_placed(str(row[1])))
        }
        for rows in listed_of
    )
    shared = tuple((name, first[name], second[name]) for name in first if name in second)
    sides = [side_words(context, side) for side in measure.sides]
    thing = (field.said, field.plural)
    if is_of_viruses:
        thing = ("named virus", "named viruses")
    return [
        InBothLists(
            sides=(sides[0], sides[1]),
            shared=shared,
            only=(_alone_in(first, second), _alone_in(second, first)),
            thing=thing,
        )
    ]


def _alone_in(values: dict[str, int], others: dict[str, int]) -> tuple[NamedNumber, ...]:
    return tuple(
        NamedNumber(name=name, number=runs) for name, runs in values.items() if name not in others
    )
