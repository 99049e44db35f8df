"""Answers that compare sets of runs: which has more, by how much, and as a share of what."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Final

from index.claims import (
    Alike,
    AtSpecies,
    Claim,
    Compared,
    Fisher,
    HitsOnly,
    InBoth,
    NamedNumber,
    NeverSearched,
    Noun,
    Ranking,
)
from index.claims.exact_tests import fisher_p
from index.claims.phrases import is_or_are, listed
from query.answers.drafting import Answering, Draft, table_of
from query.answers.hit_words import hit_words
from query.answers.listing_words import NAMED, named_of, number_of, place_of, said_value
from query.answers.run_words import behind_runs, both_of, clause_words, runs_in_words, runs_words
from query.answers.subject import Topic, subject_of
from query.answers.unknowns import names_species, shown
from query.request import And, Compare, Count, Searched, Share, Summary, Values
from query.request.fields import field_named
from query.request.run_sets import RunSet
from query.request.saying_runs import say_clause

_NO_UNIT: Final = ("", "")
_HARDLY: Final = 1.1
"""Ratio of two shares up to which one is only slightly higher."""


@dataclass(frozen=True, slots=True)
class Row:
    """A side with what was counted of it.

    ``words``   the side behind "in": "runs from bats"
    ``virus``   the virus that the side is, where it is nothing else
    ``known``   what is known of the runs of ``whole``; empty for all runs of the side
    """

    of: RunSet
    words: str
    virus: str
    number: float
    part: int
    whole: int
    at_90: int
    known: str = "searched"

    @property
    def where(self) -> str:
        """The side behind "runs": "from bats"."""
        return self.words.removeprefix("runs ")

    def side(self, *, shares: bool) -> NamedNumber:
        """Return the side as a claim says it, as a share of its whole where ``shares``."""
        name = self.virus or self.words
        if shares and self.whole:
            return NamedNumber(
                name=name, number=self.part / self.whole, part=self.part, whole=self.whole
            )
        return NamedNumber(name=name, number=int(self.number))


def draft_compare(context: Answering, measure: Compare) -> Draft:
    """Return which side has more, of what whole, and a test where the sides are disjoint."""
    inner = measure.measure
    table = table_of(context.result)
    if isinstance(inner, Values):
        return Draft(_of_values(context, measure, inner), table=table)
    if isinstance(inner, Summary):
        return Draft([_of_summaries(context, measure, inner)], table=table)
    rows = _rows(context, measure)
    subject = subject_of(context, inner.hits if isinstance(inner, Count) else None)
    if isinstance(inner, Share):
        lead = _of_shares(context, rows, inner)
        return Draft([lead], _tested(context, rows), table=table)
    lead = _of_counts(rows, inner, subject)
    certainty = [*_never_searched(rows, subject), *_at_90(context, rows, subject)]
    certainty += _searched_for_both(context, rows, subject) or _other_way_round(rows, subject)
    if subject.is_named and inner.unit == "run":
        certainty += _tested(context, rows)
    return Draft([lead], shown(context, certainty), table=table)


def _rows(context: Answering, measure: Compare) -> list[Row]:
    """Return the sides with their numbers, largest first."""
    records = zip(measure.sides, context.result.records(), strict=True)
    rows = [_row(context, side, record) for side, record in records]
    if _are_hits_only(rows):
        rows = [_of_all_runs(context, row) for row in rows]
    return sorted(rows, key=lambda row: -row.number)


def _are_hits_only(rows: list[Row]) -> bool:
    """Return whether every searched run of every side has the hits: sources list nothing else."""
    return all(row.part and row.part == row.whole and not row.virus for row in rows)


def _of_all_runs(context: Answering, row: Row) -> Row:
    """Return ``row`` as a part of all runs of its side, where it is a share."""
    every = context.look(Count(), both_of(context.request.of, row.of)).number
    whole = int(number_of(every))
    if whole <= row.whole:
        return row
    share = isinstance(_measure(context), Share)
    number = 100 * row.part / whole if share else row.number
    return replace(row, whole=whole, number=number, known="")


def _measure(context: Answering) -> Share | Count | Values | Summary:
    measure = context.request.measure
    assert isinstance(measure, Compare)
    return measure.measure


def _row(context: Answering, side: RunSet, record: dict[str, Any]) -> Row:
    among = record.get("among")
    number = record["number"] or 0
    return Row(
        of=side,
        words=_side_words(context, side),
        virus=_virus_of(context, side),
        number=number,
        part=record["positive"] if among is None else record["runs"],
        whole=record["searched"] if among is None else among,
        at_90=record["at_90"],
    )


def _side_words(context: Answering, side: RunSet) -> str:
    """Return a side as it reads behind "in": "runs from bats"."""
    return f"runs {runs_words(side, context.names)}".strip()


def _virus_of(context: Answering, side: RunSet) -> str:
    """Return the virus that a side is about, where it is about nothing else."""
    taken = runs_in_words(side, context.names)
    if len(taken.carried) == 1 and not taken.lacking and not taken.where:
        return hit_words(taken.carried[0], context.names, first=True)
    return ""


def _of_counts(rows: list[Row], inner: Count, subject: Topic) -> Claim:
    """Return which side has more runs, samples or values."""
    noun = _noun(inner)
    of_viruses = all(row.virus for row in rows) and not subject.is_named
    if len({row.number for row in rows}) == 1:
        return _alike(rows, noun, subject, of_viruses=of_viruses)
    if len(rows) > 2:
        return _ranked(rows, noun, subject, of_viruses=of_viruses)
    shares = inner.unit == "run" and (subject.is_named or of_viruses)
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
    names = [row.virus if of_viruses else row.where for row in rows]
    places = tuple(
        NamedNumber(name=name, number=int(row.number))
        for name, row in zip(names, rows, strict=True)
    )
    begin = f"the most {noun[1]} are"
    noun = _NO_UNIT
    if subject.is_named:
        begin = f"{subject.words} {is_or_are(subject.words)} found in most runs"
    if of_viruses:
        begin = "found most often is"
    return Ranking(begin=begin, places=places, noun=noun, named=named_of(len(places), None))


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


def _noun(inner: Count) -> Noun:
    """Return what is counted."""
    if inner.unit == "biosample":
        return "sample", "samples"
    if inner.unit in ("run", "detection"):
        return ("run", "runs") if inner.unit == "run" else ("hit", "hits")
    field = field_named(inner.unit)
    return field.said, field.plural


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


def _searched_for_both(context: Answering, rows: list[Row], subject: Topic) -> list[Claim]:
    """Return the numbers in the runs that were searched for all viruses, where others were not."""
    of_viruses = all(row.virus and row.whole for row in rows) and not subject.is_named
    if len(rows) != 2 or not of_viruses or _searched_alike(rows):
        return []
    viruses = [runs_in_words(row.of, context.names).carried[0].virus for row in rows]
    searched = And(tuple(Searched(virus=names) for names in viruses))
    sides = tuple(row.of for row in rows)
    both = context.look(Compare(Count(), sides), both_of(context.request.of, searched))
    first, second = both.records()
    return [
        InBoth(
            names=(rows[0].virus.partition(" (")[0], rows[1].virus.partition(" (")[0]),
            numbers_of=(int(number_of(first["number"])), int(number_of(second["number"]))),
            searched=int(number_of(first["searched"])),
        )
    ]


def _at_90(context: Answering, rows: list[Row], subject: Topic) -> list[Claim]:
    """Return the numbers at 90 % identity of two viruses, where they differ from all hits."""
    if len(rows) != 2 or subject.is_named or not all(row.virus for row in rows):
        return []
    hits = [hit for row in rows for hit in runs_in_words(row.of, context.names).carried]
    if all(row.at_90 == row.part for row in rows) or not names_species(context, hits):
        return []
    return [AtSpecies(numbers_of=(rows[0].at_90, rows[1].at_90))]


def _other_way_round(rows: list[Row], subject: Topic) -> list[Claim]:
    """Return that the second side has the higher share, where the first has more runs."""
    sides = [row.side(shares=True) for row in rows]
    if len(rows) != 2 or not (subject.is_named or all(row.virus for row in rows)):
        return []
    first, second = (side.share for side in sides)
    if first is None or second is None or first >= second or rows[0].number == rows[1].number:
        return []
    name = rows[1].virus or rows[1].words
    begin = f"as a share of the searched runs it is the other way round: more {name}"
    return [Alike(begin=begin, names=(name,), said="", values=())]


def _tested(context: Answering, rows: list[Row]) -> list[Claim]:
    """Return Fisher's test of two disjoint sides; nothing for sides that share runs.

    Where sources list only hits, that is said instead.
    """
    if any(not row.known for row in rows):
        return [HitsOnly()]
    if len(rows) != 2 or not all(row.whole for row in rows):
        return []
    first, second = rows
    if all(row.whole == row.part for row in rows) or _overlap(context, first.of, second.of):
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
        names = listed([row.where for row in rows])
        return NeverSearched(subject=f"what runs {does}", where=names)
    sides = tuple(row.side(shares=True) for row in known)
    is_comparable = all(row.known for row in known)
    if len(known) == 2 and is_comparable and sides[0].number == sides[1].number:
        names = listed([side.name for side in sides])
        begin = f"{names} {does} equally often"
        return Alike(begin=begin, names=(names,), said=sides[0].said(), values=sides[0].numbers())
    if len(known) == 2 and is_comparable:
        first, second = (side.share or 0 for side in sides)
        slightly = "slightly " if first < _HARDLY * second else ""
        begin = f"{sides[0].name} {does} {slightly}more often"
        return Compared(begin=begin, than=f"than {sides[1].name}", sides=sides)
    places = tuple(
        NamedNumber(name=side.name, number=side.number, part=side.part, whole=side.whole)
        for side in sides
    )
    begin = f"the share that {does} is highest of" if len(known) > 1 else (
        f"the share that {does} is known only of"
    )  # fmt: skip
    return Ranking(begin=begin, places=places, noun=_NO_UNIT)


def _of_summaries(context: Answering, measure: Compare, inner: Summary) -> Claim:
    """Return which side has the higher median."""
    field = field_named(inner.number)
    unit = "%" if field.unit == "percent" else ""
    places = []
    for side, record in zip(measure.sides, context.result.records(), strict=True):
        virus = _virus_of(context, side)
        name = f"for {virus}" if virus else f"in {_side_words(context, side)}"
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
    does = "most often carry" if field.of == "hit" else f"are most often {behind_runs(field)}"
    claims: list[Claim] = []
    for side in measure.sides:
        rows = [row for row in context.result.rows if row[0] == say_clause(side)]
        places = tuple(
            place_of(said_value(field, str(row[1])), number_of(row[number])) for row in rows[:NAMED]
        )
        if places:
            claims.append(Ranking(begin=f"{_side_words(context, side)} {does}", places=places))
    return claims
